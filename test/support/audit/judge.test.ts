import { describe, expect, it } from '@jest/globals';

import type { LoggedRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import { judge } from './judge.js';
import { rightsIn, type Right } from './rights.js';

const OPERATOR = 'system:serviceaccount:multicluster-engine-operator:multicluster-engine-operator';
const ROLE = 'ClusterRole multicluster-engine-installer';
const BY =
  'RBAC: allowed by RoleBinding "multicluster-engine-installer/there" of ClusterRole "multicluster-engine-installer" to ServiceAccount "x/y"';

const PODS: Right = { role: ROLE, verb: 'list', group: '', resource: 'pods', name: '' };
const APPLY: readonly Right[] = ['patch', 'create'].map((verb) => ({
  role: ROLE,
  verb,
  group: 'apps',
  resource: 'deployments',
  name: '',
}));
const BIND: Right = {
  role: ROLE,
  verb: 'bind',
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterroles',
  name: 'multicluster-engine-installer',
};

function asked(over: Partial<LoggedRequest>): LoggedRequest {
  return {
    sequence: 1,
    user: OPERATOR,
    groups: [],
    userAgent: 'multicluster-engine/0.1.0 (a)',
    verb: 'list',
    uri: '/api/v1/pods',
    resource: 'pods',
    apiGroup: '',
    subresource: '',
    namespace: 'there',
    name: '',
    code: 200,
    message: '',
    receivedAt: 60_000,
    answeredAt: 60_001,
    allowedBy: BY,
    requestObject: undefined,
    responseObject: undefined,
    ...over,
  };
}

function bound(over: Partial<LoggedRequest>): LoggedRequest {
  const rbac = {
    apiGroup: 'rbac.authorization.k8s.io',
    name: 'multicluster-engine-installer',
    verb: 'patch',
    user: 'admin',
    userAgent: 'kubectl',
    code: 201,
  };
  return asked({ ...rbac, resource: 'rolebindings', receivedAt: 1000, answeredAt: 1001, ...over });
}

const HELD = [bound({}), bound({ resource: 'clusterroles', namespace: '' })];
const DENIED = { code: 403, allowedBy: '', message: 'pods is forbidden' };

describe('the rights of a role', () => {
  it('the rights of a role are each verb on each resource, and on each name', () => {
    const rules = [
      { apiGroups: ['a', 'b'], resources: ['x'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['y/status'], resourceNames: ['n', 'm'], verbs: ['update'] },
    ];
    expect(
      rightsIn([
        { kind: 'ClusterRole', metadata: { name: 'r' }, rules },
        { kind: 'Service', metadata: { name: 's' }, rules },
      ]),
    ).toEqual([
      { role: 'ClusterRole r', verb: 'get', group: 'a', resource: 'x', name: '' },
      { role: 'ClusterRole r', verb: 'get', group: 'b', resource: 'x', name: '' },
      { role: 'ClusterRole r', verb: 'list', group: 'a', resource: 'x', name: '' },
      { role: 'ClusterRole r', verb: 'list', group: 'b', resource: 'x', name: '' },
      { role: 'ClusterRole r', verb: 'update', group: '', resource: 'y/status', name: 'n' },
      { role: 'ClusterRole r', verb: 'update', group: '', resource: 'y/status', name: 'm' },
    ]);
  });

  it('the rights of a role leave out what is for people', () => {
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    expect(
      rightsIn([
        {
          kind: 'ClusterRole',
          metadata: { name: 'r', labels },
          rules: [{ apiGroups: [''], resources: ['x'], verbs: ['get'] }],
        },
      ]),
    ).toEqual([]);
  });
});

describe('a log in which everything is as it should be', () => {
  it.each<[string, readonly LoggedRequest[], readonly Right[]]>([
    ['a request that a rule covers', [asked({})], [PODS]],
    [
      'a request that every user may make',
      [
        asked({
          resource: '',
          uri: '/version',
          allowedBy:
            'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "x"',
        }),
      ],
      [],
    ],
    ['a request of another client', [asked({ userAgent: 'kubectl/v1', user: 'admin', allowedBy: '' })], []],
    [
      'a request of a person’s command',
      [asked({ userAgent: 'multicluster-engine/1 (cluster add)', user: 'admin', allowedBy: '' })],
      [],
    ],
    ['an apply that creates', [asked({ verb: 'patch', resource: 'deployments', apiGroup: 'apps', code: 201 })], APPLY],
    [
      'a binding that was made',
      [bound({ user: OPERATOR, userAgent: 'multicluster-engine/1 (a)' })],
      [BIND, ...['patch', 'create'].map((verb) => ({ ...BIND, verb, resource: 'rolebindings' }))],
    ],
    [
      'a refusal before the binding',
      [asked({ ...DENIED, receivedAt: 900, answeredAt: 901 }), ...HELD, asked({})],
      [PODS],
    ],
    ['a refusal within 5 s of the binding', [...HELD, asked({ ...DENIED, answeredAt: 6000 }), asked({})], [PODS]],
    [
      'a refusal while the binding is gone',
      [...HELD, bound({ verb: 'delete', code: 200, receivedAt: 50_000 }), asked(DENIED), asked({})],
      [PODS],
    ],
    [
      'a refusal while the role is gone',
      [
        ...HELD,
        bound({ verb: 'delete', resource: 'clusterroles', namespace: '', code: 200, receivedAt: 50_000 }),
        asked({ ...DENIED, allowedBy: 'RBAC: clusterrole "x" not found' }),
        asked({}),
      ],
      [PODS],
    ],
    [
      'a refusal while the server comes up',
      [
        ...HELD,
        asked({ uri: '/version?mark=stopping', userAgent: '', receivedAt: 50_000 }),
        asked(DENIED),
        asked({ uri: '/version?mark=started', userAgent: '', receivedAt: 60_002 }),
        asked({}),
      ],
      [PODS],
    ],
    [
      'a token whose account was just deleted',
      [
        ...HELD,
        asked({
          verb: 'delete',
          resource: 'serviceaccounts',
          name: 'placement-controller',
          user: 'admin',
          userAgent: 'kubectl',
          receivedAt: 59_000,
        }),
        asked({ code: 401, allowedBy: '', user: '' }),
        asked({}),
      ],
      [PODS],
    ],
    [
      'a refusal for a quota',
      [asked({ code: 403, message: 'pods is forbidden: exceeded quota: none' }), asked({})],
      [PODS],
    ],
    [
      'a refusal for a definition that is being deleted',
      [
        asked({
          code: 403,
          message: 'x is forbidden: create not allowed while custom resource definition is terminating',
        }),
        asked({}),
      ],
      [PODS],
    ],
  ])('a log has no findings with %s', (_what, log, rights) => {
    expect(judge([log], rights)).toEqual({ uncovered: [], refused: [], unused: [] });
  });

  it('a right that is listed as an exception need not be used', () => {
    expect(judge([[]], [PODS], new Set([`${ROLE}: list pods`])).unused).toEqual([]);
  });
});

describe('what is found', () => {
  it.each<[string, readonly LoggedRequest[], readonly Right[], object]>([
    ['a missing rule', [asked({})], [], { uncovered: [`list pods (${BY})`] }],
    [
      'a rule of another role',
      [asked({})],
      [{ ...PODS, role: 'ClusterRole other' }],
      { uncovered: [`list pods (${BY})`], unused: ['ClusterRole other: list pods'] },
    ],
    [
      'a rule for another name',
      [asked({ verb: 'get', name: 'b' })],
      [{ ...PODS, verb: 'get', name: 'a' }],
      { uncovered: [`get pods (${BY})`], unused: [`${ROLE}: get pods a`] },
    ],
    [
      'a role that deploy/ does not know',
      [asked({ allowedBy: 'RBAC: allowed by ClusterRoleBinding "x" of ClusterRole "cluster-admin" to User "y"' })],
      [],
      { uncovered: [expect.stringContaining('cluster-admin')] },
    ],
    ['an administrator’s token', [asked({ user: 'admin', allowedBy: '' })], [], { uncovered: ['list pods as admin'] }],
    [
      'an apply that creates, without the right to',
      [asked({ verb: 'patch', resource: 'deployments', apiGroup: 'apps', code: 201 })],
      APPLY.slice(0, 1),
      { uncovered: [`patch deployments.apps (${BY})`] },
    ],
    ['an unused rule', [], [PODS], { unused: [`${ROLE}: list pods`] }],
    ['an unused verb of a rule', [asked({})], [PODS, { ...PODS, verb: 'watch' }], { unused: [`${ROLE}: watch pods`] }],
    [
      'an unused name of a rule',
      [asked({ name: 'a' })],
      [
        { ...PODS, name: 'a' },
        { ...PODS, name: 'b' },
      ],
      { unused: [`${ROLE}: list pods b`] },
    ],
    [
      'an unused bind',
      [bound({ code: 200, user: OPERATOR })],
      [BIND],
      { unused: [`${ROLE}: bind clusterroles.rbac.authorization.k8s.io multicluster-engine-installer`] },
    ],
    [
      'a refusal of a right that is held',
      [...HELD, asked(DENIED), asked({})],
      [PODS],
      { refused: ['list pods in "there": pods is forbidden'] },
    ],
    [
      'a refusal after the server came up',
      [
        ...HELD,
        ...['stopping', 'started'].map((mark) =>
          asked({ uri: `/version?mark=${mark}`, userAgent: '', receivedAt: 50_000 }),
        ),
        asked(DENIED),
        asked({}),
      ],
      [PODS],
      { refused: [expect.anything()] },
    ],
    [
      'a refusal in another namespace than the one where the right was taken away',
      [...HELD, bound({ verb: 'delete', code: 200, namespace: 'elsewhere' }), asked(DENIED), asked({})],
      [PODS],
      { refused: [expect.anything()] },
    ],
    ['a refusal of what no rule gives', [asked(DENIED)], [], { refused: [expect.anything()] }],
    [
      'a refusal by a policy',
      [asked({ code: 403, message: "ValidatingAdmissionPolicy 'x' denied request" }), asked({})],
      [PODS],
      { refused: [expect.anything()] },
    ],
    [
      'a token that is not known',
      [asked({ code: 401, allowedBy: '' }), asked({})],
      [PODS],
      { refused: [expect.anything()] },
    ],
    [
      'an unknown token long after its account was deleted',
      [
        asked({ verb: 'delete', resource: 'serviceaccounts', user: 'admin', userAgent: 'kubectl', receivedAt: 40_000 }),
        asked({ code: 401, allowedBy: '', user: '' }),
        asked({}),
      ],
      [PODS],
      { uncovered: ['list pods as '] },
    ],
  ])('a log has a finding for %s', (_what, log, rights, found) => {
    expect(judge([log], rights)).toEqual({ uncovered: [], refused: [], unused: [], ...found });
  });
});
