import { EvaluationError } from '../language/error.js';
import { List, runtimeType, ValueList, ValueMap, type Value } from '../language/value.js';

/** The accumulator list of a macro: it is appended to in place, since nothing else refers to it. */
export class AccumulatorList extends ValueList {
  override concat(other: List): List {
    for (const item of other.items()) this.values.push(item);
    return this;
  }
}

/** Converts the accumulator of a macro to a plain list, which other values may refer to. */
export function releaseAccumulator(value: Value): Value {
  return value instanceof AccumulatorList ? new ValueList(value.values) : value;
}

/**
 * Iterates over the items of a list or the keys of a map; with `pairs`, over indexes and items or keys and values.
 * @throws EvaluationError
 */
export function* iterate(range: Value, pairs: boolean): Generator<readonly [Value, Value]> {
  if (range instanceof List) {
    for (let index = 0; index < range.size; index++)
      yield [pairs ? BigInt(index) : range.at(index), pairs ? range.at(index) : null];
    return;
  }
  if (!(range instanceof ValueMap))
    throw new EvaluationError(
      pairs
        ? `unsupported comprehension range type: ${goType(range)}`
        : `got '${goType(range)}', expected iterable type`,
    );
  for (const key of range.keys()) yield [key, pairs ? (range.find(key) ?? null) : null];
}

/** The Go type name of a value that is neither a list nor a map. */
function goType(value: Value): string {
  const { kind } = runtimeType(value);
  return `types.${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}
