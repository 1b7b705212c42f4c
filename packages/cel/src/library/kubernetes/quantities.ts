import { Library } from '../../language/signature.js';
import { EvaluationError, noSuchOverload } from '../../language/error.js';
import { Opaque, type Value } from '../../language/value.js';
import { bigintOf, textOf } from '../operators.js';

/** The exponent of the smallest unit; finer values are rounded away from zero. */
const NANO = -9;

/** A 64-bit integer times a power of ten. */
interface Amount {
  readonly value: bigint;
  readonly scale: number;
}

const SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;

class Quantity extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  /** The value in units of 10^-9. */
  readonly nanos: bigint;
  /** Go's 64-bit representation; undefined where Go uses a decimal of arbitrary length, which is never an integer. */
  readonly amount: Amount | undefined;

  constructor(nanos: bigint, amount: Amount | undefined) {
    super();
    this.nanos = nanos;
    this.amount = amount;
  }

  override get goText(): string {
    let [number, step] = [this.nanos, 0];
    for (; number !== 0n && number % 1000n === 0n && step < SUFFIXES.length - 1; step++) number /= 1000n;
    return `(*resource.Quantity)${number}${number === 0n ? '' : SUFFIXES[step]}`;
  }

  equals(other: Opaque): boolean {
    return other instanceof Quantity && other.nanos === this.nanos;
  }
}

const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/** Larger exponents are clamped: such quantities exceed every limit. */
const MAX_EXPONENT = 400;

function parseQuantity(text: string): Quantity | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?((?:[KMGTPE]i)|[eE][+-]?\d{1,9}|[numkMGTPE]?)$/.exec(text);
  if (text === '' || match === null) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const digits = BigInt(`${whole}${fraction}` || '0') * (sign === '-' ? -1n : 1n);
  const bits = BINARY[suffix] ?? 0;
  const exponent = BINARY[suffix] === undefined ? (DECIMAL[suffix] ?? Number(suffix.slice(1))) : 0;
  const nanos = shift(
    digits << BigInt(bits),
    Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, exponent - fraction.length - NANO)),
  );
  return new Quantity(nanos, amountOf(digits, { numerals: whole.replace(/^0+/, '') || '0', fraction, bits, exponent }));
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

function fit(value: bigint, scale: number): Amount | undefined {
  return BigInt.asIntN(64, value) === value ? { value, scale } : undefined;
}

/** Multiplies by a power of ten and rounds away from zero. */
function shift(digits: bigint, exponent: number): bigint {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  const rounded = ((digits < 0n ? -digits : digits) + divisor - 1n) / divisor;
  return digits < 0n ? -rounded : rounded;
}

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function toQuantity(text: string): Quantity {
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw new EvaluationError(FORMAT);
  return quantity;
}

function wholeQuantity(value: bigint): Quantity {
  return new Quantity(shift(value, -NANO), { value, scale: 0 });
}

function plus(a: Quantity, b: Quantity, sign: 1n | -1n): Quantity {
  return new Quantity(
    a.nanos + sign * b.nanos,
    a.amount === undefined || b.amount === undefined ? undefined : sum(a.amount, b.amount, sign),
  );
}

function sum(a: Amount, b: Amount, sign: bigint): Amount | undefined {
  if (b.value === 0n) return a;
  if (a.value === 0n) return { value: sign * b.value, scale: b.scale };
  const scale = Math.min(a.scale, b.scale);
  if (Math.max(a.scale, b.scale) - scale > 18) return undefined;
  return fit(shift(a.value, a.scale - scale) + sign * shift(b.value, b.scale - scale), scale);
}

/** The Kubernetes library of quantities: `quantity('1.5Gi')`. */
export function quantities(): Library {
  const library = new Library();
  const type = 'kubernetes.Quantity';
  library.add('string_to_quantity', `quantity(string): ${type}`, ([text]) => toQuantity(textOf(text)));
  library.add('is_quantity_string', 'isQuantity(string): bool', ([text]) => parseQuantity(textOf(text)) !== undefined);
  library.add('quantity_sign', `sign(${type}): int`, ([value]) => signOf(quantityOf(value).nanos));
  library.add(
    'quantity_is_greater_than',
    `${type}.isGreaterThan(${type}): bool`,
    ([a, b]) => quantityOf(a).nanos > quantityOf(b).nanos,
  );
  library.add(
    'quantity_is_less_than',
    `${type}.isLessThan(${type}): bool`,
    ([a, b]) => quantityOf(a).nanos < quantityOf(b).nanos,
  );
  library.add('quantity_compare_to', `${type}.compareTo(${type}): int`, ([a, b]) =>
    signOf(quantityOf(a).nanos - quantityOf(b).nanos),
  );
  library.add(
    'quantity_get_float',
    `${type}.asApproximateFloat(): double`,
    ([value]) => Number(quantityOf(value).nanos) / 1e9,
  );
  library.add('quantity_get_int', `${type}.asInteger(): int`, ([value]) => {
    const whole = integerOf(quantityOf(value));
    if (whole === undefined) throw new EvaluationError('cannot convert value to integer');
    return whole;
  });
  library.add(
    'quantity_is_integer',
    `${type}.isInteger(): bool`,
    ([value]) => integerOf(quantityOf(value)) !== undefined,
  );
  library.add('quantity_add', `${type}.add(${type}): ${type}`, ([a, b]) => plus(quantityOf(a), quantityOf(b), 1n));
  library.add('quantity_add_int', `${type}.add(int): ${type}`, ([a, b]) =>
    plus(quantityOf(a), wholeQuantity(bigintOf(b)), 1n),
  );
  library.add('quantity_sub', `${type}.sub(${type}): ${type}`, ([a, b]) => plus(quantityOf(a), quantityOf(b), -1n));
  library.add('quantity_sub_int', `${type}.sub(int): ${type}`, ([a, b]) =>
    plus(quantityOf(a), wholeQuantity(bigintOf(b)), -1n),
  );
  return library;
}

function quantityOf(value: Value | undefined): Quantity {
  if (value instanceof Quantity) return value;
  throw noSuchOverload();
}

function signOf(value: bigint): bigint {
  return value > 0n ? 1n : value < 0n ? -1n : 0n;
}

/** The 64-bit integer value if Go treats the quantity as an integer. */
function integerOf({ amount }: Quantity): bigint | undefined {
  if (amount === undefined || amount.scale < 0 || amount.scale > 18) return undefined;
  return fit(shift(amount.value, amount.scale), 0)?.value;
}
