import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { badRequest, unknownError } from '../status.js';
import { compareBytes } from '@multicluster-engine/values/text';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { goDefault, jsonType } from '@multicluster-engine/values/schema/go/format';
import { DIRECTIVE, withoutDirectives, withoutNulls } from './directive.js';
import { isListOfObjects, mergeLists, orderedList } from './lists.js';
import type { ListRule } from './lists.js';
import { fieldOf, strategyOf } from './strategy.js';
import { kindOf } from './order.js';

const RETAIN_KEYS = '$retainKeys';
const DELETE_PREFIX = '$deleteFromPrimitiveList';
const ORDER_PREFIX = '$setElementOrder';

/**
 * Applies a strategic merge patch: like a merge patch, but lists are merged by key (or as sets) where the schema says
 * so, and the directives `$patch`, `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…` are supported.
 *
 * @param schema of the object, with `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key`.
 * @throws StatusError 400, 422 or 500, as the API server for the same error.
 */
export function strategicMerge(schema: Schema, original: Json, patch: Json): Json {
  if (patch !== null && !isObject(patch)) {
    throw badRequest(`json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`);
  }
  return mergeMaps(isObject(original) ? original : {}, patch ?? {}, schema);
}

/** Merges one object. A `schema` of undefined means that its members are unknown. */
function mergeMaps(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive !== undefined) return applyDirective(directive, patch);
  const merged = retainedMembers(original, patch);
  const rest = new Map(Object.entries(patch).filter(([key, value]) => key !== RETAIN_KEYS && value !== undefined));
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(ORDER_PREFIX)) mergeOrdered({ merged, rest, schema }, key, value ?? null);
  }
  for (const [key, value] of rest) {
    if (key.startsWith(DELETE_PREFIX))
      deleteItems({ merged, rest, schema }, bareKey(key, DELETE_PREFIX, 'primitive list'), value ?? null);
    else mergeMember({ merged, rest, schema }, key, value ?? null);
  }
  return Object.fromEntries(merged);
}

/** The merge of one object: the members so far, and the members of the patch that are not processed yet. */
interface Merging {
  readonly merged: Map<string, Json | undefined>;
  readonly rest: Map<string, Json | undefined>;
  readonly schema: Schema | undefined;
}

function applyDirective(directive: Json, patch: JsonObject): JsonObject {
  if (directive === 'replace') return Object.fromEntries(Object.entries(patch).filter(([key]) => key !== DIRECTIVE));
  if (directive === 'delete') return {};
  throw unknownError(`unknown patch type: ${asText(directive)} in map: ${goDefault(patch)}`);
}

/** Formats a value with Go's `%s`: lists and maps by member, other values with their type. */
function asText(value: Json | undefined): string {
  const member = (one: Json | undefined): string => (one === null || one === undefined ? '<nil>' : asText(one));
  if (typeof value === 'string') return value;
  if (isArray(value)) return `[${value.map(member).join(' ')}]`;
  if (isObject(value))
    return `map[${Object.keys(value)
      .sort(compareBytes)
      .map((key) => `${key}:${member(value[key])}`)
      .join(' ')}]`;
  return value === null || value === undefined ? '%!s(<nil>)' : `%!s(${kindOf(value)}=${goDefault(value)})`;
}

/** The members of the original that are kept: all, or those in `$retainKeys`. */
function retainedMembers(original: JsonObject, patch: JsonObject): Map<string, Json | undefined> {
  const members = new Map(Object.entries(original));
  const keys = patch[RETAIN_KEYS];
  if (keys === undefined) return members;
  if (!isArray(keys)) throw badRequest('invalid patch format of retainKeys');
  const kept = new Set<Json>(keys);
  for (const [key, value] of Object.entries(patch)) {
    if (key === RETAIN_KEYS || value === null || value === undefined || kept.has(key)) continue;
    if (!key.startsWith(DELETE_PREFIX) && !key.startsWith(ORDER_PREFIX))
      throw badRequest('invalid patch format of retainKeys');
  }
  for (const key of members.keys()) if (!kept.has(key)) members.delete(key);
  return members;
}

function mergeOrdered({ merged, rest, schema }: Merging, key: string, order: Json): void {
  rest.delete(key);
  if (!isArray(order)) throw unknownError(`expected a []interface {}, but received a ${kindOf(order)}`);
  const name = bareKey(key, ORDER_PREFIX, 'setElementOrder list');
  const old = merged.get(name);
  const patch = rest.get(name);
  for (const list of [old, patch]) {
    if (list !== undefined && !isArray(list))
      throw unknownError(`expected a []interface {}, but received a ${kindOf(list)}`);
  }
  const field = fieldOf(schema, name);
  const lists = { old: isArray(old) ? old : undefined, patch: isArray(patch) ? patch : undefined, order };
  const list = orderedList(lists, { ...ruleOf(field), strategy: strategyOf(field) });
  if (list === undefined) return;
  merged.set(name, list);
  rest.delete(name);
}

function bareKey(key: string, prefix: string, what: string): string {
  if (!key.startsWith(`${prefix}/`)) throw badRequest(`invalid patch format of ${what}`);
  return key.slice(prefix.length + 1);
}

function deleteItems({ merged }: Merging, name: string, value: Json): void {
  if (value === null) {
    merged.delete(name);
    return;
  }
  const old = merged.get(name);
  if (old === undefined || !isArray(old) || !isArray(value)) return;
  if (old.length === 0 && value.length === 0) return;
  if (isListOfObjects(old, value)) throw unknownError('cannot merge lists without merge key for struct');
  const deleted = new Set<Json>(value);
  merged.set(
    name,
    old.filter((item) => !deleted.has(item)),
  );
}

function mergeMember({ merged, schema }: Merging, key: string, patch: Json): void {
  if (patch === null) {
    merged.delete(key);
    return;
  }
  const old = merged.get(key);
  const next = mergeValue(old, patch, () => fieldOf(schema, key));
  if (next === undefined) merged.delete(key);
  else merged.set(key, next);
}

function mergeValue(old: Json | undefined, patch: Json, find: () => Schema | undefined): Json | undefined {
  if (isObject(old) && isObject(patch)) {
    const field = find();
    return strategyOf(field) === 'replace' ? patch : mergeMaps(old, patch, field);
  }
  if (isArray(old) && isArray(patch)) {
    const field = find();
    if (strategyOf(field) !== 'merge') return patch;
    return mergeLists(old, patch, ruleOf(field));
  }
  return withoutDirectives(isObject(patch) || isArray(patch) ? withoutNulls(patch) : patch);
}

function ruleOf(field: Schema | undefined): ListRule {
  return {
    mergeKey: field?.['x-kubernetes-patch-merge-key'] ?? '',
    name: field?.items?.type ?? 'struct',
    merge: (old, patch) => mergeMaps(old, patch, field?.items),
  };
}
