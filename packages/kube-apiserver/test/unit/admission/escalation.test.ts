import { describe, expect, it } from '@jest/globals';

import { createEscalationCheck } from '../../../src/admission/escalation.js';
import { createAuthorizer, createRuleResolver } from '../../../src/auth/rbac/rbac.js';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { StatusError } from '../../../src/status.js';
import { resource } from '../http/routerfixture.js';
import { FakeReader } from '../auth/reader.js';

const GROUP = 'rbac.authorization.k8s.io';
const PLURALS: Readonly<Record<string, string>> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
};

function object(kind: string, name: string, fields: Record<string, Json>, namespace?: string): KubeObject {
  return {
    apiVersion: `${GROUP}/v1`,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    ...fields,
  };
}

function rule(verbs: string, group: string, resources: string, ...resourceNames: string[]): Json {
  return {
    verbs: verbs.split(' '),
    apiGroups: [group],
    resources: resources.split(' '),
    ...(resourceNames.length === 0 ? {} : { resourceNames }),
  };
}

const URLS: Json = { verbs: ['get'], nonResourceURLs: ['/x/*'] };
const OWN = [
  rule('get list', 'apps', 'deployments'),
  rule('*', '', '*/status'),
  rule('get', '', 'secrets', 'a', 'b'),
  URLS,
];

/** The result of the check when ann, with {@link OWN} and `more`, writes an object. */
function write(
  one: KubeObject,
  { more = [], old, groups = [] }: { more?: Json[]; old?: KubeObject; groups?: string[] } = {},
): string {
  const reader = new FakeReader();
  reader.add(
    object('ClusterRole', 'own', { rules: [...OWN, ...more] }),
    object('ClusterRole', 'big', { rules: [rule('delete', '', 'secrets')] }),
    object('ClusterRoleBinding', 'own', {
      roleRef: { kind: 'ClusterRole', name: 'own' },
      subjects: [{ kind: 'User', name: 'ann' }],
    }),
  );
  const resolver = createRuleResolver(reader);
  const check = createEscalationCheck({ resolver, authorizer: createAuthorizer(resolver) });
  try {
    check.validate(
      {
        user: { name: 'ann', groups },
        operation: old === undefined ? 'CREATE' : 'UPDATE',
        resource: resource({ kind: one.kind, plural: PLURALS[one.kind] ?? '', group: GROUP }),
        subresource: '',
        namespace: one.metadata.namespace ?? '',
        name: one.metadata.name ?? '',
        object: one,
        oldObject: old,
        dryRun: false,
        options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions', metadata: {} },
      },
      () => undefined,
    );
    return 'allowed';
  } catch (error) {
    return error instanceof StatusError ? `${error.code} ${error.message}` : String(error);
  }
}

function role(...rules: Json[]): KubeObject {
  return object('ClusterRole', 'r', { rules });
}

function binding(name: string): KubeObject {
  return object('RoleBinding', 'b', { roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name }, subjects: [] }, 'ns');
}

const DENIED =
  '403 clusterroles.rbac.authorization.k8s.io "r" is forbidden: user "ann" (groups=[]) is attempting to grant RBAC permissions not currently held:\n';

describe('a role', () => {
  it.each<[Json, string]>([
    [rule('get', 'apps', 'deployments'), 'allowed'],
    [rule('get', 'apps', 'deployments', 'x'), 'allowed'],
    [rule('patch update', '', 'pods/status nodes/status'), 'allowed'],
    [rule('get', '', 'secrets', 'b'), 'allowed'],
    [{ verbs: ['get'], nonResourceURLs: ['/x/y'] }, 'allowed'],
    [rule('get', '', 'secrets'), `${DENIED}{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`],
    [
      rule('get', '', 'secrets', 'b', 'c'),
      `${DENIED}{APIGroups:[""], Resources:["secrets"], ResourceNames:["c"], Verbs:["get"]}`,
    ],
    [
      rule('delete get patch', 'apps', 'deployments'),
      `${DENIED}{APIGroups:["apps"], Resources:["deployments"], Verbs:["delete" "patch"]}`,
    ],
    [rule('*', 'apps', 'deployments'), `${DENIED}{APIGroups:["apps"], Resources:["deployments"], Verbs:["*"]}`],
    [{ verbs: ['get', 'put'], nonResourceURLs: ['/x/y'] }, `${DENIED}{NonResourceURLs:["/x/y"], Verbs:["put"]}`],
  ])('a role with the rule %j is %s', (one, answer) => {
    expect(write(role(one))).toBe(answer);
  });

  it('a user who may escalate, and system:masters, may write any role', () => {
    const big = role(rule('*', '*', '*'));

    expect(write(big, { more: [rule('escalate', GROUP, 'clusterroles')] })).toBe('allowed');
    expect(write(big, { groups: ['system:masters'] })).toBe('allowed');
  });

  it('an aggregated role requires all rights', () => {
    const gathering = { ...role(), aggregationRule: { clusterRoleSelectors: [{}] } };
    const all: Json[] = [rule('*', '*', '*'), { verbs: ['*'], nonResourceURLs: ['*'] }];

    expect(write(gathering)).toBe(
      '403 clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
    expect(write(role(), { old: gathering })).toContain('must have cluster-admin privileges');
    // `*` includes `escalate`, so that nothing is left to check.
    expect(write(gathering, { more: all })).toBe('allowed');
  });

  it('a change of owners and finalizers only is allowed', () => {
    const old = role(rule('*', '*', '*'));

    expect(write({ ...old, metadata: { ...old.metadata, finalizers: ['a/b'] } }, { old })).toBe('allowed');
    expect(write({ ...old, metadata: { ...old.metadata, labels: { a: 'b' } } }, { old })).toContain('403');
  });
});

describe('a binding', () => {
  it('a user may bind a role whose rights they have', () => {
    expect(write(binding('own'))).toBe('allowed');
  });

  it('a user may bind a role with more rights only with the right to bind it', () => {
    expect(write(binding('big'))).toBe(
      '403 rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "ann" (groups=[]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["delete"]}',
    );
    expect(write(binding('big'), { more: [rule('bind', GROUP, 'clusterroles', 'big')] })).toBe('allowed');
    expect(write(binding('big'), { more: [rule('bind', GROUP, 'clusterroles', 'other')] })).toContain('403');
  });

  it('a binding to a missing role is a 404 of the binding, to an unknown kind a 500', () => {
    expect(write(binding('gone'))).toBe('404 rolebindings.rbac.authorization.k8s.io "gone" not found');
    expect(write(object('RoleBinding', 'b', { roleRef: { kind: 'Foo', name: 'x' } }, 'ns'))).toBe(
      '500 unsupported role reference kind: "Foo"',
    );
  });
});
