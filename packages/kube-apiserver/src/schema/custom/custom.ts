import { isObject, type Json, type JsonObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { DecodedObject } from '../../resource.js';
import { fillDefaults, pruneNulls } from './defaults.js';
import type { FieldError } from '../../status.js';
import { coerceEmbedded, validateEmbedded } from './embedded.js';
import { compareBytes } from '../go/text.js';
import { validateLists } from './listtypes.js';
import { decodeMeta, emptyMembers } from '../metadata/decode.js';
import { prune } from './prune.js';
import type { Schema } from '../schema.js';
import { blocksCel, checkKeywords, validateSchema, type Validation } from '../keywords/validate.js';

/**
 * Decodes a request body or a patched object into a custom resource as the API server does: metadata is decoded into
 * ObjectMeta, unknown fields and disallowed nulls are dropped, defaults are filled in.
 * @param object whose apiVersion and kind have been checked.
 * @param keepNulls set for server-side apply, where nulls and empty labels, annotations, finalizers and ownerReferences
 *   are kept until the object is decoded again.
 */
export function decodeCustom(schema: Schema, object: JsonObject, keepNulls = false): DecodedObject {
  const { apiVersion, kind, metadata } = object;
  const decoded = decodeMeta(keepNulls ? withoutUndecodable(metadata ?? {}) : (metadata ?? {}));
  if ('problem' in decoded) return decoded;
  const pruned = prune(schema, object, { root: true });
  const coerced = coerceEmbedded(schema, keepNulls ? pruned.value : pruneNulls(schema, pruned.value));
  if (coerced.error !== undefined) return { problem: `${coerced.error.field}: ${coerced.error.message}` };
  const meta = keepNulls ? { ...decoded.meta, ...emptyMembers(metadata ?? {}) } : decoded.meta;
  const whole: Json = { ...(isObject(coerced.value) ? coerced.value : {}), metadata: meta };
  const filled = fillDefaults(schema, whole);
  const result = {
    ...(isObject(filled) ? filled : {}),
    apiVersion: text(apiVersion),
    kind: text(kind),
    metadata: meta,
  };
  return {
    object: result,
    unknownMeta: decoded.unknown.map((path) => `metadata.${path}`).sort(compareBytes),
    unknown: [...pruned.unknown, ...coerced.unknown],
  };
}

/** The metadata without the fields that cannot be decoded: apply ignores those. */
function withoutUndecodable(metadata: Json): Json {
  if (!isObject(metadata)) return metadata;
  return Object.fromEntries(
    Object.entries(metadata).filter(([name, value]) => !('problem' in decodeMeta({ [name]: value ?? null }))),
  );
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Validates a custom resource except for its metadata and its CEL rules.
 * @param schema as the author of the definition wrote it.
 * @param subresource for `status` only the status is validated, as in the API server.
 */
export function validateCustom(schema: Schema, next: KubeObject, old?: KubeObject, subresource?: string): Validation {
  if (subresource !== 'status' || old === undefined) return validateSchema(schema, next, old);
  const { status } = next;
  const below = schema.properties?.['status'];
  const errors =
    status === undefined || below === undefined ? [] : checkKeywords(below, status, old['status'] ?? null, 'status');
  if (validateLists(schema, old, '').length === 0) errors.push(...validateLists(schema, next, ''));
  return { errors, skipCel: blocksCel(errors) };
}

/** Validates embedded resources and list types only. Embedded resources are not checked on a write to `status`. */
export function validateExtensions(
  schema: Schema,
  next: KubeObject,
  old?: KubeObject,
  subresource?: string,
): readonly FieldError[] {
  const embedded = subresource === 'status' ? [] : validateEmbedded(schema, next, '');
  const lists = old !== undefined && validateLists(schema, old, '').length > 0 ? [] : validateLists(schema, next, '');
  return [...embedded, ...lists];
}
