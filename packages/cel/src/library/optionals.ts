import { Library } from '../language/signature.js';
import { EvaluationError, noSuchOverload } from '../language/error.js';
import { Duration, List, Optional, Timestamp, Uint, ValueList, ValueMap, type Value } from '../language/value.js';
import { FIRST_MOMENT } from '../language/time.js';
import { listOf, neverCalled } from './operators.js';

/** Optional values. The evaluator implements `.?`, `[?]`, the index of an optional, `or` and `orValue`. */
export function optionals(): Library {
  const library = new Library();
  library.add('optional_of', '^optional.of(V): optional(V)', ([value = null]) => new Optional(value));
  library.add('optional_ofNonZeroValue', '^optional.ofNonZeroValue(V): optional(V)', ([value = null]) =>
    isZero(value) ? Optional.none : new Optional(value),
  );
  library.add('optional_none', '^optional.none(): optional(V)', () => Optional.none);
  library.add('optional_value', 'optional(V).value(): V', ([optional]) => {
    const { value } = optionalOf(optional);
    if (value === undefined) throw new EvaluationError('optional.none() dereference');
    return value;
  });
  library.add(
    'optional_hasValue',
    'optional(V).hasValue(): bool',
    ([optional]) => optionalOf(optional).value !== undefined,
  );
  library.add('optional_or_optional', 'optional(V).or(optional(V)): optional(V)', neverCalled);
  library.add('optional_orValue_value', 'optional(V).orValue(V): V', neverCalled);
  library.add('list_optindex_optional_int', '_[?_](list(V), int): optional(V)', neverCalled);
  library.add('optional_list_optindex_optional_int', '_[?_](optional(list(V)), int): optional(V)', neverCalled);
  library.add('map_optindex_optional_value', '_[?_](map(K, V), K): optional(V)', neverCalled);
  library.add('optional_map_optindex_optional_value', '_[?_](optional(map(K, V)), K): optional(V)', neverCalled);
  library.add('optional_list_index_int', '_[_](optional(list(V)), int): optional(V)', neverCalled);
  library.add('optional_map_index_value', '_[_](optional(map(K, V)), K): optional(V)', neverCalled);
  library.add('list_last', 'list(V).last(): optional(V)', ([list]) => endOf(listOf(list), 'last'));
  library.add('list_first', 'list(V).first(): optional(V)', ([list]) => endOf(listOf(list), 'first'));
  library.add('optional_unwrap', '^optional.unwrap(list(optional(V))): list(V)', ([list]) => unwrap(listOf(list)));
  library.add('optional_unwrapOpt', 'list(optional(V)).unwrapOpt(): list(V)', ([list]) => unwrap(listOf(list)));
  return library;
}

function optionalOf(value: Value | undefined): Optional {
  if (value instanceof Optional) return value;
  throw noSuchOverload();
}

function endOf(list: List, end: 'first' | 'last'): Optional {
  return list.size === 0 ? Optional.none : new Optional(list.at(end === 'first' ? 0 : list.size - 1));
}

function unwrap(list: List): List {
  const values = list.items().map((item) => optionalOf(item).value);
  return new ValueList(values.filter((value) => value !== undefined));
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === 0n || value === '') return true;
  if (value instanceof List || value instanceof ValueMap) return value.size === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Optional) return value.value === undefined;
  return (
    (value instanceof Duration && value.nanos === 0n) || (value instanceof Timestamp && value.nanos === FIRST_MOMENT)
  );
}
