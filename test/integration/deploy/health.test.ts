import { beforeAll, expect, test } from '@jest/globals';

import { DEFAULT_TARGET_NAMESPACE, HEALTH_FIELD_MANAGER, TAINTS } from '../../../src/api/names.js';
import type { ApiAnswer, ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { ACCOUNTS as AGENT_ACCOUNTS, CLUSTERS, LEASES, SECRETS } from './agentattempts.js';
import { apply, get, merge, post, remove } from './attempts.js';
import { applyOverlay } from './overlay.js';

const ACCOUNT = { namespace: DEFAULT_TARGET_NAMESPACE, name: 'placement-controller' };
const BINDING = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/multicluster-engine-health';
const MINE = `${CLUSTERS}/mine`;
const OTHERS = [{ key: 'maintenance', effect: 'NoSelect' }];

/** Server-side apply of taints as the health of clusters applies them. */
function taints(name: string, ...list: readonly object[]): ApiRequest {
  const request = apply(`${CLUSTERS}/${name}`, {
    apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
    kind: 'ManagedCluster',
    metadata: { name },
    spec: { taints: list },
  });
  return { ...request, path: request.path.replace(/fieldManager=[^&]+/, `fieldManager=${HEALTH_FIELD_MANAGER}`) };
}

type Way = readonly [way: string, request: ApiRequest];

const ALLOWED: readonly Way[] = [
  ['taint a cluster as unreachable', taints('mine', { key: TAINTS.unreachable, effect: 'NoSelect' })],
  ['taint a cluster as unavailable', taints('mine', { key: TAINTS.unavailable, effect: 'NoSelect' })],
  ['take its taints back', taints('mine')],
  ['write a condition', merge(`${MINE}/status`, { status: { conditions: [] } })],
];

/** What RBAC allows, and what the policy therefore has to refuse. */
const GUARDED: readonly Way[] = [
  ['let an agent in', merge(MINE, { spec: { hubAcceptsClient: true } })],
  ['change how often an agent renews', merge(MINE, { spec: { leaseDurationSeconds: 3_600 } })],
  ['change a display name', merge(MINE, { spec: { displayName: 'x' } })],
  ['move a cluster to another set', merge(MINE, { metadata: { labels: { 'cluster.fleetmgmt.io/clusterset': 'x' } } })],
  ['annotate a cluster', merge(MINE, { metadata: { annotations: { a: 'b' } } })],
  ['put a finalizer on a cluster', merge(MINE, { metadata: { finalizers: ['example.com/x'] } })],
  ['drain a cluster', taints('mine', { key: TAINTS.draining, effect: 'NoSelect' })],
  ['cordon a cluster', taints('mine', { key: TAINTS.cordoned, effect: 'NoSelectIfNew' })],
  ['drain a cluster by its field', merge(MINE, { spec: { maintenance: 'Draining' } })],
  ['remove a taint of others', merge(MINE, { spec: { taints: [] } })],
];

const UNRIGHTED: readonly Way[] = [
  ['create a cluster by POST', post(CLUSTERS, { metadata: { name: 'new' } })],
  ['create a cluster by apply', taints('new')],
  ['delete a cluster', remove(MINE)],
  ['renew the Lease of an agent', merge(`${LEASES}/mine`, { spec: { renewTime: null } })],
  ['delete the Lease of an agent', remove(`${LEASES}/mine`)],
  ['read the Lease of an agent', get(`${LEASES}/mine`)],
  ['read the Leases of kube-system', get('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases')],
  ['read the Secrets of agents', get(SECRETS)],
  ['read the ServiceAccounts of agents', get(AGENT_ACCOUNTS)],
  ['request the token of an agent', post(`${AGENT_ACCOUNTS}/mine/token`, { spec: {} })],
];

describeWithServer('the token of the placement controller', { own: true }, (server) => {
  let stolen = '';
  const send = (request: ApiRequest): Promise<ApiAnswer> => server().call({ ...request, token: stolen });

  async function policyIs(code: number): Promise<void> {
    await waitFor(`the policy about the health of clusters to answer ${code}`, async (seen) => {
      const { status, text } = await send(GUARDED[0]?.[1] ?? { path: '' });
      seen(text);
      return status === code;
    });
  }

  beforeAll(async () => {
    await applyOverlay(server(), 'namespaced');
    await waitFor('the CRDs to be established', async () => (await server().call({ path: CLUSTERS })).status === 200);
    const accounts = `/api/v1/namespaces/${ACCOUNT.namespace}/serviceaccounts`;
    const created = await server().call({ method: 'POST', path: accounts, body: { metadata: { name: ACCOUNT.name } } });
    expect(created.status).toBe(201);
    const body = {
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'ManagedCluster',
      metadata: { name: 'mine' },
      spec: { taints: OTHERS },
    };
    expect((await server().call({ method: 'POST', path: CLUSTERS, body })).status).toBe(201);
    stolen = await server().tokenFor({ serviceAccount: ACCOUNT });
    await policyIs(403);
  }, 120_000);

  test.each(ALLOWED)('the token of the placement controller can %s', async (_way, request) => {
    const { status, text } = await send(request);

    expect(status < 300 ? '' : text).toBe('');
  });

  test('the token of the placement controller reads the Leases of agents', async () => {
    expect((await send(get(LEASES))).status).toBe(200);
  });

  test.each(GUARDED)('the token of the placement controller cannot %s', async (_way, request) => {
    const { status, text } = await send(request);

    expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('multicluster-engine-health') });
  });

  test.each(UNRIGHTED)('the token of the placement controller has no right to %s', async (_way, request) => {
    expect((await send(request)).status).toBe(403);
  });

  // Last: it removes the policy.
  test('without the policy the placement controller could do all that the policy refuses', async () => {
    expect((await server().call({ method: 'DELETE', path: BINDING })).status).toBe(200);
    await policyIs(200);
    const answers = await Promise.all(
      GUARDED.map(async ([way, request]) => [way, (await send(request)).status] as const),
    );

    expect(answers.filter(([, status]) => status >= 300)).toEqual([]);
  });
});
