import { describe, expect, it } from '@jest/globals';

import { createParamRights } from '../../../../src/admission/policy/paramrights.js';
import type { Attributes, Authorizer } from '../../../../src/auth/authorizer.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { StatusError } from '../../../../src/status.js';
import type { UserInfo } from '../../../../src/user.js';
import { VerbsFixture } from '../../verbs/fixture.js';
import { FakeObjects } from './fixture.js';

const GROUP = 'admissionregistration.k8s.io';
const { registry } = new VerbsFixture();
const ANN: UserInfo = { name: 'ann', uid: '7', groups: ['devs', 'system:authenticated'], extra: { k: ['a', 'b'] } };
const WHO = '&{ann 7 [devs system:authenticated] map[k:[a b]]}';
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap' };
const UNKNOWN = { apiVersion: 'x.io/v1', kind: 'X' };

function made(kind: string, spec: JsonObject): KubeObject {
  return { apiVersion: `${GROUP}/v1`, kind, metadata: { name: 'it' }, spec };
}

/** `verb group/resource namespace name`, the notation of rights below. */
function granting(right: string): Authorizer {
  const nameOf = (wanted: Attributes): string =>
    'path' in wanted
      ? wanted.path
      : [wanted.verb, `${wanted.group}/${wanted.resource}`, wanted.namespace, wanted.name].join(' ');
  return { authorize: (wanted) => ({ allowed: nameOf(wanted) === right, reason: '' }) };
}

/** The error for a writer of a policy (or a binding) with one right; undefined where it is accepted. */
function verdict(
  object: KubeObject,
  right: string,
  { user = ANN, old }: { user?: UserInfo; old?: KubeObject } = {},
): string | undefined {
  const policy = made('ValidatingAdmissionPolicy', { paramKind: CONFIG });
  const objects = new FakeObjects({
    [`validatingadmissionpolicies.${GROUP}`]: [
      policy,
      { ...policy, metadata: { name: 'lost' }, spec: { paramKind: UNKNOWN } },
    ],
  });
  const resource = registry.findKind(GROUP, 'v1', object.kind);
  if (resource === undefined) throw new Error(object.kind);
  const options: KubeObject = { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions', metadata: {} };
  const operation = old === undefined ? 'CREATE' : 'UPDATE';
  try {
    createParamRights({ reader: objects, registry: () => registry, authorizer: granting(right) }).validate(
      {
        user,
        operation,
        resource,
        subresource: '',
        namespace: '',
        name: 'it',
        object,
        oldObject: old,
        dryRun: false,
        options,
      },
      () => undefined,
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.code} ${error.message}`;
  }
}

describe('the writer of a policy', () => {
  const policy = (paramKind: JsonObject): KubeObject => made('ValidatingAdmissionPolicy', { paramKind });
  const refused = (kind: string, apiVersion: string): string =>
    `422 ValidatingAdmissionPolicy.${GROUP} "it" is invalid: spec.paramKind: Forbidden: ` +
    `user ${WHO} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;

  it.each([
    [CONFIG, 'get /configmaps * *'],
    [UNKNOWN, 'get x.io/* * *'],
  ])('the writer of a policy with the params %j needs the right to %s', (kind, right) => {
    expect(verdict(policy(kind), right)).toBeUndefined();
    expect(verdict(policy(kind), '')).toBe(refused(kind.kind, kind.apiVersion));
    expect(verdict(policy(kind), '', { user: { name: 'root', groups: ['system:masters'] } })).toBeUndefined();
  });

  it('the writer of a policy without params, or with unchanged params, needs no right', () => {
    expect(verdict(made('ValidatingAdmissionPolicy', {}), '')).toBeUndefined();
    expect(verdict(policy(CONFIG), '', { old: policy(CONFIG) })).toBeUndefined();
    expect(verdict(policy(CONFIG), '', { old: policy(UNKNOWN) })).toBe(refused('ConfigMap', 'v1'));
  });
});

describe('the writer of a binding', () => {
  const binding = (policyName: string, paramRef: JsonObject): KubeObject =>
    made('ValidatingAdmissionPolicyBinding', { policyName, paramRef });
  const PREFIX = `422 ValidatingAdmissionPolicyBinding.${GROUP} "it" is invalid: spec.paramRef: Forbidden: `;

  it.each([
    [
      'it',
      { name: 'p', namespace: 'ns' },
      'get /configmaps ns p',
      `user ${WHO} does not have "get" permission on the object referenced by paramRef`,
    ],
    [
      'it',
      { name: 'p' },
      'get /configmaps  p',
      `user ${WHO} does not have "get" permission on the object referenced by paramRef`,
    ],
    [
      'it',
      { selector: {} },
      'list /configmaps  ',
      `user ${WHO} does not have "list" permission on the object referenced by paramRef`,
    ],
    [
      'none',
      { name: 'p' },
      'get */*  p',
      `unable to get policy none to determine minimum required permissions and user ${WHO} does not have "get" permission for all groups, versions and resources`,
    ],
    [
      'lost',
      { name: 'p' },
      'get x.io/*  p',
      `unable to resolve paramKind &{x.io/v1 X} to determine minimum required permissions and user ${WHO} does not have "get" permission for all groups, versions and resources`,
    ],
  ])('the writer of a binding of policy %s to %j needs the right to %s', (policy, reference, right, refused) => {
    expect(verdict(binding(policy, reference), right)).toBeUndefined();
    expect(verdict(binding(policy, reference), '')).toBe(PREFIX + refused);
    expect(verdict(binding(policy, reference), '', { old: binding(policy, reference) })).toBe(PREFIX + refused);
  });

  it('the writer of a binding without params needs no right', () => {
    expect(verdict(made('ValidatingAdmissionPolicyBinding', { policyName: 'it' }), '')).toBeUndefined();
  });
});
