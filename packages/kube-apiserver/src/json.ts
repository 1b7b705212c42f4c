import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/cel/json';

export { isArray, isObject, own, type Json, type JsonObject } from '@multicluster-engine/cel/json';

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
