import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import {
  ClusterProfiles,
  ManagedClusters,
  OcmAddOnPlacementScores,
  OcmManagedClusters,
} from '../../../src/api/resources.js';
import { Namespaces } from '../../../src/runtime/vocabulary/kinds.js';
import type { SourceObject } from '../../../src/domain/inventories/source.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import type { KubeClient } from '../../../src/runtime/client/client.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';
import { transportOf } from '../../support/clients/transport.js';
import { root } from '../../support/repository/root.js';
import { InventoryServerRig } from '../../support/rigs/server/inventories.js';

const LONG_MS = 180_000;
const NAMESPACE = 'fleet';
const SINCE = '2026-11-22T10:00:00Z';
const options = { fieldManager: 'inventory', force: false };

describeWithServer('other inventories', { own: true }, (server) => {
  let running: InventoryServerRig;
  let transport: Transport;
  let client: KubeClient;

  beforeAll(async () => {
    await installCrds(server());
    transport = transportOf(server().adminKubeconfig, {});
    client = createClient(transport);
    await client.create(Namespaces, { metadata: { name: NAMESPACE } }, options);
    running = new InventoryServerRig(server(), NAMESPACE);
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await transport.close();
  }, LONG_MS);

  const cluster = (name: string): Promise<ManagedCluster | undefined> =>
    client.get<ManagedCluster>(ManagedClusters, { name });
  /** Where the object of an inventory is read before its status, the taint of the cluster comes a minute later. */
  const matches = (name: string, wanted: object): Promise<true> =>
    waitFor(
      `cluster ${name}`,
      async (seen) => {
        const found = await cluster(name);
        seen(found);
        return isMatch(found, wanted) || undefined;
      },
      { deadlineMs: 90_000 },
    );
  /** Applies an object of an inventory, and its status. */
  async function apply(type: typeof ClusterProfiles, object: SourceObject): Promise<void> {
    await client.apply<SourceObject>(type, object, options);
    await client.applyStatus<SourceObject>(type, object, options);
  }
  const profile = (name: string, labels: Record<string, string>, status: object): Promise<void> =>
    apply(ClusterProfiles, {
      metadata: { namespace: NAMESPACE, name, labels },
      spec: { clusterManager: { name: 'manager' } },
      status,
    });

  it(
    'while no API is served this is reported for each, and once they are their clusters are there',
    async () => {
      const missing = (): readonly object[] =>
        running.log.lines.filter(({ message }) => message.startsWith('API is not served')).map(({ fields }) => fields);
      await waitFor('all APIs to be missed', () => Promise.resolve(missing().length === 3 || undefined));

      await installCrds(server(), path.join(root, 'test', 'support', 'definitions'));
      await profile('edge-1', { region: 'eu' }, { properties: [{ name: 'zone', value: 'a' }], conditions: [down] });
      await apply(OcmManagedClusters, {
        metadata: { name: 'edge-2', labels: { 'cluster.open-cluster-management.io/clusterset': 'prod' } },
        spec: { hubAcceptsClient: true, taints: [{ key: 'gpu', effect: 'NoSelect', timeAdded: SINCE }] },
        status: { clusterClaims: [{ name: 'id.k8s.io', value: 'x' }], conditions: [available] },
      });
      await client.apply<SourceObject>(
        OcmManagedClusters,
        { metadata: { name: 'refused' }, spec: { hubAcceptsClient: false } },
        options,
      );

      await matches('edge-1', {
        metadata: { labels: { region: 'eu' } },
        spec: { taints: [{ key: 'cluster.fleetmgmt.io/unavailable', effect: 'NoSelect', timeAdded: SINCE }] },
        status: {
          clusterClaims: [{ name: 'zone', value: 'a' }],
          conditions: [{ status: 'False', message: 'no answer' }],
        },
      });
      await matches('edge-2', {
        metadata: { labels: { 'cluster.open-cluster-management.io/clusterset': 'prod' } },
        spec: { taints: [{ key: 'gpu', effect: 'NoSelect', timeAdded: SINCE }] },
        status: { clusterClaims: [{ name: 'id.k8s.io', value: 'x' }], conditions: [{ status: 'True' }] },
      });
      expect(await cluster('refused')).toBeUndefined();
    },
    LONG_MS,
  );

  it(
    'scores of add-ons of Open Cluster Management are claims for as long as they are there and valid',
    async () => {
      const claims = (...wanted: readonly (readonly [name: string, value: string])[]): Promise<true> =>
        waitFor(`claims ${JSON.stringify(wanted)}`, async (seen) => {
          const found = (await cluster('edge-2'))?.status?.clusterClaims ?? [];
          seen(found);
          return JSON.stringify(found.map(({ name, value }) => [name, value])) === JSON.stringify(wanted) || undefined;
        });
      const score = (value: number, validUntil?: Date): Promise<void> =>
        apply(OcmAddOnPlacementScores, {
          metadata: { namespace: 'edge-2', name: 'usage' },
          status: { scores: [{ name: 'cpu', value }], ...(validUntil && { validUntil: validUntil.toISOString() }) },
        });
      await client.create(Namespaces, { metadata: { name: 'edge-2' } }, options);
      await score(30);
      await claims(['id.k8s.io', 'x'], ['score/usage/cpu', '30']);
      await score(40, new Date(Date.now() + 3_000));
      await claims(['id.k8s.io', 'x'], ['score/usage/cpu', '40']);
      await claims(['id.k8s.io', 'x']);
      await score(50);
      await claims(['id.k8s.io', 'x'], ['score/usage/cpu', '50']);
      const scorePath =
        '/apis/cluster.open-cluster-management.io/v1alpha1/namespaces/edge-2/addonplacementscores/usage';
      expect((await server().call({ method: 'DELETE', path: scorePath })).status).toBe(200);
      await claims(['id.k8s.io', 'x']);
    },
    LONG_MS,
  );

  it(
    'a cluster that gets an agent keeps the claims of the inventory, and those that the agent publishes are its own',
    async () => {
      const reserved = (platform: string): SourceObject => ({
        metadata: { name: 'edge-9' },
        spec: { hubAcceptsClient: true },
        status: {
          clusterClaims: [
            { name: 'id.k8s.io', value: 'edge-9' },
            { name: 'platform.open-cluster-management.io', value: platform },
          ],
        },
      });
      await apply(OcmManagedClusters, reserved('AWS'));
      const others = [{ name: 'platform.open-cluster-management.io', value: 'AWS' }];
      const platform = { name: 'platform.cluster.fleetmgmt.io', value: 'AWS' };
      await matches('edge-9', {
        status: { clusterClaims: [{ name: 'id.k8s.io', value: 'edge-9' }, platform, ...others] },
      });

      const agent = { fieldManager: 'multicluster-engine-agent', force: true };
      const metadata = { name: 'edge-9', uid: (await cluster('edge-9'))?.metadata.uid ?? '' };
      await client.apply<ManagedCluster>(ManagedClusters, { metadata, spec: { hubAcceptsClient: true } }, agent);
      const clusterClaims = [{ name: 'id.k8s.io', value: 'uid-9' }, platform];
      await client.applyStatus<ManagedCluster>(
        ManagedClusters,
        { metadata, spec: {}, status: { clusterClaims } },
        agent,
      );
      await apply(OcmManagedClusters, reserved('Azure'));
      await quietWindow(1_000);

      // In any order: a list with keys is a set.
      const found = (await cluster('edge-9'))?.status?.clusterClaims ?? [];
      expect(found).toHaveLength(3);
      expect(found).toEqual(expect.arrayContaining([...clusterClaims, ...others]));
    },
    LONG_MS,
  );

  it(
    'what the source loses goes, what people add stays, and nothing is written while nothing changes',
    async () => {
      const labels = { region: 'eu', old: 'x' };
      await profile('edge-3', labels, {
        properties: [
          { name: 'zone', value: 'a' },
          { name: 'old', value: 'x' },
        ],
        conditions: [down],
      });
      await matches('edge-3', { metadata: { labels }, status: { clusterClaims: [{ name: 'old' }, { name: 'zone' }] } });
      await client.apply<ManagedCluster>(
        ManagedClusters,
        {
          metadata: { name: 'edge-3', labels: { 'cluster.fleetmgmt.io/clusterset': 'prod' } },
          spec: { taints: [{ key: 'mine', effect: 'NoSelect' }] },
        },
        { ...options, fieldManager: 'people' },
      );

      await profile('edge-3', { region: 'us' }, { properties: [{ name: 'zone', value: 'b' }], conditions: [healthy] });
      await waitFor('the changes to be applied', async (seen) => {
        const found = await cluster('edge-3');
        seen(found);
        // The status is written before the taint of the unavailable cluster goes.
        const areDone = found?.status?.conditions?.[0]?.status === 'True' && found.spec.taints?.length === 1;
        return areDone && found.metadata.labels?.['region'] === 'us';
      });
      const found = await cluster('edge-3');
      expect(found?.metadata.labels).toEqual({ region: 'us', 'cluster.fleetmgmt.io/clusterset': 'prod' });
      expect(found?.spec.taints).toEqual([{ key: 'mine', effect: 'NoSelect' }]);
      expect(found?.status?.clusterClaims).toEqual([{ name: 'zone', value: 'b' }]);

      const mark = await server().logMark();
      await quietWindow(1_000);
      expect(await running.writes(mark)).toEqual([]);
    },
    LONG_MS,
  );
});

const condition = (type: string, status: string, reason: string, message: string): object => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: SINCE,
});
const down = condition('ControlPlaneHealthy', 'False', 'Down', 'no answer');
const healthy = condition('ControlPlaneHealthy', 'True', 'Up', 'answers');
const available = condition('ManagedClusterConditionAvailable', 'True', 'ManagedClusterAvailable', 'is available');

/** Whether `found` has all of `wanted`. */
function isMatch(found: unknown, wanted: unknown): boolean {
  try {
    expect(found).toMatchObject(wanted as object);
    return true;
  } catch {
    return false;
  }
}
