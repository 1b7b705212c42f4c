import { structFields, zeroScalar, type GoType, type StructField } from '../builtin.js';
import { equal, isArray, isObject, own, type Json, type JsonObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { JSON_SCHEMA } from './scalar.js';
import { canonicalQuantity } from './quantity.js';
import { canonicalMicroTime, canonicalTime } from '../../time.js';

/**
 * The step of a request: `read` is the decoded Go struct, `stored` the encoded object. An empty list of a field that is
 * always written is kept when read (it has an owner) and is null when stored.
 */
export type Stage = 'read' | 'stored';

/**
 * An object of a built-in kind as the API server encodes it after decoding it into its Go struct: nulls and zero values
 * of optional fields are dropped, fields that are always written are added (`status: {}`, `rules: null`), times are in
 * UTC. Returns the same object when nothing changes. The types must have been checked before.
 */
export function canonical(definition: string, object: KubeObject, stage: Stage = 'stored'): KubeObject {
  const { apiVersion, kind } = object;
  const value = canonicalStruct(definition, object, stage);
  return value === object ? object : { apiVersion, kind, metadata: {}, ...value };
}

/** {@link canonical} for a nested struct. */
export function canonicalStruct(definition: string, value: JsonObject, stage: Stage): JsonObject {
  const entries: [string, Json][] = [];
  collectFields(definition, value, { stage, entries });
  const same =
    entries.length === Object.keys(value).length && entries.every(([key, written]) => own(value, key) === written);
  return same ? value : Object.fromEntries(entries);
}

interface Collection {
  readonly stage: Stage;
  readonly entries: [string, Json][];
}

/** Adds the encoded fields of a struct, those of inlined structs included. */
function collectFields(definition: string, value: JsonObject, into: Collection): void {
  for (const field of structFields(definition)) {
    if (field.name === '') collectInlined(field, value, into);
    else collectField(field, own(value, field.name), into);
  }
}

function collectInlined({ type }: StructField, value: JsonObject, into: Collection): void {
  if (type.shape === 'struct') collectFields(type.name, value, into);
}

function collectField(
  { name, type, omit }: StructField,
  given: Json | undefined,
  { stage, entries }: Collection,
): void {
  if (given === undefined && omit !== 'never' && !isStruct(type)) return;
  const value = given === undefined || given === null ? zero(type, stage) : write(type, given, stage);
  if (omit === 'never' || !isOmitted(type, value, omit)) entries.push([name, value]);
}

/** Scalars that are plain Go types. The other scalars are structs in Go, which are never empty. */
const PLAIN: ReadonlySet<string> = new Set(['string', 'bool', 'int32', 'int64', 'float64', 'bytes', 'strings']);

/** Whether the type is a struct in Go: `omitempty` has no effect on those. */
function isStruct(type: GoType): boolean {
  if (type.pointer) return false;
  return type.shape === 'struct' || (type.shape === 'scalar' && !PLAIN.has(type.name));
}

function isOmitted(type: GoType, value: Json, omit: 'empty' | 'zero'): boolean {
  if (type.pointer) return value === null;
  if (type.shape === 'struct') return false;
  if (type.shape === 'scalar' && !PLAIN.has(type.name)) return omit === 'zero' && equal(value, zero(type, 'stored'));
  return isEmpty(value);
}

function isEmpty(value: Json): boolean {
  if (isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === null || value === '' || value === 0 || value === false;
}

/** The encoded value of an absent field. */
function zero(type: GoType, stage: Stage): Json {
  if (type.pointer || type.shape === 'list' || type.shape === 'map') return null;
  if (type.shape === 'struct') return canonicalStruct(type.name, {}, stage);
  return zeroScalar(type);
}

function write(type: GoType, value: Json, stage: Stage): Json {
  switch (type.shape) {
    case 'struct':
      return isObject(value) ? canonicalStruct(type.name, value, stage) : value;
    case 'list':
      return isArray(value) ? writeList(type, value, stage) : value;
    case 'map':
      return isObject(value) ? writeMap(type, value, stage) : value;
    case 'scalar':
      return writeScalar(type.name, value, stage);
  }
}

type Container = Extract<GoType, { readonly of: GoType }>;

function writeList({ of, pointer }: Container, value: readonly Json[], stage: Stage): Json {
  if (value.length === 0) return pointer || stage === 'read' ? value : null;
  const items = value.map((item) => (item === null ? zero(of, stage) : write(of, item, stage)));
  return items.every((item, index) => item === value[index]) ? value : items;
}

function writeMap({ of, pointer }: Container, value: JsonObject, stage: Stage): Json {
  const keys = Object.keys(value);
  if (keys.length === 0) return pointer || stage === 'read' ? value : null;
  // Go encodes maps sorted by key; some clients compare texts.
  const sorted = keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') < key);
  const written = (sorted ? keys : keys.toSorted()).map((key): [string, Json] => [
    key,
    mapValue(of, own(value, key), stage),
  ]);
  return sorted && written.every(([key, item]) => item === own(value, key)) ? value : Object.fromEntries(written);
}

/** Nil bytes are stored as empty bytes. */
function mapValue(of: GoType, item: Json | undefined, stage: Stage): Json {
  if (item !== null && item !== undefined) return write(of, item, stage);
  return of.shape === 'scalar' && of.name === 'bytes' ? '' : zero(of, stage);
}

function writeScalar(name: string, value: Json, stage: Stage): Json {
  switch (name) {
    case 'schema-or-list':
    case 'bool-or-schema':
    case 'schema-or-strings':
      return writeSchemas(value, stage);
    case 'time':
      return typeof value === 'string' ? canonicalTime(value) : value;
    case 'micro':
      return typeof value === 'string' ? canonicalMicroTime(value) : value;
    case 'quantity':
      return canonicalQuantity(value);
    default:
      return value;
  }
}

/** Encodes nested JSONSchemaProps or a list of them; an empty list is stored as null. Other values are kept. */
function writeSchemas(value: Json, stage: Stage): Json {
  if (isObject(value)) return canonicalStruct(JSON_SCHEMA, value, stage);
  if (!isArray(value)) return value;
  if (value.length === 0 && stage === 'stored') return null;
  const items = value.map((item) => (isObject(item) ? canonicalStruct(JSON_SCHEMA, item, stage) : item));
  return items.every((item, index) => item === value[index]) ? value : items;
}
