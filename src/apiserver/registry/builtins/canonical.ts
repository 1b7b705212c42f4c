import { structFields, type GoType, type StructField } from '../../data/schemas.js';
import { equal, isArray, isObject, own, type Json, type JsonObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { canonicalQuantity } from './quantity.js';
import { canonicalMicroTime, canonicalTime } from './time.js';

/**
 * An object of a built-in kind as the real server would write it after it had read it into a Go struct: nulls and zero
 * values of optional fields are gone, fields that are always written are there (`status: {}`, `rules: null`), times are
 * in UTC. The same object when nothing changes. Types have been checked before.
 */
export function canonical(definition: string, object: KubeObject): KubeObject {
  const { apiVersion, kind } = object;
  const value = canonicalStruct(definition, object);
  return value === object ? object : { apiVersion, kind, metadata: {}, ...value };
}

/** {@link canonical} for a struct inside of an object. */
export function canonicalStruct(definition: string, value: JsonObject): JsonObject {
  const entries: [string, Json][] = [];
  collectFields(definition, value, entries);
  const same = entries.length === Object.keys(value).length && entries.every(([key, written]) => own(value, key) === written);
  return same ? value : Object.fromEntries(entries);
}

/** Adds the fields of a struct as they are written, those of inlined structs among them. */
function collectFields(definition: string, value: JsonObject, entries: [string, Json][]): void {
  for (const field of structFields(definition)) {
    if (field.name === '') collectInlined(field, value, entries);
    else collectField(field, own(value, field.name), entries);
  }
}

function collectInlined({ type }: StructField, value: JsonObject, entries: [string, Json][]): void {
  if (type.shape === 'struct') collectFields(type.name, value, entries);
}

function collectField(field: StructField, given: Json | undefined, entries: [string, Json][]): void {
  const { type, omit } = field;
  const value = given === undefined || given === null ? zero(type) : write(type, given);
  if (omit === 'never' || !isOmitted(type, value, omit)) entries.push([field.name, value]);
}

/** Scalars of Go; the other scalars are structs to it, which are never empty. */
const PLAIN: readonly string[] = ['string', 'bool', 'int32', 'int64', 'float64', 'bytes', 'strings'];

function isOmitted(type: GoType, value: Json, omit: 'empty' | 'zero'): boolean {
  if (type.pointer) return value === null;
  if (type.shape === 'struct') return false;
  if (type.shape === 'scalar' && !PLAIN.includes(type.name)) return omit === 'zero' && equal(value, zero(type));
  return isEmpty(value);
}

function isEmpty(value: Json): boolean {
  if (isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === null || value === '' || value === 0 || value === false;
}

/** What a field that was not given is written as, if it is written. */
function zero(type: GoType): Json {
  if (type.pointer || type.shape === 'list' || type.shape === 'map') return null;
  if (type.shape === 'struct') return canonicalStruct(type.name, {});
  switch (type.name) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'float64':
    case 'intstr':
      return 0;
    case 'quantity':
      return '0';
    default:
      return null;
  }
}

function write(type: GoType, value: Json): Json {
  switch (type.shape) {
    case 'struct':
      return isObject(value) ? canonicalStruct(type.name, value) : value;
    case 'list':
      return isArray(value) ? writeList(type.of, value, type.pointer) : value;
    case 'map':
      return isObject(value) ? writeMap(type.of, value, type.pointer) : value;
    case 'scalar':
      return writeScalar(type.name, value);
  }
}

function writeList(of: GoType, value: readonly Json[], pointer: boolean): Json {
  if (value.length === 0) return pointer ? value : null;
  const items = value.map((item) => (item === null ? zero(of) : write(of, item)));
  return items.every((item, index) => item === value[index]) ? value : items;
}

function writeMap(of: GoType, value: JsonObject, pointer: boolean): Json {
  const entries = Object.entries(value);
  if (entries.length === 0) return pointer ? value : null;
  const written = entries.map(([key, item]): [string, Json] => [key, mapValue(of, item)]);
  return written.every(([key, item]) => item === own(value, key)) ? value : Object.fromEntries(written);
}

/** Bytes that are nil are stored as empty ones. */
function mapValue(of: GoType, item: Json | undefined): Json {
  if (item !== null && item !== undefined) return write(of, item);
  return of.shape === 'scalar' && of.name === 'bytes' ? '' : zero(of);
}

function writeScalar(name: string, value: Json): Json {
  switch (name) {
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
