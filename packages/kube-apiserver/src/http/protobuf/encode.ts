import { structFields, type GoType, type StructField } from '@multicluster-engine/values/schema/builtin';
import { isArray, isObject, own, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { writeScalar } from './scalarwriter.js';
import type { Writer } from './writer.js';

const SCHEMA = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
const KEY = 1;
const VALUE = 2;
const ordered = new Map<string, readonly StructField[]>();

/**
 * Encodes the JSON of a built-in struct as Go does: fields by number; a field that is no pointer is written even where
 * it is zero. Writes from the last field to the first: see {@link Writer}.
 * @param definition name of the struct in builtin.ts of values
 */
export function writeStruct(writer: Writer, definition: string, value: JsonObject): void {
  for (const { name, type, number } of lastFirst(definition)) {
    // The fields of an embedded struct are inlined in JSON.
    const given = name === '' ? value : own(value, name);
    writeField(writer, number, type, given === null ? undefined : given);
  }
}

function lastFirst(definition: string): readonly StructField[] {
  const known =
    ordered.get(definition) ??
    structFields(definition)
      .filter(({ number }) => number > 0)
      .sort((a, b) => b.number - a.number);
  ordered.set(definition, known);
  return known;
}

function writeField(writer: Writer, number: number, type: GoType, value: Json | undefined): void {
  if (type.shape === 'list') {
    if (isArray(value)) for (let at = value.length - 1; at >= 0; at -= 1) writeOne(writer, number, type.of, value[at]);
    return;
  }
  if (type.shape === 'map') {
    for (const [key, item] of entriesOf(value)) {
      writer.field(number, () => {
        writeOne(writer, VALUE, type.of, item);
        writer.text(KEY, key);
      });
    }
    return;
  }
  // Bytes may be missing although they are no pointer.
  if (value === undefined && (type.pointer || (type.shape === 'scalar' && type.name === 'bytes'))) return;
  writeOne(writer, number, type, value);
}

/** Entries in descending byte order of their keys: Go sorts ascending, and the writer writes backwards. */
function entriesOf(value: Json | undefined): [string, Json | undefined][] {
  if (!isObject(value)) return [];
  const entries = Object.entries(value);
  return entries.length < 2 ? entries : entries.sort(([a], [b]) => Buffer.compare(Buffer.from(b), Buffer.from(a)));
}

function writeOne(writer: Writer, number: number, type: GoType, value: Json | undefined): void {
  if (type.shape === 'struct')
    return writer.field(number, () => writeStruct(writer, type.name, isObject(value) ? value : {}));
  if (type.shape !== 'scalar') return writeField(writer, number, type, value);
  switch (type.name) {
    case 'string':
      return writer.text(number, typeof value === 'string' ? value : '');
    case 'bool':
      return writer.integer(number, value === true);
    case 'int32':
    case 'int64':
      return writer.integer(number, typeof value === 'number' ? value : 0);
    case 'float64':
      return writer.double(number, typeof value === 'number' ? value : 0);
    default:
      return writer.field(number, () =>
        writeScalar(writer, type.name, value, (schema) => writeStruct(writer, SCHEMA, schema)),
      );
  }
}
