import { isObject } from '../../../src/json.js';

/**
 * Objects of built-in kinds, good and bad, that were sent to a real server (`make apiserver-recordings`) and whose
 * answers the strategies have to give too. Each variant is a merge patch (RFC 7386) of the kind's base; `NULL` stands for
 * a null in the object, which the patch cannot say.
 */

export type Patch = Readonly<Record<string, unknown>>;

export interface KindVariants {
  /** Of the collection, below the server's address. */
  readonly path: string;
  readonly base: Patch;
  /** By what they try. */
  readonly create: Readonly<Record<string, Patch>>;
  /** By what they try: what is stored (a patch of the base), what is then put, and by which sub-resource. */
  readonly update: Readonly<
    Record<string, { readonly old?: Patch; readonly next: Patch; readonly subresource?: string }>
  >;
}

export const NULL = '\u0000null';

/** The object of a variant. */
export function patched(base: unknown, patch: unknown): unknown {
  if (patch === NULL) return null;
  if (typeof patch !== 'object' || patch === null) return patch;
  if (Array.isArray(patch)) return patch.map((item) => patched({}, item));
  const result = new Map<string, unknown>(Object.entries(isObject(base) ? base : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, patched(result.get(key), value));
  }
  return Object.fromEntries(result);
}
