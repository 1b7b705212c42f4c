import type { Json } from '@multicluster-engine/values/json';
import { fieldsOf, MalformedMessage, signed, type WireField, type WireValue } from './reader.js';

const YEAR_10000 = 253402300800;

/** Decodes JSONSchemaProps, the one struct that these types contain. */
export type SchemaDecoder = (bytes: Uint8Array) => Json;

type Decode = (value: WireValue, schema: SchemaDecoder) => Json;

/** Go types with an encoding of their own, by their names in builtin.ts of values. */
const DECODERS: Readonly<Record<string, Decode>> = {
  string: (value) => text(bytes(value)),
  bool: (value) => number(value) !== 0,
  int32: (value) => Number(BigInt.asIntN(32, BigInt(number(value)))),
  int64: number,
  float64: (value) =>
    value.wire === 'fixed' && value.bytes.length === 8 ? Buffer.from(value.bytes).readDoubleLE() : wrong(value),
  bytes: (value) => Buffer.from(bytes(value)).toString('base64'),
  time: (value) => time(value, false),
  micro: (value) => time(value, true),
  quantity: (value) => textField(fieldsOf(bytes(value)), 1),
  intstr: intOrString,
  raw: (value) => json(value),
  fields: (value) => json(value),
  json: (value) => json(value),
  strings: (value) => texts(fieldsOf(bytes(value)), 1),
  'bool-or-schema': boolOrSchema,
  'schema-or-list': schemaOrList,
  'schema-or-strings': schemaOrStrings,
};

/** The JSON of a value of such a type. Throws MalformedMessage. */
export function decodeScalar(name: string, value: WireValue, schema: SchemaDecoder): Json {
  const decode = DECODERS[name];
  if (decode === undefined) throw new MalformedMessage(`no way to read ${name}`);
  return decode(value, schema);
}

function number(value: WireValue): number {
  if (value.wire !== 'varint') return wrong(value);
  const whole = Number(signed(value.value));
  if (!Number.isSafeInteger(whole)) throw new MalformedMessage(`number ${signed(value.value)} is too large`);
  return whole;
}

function bytes(value: WireValue): Uint8Array {
  return value.wire === 'bytes' ? value.bytes : wrong(value);
}

function wrong(value: WireValue): never {
  throw new MalformedMessage(`proto: wrong wireType = ${value.wire === 'varint' ? 0 : value.wire === 'bytes' ? 2 : 1}`);
}

function text(part: Uint8Array): string {
  return Buffer.from(part).toString('utf8');
}

function textField(fields: readonly WireField[], at: number): string {
  return texts(fields, at).at(-1) ?? '';
}

function texts(fields: readonly WireField[], at: number): string[] {
  return fields.filter((field) => field.number === at).map((field) => text(bytes(field.value)));
}

function numberField(fields: readonly WireField[], at: number): number {
  const found = fields.findLast((field) => field.number === at);
  return found === undefined ? 0 : number(found.value);
}

/** Seconds and nanoseconds since the epoch; an empty message is the zero time, null in JSON. */
function time(value: WireValue, micro: boolean): Json {
  const message = bytes(value);
  if (message.length === 0) return null;
  const fields = fieldsOf(message);
  const seconds = numberField(fields, 1);
  if (Math.abs(seconds) >= YEAR_10000) throw new MalformedMessage('time is out of range');
  const written = new Date(seconds * 1000).toISOString().slice(0, 19);
  if (!micro) return `${written}Z`;
  return `${written}.${String(Math.trunc(numberField(fields, 2) / 1000)).padStart(6, '0')}Z`;
}

function intOrString(value: WireValue): Json {
  const fields = fieldsOf(bytes(value));
  return numberField(fields, 1) === 1 ? textField(fields, 3) : numberField(fields, 2);
}

/** A message that contains JSON. */
function json(value: WireValue): Json {
  const written = textField(fieldsOf(bytes(value)), 1);
  if (written === '') return null;
  try {
    return JSON.parse(written) as Json;
  } catch {
    throw new MalformedMessage('invalid JSON inside of the message');
  }
}

function boolOrSchema(value: WireValue, schema: SchemaDecoder): Json {
  const fields = fieldsOf(bytes(value));
  return schemasAt(fields, 2, schema).at(-1) ?? numberField(fields, 1) !== 0;
}

function schemaOrList(value: WireValue, schema: SchemaDecoder): Json {
  const fields = fieldsOf(bytes(value));
  return schemasAt(fields, 1, schema).at(-1) ?? schemasAt(fields, 2, schema);
}

function schemaOrStrings(value: WireValue, schema: SchemaDecoder): Json {
  const fields = fieldsOf(bytes(value));
  return schemasAt(fields, 1, schema).at(-1) ?? texts(fields, 2);
}

function schemasAt(fields: readonly WireField[], at: number, schema: SchemaDecoder): Json[] {
  return fields.filter((field) => field.number === at).map((field) => schema(bytes(field.value)));
}
