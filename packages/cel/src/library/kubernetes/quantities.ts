import { Library } from '../../language/signature.js';
import { EvaluationError, noSuchOverload } from '../../language/error.js';
import { Opaque, type Value } from '../../language/value.js';
import { bigintOf, textOf } from '../operators.js';
import {
  NANO,
  fit,
  parseQuantity,
  shift,
  type Amount,
  type ParsedQuantity,
} from '@multicluster-engine/values/quantity';

const SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;

class Quantity extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly nanos: bigint;
  readonly amount: Amount | undefined;

  constructor({ nanos, amount }: ParsedQuantity) {
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

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function toQuantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (parsed === undefined) throw new EvaluationError(FORMAT);
  return new Quantity(parsed);
}

function wholeQuantity(value: bigint): Quantity {
  return new Quantity({ nanos: shift(value, -NANO), amount: { value, scale: 0 } });
}

function plus(a: Quantity, b: Quantity, sign: 1n | -1n): Quantity {
  const amount = a.amount === undefined || b.amount === undefined ? undefined : sum(a.amount, b.amount, sign);
  return new Quantity({ nanos: a.nanos + sign * b.nanos, amount });
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
