import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { PlacementSpec } from '../../../src/api/generated/placement.js';
import { explainPlacement } from '../../../src/cli/explain/explain.js';
import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import { DECISION_RESOURCES, readFleetWorld, readPlacementWorld } from '../../../src/answers/world/worlds.js';
import { overlay, type Change } from '../../../src/answers/world/overlay.js';
import { planFleet } from '../../../src/answers/plan/fleetplan.js';
import type { PieceName } from '../../../src/answers/plan/document.js';
import { Fleet, PlacementServerRig } from '../../support/rigs/server/placement.js';

const LONG_MS = 120_000;

/** Whole conversations: what a user applies, is told, and changes. Each has a namespace and a set of its own. */
describeWithServer('a choice of clusters on a server', { own: true }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;

  beforeAll(async () => {
    await installCrds(server());
    fleet = new Fleet(server());
    running = new PlacementServerRig(server());
    await running.synced();
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  const begin = async (namespace: string, claims: Readonly<Record<string, Record<string, string>>>): Promise<void> => {
    await fleet.set(namespace);
    await fleet.namespace(namespace, namespace);
    for (const [name, of] of Object.entries(claims)) await join(namespace, name, of);
  };
  const join = async (set: string, name: string, claims: Record<string, string>): Promise<void> => {
    await fleet.cluster(name, set);
    await fleet.claim(name, claims);
  };
  const selects = (namespace: string, ...clusters: readonly string[]): Promise<true> =>
    waitFor(`${namespace} to select ${clusters.join(' ')}`, async (seen) => {
      const selected = await fleet.selected(namespace, 'web');
      seen(selected);
      return selected?.join() === [...clusters].sort().join() || undefined;
    });
  const says = (namespace: string, message: string): Promise<true> =>
    waitFor(`${namespace} to say ${message}`, async (seen) => {
      const { conditions = [] } = (await fleet.placement(namespace, 'web'))?.status ?? {};
      const found = conditions.find(({ type }) => type === 'PlacementSatisfied')?.message;
      seen(found);
      return found === message || undefined;
    });
  const explain = async (namespace: string, cluster?: string): Promise<string> => {
    const world = await readPlacementWorld(fleet.client, { namespace, name: 'web' });
    const request = { placement: 'web', cluster, nearest: 1, output: 'text', colored: false } as const;
    return explainPlacement(world, { namespace, ...request });
  };

  /** What `plan` says of Placement `web`: who comes in, who leaves, and who changes the piece of its group. */
  const plan = async (namespace: string, change: Change): Promise<readonly string[]> => {
    const scope = { namespace, fallback: () => namespace, resources: DECISION_RESOURCES };
    const { world } = await readFleetWorld(fleet.client, scope);
    const planned = planFleet(world, overlay(world, [change])).find((one) => one.name === 'web');
    const pieceOf = (piece: PieceName | undefined): string => `${piece?.group}/${piece?.index}`;
    return [
      ...(planned?.add ?? []).map(({ name }) => `+ ${name}`),
      ...(planned?.remove ?? []).map(({ name }) => `- ${name}`),
      ...(planned?.regroup ?? []).map(({ name, from, to }) => `~ ${name} ${pieceOf(from)} -> ${pieceOf(to)}`),
    ];
  };
  it('a choice of clusters spreads over three regions, says which one is short, and goes on when it is not', async () => {
    const region = (name: string): [string, Record<string, string>] => [name, { region: name.slice(0, 2) }];
    await begin('spread', Object.fromEntries(['eu-1', 'eu-2', 'eu-3', 'us-1', 'us-2', 'ap-1'].map(region)));
    const spread = (maxSkew: number): PlacementSpec => ({
      numberOfClusters: 6,
      spreadPolicy: {
        spreadConstraints: [
          { topologyKey: 'region', topologyKeyType: 'Claim', maxSkew, whenUnsatisfiable: 'DoNotSchedule' },
        ],
      },
    });
    await fleet.place('spread', 'web', spread(1));

    await says(
      'spread',
      '1 of 6 wanted clusters is missing: spread by claim region (maxSkew 1) allows no more in eu; no other cluster of ap matches',
    );
    expect(await explain('spread')).toMatch(
      /SpreadBlocked +6 +spread by claim region \(maxSkew 1\): domain eu has 2 clusters, the lowest count is 1\n/,
    );
    const before = await fleet.selected('spread', 'web');
    const missing = ['eu-1', 'eu-2', 'eu-3'].filter((name) => before?.includes(name) !== true);
    const wider: Change = {
      kind: 'apply',
      resource: 'placements',
      object: { metadata: { namespace: 'spread', name: 'web' }, spec: spread(2) },
    };
    expect(await plan('spread', wider)).toEqual(missing.map((name) => `+ ${name}`));
    await join('spread', 'ap-2', { region: 'ap' });
    await says('spread', 'all 6 wanted clusters are selected');
    expect(await fleet.selected('spread', 'web')).toEqual([...(before ?? []), 'ap-2'].sort());
  });

  it('a choice of clusters takes two here and one there, and names the predicate that lacks one', async () => {
    await begin('numbers', { 'n-eu-1': { region: 'eu' }, 'n-us-1': { region: 'us' }, 'n-us-2': { region: 'us' } });
    const inRegion = (value: string, numberOfClusters: number): NonNullable<PlacementSpec['predicates']>[number] => ({
      numberOfClusters,
      requiredClusterSelector: {
        claimSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: [value] }] },
      },
    });
    await fleet.place('numbers', 'web', { predicates: [inRegion('eu', 2), inRegion('us', 1)] });

    await says('numbers', '1 of 3 wanted clusters is missing: predicate 0: 1 of 2 wanted clusters is missing');
    const [, american = ''] = (await fleet.selected('numbers', 'web')) ?? [];
    const gone: Change = { kind: 'delete', resource: 'managedclusters', object: { name: american } };
    const other = american === 'n-us-1' ? 'n-us-2' : 'n-us-1';
    expect(await plan('numbers', gone)).toEqual([`+ ${other}`, `- ${american}`]);
    await join('numbers', 'n-eu-2', { region: 'eu' });
    await says('numbers', 'all 3 wanted clusters are selected');
    await selects('numbers', 'n-eu-1', 'n-eu-2', american);
    // The other cluster of us comes in for the one that goes to eu, which has enough.
    await fleet.claim(american, { region: 'eu' });
    await waitFor('another cluster of us', async (seen) => {
      const selected = await fleet.selected('numbers', 'web');
      seen(selected);
      return selected?.filter((name) => name.startsWith('n-us') && name !== american).length === 1 || undefined;
    });
    expect(await fleet.selected('numbers', 'web')).toHaveLength(3);
  });

  it('a choice of clusters by price stays when prices change, and moves one cluster where the Placement asks for it', async () => {
    await begin('price', { 'p-1': { cost: '10' }, 'p-2': { cost: '20' }, 'p-3': { cost: '90' } });
    const cheap: PlacementSpec = {
      numberOfClusters: 2,
      prioritizerPolicy: {
        configurations: [
          {
            scoreCoordinate: { type: 'Claim', claim: { name: 'cost', order: 'Ascending', min: '0', max: '100' } },
          },
        ],
      },
    };
    await fleet.place('price', 'web', cheap);
    await selects('price', 'p-1', 'p-2');
    await says('price', 'all 2 wanted clusters are selected');
    const mark = await fleet.mark();
    await fleet.claim('p-2', { cost: '95' });
    await fleet.claim('p-3', { cost: '5' });
    // A change that does write shows that the two before it have been seen.
    await join('price', 'p-4', { cost: '99' });
    await fleet.place('price', 'other', {});
    await waitFor(
      'the other Placement',
      async () => (await fleet.selected('price', 'other'))?.length === 4 || undefined,
    );
    expect((await fleet.writes(mark)).filter((write) => write.includes('web'))).toEqual([]);

    const rebalance = { scoreMargin: 20, minSelectedSeconds: 0, intervalSeconds: 1 };
    await fleet.place('price', 'web', { ...cheap, rebalance });
    await selects('price', 'p-1', 'p-3');
    await waitFor('the event of the move', async () => {
      const notes = running.events.map(({ note }) => note);
      return notes.includes('moved 1 cluster: p-2 → p-3 (score 95, 5 before, margin 20)') || undefined;
    });
    // A score that changes alone is looked at within an interval.
    await fleet.claim('p-4', { cost: '1' });
    await fleet.claim('p-1', { cost: '80' });
    await selects('price', 'p-3', 'p-4');
  });

  it('a choice of clusters is cut into a canary group and pieces, and a cluster that joins it changes no other one', async () => {
    const names = ['w-1', 'w-2', 'w-3', 'w-4', 'w-5', 'w-6', 'w-7', 'w-8'];
    await begin('waves', Object.fromEntries(names.map((name) => [name, {}])));
    await fleet.cluster('w-1', 'waves', { canary: 'true' });
    const canary = {
      groupName: 'canary',
      groupClusterSelector: { labelSelector: { matchLabels: { canary: 'true' } } },
    };
    await fleet.place('waves', 'web', {
      decisionStrategy: { groupStrategy: { decisionGroups: [canary], clustersPerDecisionGroup: '25%' } },
    });
    await says('waves', 'every cluster that matches is selected');
    const pieces = async (): Promise<ReadonlyMap<string, string>> => {
      const decisions = await fleet.decisions('waves', 'web');
      const items = decisions.flatMap(({ status }) => status.decisions);
      return new Map(items.map(({ clusterName, group, groupIndex }) => [clusterName, `${group}/${groupIndex}`]));
    };
    const groups = async (): Promise<readonly string[]> =>
      ((await fleet.placement('waves', 'web'))?.status?.decisionGroups ?? []).map(
        (one) => `${one.decisionGroupIndex} ${one.decisionGroupName}: ${one.clusterCount}`,
      );
    expect(await groups()).toEqual(['0 canary: 1', '1 : 2', '2 : 2', '3 : 2', '4 : 1']);
    const before = await pieces();
    const [last = ''] = [...before].find(([, piece]) => piece === '/4') ?? [];
    const [third = ''] = [...before].find(([, piece]) => piece === '/3') ?? [];
    expect(await explain('waves', last)).toContain('piece 4 (no group)');

    // A cluster that becomes a canary changes its piece and stays; one that joins fills the first piece with room.
    const relabel: Change = {
      kind: 'label',
      resource: 'managedclusters',
      object: { name: third },
      key: 'canary',
      value: 'true',
    };
    expect(await plan('waves', relabel)).toEqual([`~ ${third} /3 -> canary/0`]);
    await fleet.cluster(third, 'waves', { canary: 'true' });
    await waitFor('the second canary', async () => (await pieces()).get(third) === 'canary/0' || undefined);
    await waitFor('the groups', async (seen) => {
      const found = await groups();
      seen(found);
      return found.join() === '0 canary: 2,1 : 2,2 : 2,3 : 1,4 : 1' || undefined;
    });
    const joins: Change = {
      kind: 'apply',
      resource: 'managedclusters',
      object: { metadata: { name: 'w-9', labels: { [CLUSTER_SET_LABEL]: 'waves' } } },
    };
    expect(await plan('waves', joins)).toEqual(['+ w-9']);
    await join('waves', 'w-9', {});
    await waitFor('w-9', async () => (await pieces()).has('w-9') || undefined);
    expect(await pieces()).toEqual(new Map([...before, [third, 'canary/0'], ['w-9', '/3']]));
  });
});
