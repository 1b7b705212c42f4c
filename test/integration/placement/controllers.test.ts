import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../src/api/resources.js';
import { CustomResourceDefinitions, Namespaces } from '../../../src/runtime/vocabulary/kinds.js';
import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import type { ManagedClusterSetBinding } from '../../../src/api/generated/managedclustersetbinding.js';
import type { ManagedClusterSet } from '../../../src/api/generated/managedclusterset.js';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { Fleet, PlacementServerRig } from '../../support/rigs/server/placement.js';

const LONG_MS = 300_000;
const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `c${String(index).padStart(3, '0')}`);
const wants = (key: string, value: string): object => ({
  requiredClusterSelector: { labelSelector: { matchLabels: { [key]: value } } },
});

describeWithServer('the placement controllers', { own: true }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;

  beforeAll(async () => {
    await installCrds(server());
    fleet = new Fleet(server());
    for (const set of ['east', 'west', 'store']) await fleet.set(set);
    await fleet.namespace('team', 'east', 'west');
    for (const name of names(30)) await fleet.cluster(name, Number(name.slice(1)) % 2 === 0 ? 'east' : 'west');
    running = new PlacementServerRig(server());
    await running.synced();
    for (const [set, count] of [
      ['east', 15],
      ['west', 15],
      ['store', 0],
    ] as const)
      await waitFor(`the count of ${set}`, async () => (await members(set)) === count || undefined);
    for (const set of ['east', 'west'])
      await waitFor(`the binding of ${set}`, async () => (await bound('team', set)) === 'ClusterSetBound' || undefined);
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  const members = async (set: string): Promise<number | undefined> =>
    (await fleet.client.get<ManagedClusterSet>(ManagedClusterSets, { name: set }))?.status?.numberOfClusters;
  const bound = async (namespace: string, name: string): Promise<string | undefined> =>
    (
      await fleet.client.get<ManagedClusterSetBinding>(ManagedClusterSetBindings, { namespace, name })
    )?.status?.conditions?.find((one) => one.type === 'Bound')?.reason;
  const ready = (name: string): Promise<true> =>
    waitFor(
      `${name} to be ready`,
      async () => (await fleet.reason('team', name, 'Ready')) === 'DecisionPublished' || undefined,
    );
  const selects = (name: string, clusters: readonly string[]): Promise<true> =>
    waitFor(`${name} to select ${clusters.join(' ')}`, async (seen) => {
      const selected = await fleet.selected('team', name);
      seen(selected);
      return selected?.join() === [...clusters].sort().join() || undefined;
    });

  /** Waits for the status, which is written after the decisions that it reports. */
  const counts = (name: string, clusters: number): Promise<true> =>
    waitFor(
      `${name} to count ${clusters}`,
      async () => (await fleet.placement('team', name))?.status?.numberOfSelectedClusters === clusters || undefined,
    );

  it(
    'the placement controllers follow labels and claims, and change only the Placement whose decision depends on them',
    async () => {
      await fleet.place('team', 'gold', { predicates: [wants('tier', 'gold')] });
      await fleet.place('team', 'aws', {
        predicates: [
          {
            requiredClusterSelector: {
              claimSelector: { matchExpressions: [{ key: 'platform', operator: 'In', values: ['A W S'] }] },
            },
          },
        ],
      });
      for (let n = 0; n < 40; n++)
        await fleet.place('team', `other-${n}`, {
          numberOfClusters: 2,
          predicates: [wants('tier', 'gold'), wants(`own-${n}`, 'yes')],
        });
      for (const name of ['gold', 'aws', ...Array.from({ length: 40 }, (_, n) => `other-${n}`)]) await ready(name);
      await quietWindow(1_000);
      const mark = await fleet.mark();

      await fleet.cluster('c001', 'west', { 'own-7': 'yes' });
      await selects('other-7', ['c001']);
      await counts('other-7', 1);
      await fleet.claim('c002', { platform: 'A W S' });
      await selects('aws', ['c002']);
      await counts('aws', 1);
      await quietWindow(1_000);

      expect(await fleet.writes(mark)).toEqual([
        'update placementdecisions other-7-decision-1',
        'update placements/status other-7',
        'update placementdecisions aws-decision-1',
        'update placements/status aws',
      ]);
    },
    LONG_MS,
  );

  it(
    'the placement controllers restore a deleted, an edited and a disowned decision object',
    async () => {
      await fleet.place('team', 'kept', { numberOfClusters: 2 });
      await ready('kept');
      const before = (await fleet.selected('team', 'kept')) ?? [];
      const uid = (await fleet.decision('team', 'kept-decision-1'))?.metadata.uid;

      await fleet.remove(PlacementDecisions, { namespace: 'team', name: 'kept-decision-1' });
      const back = await waitFor('the object to come back', async () => {
        const found = await fleet.decision('team', 'kept-decision-1');
        return found?.metadata.uid === uid ? undefined : found;
      });
      expect(back.status.decisions.map((one) => one.clusterName).sort()).toEqual(before);

      await fleet.client.update(
        PlacementDecisions,
        {
          ...back,
          metadata: { ...back.metadata, labels: { ...back.metadata.labels, theirs: 'x' } },
          status: { decisions: [] },
        },
        { fieldManager: 'other-client' },
      );
      await selects('kept', before);
      expect((await fleet.decision('team', 'kept-decision-1'))?.metadata.labels).toHaveProperty('theirs', 'x');
    },
    LONG_MS,
  );

  it(
    'the placement controllers do not change an object of another owner and report it until it is deleted',
    async () => {
      const foreign: KubeObject & { status: object } = {
        metadata: { namespace: 'team', name: 'guest-decision-1' },
        status: { decisions: [] },
      };
      const made = await fleet.client.create(PlacementDecisions, foreign, { fieldManager: 'other-client' });
      await fleet.place('team', 'guest', { numberOfClusters: 1 });

      await waitFor(
        'the refusal',
        async () => (await fleet.reason('team', 'guest', 'Ready')) === 'PublishFailed' || undefined,
      );
      const message = (await fleet.placement('team', 'guest'))?.status?.conditions?.find(
        (one) => one.type === 'PlacementSatisfied',
      )?.message;
      expect(message).toMatch(/^the 1 wanted cluster is missing; .*PlacementDecision team\/guest-decision-1/);
      expect((await fleet.decision('team', 'guest-decision-1'))?.metadata.resourceVersion).toBe(
        made.metadata.resourceVersion,
      );

      const { uid = '', resourceVersion = '' } = made.metadata;
      await fleet.client.delete(PlacementDecisions, made.metadata, { preconditions: { uid, resourceVersion } });
      await ready('guest');
      expect(await fleet.selected('team', 'guest')).toHaveLength(1);
    },
    LONG_MS,
  );

  it(
    'the placement controllers wait without an error while a namespace is being deleted',
    async () => {
      await fleet.namespace('doomed', 'east');
      await fleet.place('doomed', 'web', { numberOfClusters: 1 });
      await waitFor(
        'the decision',
        async () => (await fleet.reason('doomed', 'web', 'Ready')) === 'DecisionPublished' || undefined,
      );
      // The event is recorded after the status is stored.
      await waitFor('the event', () =>
        running.events.some(
          ({ reason, regarding }) => reason === 'DecisionPublished' && regarding.metadata.namespace === 'doomed',
        ),
      );
      const [errors, events] = [
        running.log.lines.filter((line) => line.level === 'error').length,
        running.events.length,
      ];

      await fleet.remove(Namespaces, { name: 'doomed' });
      await fleet.remove(PlacementDecisions, { namespace: 'doomed', name: 'web-decision-1' });
      await waitFor(
        'the refusal',
        async () => (await fleet.reason('doomed', 'web', 'Ready')) === 'PublishFailed' || undefined,
      );
      await quietWindow(2_000);

      expect((await fleet.placement('doomed', 'web'))?.status).toMatchObject({ phase: 'Unsatisfied', decisions: [] });
      expect(running.log.lines.filter((line) => line.level === 'error')).toHaveLength(errors);
      expect(running.events).toHaveLength(events);
      await fleet.remove(Placements, { namespace: 'doomed', name: 'web' });
    },
    LONG_MS,
  );

  it(
    'the placement controllers report that a binding is being deleted, and select no cluster that is being deleted',
    async () => {
      const held = { finalizers: ['example.com/hold'] };
      await fleet.namespace('leaving');
      const binding = { metadata: { namespace: 'leaving', name: 'east', ...held }, spec: { clusterSet: 'east' } };
      await fleet.client.create<ManagedClusterSetBinding>(ManagedClusterSetBindings, binding, { fieldManager: 'test' });
      await fleet.set('south');
      const labels = { [CLUSTER_SET_LABEL]: 'south' };
      await fleet.client.create<ManagedCluster>(
        ManagedClusters,
        { metadata: { name: 'held', labels, ...held }, spec: {} },
        { fieldManager: 'test' },
      );
      await waitFor('the count of south', async () => (await members('south')) === 1 || undefined);
      await waitFor(
        'the open binding',
        async () => (await bound('leaving', 'east')) === 'ClusterSetBound' || undefined,
      );

      await fleet.remove(ManagedClusterSetBindings, binding.metadata);
      await fleet.remove(ManagedClusters, { name: 'held' });

      await waitFor(
        'the binding to close',
        async () => (await bound('leaving', 'east')) === 'BindingDeleting' || undefined,
      );
      await waitFor('the count of south', async () => (await members('south')) === 0 || undefined);
      await fleet.release(ManagedClusterSetBindings, binding.metadata);
      await fleet.release(ManagedClusters, { name: 'held' });
    },
    LONG_MS,
  );

  it(
    'the placement controllers write the status of sets and bindings',
    async () => {
      await waitFor('the count of east', async () => (await members('east')) === 15 || undefined);
      await waitFor('the count of store', async () => (await members('store')) === 0 || undefined);

      await waitFor('the count of west', async () => (await members('west')) === 15 || undefined);

      await fleet.cluster('c003', 'store');

      await waitFor('the count of store', async () => (await members('store')) === 1 || undefined);
      await waitFor('the count of west', async () => (await members('west')) === 14 || undefined);
      await fleet.cluster('c003', 'west');
      await waitFor('the count of store', async () => (await members('store')) === 0 || undefined);
      await waitFor('the count of west', async () => (await members('west')) === 15 || undefined);
    },
    LONG_MS,
  );

  it(
    'the placement controllers keep every decision while the CRD of clusters is deleted and created again',
    async () => {
      await fleet.place('team', 'all');
      await ready('all');
      const before = (await fleet.selected('team', 'all')) ?? [];
      const found = await fleet.client.get<KubeObject & { spec: object }>(CustomResourceDefinitions, {
        name: 'managedclusters.cluster.fleetmgmt.io',
      });
      if (found === undefined) throw new Error('the definition is missing to begin with');
      const { uid = '', resourceVersion = '', labels = {}, annotations = {} } = found.metadata;
      const clusters = await fleet.client.list<KubeObject>(ManagedClusters, undefined);

      await fleet.client.delete(CustomResourceDefinitions, found.metadata, { preconditions: { uid, resourceVersion } });
      await waitFor(
        'the definition to be gone',
        async () =>
          (await fleet.client.get(CustomResourceDefinitions, { name: found.metadata.name })) === undefined || undefined,
      );
      await quietWindow(3_000);
      expect(await fleet.selected('team', 'all')).toEqual(before);

      await fleet.client.create(
        CustomResourceDefinitions,
        { metadata: { name: found.metadata.name, labels, annotations }, spec: found.spec } as KubeObject,
        { fieldManager: 'test' },
      );
      await waitFor('the type to be served', async () => {
        await fleet.client.list(ManagedClusters, undefined);
        return true;
      });
      for (const { metadata } of clusters)
        await fleet.cluster(metadata.name, metadata.labels?.['cluster.fleetmgmt.io/clusterset'] ?? '');
      await quietWindow(2_000);
      expect(await fleet.selected('team', 'all')).toEqual(before);

      await fleet.cluster('newcomer', 'east');
      await selects('all', [...before, 'newcomer']);
    },
    LONG_MS,
  );
});
