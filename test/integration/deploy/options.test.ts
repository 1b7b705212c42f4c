import { writeFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ApiAnswer, ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { installCrds, kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import { DEFAULT_TARGET_NAMESPACE, INVENTORIES_FIELD_MANAGER, OPERATOR_NAMESPACE } from '../../../src/api/names.js';
import {
  ClusterProfiles,
  ManagedClusters,
  OcmManagedClusters,
  Placements,
  SigPlacementDecisions,
} from '../../../src/api/resources.js';
import type { SourceObject } from '../../../src/domain/inventories/source.js';
import type { SigDecision } from '../../../src/domain/sigdecisions/decision.js';
import { servedFolder } from '../../support/hub/overlays.js';
import { root } from '../../support/repository/root.js';
import { InventoryServerRig } from '../../support/rigs/server/inventories.js';
import { Fleet, PlacementServerRig } from '../../support/rigs/server/placement.js';
import { SigDecisionServerRig } from '../../support/rigs/server/sigdecisions.js';
import { apply, merge, remove } from './attempts.js';

const LONG_MS = 240_000;
const NAMESPACE = 'cluster-inventory';
const ACCOUNT = { namespace: OPERATOR_NAMESPACE, name: 'multicluster-engine-inventories' };
const CLUSTERS = '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters';
const SOURCE = { 'cluster.fleetmgmt.io/source': 'clusterprofiles.multicluster.x-k8s.io/cluster-inventory/x' };
const options = { fieldManager: 'inventory', force: false };

/** Server-side apply of a ManagedCluster as the controller of inventories applies it, as a dry run. */
function applied(name: string, metadata: object, spec: Readonly<Record<string, unknown>> = {}): ApiRequest {
  const body = {
    apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
    kind: 'ManagedCluster',
    metadata: { name, ...metadata },
    spec,
  };
  const request = apply(`${CLUSTERS}/${name}`, body);
  return { ...request, path: request.path.replace(/fieldManager=[^&]+/, `fieldManager=${INVENTORIES_FIELD_MANAGER}`) };
}

/** What the policy has to refuse: RBAC allows all of it. */
const GUARDED: readonly (readonly [way: string, request: ApiRequest])[] = [
  ['make a cluster without a source', applied('new', {})],
  ['take a cluster of people over', applied('own', { annotations: SOURCE })],
  ['change the status of a cluster of people', merge(`${CLUSTERS}/own/status`, { status: { clusterClaims: [] } })],
  ['delete a cluster of people', remove(`${CLUSTERS}/own`)],
  ['let an agent in', applied('new', { annotations: SOURCE }, { hubAcceptsClient: true })],
  ['write a cluster with an agent', applied('joined', { annotations: SOURCE })],
  ['delete a cluster with an agent', remove(`${CLUSTERS}/joined`)],
  ['choose a set', applied('new', { annotations: SOURCE, labels: { 'cluster.fleetmgmt.io/clusterset': 'prod' } })],
];

describeWithServer(
  'deploy/inventories and deploy/sig-decisions',
  { own: true, capabilities: ['garbageCollection'] },
  (server) => {
    let inventories: InventoryServerRig;
    let placements: PlacementServerRig;
    let published: SigDecisionServerRig;
    let fleet: Fleet;

    beforeAll(async () => {
      const folder = path.join(server().folder, 'with-options');
      await mkdir(folder, { recursive: true });
      const overlay = path.relative(folder, await servedFolder(server(), 'namespaced'));
      const components = ['inventories', 'sig-decisions'].map((name) =>
        path.relative(folder, path.join(root, 'deploy', name)),
      );
      await writeFile(path.join(folder, 'kustomization.yaml'), JSON.stringify({ resources: [overlay], components }));
      const admin = { kubeconfig: server().adminKubeconfig };
      await kubectlOk(['apply', '--server-side', '-k', folder], admin);
      await kindsServed(server());
      await installCrds(server(), path.join(root, 'test', 'support', 'definitions'));
      await kubectlOk(['create', 'namespace', NAMESPACE], admin);
      await kubectlOk(['create', 'serviceaccount', 'placement-controller', '-n', DEFAULT_TARGET_NAMESPACE], admin);
      fleet = new Fleet(server());
      const created = { fieldManager: 'people', force: false };
      for (const [name, metadata, spec] of [
        ['own', {}, {}],
        ['joined', { annotations: SOURCE }, { hubAcceptsClient: true }],
      ] as const)
        await fleet.client.apply<ManagedCluster>(ManagedClusters, { metadata: { name, ...metadata }, spec }, created);
      inventories = await InventoryServerRig.start(server(), NAMESPACE, ACCOUNT);
      placements = new PlacementServerRig(server());
      published = await SigDecisionServerRig.start(server());
    }, LONG_MS);
    afterAll(async () => {
      await Promise.all([inventories, placements, published].map((rig) => rig.stop()));
      await fleet.close();
    }, LONG_MS);

    const decided = async (): Promise<SigDecision | undefined> =>
      fleet.client.get<SigDecision>(SigPlacementDecisions, { namespace: 'team', name: 'web-decision-1' });

    it(
      'with the rights of deploy/ clusters of both inventories can be labelled and tainted, are selected, and are published for SIG Multicluster',
      async () => {
        await fleet.client.apply<SourceObject>(
          ClusterProfiles,
          { metadata: { namespace: NAMESPACE, name: 'edge-1' }, spec: { clusterManager: { name: 'manager' } } },
          options,
        );
        await fleet.client.apply<SourceObject>(
          OcmManagedClusters,
          { metadata: { name: 'edge-2' }, spec: { hubAcceptsClient: true } },
          options,
        );
        await fleet.client.applyStatus<SourceObject>(
          OcmManagedClusters,
          { metadata: { name: 'edge-2' }, status: { conditions: [available] } },
          options,
        );
        for (const name of ['edge-1', 'edge-2'])
          await waitFor(`${name} to be added`, async () => fleet.client.get(ManagedClusters, { name }));
        await fleet.set('fleet');
        await fleet.namespace('team', 'fleet');
        for (const name of ['edge-1', 'edge-2']) await fleet.cluster(name, 'fleet');
        const taints = [{ key: 'old', effect: 'PreferNoSelect' as const }];
        const tainted = { metadata: { name: 'edge-1' }, spec: { taints } };
        await fleet.client.apply<ManagedCluster>(ManagedClusters, tainted, { fieldManager: 'people', force: false });
        await fleet.place('team', 'web', {});

        const object = await waitFor('the decision to be published', async (seen) => {
          const found = await decided();
          seen(found);
          return found?.decisions.length === 2 ? found : undefined;
        });
        expect(
          object.decisions.toSorted((a, b) => (a.clusterProfileRef.name < b.clusterProfileRef.name ? -1 : 1)),
        ).toEqual([
          { clusterProfileRef: { name: 'edge-1', namespace: NAMESPACE } },
          { clusterProfileRef: { name: 'edge-2' } },
        ]);

        await fleet.remove(Placements, { namespace: 'team', name: 'web' });
        await waitFor('the published decision to go with the Placement', async () => (await decided()) === undefined);
      },
      LONG_MS,
    );

    it(
      'the policy refuses all but marked clusters without an agent to the controller of inventories, and nothing else does',
      async () => {
        const token = await server().tokenFor({ serviceAccount: ACCOUNT });
        const send = (request: ApiRequest): Promise<ApiAnswer> => server().call({ ...request, token });
        const answers = await Promise.all(
          GUARDED.map(async ([way, request]) => [way, (await send(request)).text] as const),
        );
        const policy = 'multicluster-engine-inventories';
        expect(answers.filter(([, text]) => !text.includes(`ValidatingAdmissionPolicy '${policy}'`))).toEqual([]);

        const binding = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/${policy}`;
        expect((await server().call({ method: 'DELETE', path: binding })).status).toBe(200);
        await waitFor('the policy to end', async () => (await send(GUARDED[0]?.[1] ?? { path: '' })).status < 300);
        const allowed = await Promise.all(
          GUARDED.map(async ([way, request]) => [way, (await send(request)).status] as const),
        );
        expect(allowed.filter(([, status]) => status >= 300)).toEqual([]);
      },
      LONG_MS,
    );
  },
);

const available = {
  type: 'ManagedClusterConditionAvailable',
  status: 'True',
  reason: 'ManagedClusterAvailable',
  message: 'is available',
  lastTransitionTime: '2026-11-22T10:00:00Z',
};
