import { decodeYaml, MalformedBody, readManifestStream, type Json } from '@multicluster-engine/values/yaml';
import { InputError } from '../output.js';
import { field, isRecord, textField, type JsonRecord } from '../../runtime/vocabulary/json.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';

/** An object of a file, and where it is, for errors. */
export interface UserManifest {
  readonly object: KubeObject;
  /** Such as `fleet.yaml, document 2`. */
  readonly where: string;
}

/**
 * The objects of a manifest of a user, as `kubectl apply` reads them: JSON or YAML 1.1, of two equal keys the last one counts,
 * and the items of a list stand for themselves. `source` names the text in errors.
 * @throws InputError with source, document and rule.
 */
export function parseUserManifests(bytes: Uint8Array, source: string): readonly UserManifest[] {
  return valuesOf(textOf(bytes, source), source).flatMap((value, index) =>
    objectsIn(value, `${source}, document ${index + 1}`),
  );
}

function textOf(bytes: Uint8Array, source: string): string {
  const { text, isUtf8 } = decodeYaml(bytes);
  if (!isUtf8) throw new InputError(`${source}: is not UTF-8`);
  return text.replace(/^\ufeff/, '');
}

function valuesOf(text: string, source: string): readonly Json[] {
  try {
    return readManifestStream(text);
  } catch (error) {
    if (error instanceof MalformedBody) throw new InputError(`${source}, ${error.message}`, { cause: error });
    throw error;
  }
}

/** Whatever has a field `items` is a list. */
function objectsIn(value: Json, where: string): readonly UserManifest[] {
  if (value === null) return [];
  if (!isRecord(value)) throw new InputError(`${where}: must be an object`);
  if (!Object.hasOwn(value, 'items')) return [objectIn(value, where)];
  requireType(value, where);
  const items = field(value, 'items') ?? [];
  if (!Array.isArray(items)) throw new InputError(`${where}: items: must be a list`);
  return items.map((item: unknown, index) => objectIn(typed(item, value), `${where}, item ${index + 1}`));
}

/** The items of a list of one kind need not name it. */
function typed(item: unknown, list: JsonRecord): unknown {
  if (!isRecord(item) || textField(item, 'kind') !== '' || textField(item, 'apiVersion') !== '') return item;
  return { ...item, apiVersion: textField(list, 'apiVersion'), kind: textField(list, 'kind').replace(/List$/, '') };
}

function requireType(value: JsonRecord, where: string): void {
  const missing = ['apiVersion', 'kind'].find((key) => textField(value, key) === '');
  if (missing !== undefined) throw new InputError(`${where}: ${missing}: must be set, to a string`);
}

function objectIn(value: unknown, where: string): UserManifest {
  if (!isRecord(value)) throw new InputError(`${where}: must be an object`);
  requireType(value, where);
  const metadata = field(value, 'metadata');
  if (textField(metadata, 'name') === '') throw new InputError(`${where}: metadata.name: must be set, to a string`);
  // The required fields of KubeObject are checked above.
  const object = withoutNulls(value, 'inLists') as KubeObject;
  const { annotations } = object.metadata;
  if (!isRecord(annotations)) return { object, where };
  return { object: { ...object, metadata: { ...object.metadata, annotations: withEmptyTexts(annotations) } }, where };
}

/** The new object that `kubectl apply` makes of a manifest: every field that is null is left out, labels too. */
export function createdFrom(object: KubeObject): KubeObject {
  return withoutNulls(object, 'everywhere') as KubeObject;
}

/**
 * Leaves out fields that are null. Outside of lists a null means that the live field is removed, and is kept for the merge;
 * lists are replaced whole.
 */
function withoutNulls(value: unknown, where: 'everywhere' | 'inLists'): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, 'everywhere'));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => where === 'inLists' || item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item, where)]));
}

/** As `kubectl apply` sends it, an annotation of null is empty. */
function withEmptyTexts(annotations: JsonRecord): Record<string, string> {
  // What is no text is refused later.
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, (value ?? '') as string]));
}
