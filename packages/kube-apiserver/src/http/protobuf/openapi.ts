import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { bytesField, doubleField, integerField, textField } from './writer.js';

/**
 * Encodes the OpenAPI v2 document in protobuf, as kubectl and client-go request it: the messages `openapi.v2` of
 * gnostic, as far as Kubernetes' documents use them.
 */

/**
 * The encoding of a value: `any` as YAML, of which JSON is a subset; `name*` for each item of a list; `{}name` for each
 * entry of a map, as a message with its key; a function where it depends on the value.
 */
type Form = string | ((value: Json) => Buffer);
type Message = Readonly<Record<string, readonly [number: number, form: Form]>>;

const WRAPPED = 1;
/** Field numbers of the vendor extensions (`x-…`). */
const EXTENSIONS: Readonly<Record<string, number>> = { Operation: 13, Schema: 31 };

const PARAMETER: Message = { required: [1, 'bool'], in: [2, 'text'], description: [3, 'text'], name: [4, 'text'] };

const MESSAGES: Readonly<Record<string, Message>> = {
  Document: {
    swagger: [1, 'text'],
    info: [2, 'Info'],
    paths: [8, (value) => kept(2, 'Path', value)],
    definitions: [9, (value) => kept(WRAPPED, 'Schema', value)],
    parameters: [10, '{}Parameter'],
    security: [12, 'Requirement*'],
    securityDefinitions: [13, '{}Security'],
  },
  Info: { title: [1, 'text'], version: [2, 'text'] },
  Path: {
    get: [2, 'Operation'],
    put: [3, 'Operation'],
    post: [4, 'Operation'],
    delete: [5, 'Operation'],
    options: [6, 'Operation'],
    head: [7, 'Operation'],
    patch: [8, 'Operation'],
    parameters: [9, 'Item*'],
  },
  Operation: {
    tags: [1, 'text*'],
    description: [3, 'text'],
    operationId: [5, 'text'],
    produces: [6, 'text*'],
    consumes: [7, 'text*'],
    parameters: [8, 'Item*'],
    responses: [9, '{}Answer'],
    schemes: [10, 'text*'],
  },
  Reference: { $ref: [1, 'text'] },
  Body: { description: [1, 'text'], name: [2, 'text'], in: [3, 'text'], required: [4, 'bool'], schema: [5, 'Schema'] },
  Query: { ...PARAMETER, type: [6, 'text'], uniqueItems: [20, 'bool'] },
  InPath: { ...PARAMETER, type: [5, 'text'], uniqueItems: [19, 'bool'] },
  Response: { description: [1, 'text'], schema: [2, (schema) => bytesField(WRAPPED, encode('Schema', schema))] },
  Schema: {
    $ref: [1, 'text'],
    format: [2, 'text'],
    title: [3, 'text'],
    description: [4, 'text'],
    default: [5, 'any'],
    multipleOf: [6, 'double'],
    maximum: [7, 'double'],
    exclusiveMaximum: [8, 'bool'],
    minimum: [9, 'double'],
    exclusiveMinimum: [10, 'bool'],
    maxLength: [11, 'integer'],
    minLength: [12, 'integer'],
    pattern: [13, 'text'],
    maxItems: [14, 'integer'],
    minItems: [15, 'integer'],
    uniqueItems: [16, 'bool'],
    maxProperties: [17, 'integer'],
    minProperties: [18, 'integer'],
    required: [19, 'text*'],
    enum: [20, 'any*'],
    additionalProperties: [
      21,
      (value) => (typeof value === 'boolean' ? integerField(2, value) : bytesField(1, encode('Schema', value))),
    ],
    type: [22, (type) => text(WRAPPED, type)],
    items: [23, (items) => bytesField(WRAPPED, encode('Schema', items))],
    properties: [25, '{}Schema'],
    externalDocs: [29, 'ExternalDocs'],
    example: [30, 'any'],
  },
  ExternalDocs: { description: [1, 'text'], url: [2, 'text'] },
  Security: { type: [1, 'text'], name: [2, 'text'], in: [3, 'text'], description: [4, 'text'] },
};

