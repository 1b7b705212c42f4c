import { structFields, type GoType, type StructField } from '../../data/schemas.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../json.js';
import { encodeScalar } from './scalarwriter.js';
import { bytesField, integerField, doubleField, textField } from './writer.js';

const SCHEMA = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
const KEY = 1;
const VALUE = 2;
const ordered = new Map<string, readonly StructField[]>();

/**
 * Writes the JSON of a built-in struct as the message that Go writes of it: fields by their numbers, and those that are no
 * pointers always, zero or not.
 * @param definition name of the struct, of data/schemas.ts.
 */
export function encodeStruct(definition: string, value: JsonObject): Buffer {
  const parts: Buffer[] = [];
  for (const { name, type, number } of fieldsByNumber(definition)) {
    // The fields of a nameless struct stand among those of its parent, in JSON.
    const given = name === '' ? value : own(value, name);
    parts.push(encodeField(number, type, given === null ? undefined : given));
  }
  return Buffer.concat(parts);
}

function fieldsByNumber(definition: string): readonly StructField[] {
  const known = ordered.get(definition) ?? structFields(definition).filter(({ number }) => number > 0).sort((a, b) => a.number - b.number);
  ordered.set(definition, known);
  return known;
}

function encodeField(number: number, type: GoType, value: Json | undefined): Buffer {
  switch (type.shape) {
    case 'list':
      return Buffer.concat((isArray(value) ? value : []).map((item) => encodeOne(number, type.of, item)));
    case 'map':
      return Buffer.concat(entriesOf(value).map(([key, item]) => bytesField(number, Buffer.concat([textField(KEY, key), encodeOne(VALUE, type.of, item)]))));
    default:
      return value === undefined && (type.pointer || isNothing(type)) ? Buffer.alloc(0) : encodeOne(number, type, value);
  }
}

/** Bytes that may be missing without a pointer. */
function isNothing(type: GoType): boolean {
  return type.shape === 'scalar' && type.name === 'bytes';
}

/** Keys in the order of their bytes, as Go sorts them. */
function entriesOf(value: Json | undefined): [string, Json | undefined][] {
  if (!isObject(value)) return [];
  return Object.entries(value).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function encodeOne(number: number, type: GoType, value: Json | undefined): Buffer {
  if (type.shape === 'struct') return bytesField(number, encodeStruct(type.name, isObject(value) ? value : {}));
  if (type.shape !== 'scalar') return encodeField(number, type, value);
  switch (type.name) {
    case 'string':
      return textField(number, typeof value === 'string' ? value : '');
    case 'bool':
      return integerField(number, value === true);
    case 'int32':
    case 'int64':
      return integerField(number, typeof value === 'number' ? value : 0);
    case 'float64':
      return doubleField(number, typeof value === 'number' ? value : 0);
    default:
      return bytesField(number, encodeScalar(type.name, value, (schema) => encodeStruct(SCHEMA, schema)));
  }
}
