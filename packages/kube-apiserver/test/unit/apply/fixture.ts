import type { ApplyRequest } from '../../../src/apply/apply.js';
import { serverSideApply } from '../../../src/apply/apply.js';
import type { FieldsResource } from '../../../src/apply/resource.js';
import { trackUpdate } from '../../../src/apply/track.js';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject, ManagedFieldsEntry } from '@multicluster-engine/values/object';
import type { Schema } from '@multicluster-engine/values/schema/schema';

const TEXT: Schema = { type: 'string' };

/** A schema with every kind of list, map and struct. */
const SPEC: Schema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    color: TEXT,
    flag: { type: 'boolean' },
    either: { 'x-kubernetes-int-or-string': true },
    o: { type: 'object', properties: { a: TEXT, b: { type: 'integer', default: 3 } } },
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: TEXT, b: TEXT } },
    m: { type: 'object', additionalProperties: TEXT },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT },
    list: { type: 'array', items: TEXT },
    map: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: TEXT, v: TEXT, w: TEXT } },
    },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: TEXT },
      },
    },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  },
};

export const THING: FieldsResource = {
  group: 'facts.example.com',
  version: 'v1',
  kind: 'Thing',
  custom: true,
  schema: {
    type: 'object',
    properties: { spec: SPEC, status: { type: 'object', properties: { ready: { type: 'boolean' }, note: TEXT } } },
  },
  subresources: [{ name: 'status' }],
};

export const MINUTE = 60_000;
export const START = Date.parse('2026-01-02T03:04:05Z');
const TYPE = { apiVersion: 'facts.example.com/v1', kind: 'Thing' };

export function body(spec: Json, rest: JsonObject = {}): JsonObject {
  return { ...TYPE, metadata: { name: 'x', namespace: 'n' }, spec, ...rest };
}

/** A stored object, which has a uid. */
export function stored(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, uid: 'u' } };
}

/** Applies a spec; `options` override the request. */
export function apply(
  live: KubeObject | undefined,
  manager: string,
  spec: Json,
  options: Partial<ApplyRequest> = {},
): KubeObject {
  const request = {
    live,
    applied: body(spec),
    manager,
    subresource: '',
    force: false,
    resource: THING,
    now: START,
    ...options,
  };
  return stored(serverSideApply(request));
}

/** Replaces the spec of the live object, or creates the object. */
export function put(live: KubeObject | undefined, manager: string, spec: Json, now = START): KubeObject {
  const next: KubeObject = { ...TYPE, ...live, metadata: live?.metadata ?? { name: 'x', namespace: 'n' }, spec };
  return stored(trackUpdate({ live, next, manager, subresource: '', resource: THING, now }));
}

/** A short form of managedFields: `a Apply f:spec…`. */
export function owned(object: KubeObject): Record<string, Json> {
  const entries = object.metadata.managedFields ?? [];
  return Object.fromEntries(
    entries.map((entry) => [nameOf(entry), entry.fieldsV1?.['f:spec'] ?? entry.fieldsV1 ?? null]),
  );
}

function nameOf({ manager, operation, subresource }: ManagedFieldsEntry): string {
  return `${manager} ${operation}${subresource === undefined ? '' : ` ${subresource}`}`;
}
