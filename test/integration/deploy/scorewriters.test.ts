import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { beforeAll, expect, test } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import type { ApiAnswer, ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl, kubectlOk, type KubectlResult } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { pathWithKubectl } from '../../support/clients/kubectl.js';
import { root } from '../../support/repository/root.js';
import { at } from './overlay.js';
import { apply, merge, post, remove } from './attempts.js';

const LONG_MS = 240_000;
const NAMESPACE = 'multicluster-engine-scores';
const POLICY = 'multicluster-engine-score-writers';
const CLUSTERS = '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters';
const STATUS = `${CLUSTERS}/edge-1/status`;
const AGENT_CLAIM = { name: 'platform', value: 'aws' };
const PRICE = { name: 'price/per-hour', value: '0.35' };
const CONDITION = {
  type: 'ControlPlaneHealthy',
  status: 'True',
  reason: 'Reported',
  message: '',
  lastTransitionTime: '2026-01-02T03:04:05Z',
  observedGeneration: 1,
};
/** What the agent has applied. */
const REPORTED = {
  clusterClaims: [AGENT_CLAIM],
  version: { kubernetes: 'v1.36.3' },
  capacity: { cpu: '8' },
  allocatable: { cpu: '7' },
  nodes: { total: 3, ready: 3 },
  conditions: [CONDITION],
};

/** What the policy has to refuse a writer: RBAC allows all of it. */
const GUARDED: readonly (readonly [way: string, status: object])[] = [
  ['write a claim of another prefix', { clusterClaims: [AGENT_CLAIM, PRICE, { name: 'energy/grams', value: '1' }] }],
  [
    'write a claim whose name only begins alike',
    { clusterClaims: [AGENT_CLAIM, PRICE, { name: 'prices/x', value: '1' }] },
  ],
  ['change a claim of the agent', { clusterClaims: [{ ...AGENT_CLAIM, value: 'gcp' }, PRICE] }],
  ['take a claim of the agent away', { clusterClaims: [PRICE] }],
  [
    'write 17 claims',
    { clusterClaims: [AGENT_CLAIM, ...Array.from({ length: 17 }, (_, n) => ({ name: `price/${n}`, value: '' }))] },
  ],
  ['change the version', { version: { kubernetes: 'v1.99.0' } }],
  ['change the capacity', { capacity: { cpu: '800' } }],
  ['change what is allocatable', { allocatable: { cpu: '700' } }],
  ['change the nodes', { nodes: { total: 300, ready: 300 } }],
  ['change a condition', { conditions: [{ ...CONDITION, status: 'False' }] }],
  ['take the conditions away', { conditions: null }],
  ['add a time of a taint', { taintTimes: [{ key: 'a', effect: 'NoSelect', since: '2020-01-01T00:00:00Z' }] }],
  ['add an address', { managedClusterClientConfigs: [{ url: 'https://example.com' }] }],
];

