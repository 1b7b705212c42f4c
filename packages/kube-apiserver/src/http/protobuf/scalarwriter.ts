import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import type { Writer } from './writer.js';

/** Encodes JSONSchemaProps, the one struct that these types contain. */
export type SchemaWriter = (schema: JsonObject) => void;

type Write = (writer: Writer, value: Json | undefined, schema: SchemaWriter) => void;

const NANOS_PER_MICRO = 1000;

/** Go types with an encoding of their own, by their names in builtin.ts of values; fields from the last to the first. */
const WRITERS: Readonly<Record<string, Write>> = {
  bytes: (writer, value) => writer.bytes(Buffer.from(textOf(value), 'base64')),
  time,
  micro: time,
  quantity: (writer, value) => writer.text(1, textOf(value)),
  intstr(writer, value) {
    writer.text(3, textOf(value));
    writer.integer(2, typeof value === 'number' ? value : 0);
    writer.integer(1, typeof value === 'string');
  },
  raw: json,
  fields: json,
  json,
  strings: (writer, value) => texts(writer, 1, value),
  'bool-or-schema'(writer, value, schema) {
    if (isObject(value)) writer.field(2, () => schema(value));
    writer.integer(1, isObject(value) || value === true);
  },
  'schema-or-list'(writer, value, schema) {
    if (isObject(value)) return writer.field(1, () => schema(value));
    for (const one of isArray(value) ? value.toReversed() : []) writer.field(2, () => schema(isObject(one) ? one : {}));
    return undefined;
  },
  'schema-or-strings': (writer, value, schema) =>
    isObject(value) ? writer.field(1, () => schema(value)) : texts(writer, 2, value),
};

/** Encodes the message of such a type, without its tag; a zero value where it is undefined. */
export function writeScalar(writer: Writer, name: string, value: Json | undefined, schema: SchemaWriter): void {
  const write = WRITERS[name];
  if (write === undefined) throw new Error(`no way to write ${name}`);
  write(writer, value, schema);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function texts(writer: Writer, number: number, value: Json | undefined): void {
  for (const one of isArray(value) ? value.toReversed() : []) writer.text(number, textOf(one));
}

/** Seconds and nanoseconds since the epoch; an empty message is the zero time. */
function time(writer: Writer, value: Json | undefined): void {
  if (typeof value !== 'string') return;
  const fraction = /\.(\d{1,6})/.exec(value)?.[1] ?? '';
  writer.integer(2, Number(fraction.padEnd(6, '0')) * NANOS_PER_MICRO);
  writer.integer(1, Math.floor(Date.parse(value) / 1000));
}

/** A message that contains JSON. */
function json(writer: Writer, value: Json | undefined): void {
  if (value !== undefined) writer.text(1, JSON.stringify(value));
}
