import { describe, expect, it } from '@jest/globals';

import type { Attributes } from '../../../../src/auth/authorizer.js';
import { createAuthorizer, createRuleResolver } from '../../../../src/auth/rbac/rbac.js';
import type { Json } from '@multicluster-engine/values/json';
import { FakeReader } from '../reader.js';

const GROUP = 'rbac.authorization.k8s.io';
const USER = { name: 'ann', groups: ['devs', 'system:authenticated'] };
const ACCOUNT = { name: 'system:serviceaccount:ns:robot', groups: ['system:serviceaccounts'] };

function role(kind: 'Role' | 'ClusterRole', name: string, ...rules: Json[]): Json {
  return {
    apiVersion: `${GROUP}/v1`,
    kind,
    metadata: { name, ...(kind === 'Role' ? { namespace: 'ns' } : {}) },
    rules,
  };
}

function binding(kind: 'RoleBinding' | 'ClusterRoleBinding', roleRef: string, subject: Json): Json {
  const [refKind = '', refName = ''] = roleRef.split('/');
  const metadata = { name: `to-${refName}`, ...(kind === 'RoleBinding' ? { namespace: 'ns' } : {}) };
  return {
    apiVersion: `${GROUP}/v1`,
    kind,
    metadata,
    roleRef: { apiGroup: GROUP, kind: refKind, name: refName },
    subjects: [subject],
  };
}

function wants(text: string, user = USER): Attributes {
  const [verb = '', what = '', namespace = '', name = ''] = text.split(' ');
  if (what.startsWith('/')) return { user, verb, path: what };
  const [whole = '', ...group] = what.split('.');
  const [resource = '', subresource = ''] = whole.split('/');
  return {
    user,
    verb,
    group: group.join('.'),
    version: 'v1',
    resource,
    subresource,
    namespace: namespace.replace('-', ''),
    name,
  };
}

const READ = { verbs: ['get', 'list'], apiGroups: ['apps'], resources: ['deployments', 'deployments/status'] };
const NAMED = { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['one'] };
const SCALES = { verbs: ['*'], apiGroups: ['*'], resources: ['*/scale'] };
const PATHS = { verbs: ['get'], nonResourceURLs: ['/logs', '/debug/*'] };
const DEVS = { kind: 'Group', apiGroup: GROUP, name: 'devs' };

describe('a user', () => {
  const reader = new FakeReader();
  reader.add(
    role('ClusterRole', 'all', READ, NAMED, SCALES, PATHS),
    binding('ClusterRoleBinding', 'ClusterRole/all', DEVS),
  );
  const authorizer = createAuthorizer(createRuleResolver(reader));

  it.each([
    ['get deployments.apps ns x', true],
    ['list deployments.apps', true],
    ['get deployments/status.apps ns x', true],
    ['get deployments/log.apps ns x', false],
    ['delete deployments.apps ns x', false],
    ['get deployments ns x', false],
    ['get secrets ns one', true],
    ['get secrets ns two', false],
    ['list secrets ns', false],
    ['update things/scale.example.com ns x', true],
    ['update scale.example.com ns x', false],
    ['get /logs', true],
    ['get /logs/x', false],
    ['get /debug/pprof', true],
    ['get /debug', false],
    ['post /logs', false],
  ])('a user with a role of these rules may %s: %s', (text, allowed) => {
    expect(authorizer.authorize(wants(text)).allowed).toBe(allowed);
  });

  it('a decision names the binding that allowed it', () => {
    expect(authorizer.authorize(wants('get deployments.apps ns x'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "to-all" of ClusterRole "all" to Group "devs"',
    });
  });

  it('a user of system:masters may do everything', () => {
    expect(authorizer.authorize(wants('get /x', { name: 'root', groups: ['system:masters'] }))).toEqual({
      allowed: true,
      reason: '',
    });
  });
});

describe('a RoleBinding', () => {
  const reader = new FakeReader();
  reader.add(
    role('Role', 'local', READ),
    binding('RoleBinding', 'Role/local', { kind: 'ServiceAccount', name: 'robot' }),
  );
  const authorizer = createAuthorizer(createRuleResolver(reader));

  it('a RoleBinding applies to its namespace, and to a ServiceAccount subject of it without a namespace', () => {
    expect(authorizer.authorize(wants('get deployments.apps ns x', ACCOUNT)).reason).toBe(
      'RBAC: allowed by RoleBinding "to-local/ns" of Role "local" to ServiceAccount "robot/ns"',
    );
  });

  it.each(['get deployments.apps other x', 'list deployments.apps'])('a RoleBinding does not apply to %s', (text) => {
    expect(authorizer.authorize(wants(text, ACCOUNT))).toEqual({ allowed: false, reason: '' });
  });

  it('a RoleBinding to a missing role grants nothing, and the reason names the role', () => {
    const broken = new FakeReader();
    broken.add(binding('RoleBinding', 'ClusterRole/gone', { kind: 'User', name: 'ann' }));

    expect(createAuthorizer(createRuleResolver(broken)).authorize(wants('get deployments.apps ns x'))).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
  });
});

describe('the index of bindings', () => {
  it('the index of bindings follows added, changed and removed roles and bindings', () => {
    const reader = new FakeReader();
    const authorizer = createAuthorizer(createRuleResolver(reader));
    const seen: boolean[] = [];
    const look = (): unknown => seen.push(authorizer.authorize(wants('get deployments.apps ns x')).allowed);
    look();
    reader.add(binding('ClusterRoleBinding', 'ClusterRole/all', DEVS));
    look();
    reader.add(role('ClusterRole', 'all', READ));
    look();
    reader.add(binding('ClusterRoleBinding', 'ClusterRole/all', { kind: 'User', name: 'bob' }));
    look();
    reader.add(binding('ClusterRoleBinding', 'ClusterRole/all', { kind: 'User', name: 'ann' }));
    look();
    reader.remove(binding('ClusterRoleBinding', 'ClusterRole/all', DEVS));
    look();

    expect(seen).toEqual([false, false, true, false, true, false]);
  });
});
