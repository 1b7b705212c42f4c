import { isArray, isObject } from '../../json.js';
import type { Json } from '../../json.js';
import type { KubeObject, ObjectMeta } from '../../object.js';
import { canonicalStruct } from '../struct/canonical.js';
import { goJson } from '../../text.js';
import { readJson } from '../../read/json.js';
import { decodeStruct } from '../struct/decode.js';
import { asObject } from '../walk.js';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

export type DecodedMeta =
  | { readonly meta: ObjectMeta; readonly unknown: readonly string[] }
  /**
   * The message of Go's decoder: `json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`.
   */
  | { readonly problem: string };

/**
 * Decodes the metadata of a custom or embedded resource as Go does: unknown fields, nulls and empty optional fields are
 * dropped, times are in UTC.
 */
export function decodeMeta(metadata: Json): DecodedMeta {
  const { value, unknown, problem } = decodeStruct(OBJECT_META, metadata);
  // The API server encodes the metadata before decoding it, so of several errors the first in key order is reported.
  if (problem !== undefined)
    return { problem: decodeStruct(OBJECT_META, readJson(goJson(metadata)).value).problem ?? problem };
  return { meta: canonicalStruct(OBJECT_META, asObject(value), 'stored'), unknown };
}

const MAPS = ['labels', 'annotations'] as const;
const LISTS = ['finalizers', 'ownerReferences'] as const;

/** The labels, annotations, finalizers and ownerReferences that are present and empty. */
export function emptyMembers(metadata: Json): ObjectMeta {
  if (!isObject(metadata)) return {};
  const maps = MAPS.filter((key) => isObject(metadata[key]) && Object.keys(metadata[key]).length === 0).map(
    (key) => [key, {}] as const,
  );
  const lists = LISTS.filter((key) => isArray(metadata[key]) && metadata[key].length === 0).map(
    (key) => [key, []] as const,
  );
  return Object.fromEntries([...maps, ...lists]);
}

/** The object without empty members of its metadata; the same object where there are none. */
export function withoutEmptyMembers(object: KubeObject): KubeObject {
  const empty = emptyMembers(object.metadata);
  if (Object.keys(empty).length === 0) return object;
  return {
    ...object,
    metadata: Object.fromEntries(Object.entries(object.metadata).filter(([key]) => !Object.hasOwn(empty, key))),
  };
}
