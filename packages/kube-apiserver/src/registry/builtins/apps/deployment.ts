import { own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { child, forbiddenField, invalidValue } from '@multicluster-engine/values/schema/field';
import { goJson } from '@multicluster-engine/values/text';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { atMost100Percent, has, intOrPercent, nonNegative, percentOf } from '../validation/checks.js';
import { fill, fillZero, ensureStruct, type Draft } from '../draft.js';
import { fieldsFrom, STATUS, withMeta, type Kind } from '../kind.js';
import { numberAt, structAt, textAt } from '@multicluster-engine/values/fields';
import { goIntOrString } from '../validation/gostruct.js';
import { REPLICAS_SCALE } from './scale.js';
import { podSpecDefaults } from '../pod/defaults/podspec.js';
import {
  replicaCountErrors,
  selectorChange,
  selectorErrors,
  TEMPLATE_LABELS,
  withoutDisabledFields,
  workloadWarnings,
} from './workload.js';

const STATUS_COUNTS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
];

export const DEPLOYMENT: Kind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
  definition: 'io.k8s.api.apps.v1.Deployment',
  shortNames: ['deploy'],
  categories: ['all'],
  subresources: [REPLICAS_SCALE, STATUS],
  generation: 'spec-and-annotations',
  emptyMapsInErrors: [TEMPLATE_LABELS],
  defaults: deploymentDefaults,
  prepareCreate: (deployment) => withoutDisabledFields({ ...deployment, status: {} }),
  prepareUpdate: (next, old, subresource) =>
    subresource === 'status' ? statusUpdate(next, old) : withoutDisabledFields(fieldsFrom(next, old, ['status'])),
  validate,
  validateUpdate(next, old, subresource) {
    if (subresource === 'status') return statusErrors(next, old);
    return [...validate(next), ...selectorChange(next, old)];
  },
  warnings: workloadWarnings,
};

function deploymentDefaults(deployment: Draft): void {
  const spec = ensureStruct(deployment, 'spec');
  fill(spec, 'replicas', 1);
  const strategy = ensureStruct(spec, 'strategy');
  fillZero(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] === 'RollingUpdate') {
    const rolling = ensureStruct(strategy, 'rollingUpdate');
    fill(rolling, 'maxUnavailable', '25%');
    fill(rolling, 'maxSurge', '25%');
  }
  fill(spec, 'revisionHistoryLimit', 10);
  fill(spec, 'progressDeadlineSeconds', 600);
  podSpecDefaults(ensureStruct(ensureStruct(spec, 'template'), 'spec'));
}

/** A write to the status keeps spec and labels of the stored object. */
function statusUpdate(next: KubeObject, old: KubeObject): KubeObject {
  const { labels: _labels, ...metadata } = next.metadata;
  const { labels } = old.metadata;
  return fieldsFrom(withMeta(next, labels === undefined ? metadata : { ...metadata, labels }), old, ['spec']);
}

function validate(deployment: KubeObject): readonly FieldError[] {
  const spec = structAt(deployment, 'spec');
  const errors: FieldError[] = [...nonNegative(own(spec, 'replicas'), 'spec.replicas'), ...selectorErrors(deployment)];
  const strategy = structAt(spec, 'strategy');
  errors.push(...strategyErrors(strategy, 'spec.strategy'));
  for (const field of ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'])
    errors.push(...nonNegative(own(spec, field), child('spec', field)));
  const deadline = numberAt(spec, 'progressDeadlineSeconds');
  if (deadline <= numberAt(spec, 'minReadySeconds'))
    errors.push(invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  return errors;
}

function strategyErrors(strategy: JsonObject, path: string): readonly FieldError[] {
  const type = textAt(strategy, 'type');
  const at = child(path, 'rollingUpdate');
  if (type === 'Recreate')
    return has(strategy, 'rollingUpdate')
      ? [forbiddenField(at, "may not be specified when strategy `type` is 'Recreate'")]
      : [];
  if (type === 'RollingUpdate') return rollingErrors(structAt(strategy, 'rollingUpdate'), at);
  const rolling = has(strategy, 'rollingUpdate') ? goRolling(structAt(strategy, 'rollingUpdate')) : 'null';
  const message = `Unsupported value: {"Type":${goJson(type)},"RollingUpdate":${rolling}}: supported values: "Recreate", "RollingUpdate"`;
  return [{ reason: 'FieldValueNotSupported', field: path, message }];
}

function goRolling(rolling: JsonObject): string {
  return `{"MaxUnavailable":${goIntOrString(own(rolling, 'maxUnavailable') ?? 0)},"MaxSurge":${goIntOrString(own(rolling, 'maxSurge') ?? 0)}}`;
}

function rollingErrors(rolling: JsonObject, path: string): readonly FieldError[] {
  const [down, up] = [own(rolling, 'maxUnavailable'), own(rolling, 'maxSurge')];
  const errors = [...intOrPercent(down, child(path, 'maxUnavailable')), ...intOrPercent(up, child(path, 'maxSurge'))];
  const number = (value: typeof down): number => percentOf(value) ?? (typeof value === 'number' ? value : 0);
  if (number(down) === 0 && number(up) === 0)
    errors.push(invalidValue(child(path, 'maxUnavailable'), down, 'may not be 0 when `maxSurge` is 0'));
  return [...errors, ...atMost100Percent(down, child(path, 'maxUnavailable'))];
}

function statusErrors(next: KubeObject, old: KubeObject): readonly FieldError[] {
  const status = structAt(next, 'status');
  const errors: FieldError[] = [
    ...STATUS_COUNTS.flatMap((field) => nonNegative(own(status, field), child('status', field))),
    ...replicaCountErrors(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas']),
  ];
  const [count, before] = [own(status, 'collisionCount'), own(structAt(old, 'status'), 'collisionCount')];
  if (typeof before === 'number' && numberAt(status, 'collisionCount') < before)
    errors.push(invalidValue('status.collisionCount', count ?? 0, 'cannot be decremented'));
  return errors;
}
