import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { beforeAll, afterAll, describe, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';

import { startApiServer, type ApiServer } from '@multicluster-engine/kube-apiserver';
import { systemClock } from '../../src/runtime/clock.js';
import { root } from '../support/repository/root.js';

const signal = new AbortController().signal;
const ACCOUNTS: Readonly<Record<string, string>> = {
  operator: 'system:serviceaccount:multicluster-engine:multicluster-engine-operator',
  'placement-controller': 'system:serviceaccount:multicluster-engine:placement-controller',
};
const USERS: Readonly<Record<string, readonly string[]>> = {
  root: ['system:masters'],
  operator: ['system:masters'],
  'placement-controller': ['system:masters'],
  bob: ['system:authenticated'],
};
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ENGINES = '/apis/multicluster.platform.io/v1alpha1/multiclusterengines';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const POLICIES: Readonly<Record<string, string>> = {
  ValidatingAdmissionPolicy: `${ADMISSION}/validatingadmissionpolicies`,
  ValidatingAdmissionPolicyBinding: `${ADMISSION}/validatingadmissionpolicybindings`,
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
};
const ENGINE = { 'multicluster.platform.io/engine': 'engine' };
const RESTRICTED = { 'pod-security.kubernetes.io/enforce': 'restricted' };

type JsonObject = Readonly<Record<string, unknown>>;

let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer({ listen: { host: '127.0.0.1', port: 0 }, clock: systemClock, controllers: false });
  for (const object of ['crds', 'deploy/definitions/policies', 'deploy/base/policies'].flatMap(documents)) {
    expect(
      await ask('root', 'POST', POLICIES[typeof object['kind'] === 'string' ? object['kind'] : ''] ?? '', object),
    ).toBe('201');
  }
  await new Promise((resolve) => setImmediate(resolve));
});

afterAll(() => server.close());

function documents(folder: string): JsonObject[] {
  const files = readdirSync(path.join(root, folder));
  return files.flatMap((file) => loadAll(readFileSync(path.join(root, folder, file), 'utf8')) as JsonObject[]);
}

/** Code of the answer, and after it what an error says after the policy's name. */
async function ask(user: string, method: string, target: string, object?: JsonObject): Promise<string> {
  const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  const { code, body } = await server.dispatch({
    method,
    target,
    headers,
    body: object === undefined ? undefined : Buffer.from(JSON.stringify(object)),
    user: { name: ACCOUNTS[user] ?? user, groups: USERS[user] ?? [] },
    signal,
  });
  const value = body.kind === 'value' ? (body.value as JsonObject) : undefined;
  const message = code >= 400 ? value?.['message'] : undefined;
  return typeof message === 'string' ? `${code} ${message.replace(/^.* denied request: /, '')}` : `${code}`;
}

function namespace(name: string, labels: Record<string, string>): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

function roleBinding(name: string, role: string, subject: string): JsonObject {
  const [within = '', account = ''] = subject.split('/');
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', namespace: within, name: account }],
  };
}

