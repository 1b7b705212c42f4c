import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installCrds, kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { ManagedCluster } from '../../src/api/generated/managedcluster.js';
import { FOLLOWS_PLACEMENT_ANNOTATION, SOURCE_REVISION_ANNOTATION } from '../../src/api/names.js';
import {
  ClusterProfiles,
  ManagedClusters,
  MultiKueueConfigs,
  OcmManagedClusters,
  Placements,
  SigPlacementDecisions,
} from '../../src/api/resources.js';
import type { ClusterProfile } from '../../src/domain/inventories/clusterprofile.js';
import type { SourceObject } from '../../src/domain/inventories/source.js';
import type { MultiKueueConfig } from '../../src/operator/controllers/followers/multikueue.js';
import type { SigDecision } from '../../src/domain/placement/publish/sigdecision.js';
import { runComponents, type Components } from '../support/hub/components.js';
import { isDeployment, type Deployment } from '../support/hub/deployment.js';
import { applyFolder, withComponents } from '../support/hub/overlays.js';
import { startPod, type Pod } from '../support/hub/pod.js';
import { root } from '../support/repository/root.js';
import { Fleet } from '../support/rigs/server/placement.js';
import { rendered } from '../integration/deploy/overlay.js';

const LONG_MS = 240_000;
const NAMESPACE = 'cluster-inventory';
const INVENTORIES = 'multicluster-engine-inventories';
const HUB = { capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts'] } as const;
const options = { fieldManager: 'inventory', force: false };
const AVAILABLE = {
  type: 'ManagedClusterConditionAvailable',
  status: 'True',
  reason: 'ManagedClusterAvailable',
  message: 'is available',
  lastTransitionTime: '2026-11-22T10:00:00Z',
};

describeWithServer(
  'a hub with deploy/inventories, deploy/sig-decisions, deploy/multikueue and deploy/cluster-profiles',
  { own: true, ...HUB },
  (server) => {
    const pods: Pod[] = [];
    let components: Components | undefined;
    let fleet: Fleet;

    beforeAll(async () => {
      const admin = { kubeconfig: server().adminKubeconfig };
      const optional = ['inventories', 'sig-decisions', 'multikueue', 'cluster-profiles'];
      const folder = await withComponents(server(), 'default', optional);
      await kubectlOk(['create', 'namespace', NAMESPACE], admin);
      await applyFolder(server(), folder);
      await kindsServed(server());
      fleet = new Fleet(server());
      const objects: readonly unknown[] = await rendered(server(), folder);
      const deployments = objects.filter(isDeployment);
      for (const name of ['multicluster-engine-operator', INVENTORIES])
        pods.push(await startPod(server(), pick(deployments, name), { name: `${name}-0` }));
      for (const pod of pods) await pod.ready();
      await kubectlOk(['apply', '-f', path.join(root, 'examples', 'engine.yaml')], admin);
      components = runComponents(server());
    }, LONG_MS);
    afterAll(async () => {
      await components?.stop();
      await Promise.all(pods.map((pod) => pod.stop()));
      await fleet.close();
    }, LONG_MS);

    /** The ClusterProfile of a cluster, once it is complete. */
    const published = (name: string): Promise<ClusterProfile> =>
      waitFor(
        `the profile of ${name} to be complete`,
        async (seen) => {
          const found = await fleet.client.get<ClusterProfile>(ClusterProfiles, { namespace: NAMESPACE, name });
          seen(found);
          return found?.metadata.annotations?.[SOURCE_REVISION_ANNOTATION] === undefined ? undefined : found;
        },
        { deadlineMs: 120_000 },
      );
    const decided = (): Promise<SigDecision | undefined> =>
      fleet.client.get<SigDecision>(SigPlacementDecisions, { namespace: 'team', name: 'web-decision-1' });

    it(
      'clusters of both inventories can be labelled and tainted, are selected, and are published with their decisions for SIG Multicluster and Kueue, once the APIs are served',
      async () => {
        await waitFor('the APIs to be missed', () => (pods[1]?.log().split('API is not served').length ?? 0) >= 3);
        await installCrds(server(), path.join(root, 'test', 'support', 'definitions'));
        await fleet.client.apply<SourceObject>(
          ClusterProfiles,
          { metadata: { namespace: NAMESPACE, name: 'edge-1' }, spec: { clusterManager: { name: 'manager' } } },
          options,
        );
        const ocm = { metadata: { name: 'edge-2' }, spec: { hubAcceptsClient: true } };
        await fleet.client.apply<SourceObject>(OcmManagedClusters, ocm, options);
        const reported = { metadata: { name: 'edge-2' }, status: { conditions: [AVAILABLE] } };
        await fleet.client.applyStatus<SourceObject>(OcmManagedClusters, reported, options);
        for (const name of ['edge-1', 'edge-2'])
          await waitFor(`${name} to be added`, () => fleet.client.get(ManagedClusters, { name }), {
            deadlineMs: 90_000,
          });
        await fleet.set('fleet');
        await fleet.namespace('team', 'fleet');
        for (const name of ['edge-1', 'edge-2']) await fleet.cluster(name, 'fleet');
        const taints = [{ key: 'old', effect: 'PreferNoSelect' as const }];
        const tainted = { metadata: { name: 'edge-1' }, spec: { taints } };
        await fleet.client.apply<ManagedCluster>(ManagedClusters, tainted, { fieldManager: 'people', force: false });
        await fleet.place('team', 'web', {});

        const object = await waitFor(
          'the decision to be published',
          async (seen) => {
            const found = await decided();
            seen(found);
            return found?.decisions.length === 2 ? found : undefined;
          },
          { deadlineMs: 120_000 },
        );
        const named = ({ clusterProfileRef }: SigDecision['decisions'][number]): string => clusterProfileRef.name;
        expect(object.decisions.toSorted((a, b) => (named(a) < named(b) ? -1 : 1))).toEqual([
          { clusterProfileRef: { name: 'edge-1', namespace: NAMESPACE } },
          { clusterProfileRef: { name: 'edge-2', namespace: NAMESPACE } },
        ]);
        const profile = await published('edge-2');
        expect(profile.spec.clusterManager.name).toBe('multicluster-engine');
        expect(profile.status?.conditions).toMatchObject([{ type: 'ControlPlaneHealthy', status: 'True' }]);

        await fleet.client.create<MultiKueueConfig>(
          MultiKueueConfigs,
          {
            metadata: { name: 'gpus', annotations: { [FOLLOWS_PLACEMENT_ANNOTATION]: 'team/web' } },
            spec: { clusters: ['any'] },
          },
          options,
        );
        const listed = async (): Promise<readonly string[]> =>
          (await fleet.client.get<MultiKueueConfig>(MultiKueueConfigs, { name: 'gpus' }))?.spec?.clusters ?? [];
        await waitFor('Kueue to have the clusters', async () => (await listed()).length === 2);
        expect((await listed()).toSorted()).toEqual(['edge-1', 'edge-2']);

        await fleet.remove(Placements, { namespace: 'team', name: 'web' });
        await waitFor('the published decision to go with the Placement', async () => (await decided()) === undefined, {
          deadlineMs: 120_000,
        });
      },
      LONG_MS,
    );
  },
);

function pick(deployments: readonly Deployment[], name: string): Deployment {
  const found = deployments.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`no Deployment ${name} is rendered`);
  return found;
}
