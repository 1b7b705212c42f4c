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
 * Makes of a body, or of what a patch made, an object of a custom resource as the server's decoder does: metadata of
 * Go's types, no unknown fields, no nulls that are not allowed, defaults filled.
 * @param object whose apiVersion and kind have been checked.
 * @param keepNulls on the way of server-side apply, where nulls and empty labels, annotations, finalizers and owners stay until the
 *   object is read again.
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

/** An apply forgets the fields of metadata that cannot be read. */
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
 * Validates a custom resource but for its metadata and the rules of CEL.
 * @param schema as the author wrote it.
 * @param subresource `status` looks at the status only, as the server does there.
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

/** The embedded resources and the types of lists alone, of which the first are no part of a status. */
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