/** Messages with alternatives, chosen by the value. */
const CHOICES: Readonly<Record<string, (value: JsonObject) => Buffer>> = {
  Item: (value) =>
    value['$ref'] === undefined ? bytesField(1, encode('Parameter', value)) : bytesField(2, encode('Reference', value)),
  Parameter(value) {
    if (value['in'] === 'body') return bytesField(1, encode('Body', value));
    return bytesField(
      2,
      value['in'] === 'path' ? bytesField(4, encode('InPath', value)) : bytesField(3, encode('Query', value)),
    );
  },
  Answer: (value) => bytesField(1, encode('Response', value)),
  Requirement: (value) =>
    Buffer.concat(
      Object.keys(value).map((name) =>
        bytesField(WRAPPED, Buffer.concat([textField(1, name), bytesField(2, Buffer.alloc(0))])),
      ),
    ),
  Security: (value) => bytesField(2, fields('Security', value)),
};

/** @param document an OpenAPI v2 document of `discovery/swagger.ts` */
export function openApiProtobuf(document: JsonObject): Buffer {
  return encode('Document', document);
}

function encode(message: string, value: Json): Buffer {
  if (!isObject(value)) return Buffer.alloc(0);
  return CHOICES[message]?.(value) ?? fields(message, value);
}

function fields(message: string, value: JsonObject): Buffer {
  const known = MESSAGES[message] ?? {};
  const extensions = EXTENSIONS[message];
  const parts: Buffer[] = [];
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const field = Object.hasOwn(known, key) ? known[key] : undefined;
    if (field !== undefined) parts.push(written(field[0], field[1], inner));
    else if (extensions !== undefined && key.startsWith('x-'))
      parts.push(bytesField(extensions, namedBytes(key, any(inner))));
  }
  return Buffer.concat(parts);
}

function written(number: number, form: Form, value: Json): Buffer {
  if (typeof form !== 'string') return bytesField(number, form(value));
  if (form.endsWith('*'))
    return Buffer.concat((isArray(value) ? value : []).map((one) => written(number, form.slice(0, -1), one)));
  if (form.startsWith('{}')) return bytesField(number, named(form.slice(2), value));
  if (form === 'text') return text(number, value);
  if (form === 'bool') return integerField(number, value === true);
  if (form === 'integer') return integerField(number, Math.trunc(Number(value)));
  if (form === 'double') return doubleField(number, Number(value));
  return bytesField(number, form === 'any' ? any(value) : encode(form, value));
}

const encoded = new WeakMap<JsonObject, Buffer>();

/** Paths and definitions that do not change are the same objects in every document. */
function kept(number: number, message: string, value: Json): Buffer {
  if (!isObject(value)) return Buffer.alloc(0);
  const parts = Object.entries(value).map(([name, inner]) => {
    if (!isObject(inner)) return Buffer.alloc(0);
    const bytes = encoded.get(inner) ?? encode(message, inner);
    encoded.set(inner, bytes);
    return bytesField(number, namedBytes(name, bytes));
  });
  return Buffer.concat(parts);
}

function named(message: string, value: Json): Buffer {
  if (!isObject(value)) return Buffer.alloc(0);
  return Buffer.concat(
    Object.entries(value).map(([name, inner]) => bytesField(WRAPPED, namedBytes(name, encode(message, inner ?? null)))),
  );
}

function namedBytes(name: string, bytes: Uint8Array): Buffer {
  return Buffer.concat([textField(1, name), bytesField(2, bytes)]);
}

function text(number: number, value: Json): Buffer {
  return typeof value === 'string' ? textField(number, value) : Buffer.alloc(0);
}

function any(value: Json): Buffer {
  return textField(2, JSON.stringify(value));
}
