import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { child, index, required } from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { checkConditions } from './validation/conditions.js';
import { fill, structIn, structsIn, ensureStruct, type Draft } from './draft.js';
import { listAt, structAt, textAt } from '@multicluster-engine/values/fields';
import { fieldsFrom, STATUS, withMeta, type Kind } from './kind.js';

/** Validation of policies and bindings, which the admission module implements. `old` is undefined for a create. */
export interface PolicyRules {
  validatePolicy(policy: KubeObject, old: KubeObject | undefined): readonly FieldError[];
  validateBinding(binding: KubeObject, old: KubeObject | undefined): readonly FieldError[];
}

const GROUP = 'admissionregistration.k8s.io';
const DEFINITION = 'io.k8s.api.admissionregistration.v1.';

export function policyKinds(rules: PolicyRules): readonly Kind[] {
  return [
    {
      group: GROUP,
      version: 'v1',
      kind: 'ValidatingAdmissionPolicy',
      plural: 'validatingadmissionpolicies',
      namespaced: false,
      definition: `${DEFINITION}ValidatingAdmissionPolicy`,
      categories: ['api-extensions'],
      subresources: [STATUS],
      conditionalUpdate: true,
      generation: 'spec',
      defaults: policyDefaults,
      prepareCreate: (policy) => ({ ...policy, status: {} }),
      prepareUpdate: (next, old, subresource) =>
        subresource === 'status' ? statusUpdate(next, old) : fieldsFrom(next, old, ['status']),
      validate: (policy) => rules.validatePolicy(policy, undefined),
      validateUpdate: (next, old, subresource) =>
        subresource === 'status' ? statusErrors(structAt(next, 'status')) : rules.validatePolicy(next, old),
    },
    {
      group: GROUP,
      version: 'v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      plural: 'validatingadmissionpolicybindings',
      namespaced: false,
      definition: `${DEFINITION}ValidatingAdmissionPolicyBinding`,
      categories: ['api-extensions'],
      conditionalUpdate: true,
      generation: 'spec',
      defaults(binding) {
        const resources = structIn(ensureStruct(binding, 'spec'), 'matchResources');
        if (resources !== undefined) matchDefaults(resources);
      },
      validate: (binding) => rules.validateBinding(binding, undefined),
      validateUpdate: (next, old) => rules.validateBinding(next, old),
    },
  ];
}

function policyDefaults(policy: Draft): void {
  const spec = ensureStruct(policy, 'spec');
  fill(spec, 'failurePolicy', 'Fail');
  const constraints = structIn(spec, 'matchConstraints');
  if (constraints !== undefined) matchDefaults(constraints);
}

function matchDefaults(resources: Draft): void {
  fill(resources, 'matchPolicy', 'Equivalent');
  fill(resources, 'namespaceSelector', {});
  fill(resources, 'objectSelector', {});
  for (const rule of [...structsIn(resources, 'resourceRules'), ...structsIn(resources, 'excludeResourceRules')])
    fill(rule, 'scope', '*');
}

/** Each warning of the type checker has to name a field and a text. */
function statusErrors(status: JsonObject): readonly FieldError[] {
  const path = 'status.typeChecking.expressionWarnings';
  const missing = listAt(structAt(status, 'typeChecking'), 'expressionWarnings').flatMap((warning, at) =>
    [
      ['warning', textAt(warning, 'warning')],
      ['fieldRef', textAt(warning, 'fieldRef').trim()],
    ].flatMap(([field = '', text]) => (text === '' ? [required(child(index(path, at), field))] : [])),
  );
  return [...missing, ...checkConditions(status, 'status')];
}

/** Of metadata only managedFields and resourceVersion are taken from the request. */
function statusUpdate(next: KubeObject, old: KubeObject): KubeObject {
  const { managedFields, resourceVersion } = next.metadata;
  const metadata = {
    ...old.metadata,
    ...(managedFields === undefined ? {} : { managedFields }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return fieldsFrom(withMeta(next, metadata), old, ['spec']);
}
