import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { DIRECTIVE, withoutNulls } from './directive.js';
import { strategyOf } from './strategy.js';

const ORDER_PREFIX = '$setElementOrder/';

/**
 * The patch after a strategic merge: the API server removes directives from the patch as it processes them, and its
 * messages show the result when the merged object is invalid. The patch must be one that merges.
 */
export function mutatedPatch(schema: Schema | undefined, original: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  return isObject(original) ? mutatedMap(schema, original, patch) : withoutNulls(patch);
}

function mutatedMap(schema: Schema | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive !== undefined)
    return directive === 'replace'
      ? Object.fromEntries(Object.entries(patch).filter(([key]) => key !== DIRECTIVE))
      : patch;
  const ordered = Object.keys(patch).filter((key) => key.startsWith(ORDER_PREFIX));
  const done = new Set(['$retainKeys', ...ordered, ...ordered.map((key) => key.slice(ORDER_PREFIX.length))]);
  const kept = Object.entries(patch).filter(([key]) => !done.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      mutatedMember(fieldOf(schema, key), original[key], { key, value: value ?? null }),
    ]),
  );
}

function fieldOf(schema: Schema | undefined, name: string): Schema | undefined {
  return schema?.properties !== undefined && Object.hasOwn(schema.properties, name)
    ? schema.properties[name]
    : undefined;
}

interface Member {
  readonly key: string;
  readonly value: Json;
}

function mutatedMember(field: Schema | undefined, original: Json | undefined, { key, value }: Member): Json {
  if (value === null || key.startsWith('$')) return value;
  if (original === undefined) return isObject(value) || isArray(value) ? withoutNulls(value) : value;
  if (isObject(original) && isObject(value))
    return strategyOf(field) === 'replace' ? value : mutatedMap(field, original, value);
  const mergeKey = field?.['x-kubernetes-patch-merge-key'];
  if (!isArray(original) || !isArray(value) || strategyOf(field) !== 'merge' || mergeKey === undefined) return value;
  return value.map((item) => mutatedItem(field?.items, original, { key: mergeKey, value: item }));
}

function mutatedItem(schema: Schema | undefined, originals: readonly Json[], { key, value }: Member): Json {
  if (!isObject(value) || value[DIRECTIVE] !== undefined) return value;
  const same = originals.find((one) => isObject(one) && one[key] === value[key]);
  return same === undefined ? value : mutatedPatch(schema, same, value);
}
