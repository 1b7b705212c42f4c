import { isArray, isObject } from '../json.js';
import type { Json, JsonObject } from '../json.js';
import { terseInvalid, unknownError } from '../status.js';
import { goValue } from '../apply/gotext.js';
import { DIRECTIVE, withoutDirectives } from './directive.js';
import { identity, kindOf, partition, placesOf, requireKey, interleave } from './order.js';

/** How the items of a list are merged: by the value of a key, or, without one, as a set of scalars. */
export interface ListRule {
  readonly mergeKey: string;
  /** What the real server calls the type of an item. */
  readonly name: string;
  readonly merge: (old: JsonObject, patch: JsonObject) => JsonObject;
}

/** The lists of a field that comes with `$setElementOrder`. */
export interface OrderedLists {
  readonly old: readonly Json[] | undefined;
  readonly patch: readonly Json[] | undefined;
  readonly order: readonly Json[];
}

/** The list of a field after a patch of it that has no `$setElementOrder`: the patch's own order counts. */
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

/** The list of a field in the order that the patch asks for; undefined when there is no list at all. */
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

/** Items that the patch keeps have to stand in the order list, in the same order. */
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
      `The order in patch list:\n${goValue(patch)}\n doesn't match $setElementOrder list:\n${goValue(order)}\n`,
    );
}

function hasDirective(item: Json): boolean {
  return isObject(item) && Object.hasOwn(item, DIRECTIVE);
}

function isDeletion(item: Json): boolean {
  if (!isObject(item)) throw unknownError(`expected a map[string]interface {}, but received a ${kindOf(item)}`);
  return item[DIRECTIVE] === 'delete';
}

/** Obeys the items that are directives: `$patch: delete` takes items of the old list away, `$patch: replace` all of them. */
function applyItemDirectives(
  old: readonly Json[],
  patch: readonly Json[],
  mergeKey: string,
): { old: readonly Json[]; patch: JsonObject[] } {
  const items: JsonObject[] = [];
  const gone = new Set<Json>();
  let replace = false;
  for (const item of patch) {
    if (!isObject(item)) continue;
    const directive = item[DIRECTIVE];
    if (directive === undefined) items.push(item);
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw unknownError('merging lists cannot yet be specified in the patch');
    else if (directive !== 'delete')
      throw unknownError(`unknown patch type: ${goValue(directive)} in map: ${goValue(item)}`);
    else gone.add(requireKey(item, mergeKey));
  }
  if (replace) return { old: items, patch: [] };
  return { old: gone.size === 0 ? old : old.filter((one) => !gone.has(identity(one, mergeKey) ?? null)), patch: items };
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

/** Above so many scalars the first of each is kept: the way below takes the square of their number. */
const MAX_PAIRWISE = 1_000;

/** Scalars without repetition: the last one takes the place of a repeated one, as the real server does it. */
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

/** @throws StatusError when the lists have items of several types, or lists in them. */
export function isListOfObjects(...lists: readonly (readonly Json[])[]): boolean {
  const items = lists.flat();
  const first = items[0];
  if (isArray(first)) throw terseInvalid();
  if (items.some((item) => kindOf(item) !== kindOf(first))) {
    throw unknownError(`list element types are not identical: ${goValue(lists)}`);
  }
  return isObject(first);
}

function requireItems(old: readonly Json[], patch: readonly Json[]): void {
  if (old.length === 0 && patch.length === 0) throw unknownError('no elements in any of the given slices');
  isListOfObjects(old, patch);
}
