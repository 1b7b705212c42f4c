import { describe, expect, it } from '@jest/globals';
import type { PlacementDecision } from '../../src/api/generated/placementdecision.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../src/api/resources.js';
import { planFleet } from '../../src/answers/plan/plan.js';
import { overlay } from '../../src/answers/world/overlay.js';
import { worldOf } from '../../src/answers/world/world.js';
import { NAMESPACE, PlacementRig } from '../support/rigs/controllers/placement.js';

/**
 * Before a risky release users made the pieces of their groups smaller (100% became 25%), and all clusters stayed in one wave:
 * pieces were cut only once, and no command said so. Right: who edits the size asks for other pieces, so they are cut anew, in
 * the order in which they were; whatever else changes leaves every cluster in its piece.
 */

const SIX = ['a', 'b', 'c', 'd', 'e', 'f'];

function spec(size: number | string | undefined, ...groups: readonly string[]): object {
  const decisionGroups = groups.map((groupName) => ({
    groupName,
    groupClusterSelector: { labelSelector: { matchLabels: { wave: groupName } } },
  }));
  return { decisionStrategy: { groupStrategy: { decisionGroups, clustersPerDecisionGroup: size } } };
}

async function placed(first: object, names: readonly string[] = SIX): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.clusters(...names);
  await hub.start();
  hub.place('web', first);
  await hub.untilIdle();
  return hub;
}

async function edited(hub: PlacementRig, next: object): Promise<void> {
  hub.place('web', next);
  await hub.untilIdle();
}

