import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { DEFAULT_TARGET_NAMESPACE } from '../../src/api/names.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { createAll, fleetObject } from '../support/hub/fleet.js';
import { Hub, inWords } from '../support/hub/hub.js';
import type { Pod } from '../support/hub/pod.js';
import { condition } from '../support/scenario/checks/reading.js';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const TARGET = DEFAULT_TARGET_NAMESPACE;
const PLACEMENTS = 20;
const HUB = {
  capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts', 'requestLog'],
} as const;

function placement(name: string, index: number): AnyObject {
  const predicate = {
    requiredClusterSelector: { labelSelector: { matchLabels: { tier: index % 2 === 0 ? 'gold' : 'silver' } } },
  };
  return fleetObject(
    'Placement',
    { name, namespace: 'shop' },
    { numberOfClusters: 3 + (index % 5), predicates: [predicate] },
  );
}

/** A Placement whose messages name a missing set and a key that no cluster has, with a budget. */
const SHORT = fleetObject(
  'Placement',
  { name: 'short', namespace: 'shop' },
  {
    numberOfClusters: 500,
    ClusterSets: ['nope', 'prod'],
    disruptionBudget: { maxRemovals: 1 },
    predicates: ['teir', 'tier'].map((key) => ({
      requiredClusterSelector: { labelSelector: { matchLabels: { [key]: 'gold' } } },
    })),
  },
);

/** A Placement whose budget lets no cluster leave. */
const HELD = fleetObject(
  'Placement',
  { name: 'held', namespace: 'shop' },
  {
    disruptionBudget: { maxRemovals: 0 },
    predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { kept: 'yes' } } } }],
  },
);

