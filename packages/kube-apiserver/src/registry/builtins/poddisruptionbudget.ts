import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { invalidRaw, notSupported } from '@multicluster-engine/values/schema/field';
import { goJson } from '@multicluster-engine/values/text';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { atMost100Percent, has, intOrPercent, nonNegative, whenSet } from './validation/checks.js';
import { checkConditions } from './validation/conditions.js';
import { structAt } from '@multicluster-engine/values/fields';
import { goIntOrString, goSelectorJson } from './validation/gostruct.js';
import { fieldsFrom, STATUS, type Kind } from './kind.js';
import { checkSelector } from './validation/labelselector.js';

const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];
const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

export const POD_DISRUPTION_BUDGET: Kind = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
  definition: 'io.k8s.api.policy.v1.PodDisruptionBudget',
  shortNames: ['pdb'],
  subresources: [STATUS],
  generation: 'spec',
  conditionalUpdate: true,
  prepareCreate: (budget) => ({ ...budget, status: {} }),
  prepareUpdate: (next, old, subresource) => fieldsFrom(next, old, [subresource === 'status' ? 'spec' : 'status']),
  validate,
  validateUpdate: (next, _old, subresource) => (subresource === 'status' ? statusErrors(next) : validate(next)),
};

function validate(budget: KubeObject): readonly FieldError[] {
  const spec = structAt(budget, 'spec');
  const errors: FieldError[] = [];
  if (has(spec, 'minAvailable') && has(spec, 'maxUnavailable'))
    errors.push(invalidRaw('spec', goSpec(spec), 'minAvailable and maxUnavailable cannot be both set'));
  for (const limit of ['minAvailable', 'maxUnavailable']) {
    if (has(spec, limit))
      errors.push(...intOrPercent(spec[limit], `spec.${limit}`), ...atMost100Percent(spec[limit], `spec.${limit}`));
  }
  errors.push(...whenSet(spec, 'selector', 'spec', checkSelector));
  const policy = spec['unhealthyPodEvictionPolicy'];
  if (typeof policy === 'string' && !EVICTION_POLICIES.includes(policy))
    errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES));
  return errors;
}

function statusErrors(budget: KubeObject): readonly FieldError[] {
  const status = structAt(budget, 'status');
  return [
    ...checkConditions(status, 'status'),
    ...COUNTS.flatMap((name) => nonNegative(status[name], `status.${name}`)),
  ];
}

/** The spec as kube-apiserver prints its internal struct. */
function goSpec(spec: JsonObject): string {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  return `{"MinAvailable":${goIntOrString(minAvailable)},"Selector":${goSelectorJson(selector)},"MaxUnavailable":${goIntOrString(maxUnavailable)},"UnhealthyPodEvictionPolicy":${goJson(unhealthyPodEvictionPolicy)}}`;
}