/** The clusters of each piece, the pieces in their order: `canary: a b`. */
function pieces(hub: PlacementRig): readonly string[] {
  const found = new Map<string, string[]>();
  for (const { status } of hub.api.all<PlacementDecision>(PlacementDecisions)) {
    for (const { clusterName, group = '-', groupIndex = '-' } of status.decisions) {
      const key = `${groupIndex} ${group}`;
      found.set(key, [...(found.get(key) ?? []), clusterName]);
    }
  }
  return [...found]
    .sort(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map(([key, names]) => `${key.slice(key.indexOf(' ') + 1)}: ${names.sort().join(' ')}`);
}

function sizes(hub: PlacementRig): readonly number[] {
  return pieces(hub).map((one) => one.split(': ')[1]?.split(' ').length ?? 0);
}

/** The order in which the clusters are in the pieces. */
function order(hub: PlacementRig): readonly string[] {
  const listed = hub.api.all<PlacementDecision>(PlacementDecisions);
  return listed.flatMap(({ status }) => status.decisions.map(({ clusterName }) => clusterName));
}

describe('the pieces of groups, once their size is edited', () => {
  it.each([
    { from: '100%', to: '25%', cut: [2, 2, 2] },
    { from: undefined, to: '25%', cut: [2, 2, 2] },
    { from: '25%', to: '100%', cut: [6] },
    { from: '25%', to: undefined, cut: [6] },
    { from: 4, to: 1, cut: [1, 1, 1, 1, 1, 1] },
    { from: 1, to: 4, cut: [4, 2] },
    { from: 3, to: '50%', cut: [3, 3] },
  ])('from $from to $to, they are cut anew in the order in which they were', async ({ from, to, cut }) => {
    const hub = await placed(spec(from));
    const before = order(hub);

    await edited(hub, spec(to));

    expect(sizes(hub)).toEqual(cut);
    const expected = cut.map((size, index) => {
      const start = cut.slice(0, index).reduce((sum, one) => sum + one, 0);
      return `: ${before
        .slice(start, start + size)
        .sort()
        .join(' ')}`;
    });
    expect(pieces(hub)).toEqual(expected);
  });

  it('plan says before who changes its piece', async () => {
    const hub = await placed(spec('100%'));
    const world = worldOf({
      placements: hub.api.all(Placements),
      placementdecisions: hub.api.all(PlacementDecisions),
      managedclusters: hub.api.all(ManagedClusters),
      managedclustersets: hub.api.all(ManagedClusterSets),
      managedclustersetbindings: hub.api.all(ManagedClusterSetBindings),
    });
    const object = { metadata: { namespace: NAMESPACE, name: 'web' }, spec: spec('25%') };
    const after = overlay(world, [{ kind: 'apply', resource: 'placements', object }]);

    const [plan] = planFleet(world, after);
    await edited(hub, spec('25%'));

    expect(plan).toMatchObject({ change: 'Changed', add: [], remove: [] });
    const later = pieces(hub)
      .slice(1)
      .join(' ')
      .match(/\b[a-f]\b/g);
    expect(plan?.regroup?.map(({ name }) => name)).toEqual(later?.sort());
  });

  it('no cluster is in no object at any moment, and a pass afterwards writes nothing', async () => {
    const hub = await placed(spec('100%'));
    const mark = hub.mark;

    await edited(hub, spec('25%'));

    // The new objects come first, and what has moved leaves the old one last.
    expect(hub.writesSince(mark)).toEqual([
      'create placementdecisions team/web-decision-2',
      'create placementdecisions team/web-decision-3',
      'update placementdecisions team/web-decision-1',
      'updateStatus placements team/web',
    ]);
    const idle = hub.mark;
    await hub.untilIdle(20_000);
    expect(hub.writesSince(idle)).toEqual([]);
  });

  it('another process, or a lost object, does not forget with which size they were cut', async () => {
    const hub = await placed(spec('50%'));
    const before = pieces(hub);
    expect(sizes(hub)).toEqual([3, 3]);

    hub.api.remove(PlacementDecisions, { namespace: NAMESPACE, name: 'web-decision-2' });
    await hub.untilIdle();
    expect(pieces(hub)).toEqual(before);

    await hub.loseLease();
    const next = await new PlacementRig(hub).start();
    expect(pieces(next)).toEqual(before);

    await next.loseLease();
    next.place('web', spec(2));
    const last = await new PlacementRig(next).start();
    expect(sizes(last)).toEqual([2, 2, 2]);
  });
});

describe('the pieces of groups, whatever else changes', () => {
  it('more and fewer clusters, with the same size, leave every cluster in its piece', async () => {
    const hub = await placed(spec('50%'));
    const [first = '', second = ''] = pieces(hub);

    hub.clusters('g', 'h', 'i', 'j');
    await hub.untilIdle();
    expect(pieces(hub).slice(0, 2)).toEqual([first, second]);
    expect(sizes(hub)).toEqual([3, 3, 4]);

    const [gone = ''] = first.split(': ')[1]?.split(' ') ?? [];
    hub.api.remove(ManagedClusters, { name: gone });
    await hub.untilIdle();
    expect(pieces(hub)[0]?.split(' ')).toEqual(first.split(' ').filter((one) => one !== gone));
    expect(pieces(hub)[1]).toBe(second);
  });

  it('a group that is renamed, removed or put elsewhere moves only its own clusters', async () => {
    const hub = await placed(spec(2, 'canary', 'edge'));
    for (const name of ['a', 'b']) hub.cluster(name, { wave: 'canary' });
    for (const name of ['c', 'd']) hub.cluster(name, { wave: 'edge' });
    await hub.untilIdle();
    expect(pieces(hub)).toEqual(['canary: a b', 'edge: c d', ': e f']);

    await edited(hub, spec(2, 'edge', 'canary'));
    expect(pieces(hub)).toEqual(['edge: c d', 'canary: a b', ': e f']);

    await edited(hub, spec(2, 'edge'));
    expect(pieces(hub)).toEqual(['edge: c d', ': e f', ': a b']);

    await edited(hub, spec(2, 'edge', 'canary'));
    expect(pieces(hub)).toEqual(['edge: c d', 'canary: a b', ': e f']);
  });

  it('clusters that are deleted and held stay in the decision when their group is removed', async () => {
    const bounded = { disruptionBudget: { maxRemovals: 1, windowSeconds: 3_600 } };
    const hub = await placed({ ...spec(2, 'canary'), ...bounded });
    for (const name of ['a', 'b']) hub.cluster(name, { wave: 'canary' });
    await hub.untilIdle();
    for (const name of ['a', 'b']) hub.api.remove(ManagedClusters, { name });
    await hub.untilIdle();
    expect(pieces(hub)[0]).toBe('canary: a b');

    await edited(hub, { ...spec(2), ...bounded });

    expect(
      pieces(hub)
        .flatMap((one) => one.slice(2).split(' '))
        .sort(),
    ).toEqual(SIX);
  });

  it('what was cut is cut again only when it is set again, and a pause leaves it as it is', async () => {
    const hub = await placed(spec('100%'));
    await edited(hub, { ...spec('50%'), paused: true });
    expect(sizes(hub)).toEqual([6]);

    await edited(hub, spec('50%'));
    expect(sizes(hub)).toEqual([3, 3]);

    hub.clusters('g', 'h');
    await hub.untilIdle();
    expect(sizes(hub)).toEqual([3, 3, 2]);
    await edited(hub, {});
    await edited(hub, spec('50%'));
    expect(sizes(hub)).toEqual([4, 4]);
  });
});