describeWithServer('a hub at rest', { own: true, ...HUB }, (server) => {
  let hub: Hub;

  beforeAll(async () => {
    hub = await Hub.open(server());
    await hub.kubectl('apply', '-f', 'examples/engine.yaml');
    await hub.available();
    await hub.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await createAll(server(), [
      fleetObject('ManagedClusterSet', { name: 'prod' }),
      fleetObject('ManagedClusterSetBinding', { name: 'prod', namespace: 'shop' }, { clusterSet: 'prod' }),
    ]);
    await createAll(
      server(),
      Array.from({ length: 60 }, (_, n) =>
        fleetObject('ManagedCluster', {
          name: `c-${n}`,
          labels: {
            'cluster.fleetmgmt.io/clusterset': 'prod',
            tier: n % 2 === 0 ? 'gold' : 'silver',
            ...(n < 3 ? { kept: 'yes' } : {}),
          },
        }),
      ),
    );
    await createAll(server(), [...Array.from({ length: PLACEMENTS }, (_, n) => placement(`p-${n}`, n)), SHORT, HELD]);
    await hub.kubectl('wait', '--for=condition=Ready', '--timeout=120s', '-n', 'shop', 'placement', '--all');
    await hub.kubectl('label', 'mcl', 'c-0', 'c-1', 'kept-');
    await hub.kubectl('wait', '--for=condition=RemovalsHeld', '--timeout=120s', '-n', 'shop', 'placement/held');
    await hub.settled();
  }, 8 * MINUTE);
  afterAll(() => hub.stop(), 3 * MINUTE);

  /**
   * Waits until a process holds its lease: then its caches have synced and it reconciles, so that silence is
   * meaningful.
   */
  async function leads(pod: Pod): Promise<void> {
    await waitFor(`${pod.name} to lead`, async (seen) => {
      const metrics = (await pod.metrics()) ?? '';
      seen(metrics.split('\n').filter((line) => line.startsWith('leader_election_master_status')));
      return /^leader_election_master_status\{.*\} 1$/m.test(metrics);
    });
  }

  it(
    'a hub at rest gets no writes of the operator or the placement controller for 20 s, except lease renewals',
    async () => {
      const mark = await server().logMark();
      await quietWindow(20_000);

      expect((await hub.writes(mark)).map(inWords)).toEqual([]);
      const renewals = await server().requestLog({
        after: mark,
        resources: ['leases'],
        user: /:(multicluster-engine-operator|placement-controller)$/,
      });
      expect(new Set(renewals.map(({ name }) => name))).toEqual(
        new Set(['multicluster-engine-clusters', 'multicluster-engine-engine', 'multicluster-engine-placement']),
      );
    },
    3 * MINUTE,
  );

  it(
    'a hub at rest gets no writes of the placement controller for changes of clusters that turn no fact',
    async () => {
      const status = 'jsonpath={.status.conditions[?(@.type=="PlacementSatisfied")].message}';
      const message = await hub.kubectl('get', 'placement', 'short', '-n', 'shop', '-o', status);
      expect(message).toBe(
        '470 of 500 wanted clusters are missing: every cluster that matches is selected; predicate 0: no candidate has ' +
          'label teir; nothing comes from nope (no ManagedClusterSetBinding nope in namespace shop)',
      );
      const mark = await server().logMark();
      await hub.kubectl('label', 'mcl', '-l', 'tier=gold', 'noise=loud');
      await hub.kubectl('label', 'mcl', '-l', 'tier=silver', 'tires=gold');
      await quietWindow(5000);

      const held = 'jsonpath={.status.conditions[?(@.type=="RemovalsHeld")].message}';
      expect(await hub.kubectl('get', 'placement', 'held', '-n', 'shop', '-o', held)).toContain(
        'held: c-0, c-1 (no label kept, wanted kept=yes)',
      );
      const writes = (await hub.writes(mark)).filter(({ user }) => user.endsWith(':placement-controller'));
      expect(writes.map(inWords)).toEqual([]);
    },
    3 * MINUTE,
  );

  it(
    'a hub at rest gets no writes when the operator restarts',
    async () => {
      const mark = await server().logMark();
      await hub.restartOperator();
      await leads(hub.operator);
      await quietWindow(5000);

      expect((await hub.writes(mark)).map(inWords)).toEqual([]);
      expect(
        (
          await server().requestLog({
            after: mark,
            user: hub.operator.user,
            verbs: ['list', 'watch'],
            resources: ['multiclusterengines', 'deployments'],
          })
        ).length,
      ).toBeGreaterThan(1);
    },
    3 * MINUTE,
  );

  it(
    'a hub at rest gets no writes when the placement controller restarts',
    async () => {
      const before = await hub.placementController(TARGET);
      const mark = await server().logMark();
      await before.stop();
      const after = await waitFor('another process', () =>
        hub.components.pods(TARGET, 'placement-controller').find(({ pid }) => pid !== before.pid),
      );
      await leads(after);
      await quietWindow(5000);

      expect((await hub.writes(mark)).map(inWords)).toEqual([]);
    },
    3 * MINUTE,
  );

  it(
    'a hub at rest gets two writes and one event for a new Placement',
    async () => {
      const mark = await server().logMark();
      // Condition InUse of the binding names the first five Placements: this one is behind them.
      await hub.apply(placement('z-newcomer', 0));
      await hub.kubectl('wait', '--for=condition=Ready', '--timeout=120s', '-n', 'shop', 'placement/z-newcomer');
      await waitFor('the event', async () => (await hub.writes(mark)).some(({ resource }) => resource === 'events'));
      await quietWindow(3000);

      const writes = await hub.writes(mark);
      expect(writes.filter(({ resource }) => resource !== 'events').map(inWords)).toEqual([
        'create placementdecisions shop/z-newcomer-decision-1',
        'update placements/status shop/z-newcomer',
      ]);
      expect(
        writes
          .filter(({ resource }) => resource === 'events')
          .map(({ verb, namespace, code }) => [verb, namespace, code]),
      ).toEqual([['create', 'shop', 201]]);
      const object = await hub.get('/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/shop/placements/z-newcomer');
      expect(condition(object ?? {}, 'Ready')['reason']).toBe('DecisionPublished');
    },
    3 * MINUTE,
  );
});
