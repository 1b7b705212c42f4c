import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { terseInvalid, unknownError } from '../status.js';
import { goDefault } from '@multicluster-engine/values/schema/go/format';
import { DIRECTIVE, withoutDirectives } from './directive.js';
import { identity, kindOf, partition, placesOf, requireKey, interleave } from './order.js';

/** How list items are merged: by the value of a merge key, or as a set of scalars without one. */
export interface ListRule {
  readonly mergeKey: string;
  /** The Go type name of an item in messages. */
  readonly name: string;
  readonly merge: (old: JsonObject, patch: JsonObject) => JsonObject;
}

/** The lists of a field with `$setElementOrder`. */
export interface OrderedLists {
  readonly old: readonly Json[] | undefined;
  readonly patch: readonly Json[] | undefined;
  readonly order: readonly Json[];
}

/** Merges the list of a field without `$setElementOrder`: the order of the patch is used. */
export function mergeLists(old: readonly Json[], patch: readonly Json[], rule: ListRule): readonly Json[] {
  if (old.length === 0 && patch.length === 0) return old;
  if (!isListOfObjects(old, patch)) {
    const [listed, others] = partition(distinct([...old, ...patch]), patch, rule.mergeKey);
    return interleave(listed, others, { patch, server: old, mergeKey: rule.mergeKey });
  }
  if (rule.mergeKey === '') throw unknownError(`cannot merge lists without merge key for ${rule.name}`);
  const split = applyItemDirectives(old, patch, rule.mergeKey);
  const merged = mergeItems(split.old, split.patch, rule);
  const [listed, others] = partition(merged, split.patch, rule.mergeKey);
  return interleave(listed, others, { patch: split.patch, server: split.old, mergeKey: rule.mergeKey });
}

/** Merges the list of a field in the order of `$setElementOrder`; undefined when there is no list. */
export function orderedList(
  lists: OrderedLists,
  rule: ListRule & { readonly strategy: string },
): readonly Json[] | undefined {
  const { old, patch, order } = lists;
  checkOrder(patch ?? [], order, rule.mergeKey);
  if (old === undefined && patch === undefined) return undefined;
  const merged = mergedForOrder(old, patch, rule);
  const [listed, others] = partition(merged, order, rule.mergeKey);
  requireItems(old ?? [], patch ?? []);
  return interleave(listed, others, { patch: order, server: old ?? [], mergeKey: rule.mergeKey });
}

function mergedForOrder(
  old: readonly Json[] | undefined,
  patch: readonly Json[] | undefined,
  rule: ListRule & { readonly strategy: string },
): readonly Json[] {
  if (patch === undefined) return old ?? [];
  if (old === undefined) {
    const added = withoutDirectives(patch);
    return isArray(added) ? added : [];
  }
  return rule.strategy === 'merge' ? mergeLists(old, patch, rule) : patch;
}

/** Checks that the items of the patch are in the order list, in the same order. */
function checkOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const kept = mergeKey === '' ? patch : patch.filter((item) => !isDeletion(item));
  let at = 0;
  for (let index = 0; at < kept.length && index < order.length;) {
    const item = kept[at] ?? null;
    if (hasDirective(item)) {
      at += 1;
      continue;
    }
    if (mergeKey !== '') for (const one of [item, order[index] ?? null]) requireKey(one, mergeKey);
    if (identity(item, mergeKey) === identity(order[index] ?? null, mergeKey)) at += 1;
    index += 1;
  }
  if (at < kept.length)
    throw unknownError(
      `The order in patch list:\n${goDefault(patch)}\n doesn't match $setElementOrder list:\n${goDefault(order)}\n`,
    );
}

function hasDirective(item: Json): boolean {
  return isObject(item) && Object.hasOwn(item, DIRECTIVE);
}

function isDeletion(item: Json): boolean {
  if (!isObject(item)) throw unknownError(`expected a map[string]interface {}, but received a ${kindOf(item)}`);
  return item[DIRECTIVE] === 'delete';
}

/** Processes items with directives: `$patch: delete` removes items of the old list, `$patch: replace` all of them. */
function applyItemDirectives(
  old: readonly Json[],
  patch: readonly Json[],
  mergeKey: string,
): { old: readonly Json[]; patch: JsonObject[] } {
  const items: JsonObject[] = [];
  const deletedKeys = new Set<Json>();
  let replace = false;
  for (const item of patch) {
    if (!isObject(item)) continue;
    const directive = item[DIRECTIVE];
    if (directive === undefined) items.push(item);
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw unknownError('merging lists cannot yet be specified in the patch');
    else if (directive !== 'delete')
      throw unknownError(`unknown patch type: ${goDefault(directive)} in map: ${goDefault(item)}`);
    else deletedKeys.add(requireKey(item, mergeKey));
  }
  if (replace) return { old: items, patch: [] };
  return {
    old: deletedKeys.size === 0 ? old : old.filter((one) => !deletedKeys.has(identity(one, mergeKey) ?? null)),
    patch: items,
  };
}

function mergeItems(old: readonly Json[], patch: readonly JsonObject[], { mergeKey, merge }: ListRule): Json[] {
  const merged = [...old];
  const places = placesOf(merged, mergeKey);
  for (const item of patch) {
    const key = requireKey(item, mergeKey);
    const place = places.get(key) ?? merged.length;
    const found = merged[place];
    merged[place] = isObject(found) ? merge(found, item) : item;
    places.set(key, place);
  }
  return merged;
}

/** Above this number of scalars, duplicates are removed in one pass: the algorithm below is quadratic. */
const MAX_PAIRWISE = 1_000;

/** Removes duplicate scalars as the API server does: the last item replaces a duplicate. */
function distinct(items: readonly Json[]): Json[] {
  const found = new Set(items);
  if (found.size === items.length || items.length > MAX_PAIRWISE) return [...found];
  const left = [...items];
  for (let i = 0; i < left.length - 1; i += 1) {
    for (let j = i + 1; j < left.length; j += 1) {
      if (left[i] !== left[j]) continue;
      left[j] = left[left.length - 1] ?? null;
      left.pop();
      j -= 1;
    }
  }
  return left;
}

/**
 * Whether the items are objects.
 * @throws StatusError when the items are of several types or are lists.
 */
export function isListOfObjects(...lists: readonly (readonly Json[])[]): boolean {
  const items = lists.flat();
  const first = items[0];
  if (isArray(first)) throw terseInvalid();
  if (items.some((item) => kindOf(item) !== kindOf(first))) {
    throw unknownError(`list element types are not identical: ${goDefault(lists)}`);
  }
  return isObject(first);
}

function requireItems(old: readonly Json[], patch: readonly Json[]): void {
  if (old.length === 0 && patch.length === 0) throw unknownError('no elements in any of the given slices');
  isListOfObjects(old, patch);
}
