/** Validates addresses as Go's `net` package does. Kubernetes tolerates leading zeros in IPv4. */

/** Accepts IPv6 with an embedded IPv4 address too: the rule is that the text parses and contains a dot. */
export function isIpv4(text: string): boolean {
  return text.includes('.') && (isQuad(text, true) || isHextets(text, true));
}

export function isIpv6(text: string): boolean {
  return isHextets(text, false);
}

export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const [address, mask] = [text.slice(0, slash), text.slice(slash + 1)];
  if (!/^\d{1,8}$/.test(mask)) return false;
  if (isQuad(address, true)) return Number(mask) <= 32;
  return isHextets(address, true) && Number(mask) <= 128;
}

/** EUI-48, EUI-64 or InfiniBand: pairs of digits separated by `:` or `-`, or groups of four separated by `.`. */
export function isMac(text: string): boolean {
  for (const [separator, digits] of [
    [':', 2],
    ['-', 2],
    ['.', 4],
  ] as const) {
    if (text[digits] !== separator) continue;
    const parts = text.split(separator);
    const bytes = (parts.length * digits) / 2;
    return [6, 8, 20].includes(bytes) && parts.every((part) => part.length === digits && /^[0-9a-fA-F]+$/.test(part));
  }
  return false;
}

function isQuad(text: string, zeros: boolean): boolean {
  const parts = text.split('.');
  return (
    parts.length === 4 &&
    parts.every(
      (part) => /^\d{1,20}$/.test(part) && Number(part) <= 255 && (zeros || part === '0' || !part.startsWith('0')),
    )
  );
}

function isHextets(text: string, zeros: boolean): boolean {
  if (text.includes('%')) return false;
  const halves = text.split('::');
  if (halves.length > 2 || !text.includes(':')) return false;
  let groups = 0;
  for (const [at, half] of halves.entries()) {
    const count = half === '' ? 0 : countGroups(half.split(':'), at === halves.length - 1, zeros);
    if (count < 0 || (half === '' && halves.length === 1)) return false;
    groups += count;
  }
  return halves.length === 2 ? groups < 8 : groups === 8;
}

/**
 * The number of 16-bit groups; -1 when one of them is invalid. The last one may be an IPv4 address, which counts as
 * two.
 */
function countGroups(parts: readonly string[], tail: boolean, zeros: boolean): number {
  let count = 0;
  for (const [at, part] of parts.entries()) {
    const quad = part.includes('.');
    const valid = quad ? tail && at === parts.length - 1 && isQuad(part, zeros) : /^[0-9a-fA-F]{1,4}$/.test(part);
    if (!valid) return -1;
    count += quad ? 2 : 1;
  }
  return count;
}
