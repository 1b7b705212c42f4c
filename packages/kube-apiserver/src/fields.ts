import { isArray, isObject, own, type Json, type JsonObject } from './json.js';

/** Reads fields of objects whose types have been checked: what is not there is empty. */

export function structAt(value: JsonObject, key: string): JsonObject {
  const found = own(value, key);
  return isObject(found) ? found : {};
}

/** Structs of a list. */
export function listAt(value: JsonObject, key: string): readonly JsonObject[] {
  const found = own(value, key);
  return isArray(found) ? found.filter(isObject) : [];
}

/** Texts of a list. */
export function textsAt(value: JsonObject, key: string): readonly string[] {
  const found = own(value, key);
  return isArray(found) ? found.filter((item): item is string => typeof item === 'string') : [];
}

export function textAt(value: JsonObject, key: string): string {
  const found: Json | undefined = own(value, key);
  return typeof found === 'string' ? found : '';
}

export function numberAt(value: JsonObject, key: string): number {
  const found = own(value, key);
  return typeof found === 'number' ? found : 0;
}

/** How many entries a map has. */
export function countAt(value: JsonObject, key: string): number {
  return Object.keys(structAt(value, key)).length;
}

/** Entries of a map of texts. */
export function textEntries(map: JsonObject): readonly (readonly [string, string])[] {
  return Object.keys(map).map((key) => [key, textAt(map, key)] as const);
}

/** What stands at the end of a path of keys; undefined where the path ends before. */
export function valueAt(object: JsonObject, keys: readonly string[]): Json | undefined {
  let value: Json | undefined = object;
  for (const key of keys) value = isObject(value) ? own(value, key) : undefined;
  return value;
}
