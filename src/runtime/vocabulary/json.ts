/** Reads parsed JSON whose shape is not known. */

/** A JSON object whose fields are not known. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The JSON value of a text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A character as JSON may write it: `\u001b`. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Whether `value` is an object and not an array. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value, or an empty object when it is not an object. */
export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** `value[key]` when `value` is a record, else undefined. */
export function field(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

/** `value[key]` when that is a string, else the empty string. */
export function textField(value: unknown, key: string): string {
  const found = field(value, key);
  return typeof found === 'string' ? found : '';
}

/** The items of a list that are objects; empty where it is no list. */
export function recordsIn(value: unknown): readonly JsonRecord[] {
  if (!Array.isArray(value)) return [];
  // Of most lists all are, and none is copied: this runs for each event of a cluster.
  return value.every(isRecord) ? value : value.filter(isRecord);
}

/** Whether two JSON values are equal, in any order of their keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, index) => sameJson(one, b[index]));
  if (!isRecord(a) || !isRecord(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

/** Freezes a JSON value deeply and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const part of parts) if (typeof part === 'object') deepFreeze(part);
  return Object.freeze(value);
}

/** The number of characters as the API server counts them: code points. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
