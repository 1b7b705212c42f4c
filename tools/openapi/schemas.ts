import { isRecord, asRecord, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import { load } from 'js-yaml';
import { celKeywords } from './celrules.js';
import { mergeSchemas, refTo, type JsonSchema } from './jsonschema.js';
import { requestMetadata, type WriteAction } from './metadata.js';
import { ALLOWED_KEYS, TIME_PATTERN } from './patterns.js';
import { Placements } from '../../src/api/resources.js';
import { forbiddenFields } from '@multicluster-engine/values/schema/fieldrules';

/** Integers of JSON are exact up to here. */
const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
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
    resourceVersion: { type: 'string', description: 'The revision of the object, also its ETag.' },
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

/** A CustomResourceDefinition, parsed. */
interface Definition {
  readonly kind: string;
  readonly listKind: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly schema: JsonRecord;
}

/**
 * The schemas of a kind, by name: of the object and the list in responses, and of the objects in requests with their
 * spec and status. Those of requests are exact; those of responses allow the fields of newer definitions.
 * `crd`: the CustomResourceDefinition as YAML.
 * @throws Error for a CEL rule that is not known here
 */
export function kindSchemas(crd: string): Record<string, JsonSchema> {
  const definition = parseDefinition(crd);
  return { ...responseSchemas(definition), ...requestSchemas(definition) };
}

/** The name of the schema of a kind's object in the body of a POST or PUT. */
export function requestSchemaName(kind: string, action: WriteAction): string {
  return `${kind}${action === 'create' ? 'Create' : 'Update'}`;
}

function parseDefinition(crd: string): Definition {
  const spec = asRecord(asRecord(load(crd))['spec']);
  const { kind, listKind } = asRecord(spec['names']);
  const versions = Array.isArray(spec['versions']) ? spec['versions'] : [];
  const version = asRecord(versions[0]);
  return {
    kind: String(kind),
    listKind: String(listKind),
    apiVersion: `${String(spec['group'])}/${String(version['name'])}`,
    namespaced: spec['scope'] === 'Namespaced',
    schema: asRecord(asRecord(version['schema'])['openAPIV3Schema']),
  };
}

function responseSchemas({ kind, listKind, apiVersion, schema: node }: Definition): Record<string, JsonSchema> {
  const schema = toJsonSchema(node);
  const properties = asRecord(schema['properties']);
  const object: JsonSchema = {
    ...schema,
    required: ['metadata'],
    properties: {
      ...properties,
      apiVersion: { ...asRecord(properties['apiVersion']), const: apiVersion },
      kind: { ...asRecord(properties['kind']), const: kind },
      metadata: { allOf: [refTo('ObjectMeta'), asRecord(properties['metadata'])] },
    },
  };
  const list: JsonSchema = {
    type: 'object',
    description: `Several objects of kind ${kind}.`,
    required: ['apiVersion', 'kind', 'metadata', 'items'],
    properties: {
      apiVersion: { const: apiVersion },
      kind: { const: listKind },
      metadata: refTo('ListMeta'),
      items: { type: 'array', items: refTo(kind) },
    },
  };
  return { [kind]: object, [listKind]: list };
}

function requestSchemas({ kind, apiVersion, namespaced, schema: node }: Definition): Record<string, JsonSchema> {
  const properties = asRecord(node['properties']);
  const { default: _unset, ...status } = exactSchema(asRecord(properties['status']));
  const object = (action: WriteAction): JsonSchema => ({
    type: 'object',
    description: `The ${kind} in the body of a ${action === 'create' ? 'POST' : 'PUT'}.`,
    additionalProperties: false,
    // As requireSpec has it.
    required: kind === Placements.kind ? ['metadata', 'spec'] : ['metadata'],
    properties: {
      apiVersion: { const: apiVersion, description: 'Taken from the path when it is left out.' },
      kind: { const: kind, description: 'Taken from the path when it is left out.' },
      metadata: requestMetadata(action, namespaced),
      spec: refTo(`${kind}Spec`),
      status: { ...refTo(`${kind}Status`), readOnly: true, description: 'Ignored: only the operator writes it.' },
    },
  });
  return {
    [requestSchemaName(kind, 'create')]: object('create'),
    [requestSchemaName(kind, 'update')]: object('update'),
    [`${kind}Spec`]: exactSchema(asRecord(properties['spec'])),
    [`${kind}Status`]: status,
  };
}

/** A CRD's schema as JSON Schema, without CEL rules and other extensions of Kubernetes. */
function toJsonSchema(node: JsonRecord, childSchema = (child: JsonRecord) => toJsonSchema(child)): JsonSchema {
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
  if ('items' in node) result['items'] = childSchema(asRecord(node['items']));
  if (isRecord(node['additionalProperties']))
    result['additionalProperties'] = childSchema(node['additionalProperties']);
  if ('properties' in node) {
    const entries = Object.entries(asRecord(node['properties'])).map(
      ([name, child]) => [name, childSchema(asRecord(child))] as const,
    );
    result['properties'] = Object.fromEntries(entries);
  }
  return result;
}

/**
 * A CRD's schema as JSON Schema that rejects what the gateway or the API server rejects: unknown fields, duplicate
 * items of sets, integers that are not exact, forbidden keys, and what the CEL rules reject.
 */
function exactSchema(node: JsonRecord): JsonSchema {
  const schema = toJsonSchema(node, exactSchema);
  const properties = { ...asRecord(schema['properties']) };
  for (const name of forbiddenFields(node)) delete properties[name];
  const limits: JsonSchema = {
    ...(schema['type'] === 'integer' && {
      minimum: schema['minimum'] ?? -MAX_INTEGER,
      maximum: schema['maximum'] ?? MAX_INTEGER,
    }),
    ...(schema['format'] === 'date-time' && { pattern: TIME_PATTERN }),
    ...(node['x-kubernetes-list-type'] === 'set' && { uniqueItems: true }),
    ...(schema['properties'] !== undefined && { properties, additionalProperties: false }),
    ...(schema['additionalProperties'] !== undefined && { propertyNames: ALLOWED_KEYS }),
  };
  return celKeywords(node).reduce((all, one) => mergeSchemas(all, one), { ...schema, ...limits });
}