describeWithServer('a component that writes prices', { own: true }, (server) => {
  let token = '';
  let kubeconfig = '';
  const send = (request: ApiRequest): Promise<ApiAnswer> => server().call({ ...request, token });
  const admin = (...args: string[]): Promise<string> => kubectlOk(args, { kubeconfig: server().adminKubeconfig });
  const claims = async (): Promise<unknown> =>
    at((await server().call({ path: `${CLUSTERS}/edge-1` })).body, 'status.clusterClaims');
  const report = (status: object): Promise<KubectlResult> =>
    kubectl(['apply', '--server-side', '--subresource=status', '--field-manager=agent', '-f', '-'], {
      kubeconfig: server().adminKubeconfig,
      input: JSON.stringify({ ...head('edge-1'), status }),
    });

  /** Runs the script of the example with this input, as the ServiceAccount `price`. */
  async function price(lines: string): Promise<string> {
    const running = promisify(execFile)('sh', [path.join(root, 'examples/scores/price.sh')], {
      env: { PATH: pathWithKubectl(), KUBECONFIG: kubeconfig, HOME: '/nonexistent' },
      timeout: LONG_MS,
    });
    running.child.stdin?.end(lines);
    return (await running).stdout;
  }

  beforeAll(async () => {
    await admin('apply', '--server-side', '-f', path.join(root, 'crds'));
    await kindsServed(server());
    await admin('apply', '-k', path.join(root, 'deploy/score-writers'));
    await admin('create', 'serviceaccount', 'price', '-n', NAMESPACE);
    await kubectlOk(['apply', '-f', '-'], {
      kubeconfig: server().adminKubeconfig,
      input: JSON.stringify(head('edge-1')),
    });
    expect(await report(REPORTED)).toMatchObject({ code: 0 });
    const serviceAccount = { namespace: NAMESPACE, name: 'price' };
    token = await server().tokenFor({ serviceAccount });
    kubeconfig = await server().kubeconfigFor({ serviceAccount });
    await waitFor('the policy to be in force', async () =>
      (await send(merge(STATUS, { status: GUARDED[0]?.[1] ?? {} }))).text.includes(POLICY),
    );
  }, LONG_MS);

  test(
    'the script of the example writes the price of clusters, changes it, and leaves what the agent reports',
    async () => {
      expect(await price('edge-1 0.40\n')).toBe('managedcluster.cluster.fleetmgmt.io/edge-1 serverside-applied\n');
      await price('edge-1 0.35\n');

      expect(await claims()).toEqual([AGENT_CLAIM, PRICE]);
      const { body } = await server().call({ path: `${CLUSTERS}/edge-1` });
      expect(at(body, 'status')).toEqual({ ...REPORTED, clusterClaims: [AGENT_CLAIM, PRICE] });
    },
    LONG_MS,
  );

  test('what the agent applies next takes nothing of the price away', async () => {
    const changed = { ...AGENT_CLAIM, value: 'azure' };

    expect(await report({ ...REPORTED, clusterClaims: [changed] })).toMatchObject({ code: 0 });
    expect(await claims()).toEqual([changed, PRICE]);
    expect(await report(REPORTED)).toMatchObject({ code: 0 });
    expect(await claims()).toEqual([AGENT_CLAIM, PRICE]);
  });

  test('a cluster that is not there gets no price, and is not created', async () => {
    await expect(price('edge-2 0.35\n')).rejects.toThrow('not found');
  });

  test.each(GUARDED)('the policy refuses a writer of prices to %s', async (_way, status) => {
    const { status: code, text } = await send(merge(STATUS, { status }));

    expect([code, text]).toEqual([403, expect.stringContaining(`ValidatingAdmissionPolicy '${POLICY}'`)]);
  });

  test('the policy of this test names every field of the status', () => {
    const crd = load(readFileSync(path.join(root, 'crds/managedcluster.yaml'), 'utf8'));
    const status = at(crd, 'spec.versions.0.schema.openAPIV3Schema.properties.status.properties');
    const [policy] = loadAll(readFileSync(path.join(root, 'deploy/score-writers/policy.yaml'), 'utf8'));
    const text = JSON.stringify(policy);

    expect(Object.keys(Object(status)).filter((field) => !text.includes(`before.?${field}`))).toEqual([]);
  });

  test('labels, taints and other objects are beyond the rights of a writer', async () => {
    const attempts: readonly ApiRequest[] = [
      merge(`${CLUSTERS}/edge-1`, { metadata: { labels: { tier: 'gold' } } }),
      merge(`${CLUSTERS}/edge-1`, { spec: { taints: [] } }),
      apply(`${CLUSTERS}/edge-3`, head('edge-3')),
      remove(`${CLUSTERS}/edge-1`),
      post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'x' } }),
    ];

    expect(await Promise.all(attempts.map(async (one) => (await send(one)).status))).toEqual([403, 403, 403, 403, 403]);
    // The status alone is written through its subresource: what else the request says of the object is dropped.
    await send({ ...merge(STATUS, { metadata: { labels: { tier: 'gold' } } }), path: STATUS });
    expect(at((await server().call({ path: `${CLUSTERS}/edge-1` })).body, 'metadata.labels')).toBeUndefined();
  });
});

function head(name: string): { apiVersion: string; kind: string; metadata: { name: string } } {
  return { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedCluster', metadata: { name } };
}
