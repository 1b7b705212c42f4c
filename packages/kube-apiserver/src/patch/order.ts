import { isObject, own } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';
import { unknownError } from '../status.js';
import { goDefault, goType } from '@multicluster-engine/values/schema/go/format';

/** The identity of an item of a merged list: the value of its merge key, or the item itself when there is none. */
export function identity(item: Json, mergeKey: string): Json | undefined {
  if (mergeKey === '') return item;
  return isObject(item) ? own(item, mergeKey) : undefined;
}

/** Splits items into those in `order` and the others; both keep their order. */
export function partition(items: readonly Json[], order: readonly Json[], mergeKey: string): [Json[], Json[]] {
  const listedKeys = mergeKey === '' ? new Set<Json | undefined>(order) : keysOf(items, order, mergeKey);
  const listed: Json[] = [];
  const others: Json[] = [];
  for (const item of items) {
    if (mergeKey !== '') requireKey(item, mergeKey);
    (listedKeys.has(identity(item, mergeKey)) ? listed : others).push(item);
  }
  return [listed, others];
}

/** The keys in `order`. The API server reads them only up to the last one that it searches for. */
function keysOf(items: readonly Json[], order: readonly Json[], mergeKey: string): Set<Json | undefined> {
  const invalidAt = order.findIndex((item) => !isObject(item));
  const keys = new Set(
    order.slice(0, invalidAt < 0 ? order.length : invalidAt).map((item) => identity(item, mergeKey)),
  );
  if (invalidAt >= 0 && items.some((item) => !keys.has(identity(item, mergeKey))))
    throw unknownError(`value for key ${invalidAt} is not a map`);
  return keys;
}

/** The lists that determine the order of a merged list. */
export interface Orders {
  readonly patch: readonly Json[];
  readonly server: readonly Json[];
  readonly mergeKey: string;
}

/**
 * Sorts the items of the patch by the patch and the other items by the live list, and interleaves them: an item of the
 * live list comes before the first patch item that follows it there.
 */
export function interleave(
  patchItems: readonly Json[],
  serverItems: readonly Json[],
  { patch, server, mergeKey }: Orders,
): Json[] {
  const right = inOrder(patchItems, patch, mergeKey);
  const left = inOrder(serverItems, server, mergeKey);
  const places = placesOf(server, mergeKey);
  const interleaved: Json[] = [];
  let next = 0;
  for (const item of right) {
    const place = places.get(identity(item, mergeKey));
    while (next < left.length && place !== undefined && precedes(left[next], place))
      interleaved.push(left[next++] ?? null);
    interleaved.push(item);
  }
  return [...interleaved, ...left.slice(next)];

  function precedes(item: Json | undefined, place: number): boolean {
    const at = places.get(identity(item ?? null, mergeKey));
    return at !== undefined && at < place;
  }
}

function inOrder(items: readonly Json[], order: readonly Json[], mergeKey: string): Json[] {
  if (mergeKey !== '') for (const item of [...items, ...order]) requireKey(item, mergeKey);
  const places = placesOf(order, mergeKey);
  const place = (item: Json): number => places.get(identity(item, mergeKey)) ?? 0;
  return [...items].sort((a, b) => place(a) - place(b));
}

/** The first index of each key. */
export function placesOf(items: readonly Json[], mergeKey: string): Map<Json | undefined, number> {
  const places = new Map<Json | undefined, number>();
  items.forEach((item, index) => {
    const key = identity(item, mergeKey);
    if (!places.has(key)) places.set(key, index);
  });
  return places;
}

/**
 * The merge key of an item.
 * @throws StatusError 500 when the item has none.
 */
export function requireKey(item: Json, mergeKey: string): Json {
  if (!isObject(item)) throw unknownError('expected a map[string]interface {}, but received a ' + kindOf(item));
  const key = own(item, mergeKey);
  if (key === undefined) throw unknownError(`map: ${goDefault(item)} does not contain declared merge key: ${mergeKey}`);
  return key;
}

/** The Go type of a decoded value, formatted with `%s`. */
export function kindOf(value: Json | undefined): string {
  return value === null || value === undefined ? '%!s(<nil>)' : goType(value);
}
