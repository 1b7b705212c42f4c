import { describe, expect, it } from '@jest/globals';

import { validateBinding, validatePolicy } from '../../../../src/admission/policy.js';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { bindings, policies } from './tables/creation.js';

const configMaps = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
};

/** The object with the server's defaults. */
function defaulted(kind: string, { matchConstraints, matchResources, ...spec }: JsonObject): KubeObject {
  const filled: JsonObject = {
    ...(kind === 'ValidatingAdmissionPolicy'
      ? { failurePolicy: 'Fail', matchConstraints: criteria(matchConstraints ?? configMaps) }
      : {}),
    ...(matchResources === undefined ? {} : { matchResources: criteria(matchResources) }),
    ...spec,
  };
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'p' }, spec: filled };
}

function criteria(given: Json): JsonObject {
  const { resourceRules, excludeResourceRules, ...rest } = given as {
    resourceRules?: JsonObject[];
    excludeResourceRules?: JsonObject[];
  };
  const scoped = (rules: JsonObject[]): Json => rules.map((rule) => ({ scope: '*', ...rule }));
  return {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    ...rest,
    ...(resourceRules === undefined ? {} : { resourceRules: scoped(resourceRules) }),
    ...(excludeResourceRules === undefined ? {} : { excludeResourceRules: scoped(excludeResourceRules) }),
  };
}

function causes(errors: readonly FieldError[]): string[] {
  return errors.map(
    ({ reason, field, message }) => `${reason}|${field}|${message.replaceAll(/selfType\d+/g, 'selfType1')}`,
  );
}

describe('a new ValidatingAdmissionPolicy is validated as in kube-apiserver', () => {
  it.each(policies.map(([spec, expected]) => [JSON.stringify(spec), spec, expected] as const))(
    'a new ValidatingAdmissionPolicy is validated as in kube-apiserver: %s',
    (_text, spec, expected) => {
      expect(causes(validatePolicy(defaulted('ValidatingAdmissionPolicy', spec), undefined))).toEqual(expected);
    },
  );
});

describe('a new ValidatingAdmissionPolicyBinding is validated as in kube-apiserver', () => {
  it.each(bindings.map(([spec, expected]) => [JSON.stringify(spec), spec, expected] as const))(
    'a new ValidatingAdmissionPolicyBinding is validated as in kube-apiserver: %s',
    (_text, spec, expected) => {
      expect(causes(validateBinding(defaulted('ValidatingAdmissionPolicyBinding', spec)))).toEqual(expected);
    },
  );
});