/** Each builds on what those before it have made. */
describe('the policies of this product, unchanged,', () => {
  it('the policies restrict the operator to namespaces of its own', async () => {
    expect(await ask('operator', 'POST', '/api/v1/namespaces', namespace('mine', RESTRICTED))).toBe(
      '403 namespace mine: the operator may create only one with label multicluster.platform.io/engine whose name does not begin with kube-',
    );
    expect(await ask('operator', 'POST', '/api/v1/namespaces', namespace('mine', ENGINE))).toBe(
      '403 namespace mine: label pod-security.kubernetes.io/enforce of a namespace of the operator must be restricted',
    );
    expect(
      await ask(
        'operator',
        'POST',
        '/api/v1/namespaces',
        namespace('multicluster-engine', { ...ENGINE, ...RESTRICTED }),
      ),
    ).toBe('201');
    expect(await ask('root', 'POST', '/api/v1/namespaces', namespace('tenant', {}))).toBe('201');
    expect(await ask('operator', 'DELETE', '/api/v1/namespaces/tenant')).toBe(
      '403 namespace tenant carries no label multicluster.platform.io/engine: the operator may change or delete only one that does',
    );
  });

  it('the policies let the operator bind only its roles, where an engine says', async () => {
    const bindings = (within: string): string => `${RBAC}/namespaces/${within}/rolebindings`;
    const mine = 'multicluster-engine/multicluster-engine-operator';
    const installer = 'multicluster-engine-installer';
    const bound = roleBinding(installer, installer, mine);
    expect(
      await ask('root', 'POST', `${RBAC}/clusterroles`, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: installer },
        rules: [],
      }),
    ).toBe('201');
    expect(await ask('operator', 'POST', bindings('tenant'), roleBinding('other', installer, mine))).toMatch(
      /^403 binding other of ClusterRole multicluster-engine-installer: /,
    );
    expect(await ask('operator', 'POST', bindings('tenant'), bound)).toMatch(
      /^422 failed to configure binding: no params found/,
    );
    expect(
      await ask('root', 'POST', ENGINES, {
        apiVersion: 'multicluster.platform.io/v1alpha1',
        kind: 'MultiClusterEngine',
        metadata: { name: 'engine' },
      }),
    ).toBe('201');
    expect(await ask('operator', 'POST', bindings('tenant'), bound)).toBe(
      '403 namespace tenant is not the target namespace multicluster-engine of engine engine: the operator may bind the installer role only there',
    );
    expect(
      await ask(
        'operator',
        'POST',
        bindings('multicluster-engine'),
        roleBinding(installer, installer, 'tenant/default'),
      ),
    ).toMatch(/^403 the operator may bind the installer role to itself/);
    expect(await ask('operator', 'POST', bindings('default'), bound)).toMatch(
      /^403 namespace default: the operator may not bind a role/,
    );
    expect(await ask('operator', 'POST', bindings('multicluster-engine'), bound)).toBe('201');
  });

  it('the policies let the operator bind the role to read the Leases of agents in their namespace only', async () => {
    const bindings = (within: string): string => `${RBAC}/namespaces/${within}/rolebindings`;
    const role = 'multicluster-engine-agent-leases';
    const agents = 'multicluster-engine-agents';
    const bound = roleBinding(role, role, 'multicluster-engine/placement-controller');
    const metadata = { name: role };
    const kind = 'ClusterRole';
    expect(
      await ask('root', 'POST', `${RBAC}/clusterroles`, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind,
        metadata,
        rules: [],
      }),
    ).toBe('201');
    expect(await ask('root', 'POST', '/api/v1/namespaces', namespace(agents, {}))).toBe('201');
    expect(await ask('operator', 'POST', bindings('multicluster-engine'), bound)).toMatch(
      /^403 the operator may bind role multicluster-engine-agent-leases in namespace multicluster-engine-agents/,
    );
    const installer = 'multicluster-engine-installer';
    const self = roleBinding(installer, installer, 'multicluster-engine/multicluster-engine-operator');
    expect(await ask('operator', 'POST', bindings(agents), self)).toMatch(/^403 /);
    for (const subject of ['multicluster-engine/gateway', 'multicluster-engine/multicluster-engine-operator'])
      expect(await ask('operator', 'POST', bindings(agents), roleBinding(role, role, subject))).toMatch(
        /^403 the operator may bind the installer role to itself and a component's role to that component/,
      );
    expect(
      await ask('operator', 'POST', bindings(agents), roleBinding(role, role, 'tenant/placement-controller')),
    ).toMatch(
      /^403 binding multicluster-engine-agent-leases: the operator may bind it only to a ServiceAccount of target/,
    );
    expect(await ask('operator', 'POST', bindings(agents), bound)).toBe('201');
  });

  it('the policies let the placement controller change nothing of a ManagedCluster but the taints of the hub', async () => {
    const clusters = '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters';
    const cluster = (name: string, spec: JsonObject): JsonObject => ({
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'ManagedCluster',
      metadata: { name },
      spec,
    });
    const cordoned = { key: 'cluster.fleetmgmt.io/cordoned', effect: 'NoSelectIfNew' };
    const taints = ['unreachable', 'unavailable'].map((key) => ({
      key: `cluster.fleetmgmt.io/${key}`,
      effect: 'NoSelect',
      timeAdded: '2026-01-01T00:00:00Z',
    }));
    const asController = (patch: JsonObject): Promise<string> =>
      ask('placement-controller', 'PATCH', `${clusters}/edge`, patch);
    const spec = { hubAcceptsClient: false, displayName: 'Edge', taints: [cordoned] };
    expect(await ask('root', 'POST', clusters, cluster('edge', spec))).toBe('201');
    expect(await asController({ spec: { taints: [...taints, cordoned] } })).toBe('200');
    expect(await asController({ spec: { taints: [cordoned] } })).toBe('200');
    for (const changed of [[], [{ ...cordoned, value: 'x' }], [cordoned, { key: 'mine', effect: 'NoSelect' }]])
      expect(await asController({ spec: { taints: changed } })).toMatch(
        /^403 the placement controller may give a ManagedCluster the taints unreachable and unavailable, and no other/,
      );
    for (const change of [
      { spec: { hubAcceptsClient: true } },
      { spec: { hubAcceptsClient: null } },
      { spec: { displayName: 'Other' } },
      { spec: { leaseDurationSeconds: 3600 } },
      { spec: { maintenance: 'Draining' } },
      { metadata: { labels: { a: 'b' } } },
      { metadata: { annotations: { a: 'b' } } },
      { metadata: { finalizers: ['a/b'] } },
    ])
      expect(await asController(change)).toMatch(
        /^403 the placement controller may change nothing of a ManagedCluster but its taints and its status/,
      );
    expect(await ask('placement-controller', 'POST', clusters, cluster('new', {}))).toMatch(/^403 /);
    expect(await ask('root', 'PATCH', `${clusters}/edge`, { spec: { hubAcceptsClient: true } })).toBe('200');
  });

  it('the policies deny the operator writes of the spec of an engine', async () => {
    expect(await ask('operator', 'PATCH', `${ENGINES}/engine`, { spec: { nodeSelector: { a: 'b' } } })).toBe(
      '403 the operator may not write the spec of a MultiClusterEngine',
    );
    expect(
      await ask('operator', 'PATCH', `${ENGINES}/engine`, {
        metadata: { finalizers: ['multicluster.platform.io/engine'] },
      }),
    ).toBe('200');
    expect(await ask('root', 'PATCH', `${ENGINES}/engine`, { spec: { nodeSelector: { a: 'b' } } })).toBe('200');
  });

  it('the policies deny what the operator runs access to the node', async () => {
    const deployment = (pod: JsonObject, container: JsonObject): JsonObject => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'gateway' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { serviceAccountName: 'gateway', ...pod, containers: [{ name: 'c', image: 'i', ...container }] },
        },
      },
    });
    const deployments = '/apis/apps/v1/namespaces/multicluster-engine/deployments';
    const safe = { securityContext: { allowPrivilegeEscalation: false } };
    expect(await ask('operator', 'POST', deployments, deployment({}, {}))).toMatch(
      /^403 a Deployment of the operator must not reach the node/,
    );
    expect(await ask('operator', 'POST', deployments, deployment({ hostNetwork: true }, safe))).toMatch(
      /^403 a Deployment of the operator must not reach the node/,
    );
    expect(await ask('operator', 'POST', deployments, deployment({ serviceAccountName: 'default' }, safe))).toMatch(
      /^403 a Deployment of the operator must be a component/,
    );
    expect(await ask('root', 'POST', deployments, deployment({ hostNetwork: true }, {}))).toBe('201');
    expect(await ask('operator', 'PATCH', `${deployments}/gateway`, { metadata: { labels: { x: 'y' } } })).toBe('200');
    expect(
      await ask('operator', 'PATCH', `${deployments}/gateway`, { spec: { template: { spec: { hostPID: true } } } }),
    ).toMatch(/^403 a Deployment of the operator must not/);
    const secret = (type: string): JsonObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, type });
    expect(await ask('operator', 'POST', '/api/v1/namespaces/multicluster-engine/secrets', secret('other'))).toBe(
      '403 a Secret of the operator must be of type Opaque or kubernetes.io/tls',
    );
    expect(await ask('operator', 'POST', '/api/v1/namespaces/multicluster-engine/secrets', secret('Opaque'))).toBe(
      '201',
    );
  });

  it('the policies require the right to bind a set', async () => {
    const group = '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/tenant/managedclustersetbindings';
    const binding = {
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'ManagedClusterSetBinding',
      metadata: { name: 'prod' },
      spec: { clusterSet: 'prod' },
    };
    const role = (resource: string): JsonObject => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: resource.replace('/', '-') },
      rules: [{ apiGroups: ['cluster.fleetmgmt.io'], resources: [resource], verbs: ['create'] }],
    });
    const grant = (name: string): JsonObject => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
    });
    expect(await ask('root', 'POST', `${RBAC}/clusterroles`, role('managedclustersetbindings'))).toBe('201');
    expect(await ask('root', 'POST', `${RBAC}/clusterrolebindings`, grant('managedclustersetbindings'))).toBe('201');
    expect(await ask('bob', 'POST', group, binding)).toBe(
      '403 binding ManagedClusterSet prod needs the right to create managedclustersets/bind (group cluster.fleetmgmt.io) on it',
    );
    expect(await ask('root', 'POST', `${RBAC}/clusterroles`, role('managedclustersets/bind'))).toBe('201');
    expect(await ask('root', 'POST', `${RBAC}/clusterrolebindings`, grant('managedclustersets-bind'))).toBe('201');
    expect(await ask('bob', 'POST', group, binding)).toBe('201');
  });
});
