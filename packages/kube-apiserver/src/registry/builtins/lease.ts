import type { KubeObject } from '@multicluster-engine/values/object';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { nonNegative, positive } from './validation/checks.js';
import { structAt } from '@multicluster-engine/values/fields';
import { fieldsFrom, type Kind } from './kind.js';

export const LEASE: Kind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  definition: 'io.k8s.api.coordination.v1.Lease',
  createOnUpdate: true,
  conditionalUpdate: true,
  prepareCreate: withoutDisabledFields,
  prepareUpdate: withoutDisabledFields,
  validate,
  validateUpdate: validate,
};

/** Drops fields of a feature that is disabled. */
function withoutDisabledFields(lease: KubeObject): KubeObject {
  const spec = structAt(lease, 'spec');
  if (spec['strategy'] === undefined && spec['preferredHolder'] === undefined) return lease;
  const { strategy: _strategy, preferredHolder: _holder, ...kept } = spec;
  return fieldsFrom(lease, { ...lease, spec: kept }, ['spec']);
}

function validate(lease: KubeObject): readonly FieldError[] {
  const spec = structAt(lease, 'spec');
  return [
    ...positive(spec['leaseDurationSeconds'], 'spec.leaseDurationSeconds', '0'),
    ...nonNegative(spec['leaseTransitions'], 'spec.leaseTransitions'),
  ];
}
