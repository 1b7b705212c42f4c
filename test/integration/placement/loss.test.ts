import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PlacementSpec } from '../../../src/api/generated/placement.js';
import { TAINTS } from '../../../src/api/names.js';
import { ManagedClusters } from '../../../src/api/resources.js';
import { DECISION_RESOURCES, readFleetWorld } from '../../../src/answers/world/worlds.js';
import { lossOfEach, planLoss } from '../../../src/answers/plan/loss.js';
import { clustersAfter } from '../../support/builders/changes.js';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { Fleet, PlacementServerRig } from '../../support/rigs/server/placement.js';

const LONG_MS = 300_000;
const REGIONS = ['ap', 'eu', 'us'];
const CLUSTERS = Array.from({ length: 12 }, (_, index) => {
  return { name: `c${String(index).padStart(2, '0')}`, region: REGIONS[index % 3] ?? '' };
});
const LOST = CLUSTERS.filter(({ region }) => region === 'eu').map(({ name }) => name);
const inEurope = { requiredClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } };

function serving(clusters: readonly string[] = []): string {
  return clusters.filter((name) => !LOST.includes(name)).join();
}

const SPECS: Readonly<Record<string, PlacementSpec>> = {
  all: {},
  budgeted: { numberOfClusters: 9, disruptionBudget: { maxRemovals: 0 } },
  european: { predicates: [inEurope], numberOfClusters: 2 },
  short: { numberOfClusters: 11 },
  some: { numberOfClusters: 3 },
  spread: {
    numberOfClusters: 6,
    spreadPolicy: {
      spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Label', whenUnsatisfiable: 'DoNotSchedule' }],
    },
  },
};

describeWithServer('the loss of a region', { own: true }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;

  beforeAll(async () => {
    await installCrds(server());
    fleet = new Fleet(server());
    await fleet.set('production');
    await fleet.namespace('shop', 'production');
    for (const { name, region } of CLUSTERS) await fleet.cluster(name, 'production', { region });
    running = new PlacementServerRig(server());
    await running.synced();
    for (const [name, spec] of Object.entries(SPECS)) await fleet.place('shop', name, spec);
    for (const name of Object.keys(SPECS))
      await waitFor(`${name} to be decided`, async () => {
        return (await fleet.reason('shop', name, 'Ready')) === 'DecisionPublished' || undefined;
      });
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  it(
    'is decided by the operator as plan has foreseen, once the clusters have the taint of the hub',
    async () => {
      const scope = { namespace: undefined, fallback: () => 'shop', resources: DECISION_RESOURCES };
      const { world } = await readFleetWorld(fleet.client, scope);
      const now = { ...world, at: Date.now() };
      const foreseen = planLoss(now, new Map(LOST.map((name) => [name, 'lost']))).losses;
      const regions = new Map(CLUSTERS.map(({ name, region }) => [name, region]));
      const effects = foreseen.map(({ plan: { namespace, name }, effect }) => ({ namespace, name, effect }));

      expect(effects.map(({ name, effect }) => [name, effect])).toEqual([
        ['all', 'Moves'],
        ['budgeted', 'Short'],
        ['european', 'Empty'],
        ['short', 'Short'],
        ['some', expect.stringMatching(/^(Moves|None)$/)],
        ['spread', 'Moves'],
      ]);
      expect(lossOfEach(now, regions).find(({ value }) => value === 'eu')?.placements).toEqual(
        effects.filter(({ effect }) => effect !== 'None'),
      );

      const taints = [{ key: TAINTS.unreachable, effect: 'NoSelect', timeAdded: '2026-01-01T00:00:00Z' }];
      for (const name of LOST)
        await fleet.client.apply(
          ManagedClusters,
          { metadata: { name }, spec: { taints } },
          { fieldManager: 'health', force: false },
        );

      for (const { plan } of foreseen)
        await waitFor(`${plan.name} to be as foreseen`, async (seen) => {
          const selected = await fleet.selected('shop', plan.name);
          const after = clustersAfter(plan);
          seen({ selected, foreseen: after });
          // They are tainted one after the other: which of the lost ones stay depends on when each of them was.
          const isSame = serving(selected) === serving(after);
          return (isSame && selected?.length === after.length) || undefined;
        });
    },
    LONG_MS,
  );
});
