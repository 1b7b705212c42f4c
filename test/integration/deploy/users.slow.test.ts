import { beforeAll, expect, test } from '@jest/globals';

import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  MultiClusterEngines,
  PlacementDecisions,
  Placements,
} from '../../../src/api/resources.js';
import type { ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import type { ApiAnswer } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { definitionsFolder } from '../../support/hub/overlays.js';
import { objectOf, pathOf } from '../api/admission.js';
import { applyOverlay, at, folderOf, rendered } from './overlay.js';

const NAMESPACE = 'shop';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const LABEL_PATCH = { metadata: { labels: { seen: 'yes' } } };

interface Attempt {
  readonly title: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly type: ResourceType;
  readonly name?: string;
  readonly subresource?: string;
  readonly body?: unknown;
}

const DECISION = objectOf(PlacementDecisions, { name: 'mine' }, { status: { decisions: [] } });
const PLACEMENT = objectOf(Placements, { name: 'mine' }, {});

const READS: readonly Attempt[] = [Placements, PlacementDecisions, ManagedClusterSetBindings].map((type) => ({
  title: `list ${type.plural}`,
  method: 'GET',
  type,
}));

const FLEET: readonly Attempt[] = [ManagedClusters, ManagedClusterSets, MultiClusterEngines].map((type) => ({
  title: `list ${type.plural}`,
  method: 'GET',
  type,
}));

const EDITS: readonly Attempt[] = [
  { title: 'create a placement', method: 'POST', type: Placements, body: PLACEMENT },
  { title: 'change a placement', method: 'PATCH', type: Placements, name: 'web', body: LABEL_PATCH },
  { title: 'delete a placement', method: 'DELETE', type: Placements, name: 'web' },
  { title: 'label a binding', method: 'PATCH', type: ManagedClusterSetBindings, name: 'production', body: LABEL_PATCH },
  { title: 'delete a binding', method: 'DELETE', type: ManagedClusterSetBindings, name: 'production' },
];

const CONTROLLERS_ONLY: readonly Attempt[] = [
  {
    title: 'write the status of a placement',
    method: 'PATCH',
    type: Placements,
    name: 'web',
    subresource: 'status',
    body: { status: {} },
  },
  {
    title: 'write the status of a binding',
    method: 'PATCH',
    type: ManagedClusterSetBindings,
    name: 'production',
    subresource: 'status',
    body: { status: {} },
  },
  { title: 'create a decision', method: 'POST', type: PlacementDecisions, body: DECISION },
  { title: 'change a decision', method: 'PATCH', type: PlacementDecisions, name: 'web-decision-1', body: LABEL_PATCH },
  { title: 'delete a decision', method: 'DELETE', type: PlacementDecisions, name: 'web-decision-1' },
];

describeWithServer('the permissions of users', { own: true, capabilities: ['serviceAccounts'] }, (server) => {
  let tokens: Record<string, string> = {};

  async function put(path: string, body: unknown): Promise<void> {
    const { status, text } = await server().call({ method: 'POST', path, body });
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
  }

  async function grant(user: string, role: string): Promise<void> {
    await put(`${RBAC}/namespaces/${NAMESPACE}/rolebindings`, {
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
    });
    tokens[user] = await server().tokenFor({ user });
  }

  function tryAs(user: string, { method, type, name = '', subresource, body }: Attempt): Promise<ApiAnswer> {
    const dry = method === 'GET' ? '' : '?dryRun=All';
    const path = `${pathOf(type, NAMESPACE, name)}${subresource === undefined ? '' : `/${subresource}`}${dry}`;
    const contentType = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
    return server().call({
      method,
      path,
      token: tokens[user] ?? '',
      ...contentType,
      ...(body === undefined ? {} : { body }),
    });
  }

  function bind(user: string, set: string): Promise<ApiAnswer> {
    return tryAs(user, {
      title: '',
      method: 'POST',
      type: ManagedClusterSetBindings,
      body: objectOf(ManagedClusterSetBindings, { name: set }, { spec: { clusterSet: set } }),
    });
  }

  beforeAll(async () => {
    tokens = {};
    await applyOverlay(server(), 'default');
    await put('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    for (const type of [
      Placements,
      PlacementDecisions,
      ManagedClusterSetBindings,
      ManagedClusters,
      ManagedClusterSets,
      MultiClusterEngines,
    ]) {
      await waitFor(
        `${type.plural} to be served`,
        async () => (await server().call({ path: pathOf(type, NAMESPACE) })).status === 200,
      );
    }
    await put(pathOf(Placements, NAMESPACE), objectOf(Placements, { name: 'web' }, {}));
    await put(
      pathOf(PlacementDecisions, NAMESPACE),
      objectOf(PlacementDecisions, { name: 'web-decision-1' }, { status: { decisions: [] } }),
    );
    await put(
      pathOf(ManagedClusterSetBindings, NAMESPACE),
      objectOf(ManagedClusterSetBindings, { name: 'production' }, { spec: { clusterSet: 'production' } }),
    );
    await put(`${RBAC}/clusterroles`, {
      metadata: { name: 'bind-staging' },
      rules: [
        {
          apiGroups: ['cluster.fleetmgmt.io'],
          resources: ['managedclustersets/bind'],
          resourceNames: ['staging'],
          verbs: ['create'],
        },
      ],
    });
    await grant('alice', 'edit');
    await grant('bob', 'view');
    await grant('carol', 'admin');
    await put(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'bind-staging' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'bind-staging' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
    });
    // The aggregation controller copies the rules of each role into the next higher one, one after the other.
    for (const [user, attempts] of [
      ['bob', READS],
      ['alice', [...READS, ...EDITS]],
      ['carol', [...READS, ...EDITS]],
    ] as const) {
      for (const attempt of attempts)
        await waitFor(
          `the roles to be aggregated: ${user}, ${attempt.title}`,
          async () => (await tryAs(user, attempt)).status < 300,
        );
    }
    await waitFor('the set binding policy to be in force', async () => (await bind('carol', 'other')).status === 403);
    await waitFor('the right to bind to be in force', async () => (await bind('alice', 'staging')).status === 201);
  }, 300_000);

  test.each([...READS, ...EDITS])('an editor of the namespace may $title', async (attempt) => {
    const { status, text } = await tryAs('alice', attempt);

    expect({ allowed: status < 300, text }).toMatchObject({ allowed: true });
  });

  test.each([...READS, ...EDITS])('an administrator of the namespace may $title', async (attempt) => {
    const { status, text } = await tryAs('carol', attempt);

    expect({ allowed: status < 300, text }).toMatchObject({ allowed: true });
  });

  test.each(READS)('a viewer of the namespace may $title', async (attempt) => {
    expect((await tryAs('bob', attempt)).status).toBe(200);
  });

  test.each([...EDITS, ...CONTROLLERS_ONLY, ...FLEET])('a viewer of the namespace may not $title', async (attempt) => {
    expect((await tryAs('bob', attempt)).status).toBe(403);
  });

  test.each([...CONTROLLERS_ONLY, ...FLEET])('an administrator of the namespace may not $title', async (attempt) => {
    expect((await tryAs('carol', attempt)).status).toBe(403);
  });

  test('an editor may bind a set for which they have the verb bind, and no other', async () => {
    const good = await bind('alice', 'staging');
    const bad = await bind('alice', 'production');

    expect({ status: good.status, text: good.text }).toMatchObject({ status: 201 });
    expect(bad.status).toBe(403);
    expect(bad.body.message).toContain(
      'binding ManagedClusterSet production needs the right to create managedclustersets/bind',
    );
  });

  test('a member of system:masters may bind any set', async () => {
    const body = objectOf(ManagedClusterSetBindings, { name: 'edge' }, { spec: { clusterSet: 'edge' } });

    const answer = await server().call({
      method: 'POST',
      path: `${pathOf(ManagedClusterSetBindings, NAMESPACE)}?dryRun=All`,
      body,
    });

    expect(answer.status).toBe(201);
  });

  test('the type check of the policies has no warnings', async () => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    const applied = await Promise.all([definitionsFolder, folderOf('default')].map((one) => rendered(server(), one)));
    const wanted = applied
      .flat()
      .filter((one) => one.kind === 'ValidatingAdmissionPolicy')
      .map((one) => one.metadata?.name);

    const policies = await waitFor('the policies to be type-checked', async (seen) => {
      const { body } = await server().call({ path });
      seen(body.items);
      const items = (body.items ?? []).filter((policy) => wanted.includes(policy.metadata?.name));
      return items.length === wanted.length && items.every((policy) => at(policy, 'status.typeChecking') !== undefined)
        ? items
        : undefined;
    });

    expect(policies.length).toBeGreaterThan(10);
    expect(policies.map((policy) => at(policy, 'status.typeChecking.expressionWarnings'))).toEqual(
      policies.map(() => undefined),
    );
  });
});
