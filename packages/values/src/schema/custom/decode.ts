import { isObject, type Json, type JsonObject } from '../../json.js';
import type { DecodedObject } from '../../object.js';
import { fillDefaults, pruneNulls } from './defaults.js';
import { coerceEmbedded } from './embedded.js';
import { compareBytes } from '../../text.js';
import { decodeMeta, emptyMembers } from '../metadata/decode.js';
import { prune } from './prune.js';
import type { Schema } from '../schema.js';

interface DecodeOptions {
  /**
   * Set for server-side apply: nulls and empty labels, annotations, finalizers and ownerReferences are kept until the
   * object is decoded again.
   */
  readonly keepNulls?: boolean;
}

/**
 * Decodes a request body or a patched object into a custom resource as the API server does: metadata is decoded into
 * ObjectMeta, unknown fields and disallowed nulls are dropped, defaults are filled in.
 * @param object whose apiVersion and kind have been checked.
 */
export function decodeCustom(
  schema: Schema,
  object: JsonObject,
  { keepNulls = false }: DecodeOptions = {},
): DecodedObject {
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
