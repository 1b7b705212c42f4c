import { invalidValue } from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';

/** A parsed IP address. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
  /** IPv4 written as IPv6 (`::ffff:1.2.3.4`); bits are 32 then. */
  readonly mapped: boolean;
  /** Whether a part has leading zeros, which some programs read as octal. */
  readonly leadingZeros: boolean;
}

/** A parsed CIDR. */
export interface Range {
  /** The address as written, bits beyond the prefix included. */
  readonly address: Address;
  readonly prefix: number;
  /** First address of the range. */
  readonly first: bigint;
  readonly leadingZeros: boolean;
}

const MAPPED = 0xffffn << 32n;
const MAX_LENGTH = 200;
const NO_KNOWN_VALUES: ReadonlySet<string> = new Set();

/** Parses an address. Leading zeros are accepted, as older releases did. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  if (!text.includes(':')) return parseQuad(text);
  const parts = hextets(text);
  if (parts === undefined) return undefined;
  const value = parts.reduce((sum, part) => (sum << 16n) | BigInt(part), 0n);
  const zeros = text.includes('.') && /(^|[:.])0\d/.test(text.slice(text.lastIndexOf(':')));
  if (value >> 32n === 0xffffn) return { bits: 32, value: value - MAPPED, mapped: true, leadingZeros: zeros };
  return { bits: 128, value, mapped: false, leadingZeros: zeros };
}

function parseQuad(text: string): Address | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,20}$/.test(part) && Number(part) <= 255)) return undefined;
  const value = parts.reduce((sum, part) => (sum << 8n) | BigInt(Number(part)), 0n);
  return {
    bits: 32,
    value,
    mapped: false,
    leadingZeros: parts.some((part) => part.length > 1 && part.startsWith('0')),
  };
}

function hextets(text: string): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, at) => groups(half, at === halves.length - 1));
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  if (tail === undefined || head.length + tail.length > 7) return undefined;
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** @param last whether these are the last groups of the address: the last of them may be an IPv4 address */
function groups(text: string, last: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const found: number[] = [];
  const parts = text.split(':');
  for (const [at, part] of parts.entries()) {
    const quad = last && at === parts.length - 1 && part.includes('.') ? parseQuad(part) : undefined;
    if (quad !== undefined) found.push(Number(quad.value >> 16n), Number(quad.value & 0xffffn));
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) found.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return found;
}

/** The canonical form of an address (RFC 5952 for IPv6). */
export function addressText({ bits, value }: Pick<Address, 'bits' | 'value'>): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.');
  const parts = Array.from({ length: 8 }, (_item, at) => ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
  const { at, length } = longestZeros(parts);
  if (length < 2) return parts.join(':');
  return `${parts.slice(0, at).join(':')}::${parts.slice(at + length).join(':')}`;
}

function longestZeros(parts: readonly string[]): { at: number; length: number } {
  let best = { at: 0, length: 0 };
  for (let at = 0; at < parts.length; at += 1) {
    let length = 0;
    while (parts[at + length] === '0') length += 1;
    if (length > best.length) best = { at, length };
  }
  return best;
}

export function parseRange(text: string): Range | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (address === undefined || !/^\d{1,8}$/.test(digits)) return undefined;
  const prefix = Number(digits) - (address.mapped ? 96 : 0);
  if (prefix < 0 || prefix > address.bits) return undefined;
  const host = BigInt(address.bits - prefix);
  return {
    address,
    prefix,
    first: (address.value >> host) << host,
    leadingZeros: address.leadingZeros || (digits.length > 1 && digits.startsWith('0')),
  };
}

export function rangeText({ address, prefix, first }: Range): string {
  return `${addressText({ bits: address.bits, value: first })}/${prefix}`;
}

/** Whether an address lies in a range. */
export function contains({ address: { bits }, prefix, first }: Range, other: Address): boolean {
  const host = BigInt(bits - prefix);
  return other.bits === bits && (other.value >> host) << host === first;
}

/**
 * Validates an address.
 * @param known addresses of the old object, which are not validated again
 */
export function checkAddress(
  text: string,
  path: string,
  known: ReadonlySet<string> = NO_KNOWN_VALUES,
): readonly FieldError[] {
  if (known.has(text)) return [];
  const address = parseAddress(text);
  if (address === undefined)
    return [invalidValue(path, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  if (address.leadingZeros) return [invalidValue(path, text, 'must not have leading 0s')];
  return address.mapped ? [invalidValue(path, text, 'must not be an IPv4-mapped IPv6 address')] : [];
}

/** Validates a CIDR, like {@link checkAddress}. */
export function checkRange(
  text: string,
  path: string,
  known: ReadonlySet<string> = NO_KNOWN_VALUES,
): readonly FieldError[] {
  if (known.has(text)) return [];
  const range = parseRange(text);
  if (range === undefined)
    return [invalidValue(path, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
  if (range.leadingZeros) return [invalidValue(path, text, 'must not have leading 0s in IP or prefix length')];
  if (range.address.mapped) return [invalidValue(path, text, 'must not have an IPv4-mapped IPv6 address')];
  return range.first === range.address.value
    ? []
    : [invalidValue(path, text, 'must not have bits set beyond the prefix length')];
}

/** Warnings of a valid address that is not in canonical form. */
export function addressWarnings(text: string, path: string): readonly string[] {
  const address = parseAddress(text);
  if (address === undefined) return [];
  const written = addressText(address);
  if (address.leadingZeros || address.mapped)
    return [`${path}: non-standard IP address ${JSON.stringify(text)} is invalid: use ${JSON.stringify(written)}`];
  if (address.bits === 32 || written === text) return [];
  return [
    `${path}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(written)})`,
  ];
}

/** Warnings of a valid CIDR that is not in canonical form. */
export function rangeWarnings(text: string, path: string): readonly string[] {
  const range = parseRange(text);
  if (range === undefined) return [];
  const { address, first, leadingZeros: zeros, prefix } = range;
  const warnings: string[] = [];
  const written = rangeText(range);
  if (first !== address.value) {
    const single = `${addressText(address)}/${address.bits}`;
    warnings.push(
      `${path}: CIDR value ${JSON.stringify(text)} is ambiguous in this context (should be ${JSON.stringify(written)} or ${JSON.stringify(single)}?)`,
    );
  }
  if (zeros || address.mapped)
    warnings.push(
      `${path}: non-standard CIDR value ${JSON.stringify(text)} is invalid: use ${JSON.stringify(written)}`,
    );
  const canonical = `${addressText(address)}/${prefix}`;
  if (warnings.length > 0 || address.bits === 32 || canonical === text) return warnings;
  return [
    `${path}: IPv6 CIDR value ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ];
}
