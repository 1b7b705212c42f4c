import { structFields, type GoType, type StructField } from '@multicluster-engine/values/schema/builtin';
import type { Json } from '@multicluster-engine/values/json';
import { decodeScalar } from './scalar.js';
import { fieldsOf, MalformedMessage, packedVarints, type WireValue } from './reader.js';

const SCHEMA = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
const MAX_DEPTH = 200;
const KEY = 1;
const VALUE = 2;
const numbered = new Map<string, ReadonlyMap<number, StructField>>();

/**
 * Decodes a message of a built-in struct to the JSON of the object. The encoding has zero values too; those that JSON
 * omits are omitted here.
 * @param definition name of the struct in builtin.ts of values
 * @throws MalformedMessage
 */
export function decodeStruct(definition: string, bytes: Uint8Array, depth = 0): Record<string, Json> {
  if (depth > MAX_DEPTH) throw new MalformedMessage('exceeded max depth');
  const table = tableOf(definition);
  const found = new Map<string, Json>();
  for (const { number, value } of fieldsOf(bytes)) {
    const field = table.get(number);
    if (field === undefined) continue;
    if (field.name === '') addInlined(field, value, found, depth);
    else found.set(field.name, decodeField(field.type, value, { before: found.get(field.name), depth: depth + 1 }));
  }
  for (const field of structFields(definition)) {
    const value = found.get(field.name);
    if (value !== undefined && isOmitted(field, value)) found.delete(field.name);
  }
  return Object.fromEntries(found);
}

interface Occurrence {
  /** The value of an earlier occurrence of the field: lists and maps are extended. */
  readonly before: Json | undefined;
  readonly depth: number;
}

function tableOf(definition: string): ReadonlyMap<number, StructField> {
  const known =
    numbered.get(definition) ??
    new Map(
      structFields(definition)
        .filter(({ number }) => number > 0)
        .map((field) => [field.number, field]),
    );
  numbered.set(definition, known);
  return known;
}

/** The fields of an embedded struct are inlined in JSON. */
function addInlined({ type }: StructField, value: WireValue, found: Map<string, Json>, depth: number): void {
  if (type.shape !== 'struct') return;
  for (const [name, inner] of Object.entries(decodeStruct(type.name, bytesOf(value), depth + 1)))
    found.set(name, inner);
}

function decodeField(type: GoType, value: WireValue, place: Occurrence): Json {
  switch (type.shape) {
    case 'struct':
      return decodeStruct(type.name, bytesOf(value), place.depth);
    case 'scalar':
      return decodeScalar(type.name, value, (bytes) => decodeStruct(SCHEMA, bytes, place.depth + 1));
    case 'list':
      return [
        ...(Array.isArray(place.before) ? place.before : []),
        ...decodeItems(type.of, value, place.depth),
      ] as Json[];
    case 'map':
      return decodeEntry(type.of, value, place);
  }
}

function decodeItems(of: GoType, value: WireValue, depth: number): Json[] {
  const isNumber = of.shape === 'scalar' && ['int32', 'int64', 'bool'].includes(of.name);
  if (!isNumber || value.wire !== 'bytes') return [decodeField(of, value, { before: undefined, depth })];
  return packedVarints(value.bytes).map((one) =>
    decodeField(of, { wire: 'varint', value: one }, { before: undefined, depth }),
  );
}

/** A map is encoded as a list of messages with a key and a value. */
function decodeEntry(of: GoType, value: WireValue, { before, depth }: Occurrence): Json {
  let key = '';
  let entry: Json | undefined;
  for (const field of fieldsOf(bytesOf(value))) {
    if (field.number === KEY) key = Buffer.from(bytesOf(field.value)).toString('utf8');
    if (field.number === VALUE) entry = decodeField(of, field.value, { before: undefined, depth });
  }
  const written = entry ?? decodeField(of, { wire: 'bytes', bytes: new Uint8Array() }, { before: undefined, depth });
  const rest = typeof before === 'object' && before !== null ? Object.entries(before) : [];
  return Object.fromEntries([...rest, [key, written]]);
}

function bytesOf(value: WireValue): Uint8Array {
  if (value.wire === 'bytes') return value.bytes;
  throw new MalformedMessage(`proto: wrong wireType = ${value.wire === 'varint' ? 0 : 1}`);
}

/** A zero value that JSON omits. */
function isOmitted({ type, omit }: StructField, value: Json): boolean {
  if (value === null) return true;
  if (type.pointer || omit === 'never') return false;
  return type.shape === 'scalar' && (value === '' || value === 0 || value === false);
}
