import { isObject, own, withKey } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Atom } from '../typed/atom.js';
import { schemaErrors } from '../typed/validate.js';
import { compare } from '../typed/compare.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { difference, NO_FIELDS } from '../fieldpath/fieldset.js';
import { goJson } from '@multicluster-engine/values/text';
import { toFieldSet } from '../typed/tofieldset.js';

/** The manager whose server-side apply takes over the fields of its own client-side apply. */
export const KUBECTL = 'kubectl';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** The limit on the total bytes of annotation keys and values. */
const MAX_ANNOTATIONS = 256 * 1024;

/**
 * The fields that client-side apply set and that are unchanged since: kubectl may take them without a conflict. Empty
 * when the object has no readable last-applied annotation in this version.
 */
export function lastAppliedFields(atom: Atom, live: JsonObject, apiVersion: string): FieldSet {
  const last = readLastApplied(live);
  if (last === undefined || own(last, 'apiVersion') !== apiVersion) return NO_FIELDS;
  if (schemaErrors(atom, live) !== undefined || schemaErrors(atom, last) !== undefined) return NO_FIELDS;
  const { added, modified, removed } = compare(atom, last, live);
  return difference(difference(difference(toFieldSet(atom, last), modified), added), removed);
}

function readLastApplied(live: JsonObject): JsonObject | undefined {
  const text = own(annotationsOf(live) ?? {}, LAST_APPLIED);
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) && typeof own(value, 'kind') === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Updates the last-applied annotation, where the object has one, to the applied configuration. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  const old = annotations === undefined ? undefined : own(annotations, LAST_APPLIED);
  if (annotations === undefined || typeof old !== 'string' || old === '') return object;
  const text = `${goJson(withoutAnnotation(applied))}\n`;
  if (text === old) return object;
  const fits = sizeOf(withKey(annotations, LAST_APPLIED, text)) <= MAX_ANNOTATIONS;
  return withAnnotations(object, withKey(annotations, LAST_APPLIED, fits ? text : undefined));
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const annotations = annotationsOf(applied);
  if (annotations === undefined || own(annotations, LAST_APPLIED) === undefined) return applied;
  return withAnnotations(applied, withKey(annotations, LAST_APPLIED, undefined));
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const metadata = own(object, 'metadata');
  const annotations = isObject(metadata) ? own(metadata, 'annotations') : undefined;
  return isObject(annotations) ? annotations : undefined;
}

function withAnnotations(object: JsonObject, annotations: JsonObject): JsonObject {
  const metadata = own(object, 'metadata');
  return { ...object, metadata: withKey(isObject(metadata) ? metadata : {}, 'annotations', annotations) };
}

function sizeOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(typeof value === 'string' ? value : ''),
    0,
  );
}
