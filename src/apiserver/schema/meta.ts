import type { Json } from '../json.js';
import type { ObjectMeta } from '../object.js';
import { canonicalStruct } from '../registry/builtins/canonical.js';
import { decodeStruct } from './typed.js';
import { asObject } from './walk.js';

export const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

export type DecodedMeta =
  | { readonly meta: ObjectMeta; readonly unknown: readonly string[] }
  /** In Go's words: `json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`. */
  | { readonly problem: string };

/**
 * Reads the metadata of a custom resource or of an embedded one as Go does: unknown fields, nulls, and fields that are
 * empty are gone, times are in UTC.
 */
export function decodeMeta(metadata: Json): DecodedMeta {
  const { value, unknown, problem } = decodeStruct(OBJECT_META, metadata);
  if (problem !== undefined) return { problem };
  return { meta: canonicalStruct(OBJECT_META, asObject(value), 'stored'), unknown };
}
