import { EvaluationError } from './error.js';
import { List, runtimeType, ValueList, ValueMap, type Value } from './value.js';

/** The list that a macro builds: it grows in place, nothing else holds it. */
export class AccumulatorList extends ValueList {
  override concat(other: List): List {
    for (const item of other.items()) this.values.push(item);
    return this;
  }
}

/** What a macro gives is no longer its own. */
export function releaseAccumulator(value: Value): Value {
  return value instanceof AccumulatorList ? new ValueList(value.values) : value;
}

/** Items of a list, or keys of a map; with the places before or the values behind them where `pairs` says so. Throws EvaluationError. */
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

/** Name of Go's type of a value that is no list and no map. */
function goType(value: Value): string {
  const { kind } = runtimeType(value);
  return `types.${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}
