import { Library } from '../language/signature.js';
import { EvaluationError, noSuchOverload } from '../runtime/error.js';
import { Opaque, type Value } from '../runtime/value.js';
import { bigintOf, textOf } from './operators.js';

/** Quantities are counted in thousand-millionths; finer ones are rounded away from zero. */
const NANO = 1_000_000_000n;

class Quantity extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  /** Thousand-millionths. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  equals(other: Opaque): boolean {
    return other instanceof Quantity && other.nanos === this.nanos;
  }
}

const BINARY: Readonly<Record<string, bigint>> = { Ki: 1n << 10n, Mi: 1n << 20n, Gi: 1n << 30n, Ti: 1n << 40n, Pi: 1n << 50n, Ei: 1n << 60n };
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/** Largest exponent that is written out; beyond it any quantity is too large anyway. */
const MAX_EXPONENT = 400;

function parseQuantity(text: string): Quantity | undefined {
  const match = /^([+-]?)(\d+\.?\d*|\.\d+)((?:[KMGTPE]i)|[eE][+-]?\d{1,9}|[numkMGTPE]?)$/.exec(text);
  if (match === null) return undefined;
  const [, sign, number = '', suffix = ''] = match;
  const [whole = '', fraction = ''] = number.split('.');
  const digits = BigInt(`${whole}${fraction}` || '0') * (BINARY[suffix] ?? 1n);
  const exponent = exponentOf(suffix) - fraction.length + 9;
  const nanos = shift(digits, Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, exponent)));
  return new Quantity(sign === '-' ? -nanos : nanos);
}

function exponentOf(suffix: string): number {
  if (BINARY[suffix] !== undefined) return 0;
  return DECIMAL[suffix] ?? Number(suffix.slice(1));
}

/** Times a power of ten, rounded away from zero. */
function shift(digits: bigint, exponent: number): bigint {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (digits + divisor - 1n) / divisor;
}

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function toQuantity(text: string): Quantity {
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw new EvaluationError(text === '' ? 'string must be a quantity' : FORMAT);
  return quantity;
}

/** Kubernetes' library of quantities: `quantity('1.5Gi')`. */
export function quantities(): Library {
  const library = new Library();
  const type = 'kubernetes.Quantity';
  library.add('string_to_quantity', `quantity(string): ${type}`, ([text]) => toQuantity(textOf(text)));
  library.add('is_quantity_string', 'isQuantity(string): bool', ([text]) => parseQuantity(textOf(text)) !== undefined);
  library.add('quantity_sign', `sign(${type}): int`, ([value]) => BigInt(signOf(nanosOf(value))));
  library.add('quantity_is_greater_than', `${type}.isGreaterThan(${type}): bool`, ([a, b]) => nanosOf(a) > nanosOf(b));
  library.add('quantity_is_less_than', `${type}.isLessThan(${type}): bool`, ([a, b]) => nanosOf(a) < nanosOf(b));
  library.add('quantity_compare_to', `${type}.compareTo(${type}): int`, ([a, b]) => BigInt(signOf(nanosOf(a) - nanosOf(b))));
  library.add('quantity_get_float', `${type}.asApproximateFloat(): double`, ([value]) => Number(nanosOf(value)) / 1e9);
  library.add('quantity_get_int', `${type}.asInteger(): int`, ([value]) => {
    const whole = integerOf(nanosOf(value));
    if (whole === undefined) throw new EvaluationError('cannot convert value to integer');
    return whole;
  });
  library.add('quantity_is_integer', `${type}.isInteger(): bool`, ([value]) => integerOf(nanosOf(value)) !== undefined);
  library.add('quantity_add', `${type}.add(${type}): ${type}`, ([a, b]) => new Quantity(nanosOf(a) + nanosOf(b)));
  library.add('quantity_add_int', `${type}.add(int): ${type}`, ([a, b]) => new Quantity(nanosOf(a) + bigintOf(b) * NANO));
  library.add('quantity_sub', `${type}.sub(${type}): ${type}`, ([a, b]) => new Quantity(nanosOf(a) - nanosOf(b)));
  library.add('quantity_sub_int', `${type}.sub(int): ${type}`, ([a, b]) => new Quantity(nanosOf(a) - bigintOf(b) * NANO));
  return library;
}

function nanosOf(value: Value | undefined): bigint {
  if (value instanceof Quantity) return value.nanos;
  throw noSuchOverload();
}

function signOf(value: bigint): number {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

/** The whole number, where it is one of 64 bits. */
function integerOf(nanos: bigint): bigint | undefined {
  const whole = nanos / NANO;
  return nanos % NANO === 0n && BigInt.asIntN(64, whole) === whole ? whole : undefined;
}
