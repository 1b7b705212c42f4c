/** An object of a parsed text whose fields are not known. */
export type Unknowns = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Unknowns {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value, or an empty object where it is none. */
export function record(value: unknown): Unknowns {
  return isRecord(value) ? value : {};
}
