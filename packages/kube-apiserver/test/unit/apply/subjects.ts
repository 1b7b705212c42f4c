import type { FieldsResource } from '../../../src/apply/resource.js';
import { isObject, type JsonObject } from '@multicluster-engine/values/json';
import { builtinSchema } from '@multicluster-engine/values/schema/builtin';
import { fillDefaults, pruneNulls } from '@multicluster-engine/values/schema/custom/defaults';
import { prune } from '@multicluster-engine/values/schema/custom/prune';
import type { Schema } from '@multicluster-engine/values/schema/schema';

/** A kind of the recorded requests. */
export interface Subject {
  readonly resource: FieldsResource;
  /** Sets defaults in an object. Where undefined, they were recorded. */
  readonly complete: ((object: JsonObject) => JsonObject) | undefined;
}

const TEXT: Schema = { type: 'string' };
const ANY: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

const NESTED: Schema = {
  type: 'object',
  properties: {
    a: TEXT,
    b: { type: 'integer', default: 3 },
    inner: {
      type: 'object',
      properties: { c: TEXT, set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } } },
    },
  },
};

const ITEM: Schema = {
  type: 'object',
  required: ['k'],
  properties: {
    k: TEXT,
    v: TEXT,
    n: NESTED,
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT },
    m: { type: 'object', additionalProperties: TEXT },
  },
};

const PORT: Schema = {
  type: 'object',
  required: ['port'],
  properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: TEXT },
};

const SPEC: Schema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    share: { type: 'number' },
    color: TEXT,
    flag: { type: 'boolean' },
    at: { type: 'string', format: 'date-time' },
    either: { 'x-kubernetes-int-or-string': true },
    nul: { type: 'string', nullable: true },
    nuld: { type: 'string', nullable: true, default: 'd' },
    nulo: { type: 'object', nullable: true, properties: { a: TEXT } },
    dflt: { type: 'string', default: 'dd' },
    o: NESTED,
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: TEXT, b: TEXT } },
    m: { type: 'object', additionalProperties: TEXT },
    mo: { type: 'object', additionalProperties: NESTED },
    ml: { type: 'object', additionalProperties: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT } },
    ma: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: TEXT },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT },
    ints: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
    list: { type: 'array', items: ITEM },
    atomic: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: TEXT },
    map: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: ITEM },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: PORT,
    },
    any: ANY,
    open: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: TEXT, o: { type: 'object', properties: { b: TEXT } } },
    },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const SCHEMA: Schema = {
  type: 'object',
  properties: {
    spec: SPEC,
    status: {
      type: 'object',
      properties: {
        ready: { type: 'boolean' },
        note: TEXT,
        map: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: ITEM },
      },
    },
    extra: { type: 'object', additionalProperties: TEXT },
  },
};

/** A custom resource with every kind of list, map and struct. */
export const THING: Subject = {
  resource: {
    group: 'ownership.example.com',
    version: 'v1',
    kind: 'Thing',
    custom: true,
    schema: SCHEMA,
    subresources: [{ name: 'status' }],
  },
  complete(object) {
    const filled = fillDefaults(SCHEMA, withoutNulls(prune(SCHEMA, object, { root: true }).value as JsonObject));
    return isObject(filled) ? filled : object;
  },
};

export const CONFIG_MAP = builtin('', 'ConfigMap', 'io.k8s.api.core.v1.ConfigMap');
export const SERVICE = builtin('', 'Service', 'io.k8s.api.core.v1.Service', 'status');
export const DEPLOYMENT = builtin('apps', 'Deployment', 'io.k8s.api.apps.v1.Deployment', 'status', 'scale');

function builtin(group: string, kind: string, definition: string, ...subresources: readonly string[]): Subject {
  return {
    resource: {
      group,
      version: 'v1',
      kind,
      custom: false,
      schema: builtinSchema(definition),
      subresources: subresources.map((name) => ({ name })),
    },
    complete: undefined,
  };
}

/** Drops nulls, as all writes except apply do. */
export function withoutNulls(object: JsonObject): JsonObject {
  const pruned = pruneNulls(SCHEMA, object);
  return isObject(pruned) ? pruned : object;
}
