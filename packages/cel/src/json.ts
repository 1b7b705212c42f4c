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
