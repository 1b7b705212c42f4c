import { beforeAll, expect, test } from '@jest/globals';

import type { AnyObject, ApiAnswer, ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import {
  ACCOUNTS,
  AGENTS,
  BEYOND,
  CLUSTERS,
  lease,
  LEASES,
  otherWays,
  ownWays,
  report,
  SECRETS,
  token,
  type AgentAttempt,
} from './agentattempts.js';
import { apply, merge, post } from './attempts.js';
import { applyOverlay, at } from './overlay.js';

const OWN = 'edge-1';
/** A part of the own name, names that begin and end with it, and another cluster. */
const FOREIGN = ['edge', 'edge-11', 'x-edge-1', 'other'];
/** No object can have such a name, but a policy that ignored case would let it pass. */
const TWIN = 'EDGE-1';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const BINDING = `${ADMISSION}/validatingadmissionpolicybindings/multicluster-engine-agents`;

const owner = (name: string, kind = 'ManagedCluster'): object => ({
  apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
  kind,
  name,
  uid: '00000000-0000-4000-8000-000000000000',
});

/** Writes of the own objects that say more than an agent may. */
const TOO_MUCH: readonly AgentAttempt[] = [
  ...['ManagedClusterConditionAvailable', 'ManagedClusterJoined', 'ClusterSetMissing', 'ClaimsIgnored'].map(
    (type): AgentAttempt => [
      `report condition ${type}`,
      report(OWN, { conditions: [{ type, status: 'True', reason: 'Reported', message: '' }] }),
    ],
  ),
  [
    'report when a taint was seen',
    report(OWN, {
      taintTimes: [{ key: 'maintenance', effect: 'NoSelect', since: '2020-01-01T00:00:00Z' }],
    }),
  ],
  [
    'report 129 claims',
    report(OWN, { clusterClaims: Array.from({ length: 129 }, (_, at) => ({ name: `c${at}`, value: '' })) }),
  ],
  ['change the holder of its Lease', merge(`${LEASES}/${OWN}`, { spec: { holderIdentity: 'another' } })],
  ['remove the holder of its Lease', merge(`${LEASES}/${OWN}`, { spec: { holderIdentity: null } })],
  ['put a finalizer on its Lease', merge(`${LEASES}/${OWN}`, { metadata: { finalizers: ['example.com/x'] } })],
  [
    'give its Lease another ManagedCluster as owner',
    merge(`${LEASES}/${OWN}`, { metadata: { ownerReferences: [owner('edge-11')] } }),
  ],
  [
    'give its Lease an owner of another kind',
    merge(`${LEASES}/${OWN}`, { metadata: { ownerReferences: [owner(OWN, 'ManagedClusterSet')] } }),
  ],
  ['request a token for longer than a week', token(OWN, { expirationSeconds: 604_801 })],
];

describeWithServer('the token of an agent', { own: true }, (server) => {
  let stolen = '';

  const send = (request: ApiRequest): Promise<ApiAnswer> => server().call({ ...request, token: stolen });
  const create = async (path: string, body: AnyObject): Promise<void> => {
    const { status, text } = await server().call({ method: 'POST', path, body });
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
  };
  /** What a request of the agent ends with. */
  const codes = async (ways: readonly AgentAttempt[]): Promise<readonly (readonly [string, number])[]> =>
    Promise.all(ways.map(async ([way, request]) => [way, (await send(request)).status] as const));

  async function join(name: string, hubAcceptsClient = true): Promise<void> {
    const fleet = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedCluster' };
    await create(CLUSTERS, { ...fleet, metadata: { name }, spec: { hubAcceptsClient } });
    await create(ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
    await create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { name } });
    await create(LEASES, lease(name));
  }

  /** Waits until the policy is in force, or is no more. */
  async function policyIs(code: number): Promise<void> {
    const [, request] = ownWays('other')[2] ?? [];
    if (request === undefined) throw new Error('no such way');
    await waitFor(`the agents' policy to answer ${code}`, async (seen) => {
      const { status, text } = await send(request);
      seen(text);
      return status === code;
    });
  }

  beforeAll(async () => {
    await applyOverlay(server(), 'default');
    await waitFor('the CRDs to be established', async () => (await server().call({ path: CLUSTERS })).status === 200);
    for (const name of [OWN, ...FOREIGN]) await join(name);
    stolen = await server().tokenFor({ serviceAccount: { namespace: AGENTS, name: OWN } });
    await policyIs(403);
  }, 120_000);

  test.each(ownWays(OWN))('the token of an agent can %s of its own name', async (_way, request) => {
    const { status, text } = await send(request);

    expect(status < 300 ? '' : text).toBe('');
  });

  test('the token of an agent can report its own conditions beside those of the hub, and no other', async () => {
    const hub = [{ type: 'ManagedClusterJoined', status: 'True', reason: 'ManagedClusterJoined', message: '' }];
    const stored = await server().call({
      ...merge(`${CLUSTERS}/${OWN}/status`, { status: { conditions: hub } }),
      path: `${CLUSTERS}/${OWN}/status`,
    });
    expect(stored.status).toBe(200);
    const conditions = ['ControlPlaneHealthy', 'AgentDegraded', 'ClaimsNotPublished'].map((type) => ({
      type,
      status: 'True',
      reason: 'Found',
      message: '',
    }));

    const { status, text } = await send(report(OWN, { conditions }));
    const other = await send(report(OWN, { conditions: [{ ...conditions[0], type: 'HubWriteRefused' }] }));

    expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining('ManagedClusterJoined') });
    expect(other.status).toBe(403);
  });

  test.each(FOREIGN)('the token of agent edge-1 can write nothing of %s', async (name) => {
    const ways = [...ownWays(name), ...otherWays(name), ['create a Lease', post(LEASES, lease(name))] as AgentAttempt];

    expect(await codes(ways)).toEqual(ways.map(([way]) => [way, 403]));
  });

  test('the token of agent edge-1 can write nothing of a name that differs by case', async () => {
    const found = await codes([...ownWays(TWIN), ...otherWays(TWIN)]);

    expect(found.filter(([, status]) => ![403, 404, 422].includes(status))).toEqual([]);
  });

  test('the token of an agent has no other rights on the objects of its own name', async () => {
    const ways = otherWays(OWN);

    expect(await codes(ways)).toEqual(ways.map(([way]) => [way, 403]));
  });

  test('the token of an agent reads no collection, and reaches nothing else', async () => {
    expect(await codes(BEYOND)).toEqual(BEYOND.map(([way]) => [way, 403]));
  });

  test.each(TOO_MUCH)('the token of an agent cannot %s', async (_way, request) => {
    const { status, text } = await send(request);

    expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('multicluster-engine-agents') });
  });

  test('a Lease without a holder cannot be created', async () => {
    const fresh = lease(OWN, { holderIdentity: undefined });
    expect((await server().call({ method: 'DELETE', path: `${LEASES}/${OWN}` })).status).toBe(200);

    expect((await send(post(LEASES, fresh))).status).toBe(403);
    expect((await send(apply(`${LEASES}/${OWN}`, lease(OWN)))).status).toBe(201);
    expect((await send({ method: 'POST', path: LEASES, body: lease(OWN) })).status).toBe(201);
  });

  test('a cluster that the hub does not accept cannot report', async () => {
    const accept = (hubAcceptsClient: boolean | null): Promise<ApiAnswer> =>
      server().call({
        method: 'PATCH',
        path: `${CLUSTERS}/${OWN}`,
        contentType: 'application/merge-patch+json',
        body: { spec: { hubAcceptsClient } },
      });
    for (const accepted of [false, null]) {
      expect((await accept(accepted)).status).toBe(200);
      const { status, text } = await send(report(OWN, {}));
      expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('the hub does not accept') });
    }
    expect((await accept(true)).status).toBe(200);
    expect((await send(report(OWN, {}))).status).toBe(200);
  });

  test('the requests of agents have a priority level of their own, where the server has such levels', async () => {
    const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
    const isServed = (await server().call({ path: group })).status === 200;
    const schema = await server().call({ path: `${group}/flowschemas/multicluster-engine-agents` });
    const level = at(schema.body, 'spec.priorityLevelConfiguration.name');
    const found = await server().call({ path: `${group}/prioritylevelconfigurations/${String(level)}` });

    expect([schema.status, found.status, level]).toEqual(
      isServed ? [200, 200, 'multicluster-engine-agents'] : [404, 404, undefined],
    );
  });

  test('the ServiceAccount default is no agent', async () => {
    await join('default');
    const own = stolen;
    stolen = await server().tokenFor({ serviceAccount: { namespace: AGENTS, name: 'default' } });
    const ways = ownWays('default');
    const found = await codes(ways);
    stolen = own;

    expect(found).toEqual(ways.map(([way]) => [way, 403]));
  });

  // Last: it removes the policy.
  test('without the policy every agent could write the objects of every other', async () => {
    expect((await server().call({ method: 'DELETE', path: BINDING })).status).toBe(200);
    await policyIs(200);
    const found = await codes([...FOREIGN.flatMap(ownWays), ...TOO_MUCH]);

    expect(found.filter(([, status]) => status >= 300)).toEqual([]);
  });
});
