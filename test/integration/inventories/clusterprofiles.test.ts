import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import { ClusterProfiles, ManagedClusters } from '../../../src/api/resources.js';
import type { ClusterProfile } from '../../../src/domain/inventories/clusterprofile.js';
import { Namespaces } from '../../../src/runtime/vocabulary/kinds.js';
import { root } from '../../support/repository/root.js';
import { ClusterProfileServerRig } from '../../support/rigs/server/clusterprofiles.js';
import { InventoryServerRig } from '../../support/rigs/server/inventories.js';
import { Fleet } from '../../support/rigs/server/placement.js';

const LONG_MS = 180_000;
const NAMESPACE = 'inventory';
const SINCE = '2026-11-22T10:00:00Z';
const SOURCE = 'cluster.fleetmgmt.io/source';
const theirs = { fieldManager: 'theirs', force: false };

describeWithServer(
  'clusters as ClusterProfiles, in the namespace that is read as an inventory, too',
  { own: true },
  (server) => {
    let fleet: Fleet;
    let publishing: ClusterProfileServerRig;
    let reading: InventoryServerRig;

    beforeAll(async () => {
      await installCrds(server());
      fleet = new Fleet(server());
      await fleet.client.create(Namespaces, { metadata: { name: NAMESPACE } }, theirs);
      publishing = new ClusterProfileServerRig(server(), NAMESPACE);
      reading = new InventoryServerRig(server(), NAMESPACE);
    }, LONG_MS);
    afterAll(async () => {
      await publishing.stop();
      await reading.stop();
      await fleet.close();
    }, LONG_MS);

    const profile = (name: string): Promise<ClusterProfile | undefined> =>
      fleet.client.get<ClusterProfile>(ClusterProfiles, { namespace: NAMESPACE, name });
    const matches = (name: string, wanted: object): Promise<ClusterProfile> =>
      waitFor(`profile ${name}`, async (seen) => {
        const found = await profile(name);
        seen(found);
        return isMatch(found, wanted) ? found : undefined;
      });
    const report = (name: string, status: unknown): Promise<void> => fleet.report({ metadata: { name }, status });

    it(
      'while the API is not served nothing is published, and once it is each cluster has a profile that its schema accepts',
      async () => {
        await fleet.cluster('edge-1', 'prod', { tier: 'gold' });
        await report('edge-1', {
          version: { kubernetes: 'v1.36.3' },
          clusterClaims: [
            { name: 'platform', value: 'aws' },
            { name: 'empty', value: '' },
          ],
          conditions: [
            condition('ManagedClusterConditionAvailable', 'True', 'ManagedClusterAvailable'),
            condition('ManagedClusterJoined', 'True', 'ManagedClusterJoined'),
          ],
          managedClusterClientConfigs: [{ url: 'https://edge-1:6443', caBundle: 'LS0tLS1CRUdJTi0=' }],
        });
        await fleet.cluster('edge-2', 'prod');
        await waitFor('the API to be missed', () =>
          Promise.resolve(
            publishing.log.lines.some(({ message }) => message.startsWith('API is not served')) || undefined,
          ),
        );
        await installCrds(server(), path.join(root, 'test', 'support', 'definitions'));

        const { status } = await matches('edge-1', {
          metadata: { labels: { tier: 'gold', 'x-k8s.io/cluster-manager': 'multicluster-engine' } },
          spec: { clusterManager: { name: 'multicluster-engine' } },
        });
        expect(status).toEqual({
          version: { kubernetes: 'v1.36.3' },
          properties: [{ name: 'platform', value: 'aws' }],
          conditions: [
            { ...condition('ControlPlaneHealthy', 'True', 'ManagedClusterAvailable') },
            { ...condition('Joined', 'True', 'ManagedClusterJoined') },
          ],
          accessProviders: [
            {
              name: 'multicluster-engine',
              cluster: {
                server: 'https://edge-1:6443',
                'certificate-authority-data': 'LS0tLS1CRUdJTi0=',
                extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { clusterName: 'edge-1' } }],
              },
            },
          ],
        });
        await matches('edge-2', {
          metadata: { annotations: { [SOURCE]: 'managedclusters.cluster.fleetmgmt.io/edge-2' } },
        });
      },
      LONG_MS,
    );

    it(
      'what the cluster loses goes, what others add stays, and what they change is put right',
      async () => {
        const added = { name: 'secretreader', cluster: { server: 'https://proxy' } };
        await fleet.client.applyStatus(
          ClusterProfiles,
          {
            metadata: { namespace: NAMESPACE, name: 'edge-1' },
            status: { accessProviders: [added] },
          } as object as ClusterProfile,
          theirs,
        );
        await fleet.cluster('edge-1', 'prod');
        await report('edge-1', { clusterClaims: [{ name: 'platform', value: 'gcp' }] });

        const followed = { properties: [{ name: 'platform', value: 'gcp' }] };
        const changed = await waitFor('the profile to follow', async (seen) => {
          const found = await profile('edge-1');
          seen(found);
          // Labels and status are two writes.
          const isFollowed = found?.metadata.labels?.['tier'] === undefined && isMatch(found, { status: followed });
          return isFollowed ? found : undefined;
        });
        expect(changed.metadata.labels).toEqual({
          'cluster.fleetmgmt.io/clusterset': 'prod',
          'x-k8s.io/cluster-manager': 'multicluster-engine',
        });
        expect(changed.status).toEqual({ ...followed, accessProviders: [added] });

        const metadata = { namespace: NAMESPACE, name: 'edge-1', uid: changed.metadata.uid ?? '' };
        const forced = { metadata, status: { properties: [{ name: 'platform', value: 'x' }] } } as object;
        await fleet.client.applyStatus(ClusterProfiles, forced as ClusterProfile, { ...theirs, force: true });
        await matches('edge-1', { status: followed });
      },
      LONG_MS,
    );

    it(
      'profiles of others become clusters, which get no second profile; ours become none, and nothing is written any more',
      async () => {
        await fleet.client.apply<ClusterProfile>(
          ClusterProfiles,
          { metadata: { namespace: NAMESPACE, name: 'edge-3' }, spec: { clusterManager: { name: 'manager' } } },
          theirs,
        );
        await waitFor('edge-3 to be a cluster', () =>
          fleet.client.get<ManagedCluster>(ManagedClusters, { name: 'edge-3' }),
        );
        const mark = await server().logMark();
        await quietWindow(1_500);

        expect((await profile('edge-3'))?.spec.clusterManager.name).toBe('manager');
        const clusters = await fleet.client.list<ManagedCluster>(ManagedClusters, undefined);
        expect(clusters.map(({ metadata }) => [metadata.name, metadata.annotations?.[SOURCE]])).toEqual([
          ['edge-1', undefined],
          ['edge-2', undefined],
          ['edge-3', `clusterprofiles.multicluster.x-k8s.io/${NAMESPACE}/edge-3`],
        ]);
        expect(await publishing.writes(mark)).toEqual([]);
        expect(await reading.writes(mark)).toEqual([]);
      },
      LONG_MS,
    );
  },
);

function condition(type: string, status: string, reason: string): object {
  return { type, status, reason, message: '', lastTransitionTime: SINCE };
}

/** Whether `found` has all of `wanted`. */
function isMatch(found: unknown, wanted: unknown): boolean {
  try {
    expect(found).toMatchObject(wanted as object);
    return true;
  } catch {
    return false;
  }
}
