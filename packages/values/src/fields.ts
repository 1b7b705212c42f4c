import { isArray, isObject, own, type Json, type JsonObject } from './json.js';

/*
 * Reads fields of objects whose types were checked before. A field that is missing, or of another type, reads as the
 * empty value of the type: `{}`, `[]`, an empty text, 0.
 */

/** A struct; `{}` where the field is missing or holds something else. */
export function structAt(value: JsonObject, key: string): JsonObject {
  const found = own(value, key);
  return isObject(found) ? found : {};
}

/** A struct; undefined where the field is missing or holds something else. */
export function optionalStructAt(value: JsonObject, key: string): JsonObject | undefined {
  const found = own(value, key);
  return isObject(found) ? found : undefined;
}

/** The structs of a list. */
export function listAt(value: JsonObject, key: string): readonly JsonObject[] {
  const found = own(value, key);
  return isArray(found) ? found.filter(isObject) : [];
}

/** The texts of a list. */
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

/** The number of entries of a map. */
export function countAt(value: JsonObject, key: string): number {
  return Object.keys(structAt(value, key)).length;
}

/** The entries of a map of texts. */
export function textEntries(map: JsonObject): readonly (readonly [string, string])[] {
  return Object.keys(map).map((key) => [key, textAt(map, key)] as const);
}

/** The value at a path of keys; undefined where a key of the path is missing. */
export function valueAt(object: JsonObject, keys: readonly string[]): Json | undefined {
  let value: Json | undefined = object;
  for (const key of keys) value = isObject(value) ? own(value, key) : undefined;
  return value;
}
