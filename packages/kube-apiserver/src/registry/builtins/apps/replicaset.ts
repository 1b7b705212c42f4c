import { own } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { child } from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { nonNegative } from '../validation/checks.js';
import { fill, ensureStruct, type Draft } from '../draft.js';
import { structAt } from '@multicluster-engine/values/fields';
import { fieldsFrom, STATUS, type Kind } from '../kind.js';
import { podSpecDefaults } from '../pod/defaults/podspec.js';
import { REPLICAS_SCALE } from './scale.js';
import {
  replicaCountErrors,
  selectorChange,
  selectorErrors,
  TEMPLATE_LABELS,
  withoutDisabledFields,
  workloadWarnings,
} from './workload.js';

const STATUS_COUNTS = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
  'terminatingReplicas',
];

export const REPLICA_SET: Kind = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
  definition: 'io.k8s.api.apps.v1.ReplicaSet',
  shortNames: ['rs'],
  categories: ['all'],
  subresources: [REPLICAS_SCALE, STATUS],
  generation: 'spec',
  emptyMapsInErrors: [TEMPLATE_LABELS],
  defaults: replicaSetDefaults,
  prepareCreate: (set) => withoutDisabledFields({ ...set, status: {} }),
  prepareUpdate: (next, old, subresource) =>
    subresource === 'status'
      ? fieldsFrom(next, old, ['spec'])
      : withoutDisabledFields(fieldsFrom(next, old, ['status'])),
  validate,
  validateUpdate: (next, old, subresource) =>
    subresource === 'status' ? statusErrors(next) : [...validate(next), ...selectorChange(next, old)],
  warnings: workloadWarnings,
};

function replicaSetDefaults(set: Draft): void {
  const spec = ensureStruct(set, 'spec');
  fill(spec, 'replicas', 1);
  podSpecDefaults(ensureStruct(ensureStruct(spec, 'template'), 'spec'));
}

function validate(set: KubeObject): readonly FieldError[] {
  const spec = structAt(set, 'spec');
  return [
    ...['replicas', 'minReadySeconds'].flatMap((field) => nonNegative(own(spec, field), child('spec', field))),
    ...selectorErrors(set),
  ];
}

function statusErrors(set: KubeObject): readonly FieldError[] {
  const status = structAt(set, 'status');
  return [
    ...STATUS_COUNTS.flatMap((field) => nonNegative(own(status, field), child('status', field))),
    ...replicaCountErrors(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas']),
  ];
}
