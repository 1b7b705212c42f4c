import { isObject } from '@multicluster-engine/values/json';

/**
 * Valid and invalid objects of built-in kinds that were sent to kube-apiserver (`make apiserver-recordings`). The
 * strategies have to give the same responses. Each variant is a merge patch (RFC 7386) of the base object of the kind;
 * `NULL` stands for a null in the object, which a merge patch cannot express.
 */

export type Patch = Readonly<Record<string, unknown>>;

export interface KindVariants {
  /** Path of the collection. */
  readonly path: string;
  readonly base: Patch;
  /** By the name of the test. */
  readonly create: Readonly<Record<string, Patch>>;
  /** By the name of the test: the stored object (a patch of the base), the update, and its subresource. */
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
