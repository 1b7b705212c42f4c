/** An IP address: 4 or 16 bytes. */
export interface Address {
  readonly bytes: readonly number[];
}

const bad = (text: string, problem: string): { problem: string } => ({ problem: `ParseAddr("${text}"): ${problem}` });

/** Reads an address as Go's netip does: no leading zeros, no zone. */
export function parseAddress(text: string): Address | { problem: string } {
  const separator = /[.:%]/.exec(text)?.[0];
  if (separator === '.') return parseQuad(text, text);
  if (separator === ':') return parseHextets(text);
  return bad(text, separator === '%' ? 'missing IPv6 address' : 'unable to parse IP');
}

function parseQuad(text: string, whole: string): Address | { problem: string } {
  const parts = text.split('.');
  if (parts.length !== 4) return bad(whole, parts.length > 4 ? 'IPv4 address too long' : 'IPv4 address too short');
  const bytes: number[] = [];
  for (const part of parts) {
    if (!/^\d*$/.test(part)) return bad(whole, 'unexpected character');
    if (part === '') return bad(whole, 'IPv4 field must have at least one digit');
    if (part.length > 1 && part.startsWith('0')) return bad(whole, 'IPv4 field has octet with leading zero');
    if (part.length > 3 || Number(part) > 255) return bad(whole, 'IPv4 field has value >255');
    bytes.push(Number(part));
  }
  return { bytes };
}

function parseHextets(text: string): Address | { problem: string } {
  if (text.includes('%')) return bad(text, 'zone');
  const halves = text.split('::');
  if (halves.length > 2) return bad(text, 'multiple :: in address');
  const groups: number[][] = [];
  for (const [index, half] of halves.entries()) {
    const read = half === '' && halves.length === 2 ? [] : readGroups(half, index === halves.length - 1);
    if (read === undefined) return bad(text, 'unexpected character');
    groups.push(read);
  }
  const [head = [], tail = []] = groups;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1) return missing === 0 ? { bytes: head } : bad(text, missing > 0 ? 'address string too short' : 'trailing garbage after address');
  if (missing < 2) return bad(text, 'the :: must expand to at least one field of zeros');
  return { bytes: [...head, ...Array.from({ length: missing }, () => 0), ...tail] };
}

/** Bytes of groups parted by colons; an IPv4 address may stand at the end. */
function readGroups(text: string, last: boolean): number[] | undefined {
  const bytes: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (last && index === parts.length - 1 && part.includes('.')) {
      const quad = parseQuad(part, part);
      if ('problem' in quad) return undefined;
      bytes.push(...quad.bytes);
      continue;
    }
    if (!/^[0-9A-Fa-f]{1,4}$/.test(part)) return undefined;
    const group = Number.parseInt(part, 16);
    bytes.push(group >> 8, group & 0xff);
  }
  return bytes;
}

/** Whether an IPv4 address is written as an IPv6 one: `::ffff:1.2.3.4`. */
export function isMapped({ bytes }: Address): boolean {
  return bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

/** The canonical text. */
export function addressText({ bytes }: Address): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0));
  const run = longestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (run.length < 2) return hex.join(':');
  return `${hex.slice(0, run.start).join(':')}::${hex.slice(run.start + run.length).join(':')}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** The address with all bits behind a prefix at zero. */
export function masked({ bytes }: Address, bits: number): Address {
  return { bytes: bytes.map((byte, index) => byte & ~(0xff >> Math.min(8, Math.max(0, bits - index * 8)))) };
}

export function sameAddress(a: Address, b: Address): boolean {
  return a.bytes.length === b.bytes.length && a.bytes.every((byte, index) => byte === b.bytes[index]);
}
