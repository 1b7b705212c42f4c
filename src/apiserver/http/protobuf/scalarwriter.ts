import { isArray, isObject, type Json, type JsonObject } from '../../json.js';
import { bytesField, integerField, textField } from './writer.js';

/** Writes the one struct that these types hold: JSONSchemaProps. */
export type SchemaEncoder = (schema: JsonObject) => Buffer;

type Encode = (value: Json | undefined, schema: SchemaEncoder) => Buffer;

const NOTHING = Buffer.alloc(0);
const NANOS_PER_MICRO = 1000;

/** Types of Go that are no plain structs, by their names in data/schemas.ts. */
const ENCODERS: Readonly<Record<string, Encode>> = {
  bytes: (value) => Buffer.from(textOf(value), 'base64'),
  time,
  micro: time,
  quantity: (value) => textField(1, textOf(value)),
  intstr: (value) => Buffer.concat([integerField(1, typeof value === 'string'), integerField(2, typeof value === 'number' ? value : 0), textField(3, textOf(value))]),
  raw: json,
  fields: json,
  json,
  strings: (value) => texts(1, value),
  'bool-or-schema': (value, schema) => (isObject(value) ? Buffer.concat([integerField(1, true), bytesField(2, schema(value))]) : integerField(1, value === true)),
  'schema-or-list': (value, schema) => (isObject(value) ? bytesField(1, schema(value)) : schemas(value, schema)),
  'schema-or-strings': (value, schema) => (isObject(value) ? bytesField(1, schema(value)) : texts(2, value)),
};

/** The message that holds a value of such a type, without its tag; a zero value where there is none. */
export function encodeScalar(name: string, value: Json | undefined, schema: SchemaEncoder): Buffer {
  const encode = ENCODERS[name];
  if (encode === undefined) throw new Error(`no way to write ${name}`);
  return encode(value, schema);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function texts(number: number, value: Json | undefined): Buffer {
  return Buffer.concat((isArray(value) ? value : []).map((one) => textField(number, textOf(one))));
}

function schemas(value: Json | undefined, schema: SchemaEncoder): Buffer {
  return Buffer.concat((isArray(value) ? value : []).map((one) => bytesField(2, schema(isObject(one) ? one : {}))));
}

/** Seconds and nanoseconds since the epoch; nothing at all is the zero time. */
function time(value: Json | undefined): Buffer {
  if (typeof value !== 'string') return NOTHING;
  const fraction = /\.(\d{1,6})/.exec(value)?.[1] ?? '';
  const seconds = Math.floor(Date.parse(value) / 1000);
  return Buffer.concat([integerField(1, seconds), integerField(2, Number(fraction.padEnd(6, '0')) * NANOS_PER_MICRO)]);
}

/** A message that holds JSON. */
function json(value: Json | undefined): Buffer {
  return value === undefined ? NOTHING : textField(1, JSON.stringify(value));
}
