import type { Json } from '../../json.js';

const QUANTITY = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eE][-+]?[0-9]+|[numkKMGTPEi]*)$/;
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, number>> = { Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6 };
const LARGEST = 2n ** 63n - 1n;
const LONGEST = 10_000;

/** A resource quantity: an exact multiple of 10^-9. Finer values are rounded up, away from zero. */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: 'decimal' | 'binary' | 'exponent';
}

/** Parses `100m`, `1.5Gi`, `2e3`; undefined for an invalid or unreasonably long text. */
export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > LONGEST) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = QUANTITY.exec(text) ?? [];
  if (sign === undefined || (whole === '' && fraction === '')) return undefined;
  const scale = scaleOf(suffix);
  if (scale === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  const value = nanosOf(digits * 1024n ** BigInt(scale.binary), scale.decimal - fraction.length);
  const capped = value > LARGEST * 10n ** 9n ? LARGEST * 10n ** 9n : value;
  return { nanos: sign === '-' ? -capped : capped, format: scale.format };
}

function scaleOf(suffix: string): { binary: number; decimal: number; format: Quantity['format'] } | undefined {
  const binary = Object.hasOwn(BINARY, suffix) ? BINARY[suffix] : undefined;
  if (binary !== undefined) return { binary, decimal: 0, format: 'binary' };
  const decimal = Object.hasOwn(DECIMAL, suffix) ? DECIMAL[suffix] : undefined;
  if (decimal !== undefined) return { binary: 0, decimal, format: 'decimal' };
  if (!/^[eE][-+]?\d{1,4}$/.test(suffix)) return undefined;
  return { binary: 0, decimal: Number(suffix.slice(1)), format: 'exponent' };
}

function nanosOf(digits: bigint, exponent: number): bigint {
  const shift = exponent + 9;
  return shift >= 0 ? digits * 10n ** BigInt(shift) : divideUp(digits, 10n ** BigInt(-shift));
}

function divideUp(value: bigint, by: bigint): bigint {
  return value % by === 0n ? value / by : value / by + 1n;
}

/** Rounds up to a multiple of 10^-3, away from zero, as ResourceList values are. */
export function roundUpToMilli({ nanos, format }: Quantity): Quantity {
  const whole = divideUp(nanos < 0n ? -nanos : nanos, 1_000_000n) * 1_000_000n;
  return { nanos: nanos < 0n ? -whole : whole, format };
}

/** The canonical form: the largest suffix that leaves no fraction. */
export function quantityText({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (format === 'binary' && size >= 1024n * 10n ** 9n && size % 10n ** 9n === 0n)
    return sign + binaryText(size / 10n ** 9n);
  return sign + decimalText(size, format === 'exponent');
}

function binaryText(whole: bigint): string {
  let power = 0;
  let rest = whole;
  while (rest % 1024n === 0n && power < 6) {
    rest /= 1024n;
    power += 1;
  }
  const suffix = Object.keys(BINARY).find((name) => BINARY[name] === power) ?? '';
  return `${rest}${suffix}`;
}

function decimalText(nanos: bigint, asExponent: boolean): string {
  let exponent = -9;
  let rest = nanos;
  while (rest % 1000n === 0n && exponent < (asExponent ? 300 : 18)) {
    rest /= 1000n;
    exponent += 3;
  }
  if (asExponent) return exponent === 0 ? `${rest}` : `${rest}e${exponent}`;
  return `${rest}${Object.keys(DECIMAL).find((name) => DECIMAL[name] === exponent) ?? ''}`;
}

/** The canonical form of a quantity in JSON. Other values are returned unchanged. */
export function canonicalQuantity(value: Json): Json {
  const quantity = typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value)) : undefined;
  return quantity === undefined ? value : quantityText(quantity);
}
