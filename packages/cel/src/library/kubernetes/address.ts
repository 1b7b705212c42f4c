import { goQuote } from '@multicluster-engine/values/text/go';

/** An IP address: 4 or 16 bytes. */
export interface Address {
  readonly bytes: readonly number[];
  /** The zone after `%`; undefined when absent. */
  readonly zone?: string;
}

/** An invalid address, with the rest of the text where the error was found. */
class Malformed extends Error {
  constructor(problem: string, rest = '') {
    super(rest === '' ? problem : `${problem} (at ${goQuote(rest)})`);
  }
}

/** Parses an address as Go's netip does: without leading zeros. */
export function parseAddress(text: string): Address | { problem: string } {
  try {
    const separator = /[.:%]/.exec(text)?.[0];
    if (separator === '.') return { bytes: readQuad(text) };
    if (separator === ':') return readHextets(text);
    throw new Malformed(separator === '%' ? 'missing IPv6 address' : 'unable to parse IP');
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { problem: `ParseAddr(${goQuote(text)}): ${error.message}` };
  }
}

function readQuad(text: string): number[] {
  const fields = [''];
  for (const [at, char] of Array.from(text).entries()) {
    const field = fields.at(-1) ?? '';
    if (char === '.') {
      if (at === 0 || at === text.length - 1 || field === '')
        throw new Malformed('IPv4 field must have at least one digit', text.slice(at));
      if (fields.length === 4) throw new Malformed('IPv4 address too long');
      fields.push('');
      continue;
    }
    if (!/\d/.test(char)) throw new Malformed('unexpected character', text.slice(at));
    if (field === '0') throw new Malformed('IPv4 field has octet with leading zero');
    if (Number(field + char) > 255) throw new Malformed('IPv4 field has value >255');
    fields[fields.length - 1] = field + char;
  }
  if (fields.length < 4) throw new Malformed('IPv4 address too short');
  return fields.map(Number);
}

function readHextets(text: string): Address {
  const mark = text.indexOf('%');
  const zone = mark < 0 ? undefined : text.slice(mark + 1);
  if (zone === '') throw new Malformed('zone must be a non-empty string');
  const whole = mark < 0 ? text : text.slice(0, mark);
  const begins = whole.startsWith('::');
  const groups: Groups = { bytes: [], gap: begins ? 0 : undefined, rest: begins ? whole.slice(2) : whole };
  if (!begins || groups.rest !== '') while (groups.bytes.length < 16 && readGroup(groups));
  if (groups.rest !== '') throw new Malformed('trailing garbage after address', groups.rest);
  const { bytes, gap } = groups;
  if (bytes.length < 16 && gap === undefined) throw new Malformed('address string too short');
  if (bytes.length === 16 && gap !== undefined)
    throw new Malformed('the :: must expand to at least one field of zeros');
  const zeros = Array.from({ length: 16 - bytes.length }, () => 0);
  return {
    bytes: [...bytes.slice(0, gap), ...zeros, ...bytes.slice(gap ?? 16)],
    ...(zone === undefined ? {} : { zone }),
  };
}

/** The state of parsing an IPv6 address. */
interface Groups {
  readonly bytes: number[];
  /** The number of bytes before the `::`; undefined before one is found. */
  gap: number | undefined;
  rest: string;
}

/** Parses one group and the colon after it. Returns whether another group must follow. */
function readGroup(groups: Groups): boolean {
  const { rest, bytes } = groups;
  const digits = /^[0-9A-Fa-f]*/.exec(rest)?.[0] ?? '';
  if (digits.length > 4) throw new Malformed('each group must have 4 or less digits', rest);
  if (digits === '') throw new Malformed('each colon-separated field must have at least one digit', rest);
  if (rest[digits.length] === '.') return readEmbedded(groups);
  const group = Number.parseInt(digits, 16);
  bytes.push(group >> 8, group & 0xff);
  groups.rest = rest.slice(digits.length);
  return readColons(groups);
}

/** Parses an IPv4 address at the end. */
function readEmbedded(groups: Groups): false {
  const { rest, bytes, gap } = groups;
  if (gap === undefined && bytes.length !== 12)
    throw new Malformed('embedded IPv4 address must replace the final 2 fields of the address', rest);
  if (bytes.length > 12)
    throw new Malformed('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
  bytes.push(...readQuad(rest));
  groups.rest = '';
  return false;
}

function readColons(groups: Groups): boolean {
  if (groups.rest === '') return false;
  if (!groups.rest.startsWith(':')) throw new Malformed('unexpected character, want colon', groups.rest);
  if (groups.rest.length === 1) throw new Malformed('colon must be followed by more characters', groups.rest);
  groups.rest = groups.rest.slice(1);
  if (!groups.rest.startsWith(':')) return true;
  if (groups.gap !== undefined) throw new Malformed('multiple :: in address', groups.rest);
  groups.gap = groups.bytes.length;
  groups.rest = groups.rest.slice(1);
  return groups.rest !== '';
}

/** Whether it is an IPv4-mapped IPv6 address: `::ffff:1.2.3.4`. */
export function isMapped({ bytes }: Address): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  );
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

/** The address with all bits after the first `bits` cleared. */
export function masked({ bytes }: Address, bits: number): Address {
  return { bytes: bytes.map((byte, index) => byte & ~(0xff >> Math.min(8, Math.max(0, bits - index * 8)))) };
}

/** Whether both have the same bytes: whoever compares them has no zones. */
export function sameAddress(a: Address, b: Address): boolean {
  return a.bytes.length === b.bytes.length && a.bytes.every((byte, index) => byte === b.bytes[index]);
}
