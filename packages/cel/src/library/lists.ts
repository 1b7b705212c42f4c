import { Library } from '../language/signature.js';
import type { Budget } from '../language/budget.js';
import { same } from '../runtime/equality.js';
import { EvaluationError } from '../language/error.js';
import { Duration, List, runtimeType, Uint, ValueList, type Value } from '../language/value.js';
import { bigintOf, duration, int, listOf, orderOf, uint } from './operators.js';

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const;

/** Types that sum() supports, with the sum of an empty list. */
const SUMMABLE: readonly (readonly [string, Value])[] = [
  ['int', 0n],
  ['uint', new Uint(0n)],
  ['double', 0],
  ['duration', new Duration(0n)],
];

/** List functions: the Kubernetes library, the CEL lists extension (version 3) and sets. */
export function lists(): Library {
  const library = new Library();
  for (const type of COMPARABLE) {
    library.add(`list_${type}_is_sorted_bool`, `list(${type}).isSorted(): bool`, ([list]) => isSorted(listOf(list)));
    library.add(`list_${type}_max_${type}`, `list(${type}).max(): ${type}`, ([list]) =>
      extreme(listOf(list), 'max', 1),
    );
    library.add(`list_${type}_min_${type}`, `list(${type}).min(): ${type}`, ([list]) =>
      extreme(listOf(list), 'min', -1),
    );
  }
  for (const [type, zero] of SUMMABLE)
    library.add(`list_${type}_sum_${type}`, `list(${type}).sum(): ${type}`, ([list]) => sum(listOf(list), zero));
  library.add('list_a_index_of_int', 'list(T).indexOf(T): int', ([list, item = null], budget) =>
    BigInt(
      listOf(list)
        .items()
        .findIndex((other) => same(other, item, budget)),
    ),
  );
  library.add('list_a_last_index_of_int', 'list(T).lastIndexOf(T): int', ([list, item = null], budget) =>
    BigInt(
      listOf(list)
        .items()
        .findLastIndex((other) => same(other, item, budget)),
    ),
  );
  addSets(library);
  addExtension(library);
  return library;
}

function isSorted(list: List): boolean {
  const items = list.items();
  return items.every((item, index) => index === 0 || orderOf(items[index - 1] ?? null, item) <= 0);
}

function extreme(list: List, name: 'min' | 'max', sign: number): Value {
  const [first, ...rest] = list.items();
  if (first === undefined) throw new EvaluationError(`${name} called on empty list`);
  let best: Value = first;
  for (const item of rest) {
    if (orderOf(item, best) * sign > 0) best = item;
  }
  return best;
}

function sum(list: List, zero: Value): Value {
  let total = zero;
  for (const item of list.items()) total = plus(total, item);
  return total;
}

function plus(a: Value, b: Value): Value {
  if (typeof a === 'number') return a + Number(b);
  if (a instanceof Uint) return uint(a.value + bigintOf(b));
  if (a instanceof Duration && b instanceof Duration) return duration(a.nanos + b.nanos);
  return int(bigintOf(a) + bigintOf(b));
}

function addSets(library: Library): void {
  library.add('list_sets_contains_list', '^sets.contains(list(T), list(T)): bool', ([a, b], budget) =>
    holdsAll(listOf(a), listOf(b), budget),
  );
  library.add(
    'list_sets_equivalent_list',
    '^sets.equivalent(list(T), list(T)): bool',
    ([a, b], budget) => holdsAll(listOf(a), listOf(b), budget) && holdsAll(listOf(b), listOf(a), budget),
  );
  library.add('list_sets_intersects_list', '^sets.intersects(list(T), list(T)): bool', ([a, b], budget) =>
    listOf(a)
      .items()
      .some((item) => holds(listOf(b), item, budget)),
  );
}

function holds(list: List, item: Value, budget: Budget): boolean {
  return list.items().some((other) => same(other, item, budget));
}

function holdsAll(list: List, items: List, budget: Budget): boolean {
  return items.items().every((item) => holds(list, item, budget));
}

/** The longest list that range() creates; a longer one exceeds the cost limit. */
const MAX_RANGE = 1_000_000n;

function addExtension(library: Library): void {
  library.add('list_slice', 'list(T).slice(int, int): list(T)', ([list, start, end]) =>
    slice(listOf(list), bigintOf(start), bigintOf(end)),
  );
  library.add('list_flatten', 'list(list(T)).flatten(): list(T)', ([list], budget) =>
    flatten(listOf(list), 1n, budget),
  );
  library.add('list_flatten_int', 'list(dyn).flatten(int): list(dyn)', ([list, depth], budget) =>
    flatten(listOf(list), bigintOf(depth), budget),
  );
  library.add('lists_range', '^lists.range(int): list(int)', ([end], budget) => {
    const size = bigintOf(end) > MAX_RANGE ? MAX_RANGE : bigintOf(end);
    // The cost is charged before the list is created.
    if (size >= MAX_RANGE) budget.spend(Infinity);
    return new ValueList(Array.from({ length: Math.max(0, Number(size)) }, (_, index) => BigInt(index)));
  });
  library.add(
    'list_reverse',
    'list(T).reverse(): list(T)',
    ([list]) => new ValueList([...listOf(list).items()].reverse()),
  );
  library.add('list_distinct', 'list(T).distinct(): list(T)', ([list], budget) => distinct(listOf(list), budget));
  for (const type of COMPARABLE) {
    library.add(`list_${type}_sort`, `list(${type}).sort(): list(${type})`, ([list]) =>
      sort(listOf(list), listOf(list)),
    );
    library.add(
      `list_${type}_sortByAssociatedKeys`,
      `list(T).@sortByAssociatedKeys(list(${type})): list(T)`,
      ([list, keys]) => sort(listOf(list), listOf(keys)),
    );
  }
}

function slice(list: List, start: bigint, end: bigint): List {
  const call = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new EvaluationError(`${call}, negative indexes not supported`);
  if (start > end) throw new EvaluationError(`${call}, start index must be less than or equal to end index`);
  if (end > BigInt(list.size)) throw new EvaluationError(`${call}, list is length ${list.size}`);
  return new ValueList(Array.from({ length: Number(end - start) }, (_, index) => list.at(Number(start) + index)));
}

function flatten(list: List, depth: bigint, budget: Budget): List {
  if (depth < 0n) throw new EvaluationError('level must be non-negative');
  const flat: Value[] = [];
  flattenInto(list, depth, { flat, budget });
  return new ValueList(flat);
}

function flattenInto(list: List, depth: bigint, into: { readonly flat: Value[]; readonly budget: Budget }): void {
  into.budget.chargeSteps(1 + list.size);
  for (const item of list.items()) {
    if (item instanceof List && depth > 0n) flattenInto(item, depth - 1n, into);
    else into.flat.push(item);
  }
}

function distinct(list: List, budget: Budget): List {
  const found: Value[] = [];
  for (const item of list.items()) {
    if (!found.some((other) => same(other, item, budget))) found.push(item);
  }
  return new ValueList(found);
}

function sort(list: List, keys: List): List {
  if (list.size !== keys.size) {
    throw new EvaluationError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  }
  const pairs = list.items().map((item, index) => ({ item, key: keys.at(index) }));
  const [first] = pairs;
  if (first === undefined) return list;
  if (pairs.some(({ key }) => runtimeType(key).name !== runtimeType(first.key).name))
    throw new EvaluationError('list elements must have the same type');
  return new ValueList(pairs.sort((a, b) => orderOf(a.key, b.key)).map(({ item }) => item));
}
