/** Quantities of Kubernetes (`500m`, `16Gi`), as `resource.Quantity` of Go has them. */

/** The exponent of the smallest unit; finer values are rounded away from zero. */
export const NANO = -9;

/** A 64-bit integer times a power of ten. */
export interface Amount {
  readonly value: bigint;
  readonly scale: number;
}

/** A quantity. */
export interface ParsedQuantity {
  /** The value in units of 10^-9. */
  readonly nanos: bigint;
  /** Go's 64-bit representation; undefined where Go uses a decimal of arbitrary length, which is never an integer. */
  readonly amount: Amount | undefined;
}

const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/** Larger exponents are clamped: such quantities exceed every limit. Smaller ones, too, where no digit is left. */
const MAX_EXPONENT = 400;

/** 2^63 - 1, in units of 10^-9. */
const LARGEST_BINARY = (2n ** 63n - 1n) * 10n ** 9n;

/** The quantity that the text is; undefined for a text that is none. */
export function parseQuantity(text: string): ParsedQuantity | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?((?:[KMGTPE]i)|[eE][+-]?\d{1,9}|[numkMGTPE]?)$/.exec(text);
  if (text === '' || match === null) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const digits = BigInt(`${whole}${fraction}` || '0') * (sign === '-' ? -1n : 1n);
  const bits = BINARY[suffix] ?? 0;
  const exponent = BINARY[suffix] === undefined ? (DECIMAL[suffix] ?? Number(suffix.slice(1))) : 0;
  const amount = amountOf(digits, { numerals: whole.replace(/^0+/, '') || '0', fraction, bits, exponent });
  // Go reads a number without digits as 0 where it does not need a decimal of arbitrary length.
  if (whole === '' && fraction === '' && amount === undefined) return undefined;
  const nanos = shift(
    digits << BigInt(bits),
    Math.max(-text.length, Math.min(MAX_EXPONENT, exponent - fraction.length - NANO)),
  );
  return { nanos: bits === 0 ? nanos : capped(nanos), amount };
}

/** Go caps numbers with binary suffixes, and no others. */
function capped(nanos: bigint): bigint {
  return nanos > LARGEST_BINARY ? LARGEST_BINARY : nanos < -LARGEST_BINARY ? -LARGEST_BINARY : nanos;
}

interface ParsedNumber {
  readonly numerals: string;
  readonly fraction: string;
  readonly bits: number;
  readonly exponent: number;
}

/** Go uses 64 bits for short numbers; for binary suffixes only if they are whole and short. */
function amountOf(digits: bigint, { numerals, fraction, bits, exponent }: ParsedNumber): Amount | undefined {
  const scale = exponent - fraction.length;
  const room =
    bits === 0
      ? 18 - numerals.length - fraction.length
      : fraction === ''
        ? 14 - numerals.length - Math.trunc((bits * 3) / 10)
        : -1;
  return room < 0 || scale < NANO ? undefined : fit(digits << BigInt(bits), scale);
}

/** The number if it fits into 64 bits. */
export function fit(value: bigint, scale: number): Amount | undefined {
  return BigInt.asIntN(64, value) === value ? { value, scale } : undefined;
}

/** Multiplies by a power of ten and rounds away from zero. */
export function shift(digits: bigint, exponent: number): bigint {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  const rounded = ((digits < 0n ? -digits : digits) + divisor - 1n) / divisor;
  return digits < 0n ? -rounded : rounded;
}
