import { equal, isArray, isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { badRequest } from '../status.js';
import { jsonType } from '@multicluster-engine/values/schema/go/format';
import { withoutNulls } from './directive.js';

export const INVALID_MERGE_PATCH = 'Invalid JSON Patch';

export interface MergePatchOptions {
  /** Whether the patch is not checked for unknown fields: a list replaces the document then. */
  readonly lenient?: boolean;
}

/**
 * Applies a JSON merge patch (RFC 7386). Deviates from it as kube-apiserver does: nulls in objects inside an array are
 * dropped, unless the array replaces an object. Shares unchanged parts; returns the document itself when nothing
 * changes.
 *
 * @throws StatusError 400 when the patch is not an object.
 */
export function mergePatch(target: Json, patch: Json, { lenient = false }: MergePatchOptions = {}): Json {
  if (patch === null || (lenient && !isObject(patch) && !isArray(patch))) throw badRequest(INVALID_MERGE_PATCH);
  if (lenient && isArray(patch)) return patch;
  if (!isObject(patch)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return isObject(target) ? mergeObjects(target, patch) : withoutNulls(patch);
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  let changed = false;
  for (const [key, value] of Object.entries(patch)) {
    const old = merged.get(key);
    if (value === undefined) continue;
    if (value === null) {
      changed = merged.delete(key) || changed;
      continue;
    }
    const next = mergeValue(old, value);
    if (equal(next, old)) continue;
    merged.set(key, next);
    changed = true;
  }
  return changed ? Object.fromEntries(merged) : target;
}

function mergeValue(old: Json | undefined, patch: Json): Json {
  if (!isObject(old)) return withoutNulls(patch);
  return isObject(patch) ? mergeObjects(old, patch) : patch;
}
