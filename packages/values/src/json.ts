/** A JSON value. Once shared, it is never changed in place: make a new value that shares the rest. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/**
 * A JSON object. Keys come from users: read them with {@link own}, unless the key is a literal that no prototype has;
 * write them with a literal or a spread, never `object[key] = …` (`__proto__`).
 */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Whether a parsed value is an object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value of an own key; undefined for a key that only a prototype has. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A copy with one key set, or left out for `undefined`. Safe for every key; keeps the order of keys. */
export function withKey(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  const entries = Object.entries(object).filter(
    ([name, old]) => old !== undefined && (name !== key || value !== undefined),
  );
  if (value === undefined) return Object.fromEntries(entries);
  if (!Object.hasOwn(object, key)) return Object.fromEntries([...entries, [key, value]]);
  return Object.fromEntries(entries.map(([name, old]) => [name, name === key ? value : old]));
}

/** Whether two values are equal as JSON: the order of keys and keys with undefined do not count. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = definedKeys(a);
  return keys.length === definedKeys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}

function definedKeys(object: JsonObject): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined);
}
