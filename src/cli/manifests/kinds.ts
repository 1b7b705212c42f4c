import { field, isRecord, recordsIn, textField } from '../../api/json.js';
import type { KubeObject } from '../../api/meta.js';
import type { RawObject } from '../../domain/fleet/world.js';
import { parseLabelSelector } from '../../domain/selectors.js';
import { faultsOf, type Fault, type Schema } from './schema.js';

const TEXT: Schema = { type: 'string' };
const TEXTS: Schema = { type: 'object', additionalProperties: TEXT };
const TIME: Schema = { type: 'string', format: 'date-time' };
const WHOLE: Schema = { type: 'integer' };
const FLAG: Schema = { type: 'boolean' };
const ANY: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function listOf(properties: Schema['properties'] = {}): Schema {
  return { type: 'array', items: { type: 'object', properties } };
}

/** ObjectMeta of Kubernetes 1.36. A definition says only that it is an object. */
const METADATA: Schema = {
  type: 'object',
  properties: {
    name: {
      type: 'string',
      maxLength: 253,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    },
    generateName: TEXT,
    namespace: { type: 'string', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
    selfLink: TEXT,
    uid: TEXT,
    resourceVersion: TEXT,
    generation: WHOLE,
    creationTimestamp: TIME,
    deletionTimestamp: TIME,
    deletionGracePeriodSeconds: WHOLE,
    labels: TEXTS,
    annotations: TEXTS,
    finalizers: { type: 'array', items: TEXT },
    ownerReferences: listOf({
      apiVersion: TEXT,
      kind: TEXT,
      name: TEXT,
      uid: TEXT,
      controller: FLAG,
      blockOwnerDeletion: FLAG,
    }),
    managedFields: listOf({
      manager: TEXT,
      operation: TEXT,
      apiVersion: TEXT,
      time: TIME,
      fieldsType: TEXT,
      fieldsV1: ANY,
      subresource: TEXT,
    }),
  },
};

/**
 * What the API server refuses in an object of the six kinds, by their `definitions`: fields that do not exist, as
 * `kubectl apply` asks it to, and values of another type or outside of their limits. Nothing for an object of another group.
 */
export function manifestFaults(object: KubeObject, definitions: readonly RawObject[]): readonly Fault[] {
  const { apiVersion = '', kind = '' } = object;
  const [group = '', version = ''] = apiVersion.split('/');
  const ofGroup = definitions.filter(({ spec }) => textField(spec, 'group') === group);
  if (ofGroup.length === 0) return [];
  const definition = ofGroup.find(({ spec }) => textField(field(spec, 'names'), 'kind') === kind);
  const served = recordsIn(field(definition?.spec, 'versions')).find((one) => textField(one, 'name') === version);
  const schema = field(field(served, 'schema'), 'openAPIV3Schema');
  if (!isRecord(schema)) return [`there is no kind ${kind} in ${apiVersion}`];
  // A definition of this project, which the API server accepts.
  const { properties = {}, ...rest } = schema as Schema;
  const faults = faultsOf(object, { ...rest, properties: { ...properties, metadata: METADATA } }, '');
  return [...faults, ...labelFaults(object)];
}

/** The rules for the keys of labels and annotations, and for the values of labels. */
function labelFaults({ metadata }: KubeObject): readonly Fault[] {
  const { labels, annotations } = metadata;
  const keys = Object.keys(isRecord(annotations) ? annotations : {}).map((key) => [key.toLowerCase(), ''] as const);
  const maps = { labels: isRecord(labels) ? labels : {}, annotations: Object.fromEntries(keys) };
  return Object.entries(maps).flatMap(([name, map]) => {
    if (Object.values(map).some((value) => typeof value !== 'string')) return [];
    const read = parseLabelSelector({ matchLabels: map }, `metadata.${name}`);
    return read.ok ? [] : [`${read.problem.field.replace('.matchLabels', '')}: ${read.problem.message}`];
  });
}
