import { isRecord, asRecord, type JsonRecord } from '../../api/json.js';
import { load } from 'js-yaml';

/** A JSON Schema of dialect 2020-12, the one of OpenAPI 3.1. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/** Keywords with the same meaning in the schema of a CRD and in JSON Schema. */
const SHARED_KEYWORDS = [
  'description',
  'format',
  'enum',
  'default',
  'required',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
];

export const OBJECT_META: JsonSchema = {
  type: 'object',
  description: 'Metadata of an object, as Kubernetes defines it. Responses may have further fields.',
  properties: {
    name: { type: 'string', maxLength: 253, description: 'The name of the object, a DNS subdomain.' },
    namespace: { type: 'string', maxLength: 63, description: 'The namespace of the object, as in the path.' },
    labels: { type: 'object', additionalProperties: { type: 'string' }, description: 'Labels to select by.' },
    annotations: { type: 'object', additionalProperties: { type: 'string' }, description: 'Arbitrary metadata.' },
    resourceVersion: { type: 'string', description: 'The revision of the object, also its ETag; needed for a PUT.' },
    uid: { type: 'string', description: 'Set by the server.' },
    generation: { type: 'integer', format: 'int64', description: 'Set by the server: counts changes of the spec.' },
    creationTimestamp: { type: ['string', 'null'], format: 'date-time', description: 'Set by the server.' },
    deletionTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Set by the server while the object is being deleted.',
    },
    finalizers: {
      type: 'array',
      items: { type: 'string' },
      description: 'Controllers that have to clean up before the object is removed.',
    },
  },
};

export const LIST_META: JsonSchema = {
  type: 'object',
  description: 'Metadata of a list.',
  properties: { resourceVersion: { type: 'string', description: 'The revision of the list, also its ETag.' } },
};

export const STATUS: JsonSchema = {
  type: 'object',
  description: 'A Status of Kubernetes.',
  required: ['kind', 'apiVersion', 'status'],
  properties: {
    kind: { const: 'Status' },
    apiVersion: { const: 'v1' },
    metadata: { type: 'object' },
    status: { enum: ['Success', 'Failure'] },
    message: { type: 'string', description: 'What is wrong, for people; names the field.' },
    reason: { type: 'string', description: 'What is wrong, in one word.' },
    code: { type: 'integer' },
    details: {
      type: 'object',
      properties: {
        causes: {
          type: 'array',
          items: {
            type: 'object',
            required: ['field', 'reason', 'message'],
            properties: {
              field: { type: 'string', description: 'Path such as spec.tolerations[0].key.' },
              reason: { type: 'string' },
              message: { type: 'string' },
            },
          },
        },
      },
    },
  },
};

/** The schemas of a kind and of its list, by name. `crd`: the CustomResourceDefinition as YAML. */
export function kindSchemas(crd: string): Record<string, JsonSchema> {
  const spec = asRecord(asRecord(load(crd))['spec']);
  const { kind, listKind } = asRecord(spec['names']);
  const versions = Array.isArray(spec['versions']) ? spec['versions'] : [];
  const version = asRecord(versions[0]);
  const schema = toJsonSchema(asRecord(asRecord(version['schema'])['openAPIV3Schema']));
  const apiVersion = `${String(spec['group'])}/${String(version['name'])}`;
  const properties = asRecord(schema['properties']);
  const object: JsonSchema = {
    ...schema,
    required: ['metadata'],
    properties: {
      ...properties,
      apiVersion: { ...asRecord(properties['apiVersion']), const: apiVersion },
      kind: { ...asRecord(properties['kind']), const: kind },
      metadata: { allOf: [{ $ref: '#/components/schemas/ObjectMeta' }, asRecord(properties['metadata'])] },
    },
  };
  const list: JsonSchema = {
    type: 'object',
    description: `Several objects of kind ${String(kind)}.`,
    required: ['apiVersion', 'kind', 'metadata', 'items'],
    properties: {
      apiVersion: { const: apiVersion },
      kind: { const: listKind },
      metadata: { $ref: '#/components/schemas/ListMeta' },
      items: { type: 'array', items: { $ref: `#/components/schemas/${String(kind)}` } },
    },
  };
  return { [String(kind)]: object, [String(listKind)]: list };
}

/** A CRD's schema as JSON Schema, without CEL rules and other extensions of Kubernetes. */
function toJsonSchema(node: JsonRecord): JsonSchema {
  const result: JsonSchema = {};
  const types =
    node['x-kubernetes-int-or-string'] === true
      ? ['integer', 'string']
      : node['type'] === undefined
        ? []
        : [node['type']];
  if (node['nullable'] === true) types.push('null');
  if (types.length > 0) result['type'] = types.length === 1 ? types[0] : types;
  for (const keyword of SHARED_KEYWORDS) {
    if (keyword in node) result[keyword] = node[keyword];
  }
  if ('items' in node) result['items'] = toJsonSchema(asRecord(node['items']));
  if (isRecord(node['additionalProperties']))
    result['additionalProperties'] = toJsonSchema(node['additionalProperties']);
  if ('properties' in node) {
    const entries = Object.entries(asRecord(node['properties'])).map(
      ([name, child]) => [name, toJsonSchema(asRecord(child))] as const,
    );
    result['properties'] = Object.fromEntries(entries);
  }
  return result;
}
