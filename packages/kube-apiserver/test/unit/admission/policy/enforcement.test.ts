import { describe, expect, it } from '@jest/globals';

import type { AdmissionRequest } from '../../../../src/admission/admission.js';
import type { Attributes, Authorizer } from '../../../../src/auth/authorizer.js';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { UserInfo } from '../../../../src/user.js';
import { VerbsFixture } from '../../verbs/fixture.js';
import { namespace, param, scenarios, type Request, type Scenario } from './tables/enforcement.js';
import { admissionResult, FakeObjects } from './fixture.js';

const POLICIES = 'validatingadmissionpolicies.admissionregistration.k8s.io';
const BINDINGS = 'validatingadmissionpolicybindings.admissionregistration.k8s.io';
const { registry } = new VerbsFixture();

const users: Readonly<Record<string, UserInfo>> = {
  admin: { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] },
  joe: { name: 'joe', uid: 'joe', groups: ['devs', 'system:authenticated'] },
};

const OPERATIONS: Readonly<Record<string, AdmissionRequest['operation']>> = {
  POST: 'CREATE',
  PUT: 'UPDATE',
  DELETE: 'DELETE',
};

/** Joe may do everything but list ConfigMaps and Secrets. */
const authorizer: Authorizer = {
  authorize: ({ user, ...asked }: Attributes) => {
    if (user.groups.includes('system:masters')) return { allowed: true, reason: '' };
    const allowed =
      'resource' in asked && ['configmaps', 'secrets'].includes(asked.resource ?? '') && asked.verb !== 'list';
    return {
      allowed,
      reason: allowed ? 'RBAC: allowed by ClusterRoleBinding "o3joe" of ClusterRole "o3joe" to User "joe"' : '',
    };
  },
};

describe('policies decide as in kube-apiserver', () => {
  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    'a policy decides as in kube-apiserver: %s',
    (_name, scenario) => {
      const admission = worldOf(scenario).admission(authorizer, registry);
      for (const request of scenario.requests) {
        const { refused, warnings = [] } = request;
        expect(admissionResult(admission, admissionRequest(request))).toEqual({ refused, warnings });
      }
    },
  );
});

describe('policies of a running server', () => {
  const [scenario] = scenarios;
  const request = scenario?.requests[0];
  if (scenario === undefined || request === undefined) throw new Error('no scenario');

  it('a policy is enforced as long as it is stored with a binding', () => {
    const objects = new FakeObjects({ namespaces: [namespace] });
    const admission = objects.admission(authorizer, registry);
    const refused = (): boolean => admissionResult(admission, admissionRequest(request)).refused !== undefined;
    expect(refused()).toBe(false);
    objects.notify(POLICIES, policyOf(scenario), 'put');
    expect(refused()).toBe(false);
    objects.notify(BINDINGS, bindingOf(scenario), 'put');
    expect(refused()).toBe(true);
    objects.notify(POLICIES, policyOf({ ...scenario, policy: { validations: [{ expression: 'true' }] } }), 'put');
    expect(refused()).toBe(false);
    objects.notify(POLICIES, policyOf(scenario), 'put');
    expect(refused()).toBe(true);
    objects.notify(BINDINGS, bindingOf(scenario), 'remove');
    expect(refused()).toBe(false);
  });

  it('a closed policy admission ends its subscriptions', () => {
    const objects = worldOf(scenario);
    objects.admission(authorizer, registry).close();
    expect(objects.ended).toBe(2);
  });
});

function worldOf(scenario: Scenario): FakeObjects {
  const second: KubeObject = { ...param, metadata: { ...param.metadata, name: 'param2' }, data: { max: '2' } };
  return new FakeObjects({
    namespaces: [namespace],
    configmaps: [param, second],
    [POLICIES]: [policyOf(scenario)],
    [BINDINGS]: [bindingOf(scenario)],
  });
}

function policyOf({ policy }: Scenario): KubeObject {
  const { matchConstraints, ...rest } = policy;
  return object('ValidatingAdmissionPolicy', 'o3p', {
    failurePolicy: 'Fail',
    ...rest,
    matchConstraints: criteria(matchConstraints),
  });
}

function criteria(given: Json | undefined): JsonObject {
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    resources: ['configmaps'],
    scope: '*',
  };
  return {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    ...((given ?? { resourceRules: [rule] }) as JsonObject),
  };
}

function bindingOf({ binding }: Scenario): KubeObject {
  return object('ValidatingAdmissionPolicyBinding', 'o3b', {
    policyName: 'o3p',
    validationActions: ['Deny'],
    ...binding,
  });
}

function object(kind: string, name: string, spec: JsonObject): KubeObject {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, spec };
}

function admissionRequest({
  user = 'admin',
  method = 'POST',
  path = '/api/v1/namespaces/o3ns/configmaps',
  object: made,
  old,
}: Request): AdmissionRequest {
  const parts = /^\/api\/v1(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?$/.exec(path);
  const [, first = '', second = '', third = ''] = parts ?? [];
  const cluster = registry.find('', 'v1', second) === undefined;
  const [plural, within, name] = cluster ? ['namespaces', '', first] : [second, first, third];
  const resource = registry.find('', 'v1', plural);
  const caller = users[user];
  const operation = OPERATIONS[method];
  if (resource === undefined || caller === undefined || operation === undefined) throw new Error(`${method} ${path}`);
  const given =
    made === undefined
      ? undefined
      : { ...made, metadata: { ...(within === '' ? {} : { namespace: within }), ...made.metadata } };
  const options: KubeObject = { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', metadata: {}, dryRun: ['All'] };
  return {
    user: caller,
    operation,
    resource,
    subresource: '',
    namespace: within,
    name: name === '' ? (made?.metadata.name ?? '') : name,
    object: given,
    oldObject: old,
    dryRun: true,
    options,
  };
}
