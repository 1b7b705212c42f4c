import { isArray, isObject, type Json } from '../../json.js';
import { corruptOffset } from '../go/base64.js';
import { jsonType } from '../go/format.js';
import { goJson, RFC3339, RFC3339_MICRO, timeProblem } from '../../text.js';
import { mapItems } from '../walk.js';

/** The result of decoding a scalar, by what Go's decoder does next. */
export type Scalar =
  | { readonly kind: 'decoded'; readonly value: Json }
  /** A value of a wrong type, such as `number 1.5` or `string`; `type` is set when an item of the value is wrong. Decoding continues. */
  | { readonly kind: 'mismatch'; readonly found: string; readonly type?: string }
  /** An invalid value of the right type. Decoding continues. */
  | { readonly kind: 'invalid'; readonly message: string }
  /** An UnmarshalJSON method got a value of a wrong type. Decoding ends. */
  | { readonly kind: 'fatalMismatch'; readonly found: string; readonly type: string }
  /** An UnmarshalJSON method rejected the value. Decoding ends. */
  | { readonly kind: 'fatal'; readonly message: string };

interface Nested {
  decodeNested(definition: string, value: Json): Json;
}

export const JSON_SCHEMA = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
const INTEGERS: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };
const UNCHECKED: readonly string[] = ['raw', 'fields', 'json'];

/** Decodes a value that is not null. `name` is the name of a scalar {@link GoType}. */
export function decodeScalar(name: string, value: Json, nested: Nested): Scalar {
  if (UNCHECKED.includes(name)) return { kind: 'decoded', value };
  switch (name) {
    case 'string':
      return typeof value === 'string' ? { kind: 'decoded', value } : { kind: 'mismatch', found: jsonType(value) };
    case 'bool':
      return typeof value === 'boolean' ? { kind: 'decoded', value } : { kind: 'mismatch', found: jsonType(value) };
    case 'int32':
    case 'int64':
      return decodeInteger(value, INTEGERS[name] ?? 0);
    case 'float64':
      return typeof value === 'number' ? { kind: 'decoded', value } : { kind: 'mismatch', found: jsonType(value) };
    case 'bytes':
      return decodeBytes(value);
    case 'time':
    case 'micro':
      return decodeTime(value, name === 'time' ? RFC3339 : RFC3339_MICRO);
    case 'quantity':
      return decodeQuantity(value);
    case 'intstr':
      return decodeIntOrString(value);
    case 'strings':
      return decodeStrings(value);
    default:
      return decodeSchemaOr(name, value, nested);
  }
}

/** The Go type name of a scalar in error messages. */
export function goTypeOf(name: string, goName: string): string {
  return name === 'bytes' ? '[]uint8' : goName;
}

function decodeInteger(value: Json, size: number): Scalar {
  if (typeof value !== 'number') return { kind: 'mismatch', found: jsonType(value) };
  return Number.isInteger(value) && value >= -size && value < size
    ? { kind: 'decoded', value }
    : { kind: 'mismatch', found: `number ${goJson(value)}` };
}

/** Bytes are normalized to Go's encoding: no line ends, canonical padding. */
function decodeBytes(value: Json): Scalar {
  if (isArray(value)) return decodeByteList(value);
  if (typeof value !== 'string') return { kind: 'mismatch', found: jsonType(value) };
  const offset = corruptOffset(value);
  return offset === undefined
    ? { kind: 'decoded', value: Buffer.from(value, 'base64').toString('base64') }
    : { kind: 'invalid', message: `illegal base64 data at input byte ${offset}` };
}

/** Go also decodes an array of numbers into bytes. */
function decodeByteList(items: readonly Json[]): Scalar {
  const bytes: number[] = [];
  for (const item of items) {
    const read = item === null ? 0 : item;
    if (typeof read !== 'number') return { kind: 'mismatch', found: jsonType(read), type: 'uint8' };
    if (!Number.isInteger(read) || read < 0 || read > 255)
      return { kind: 'mismatch', found: `number ${goJson(read)}`, type: 'uint8' };
    bytes.push(read);
  }
  return { kind: 'decoded', value: Buffer.from(bytes).toString('base64') };
}

function decodeTime(value: Json, layout: typeof RFC3339 | typeof RFC3339_MICRO): Scalar {
  if (typeof value !== 'string') return { kind: 'fatalMismatch', found: jsonType(value), type: 'string' };
  const problem = timeProblem(value, layout);
  return problem === undefined ? { kind: 'decoded', value } : { kind: 'fatal', message: problem };
}

const QUANTITY_PATTERN = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
const SUFFIX = /^(?:n|u|m||k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][-+]?\d+)$/;

function decodeQuantity(value: Json): Scalar {
  const text = typeof value === 'string' ? value.trim() : goJson(value);
  const found = /^([+-]?\d*(?:\.\d*)?)([eEinumkKMGTP]*[-+]?\d*)$/.exec(text);
  if (text === '' || found === null || !/\d/.test(found[1] ?? ''))
    return { kind: 'fatal', message: `quantities must match the regular expression '${QUANTITY_PATTERN}'` };
  return SUFFIX.test(found[2] ?? '')
    ? { kind: 'decoded', value }
    : { kind: 'fatal', message: "unable to parse quantity's suffix" };
}

function decodeIntOrString(value: Json): Scalar {
  if (typeof value === 'string') return { kind: 'decoded', value };
  const result = decodeInteger(value, INTEGERS['int32'] ?? 0);
  return result.kind === 'mismatch' ? { kind: 'fatalMismatch', found: result.found, type: 'int32' } : result;
}

function decodeStrings(value: Json): Scalar {
  if (!isArray(value)) return { kind: 'mismatch', found: jsonType(value) };
  return value.every((item) => item === null || typeof item === 'string')
    ? { kind: 'decoded', value: mapItems(value, (item) => item ?? '') }
    : { kind: 'mismatch', found: 'array' };
}

/** Fields of JSONSchemaProps that hold a schema or another type. */
function decodeSchemaOr(name: string, value: Json, nested: Nested): Scalar {
  if (isObject(value)) return { kind: 'decoded', value: nested.decodeNested(JSON_SCHEMA, value) };
  if (name === 'bool-or-schema')
    return typeof value === 'boolean'
      ? { kind: 'decoded', value }
      : { kind: 'fatal', message: 'boolean or JSON schema expected' };
  if (!isArray(value)) return { kind: 'decoded', value: null };
  if (name === 'schema-or-list') return { kind: 'decoded', value: nested.decodeNested(JSON_SCHEMA, value) };
  const invalid = value.find((item) => item !== null && typeof item !== 'string');
  return invalid === undefined
    ? { kind: 'decoded', value }
    : { kind: 'fatalMismatch', found: jsonType(invalid), type: 'string' };
}
