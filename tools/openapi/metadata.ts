import { refTo, type JsonSchema } from './jsonschema.js';
import {
  API_VERSION_PATTERN,
  NAME_PREFIX,
  NAMESPACE_NAME,
  OBJECT_NAME,
  RESOURCE_VERSION_PATTERN,
  TIME_PATTERN,
} from './patterns.js';

export type WriteAction = 'create' | 'update';

const TEXT: JsonSchema = { type: 'string' };
const TIME: JsonSchema = { type: 'string', format: 'date-time', pattern: TIME_PATTERN };
const WHOLE: JsonSchema = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

const OWNER: JsonSchema = {
  type: 'object',
  description: 'An owner, with which the object is deleted. An Event cannot be one.',
  additionalProperties: false,
  required: ['apiVersion', 'kind', 'name', 'uid'],
  properties: {
    apiVersion: { type: 'string', maxLength: 317, pattern: API_VERSION_PATTERN },
    kind: { type: 'string', maxLength: 63, pattern: '^[A-Z][A-Za-z0-9]*$', not: { const: 'Event' } },
    name: { type: 'string', minLength: 1, maxLength: 253 },
    uid: { type: 'string', minLength: 1, maxLength: 128 },
    controller: { type: 'boolean', description: 'True for at most one of the owners.' },
    blockOwnerDeletion: { type: 'boolean' },
  },
};

const MANAGED_FIELDS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    manager: { type: 'string', maxLength: 128 },
    operation: { enum: ['Apply', 'Update'] },
    apiVersion: TEXT,
    time: TIME,
    fieldsType: { const: 'FieldsV1' },
    fieldsV1: { type: 'object' },
    subresource: TEXT,
  },
};

/** Fields that a client chooses. */
const CHOSEN: Readonly<Record<string, JsonSchema>> = {
  generateName: {
    ...NAME_PREFIX,
    description: 'Without a name, the object gets this prefix and five characters of the API server as its name.',
  },
  labels: {
    type: 'object',
    propertyNames: refTo('LabelKey'),
    additionalProperties: refTo('LabelValue'),
    description: 'Labels to select by.',
  },
  annotations: {
    type: 'object',
    propertyNames: refTo('LabelKey'),
    additionalProperties: TEXT,
    description: 'Arbitrary metadata, with the keys of labels and at most 256 KiB in all.',
  },
  finalizers: {
    type: 'array',
    items: { ...refTo('LabelKey'), pattern: '/' },
    description: 'Controllers that have to clean up before the object is removed, such as `example.com/cleanup`.',
  },
  ownerReferences: {
    type: 'array',
    items: refTo('OwnerReference'),
    contains: { properties: { controller: { const: true } }, required: ['controller'] },
    minContains: 0,
    maxContains: 1,
    description: 'The owners of the object; at most one of them has `controller: true`.',
  },
};

/** Fields that the API server sets. */
const OF_THE_SERVER: Readonly<Record<string, JsonSchema>> = {
  uid: TEXT,
  generation: WHOLE,
  creationTimestamp: { ...TIME, type: ['string', 'null'] },
  deletionTimestamp: TIME,
  deletionGracePeriodSeconds: WHOLE,
  selfLink: TEXT,
  managedFields: { type: 'array', items: refTo('ManagedFieldsEntry') },
};

const DESCRIPTIONS = {
  create: `
Metadata of a new object. Read-only fields can be left out. An object that was read can be sent again without its
resourceVersion: the API server sets new values for the other read-only fields.
`,
  update: `
Metadata of an object that replaces a stored one. Read-only fields can be left out. When they are sent, they must have
the values of the stored object; name, namespace and resourceVersion those of the path and of If-Match.
`,
} as const;

/** Schemas that the metadata of requests refers to, by name. */
export const METADATA_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  OwnerReference: OWNER,
  ManagedFieldsEntry: MANAGED_FIELDS,
};

/** The schema of `metadata` in the body of a POST or PUT. Fields that are not listed are rejected. */
export function requestMetadata(action: WriteAction, namespaced: boolean): JsonSchema {
  const place = 'as in the path; when it is left out, it is taken from there.';
  const namespace = { ...NAMESPACE_NAME, readOnly: true, description: `The namespace, ${place}` };
  const version = {
    type: 'string',
    readOnly: true,
    pattern: RESOURCE_VERSION_PATTERN,
    description: 'The revision that is replaced, as in If-Match; when it is left out, it is taken from there.',
  };
  const own: Record<string, JsonSchema> =
    action === 'create'
      ? { name: { ...OBJECT_NAME, description: 'The name of the object, a DNS subdomain.' } }
      : { name: { ...OBJECT_NAME, readOnly: true, description: `The name, ${place}` }, resourceVersion: version };
  const set = Object.entries(OF_THE_SERVER).map(([name, schema]) => [name, { ...schema, readOnly: true }] as const);
  return {
    type: 'object',
    description: DESCRIPTIONS[action].trim().replaceAll('\n', ' '),
    additionalProperties: false,
    ...(action === 'create' && { anyOf: [{ required: ['name'] }, { required: ['generateName'] }] }),
    properties: { ...own, ...(namespaced && { namespace }), ...CHOSEN, ...Object.fromEntries(set) },
  };
}
