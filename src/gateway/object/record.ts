/** An object of a parsed text whose fields are not known. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value, or an empty object when the value is not an object. */
export function asRecord(value: unknown): UnknownRecord {
  return isRecord(value) ? value : {};
}
