/** FNV-1a, 64 bits: the same on every machine and in every version. Not for secrets. */

export interface Hash64 {
  /** Upper and lower half, each an unsigned 32-bit integer. */
  readonly high: number;
  readonly low: number;
}

const encoder = new TextEncoder();

/** FNV-1a (64 bits) of the UTF-8 bytes of `text`. */
export function hash64(text: string): Hash64 {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  // The code units of an ASCII text are its bytes; encoding it would cost more than hashing it.
  const bytes = isAscii(text) ? undefined : encoder.encode(text);
  const length = bytes?.length ?? text.length;
  for (let at = 0; at < length; at++) {
    const byte = bytes?.[at] ?? text.charCodeAt(at);
    const mixed = (low ^ byte) >>> 0;
    // The prime is 2^40 + 0x1b3; every product below stays under 2^53.
    const product = mixed * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 0x1_0000_0000) + ((mixed << 8) >>> 0)) >>> 0;
    low = product >>> 0;
  }
  return { high, low };
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** Sixteen lower-case hexadecimal digits. */
export function hex64(hash: Hash64): string {
  return hash.high.toString(16).padStart(8, '0') + hash.low.toString(16).padStart(8, '0');
}
