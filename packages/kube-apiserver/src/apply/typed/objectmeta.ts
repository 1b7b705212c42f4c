import type { Schema } from '@multicluster-engine/values/schema/schema';

export const TEXT: Schema = { type: 'string' };
const TIME: Schema = { type: 'string', format: 'date-time' };
const WHOLE: Schema = { type: 'integer' };
const TEXTS: Schema = { type: 'object', additionalProperties: TEXT };

const OWNER: Schema = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    apiVersion: TEXT,
    kind: TEXT,
    name: TEXT,
    uid: { type: 'string', default: '' },
    controller: { type: 'boolean' },
    blockOwnerDeletion: { type: 'boolean' },
  },
};

const MANAGED: Schema = {
  type: 'object',
  properties: {
    manager: TEXT,
    operation: TEXT,
    apiVersion: TEXT,
    time: TIME,
    fieldsType: TEXT,
    fieldsV1: { type: 'object' },
    subresource: TEXT,
  },
};

/** The schema by which the metadata of any object is merged, from the published `ObjectMeta`. */
export const OBJECT_META: Schema = {
  type: 'object',
  properties: {
    name: TEXT,
    generateName: TEXT,
    namespace: TEXT,
    selfLink: TEXT,
    uid: TEXT,
    resourceVersion: TEXT,
    generation: WHOLE,
    creationTimestamp: TIME,
    deletionTimestamp: TIME,
    deletionGracePeriodSeconds: WHOLE,
    labels: TEXTS,
    annotations: TEXTS,
    ownerReferences: {
      type: 'array',
      items: OWNER,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
    finalizers: { type: 'array', items: TEXT, 'x-kubernetes-list-type': 'set' },
    managedFields: { type: 'array', items: MANAGED, 'x-kubernetes-list-type': 'atomic' },
  },
};
