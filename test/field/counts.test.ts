import { describe, expect, it } from '@jest/globals';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { PlacementDecisions, Placements } from '../../src/api/resources.js';
import { explainReport } from '../../src/answers/explain/report.js';
import { explanationLines } from '../../src/answers/explain/text.js';
import { tree } from '../../src/cli/commands/tree.js';
import { status } from '../../src/cli/commands/status.js';
import { overlay, type Change } from '../../src/answers/world/overlay.js';
import { worldOf, type World } from '../../src/answers/world/world.js';
import { NAMESPACE, predicate, rawBinding, rawCluster, rawPlacement, rawSet } from '../support/builders/world.js';
import { PlacementRig } from '../support/rigs/controllers/placement.js';
import { storeWorld } from '../support/rigs/controllers/worlds.js';

/*
 * A disruption budget holds four of the five clusters of a Placement. `kubectl get` said Satisfied with five selected
 * clusters, and `explain` that one of eight is selected. Right: every place counts the same clusters, those of the decision,
 * and says how many of them are held; the column STATUS shows the hold, also one that keeps clusters out, and `explain` says
 * what holds and how to end it.
 */

const gold = ['a', 'b', 'c', 'd', 'e'];
const others = ['f', 'g', 'h'];

interface Wanted {
  readonly numberOfClusters: number | undefined;
  readonly disruptionBudget: object;
}

function fleet({ numberOfClusters, disruptionBudget }: Wanted): World {
  const spec = {
    ...(numberOfClusters !== undefined && { numberOfClusters }),
    predicates: [predicate({ tier: 'gold' })],
    disruptionBudget,
  };
  return worldOf({
    placements: [rawPlacement(spec)],
    managedclusters: [
      ...gold.map((name) => rawCluster(name, { set: 'prod', labels: { tier: 'gold' } })),
      ...others.map((name) => rawCluster(name, { set: 'prod' })),
    ],
    managedclustersets: [rawSet('prod')],
    managedclustersetbindings: [rawBinding('prod')],
  });
}

/** The world with what the controller makes of it, after these clusters have lost their label. */
function afterLoss(numberOfClusters: number | undefined, lost: readonly string[]): Promise<World> {
  const before = fleet({ numberOfClusters, disruptionBudget: { maxRemovals: 1 } });
  const relabelled = lost.map((name): Change => {
    return { kind: 'label', resource: 'managedclusters', object: { name }, key: 'tier', value: 'silver' };
  });
  return decided(before, overlay(before, relabelled));
}

/** The world with the decisions that the controller makes of these two, one after the other. */
async function decided(before: World, after: World): Promise<World> {
  const rig = new PlacementRig();
  storeWorld(rig, worldOf({}), before);
  await rig.start();
  storeWorld(rig, before, after);
  await rig.untilIdle();
  const placements = rig.api.all<RawObject>(Placements);
  const placementdecisions = rig.api.all<RawObject>(PlacementDecisions);
  return { ...after, objects: { ...after.objects, placements, placementdecisions }, at: rig.clock.now() };
}

interface Listed {
  readonly phase: string;
  readonly numberOfSelectedClusters: number;
  readonly conditions: readonly { readonly type: string; readonly message: string }[];
}

describe('the count of selected clusters while some are held', () => {
  it.each([
    {
      wanted: undefined,
      line: "5/8 clusters are selected, 4 of them held: 3 didn't match label tier=gold.",
      message: 'every cluster that matches is selected',
      listed: 'Held 5',
    },
    {
      wanted: 5,
      line: "5/8 clusters are selected, 4 of them held: 3 didn't match label tier=gold.",
      message: '4 of 5 wanted clusters no longer match and are held',
      listed: 'Held 5/5',
    },
    {
      wanted: 6,
      line: "5/8 clusters are selected, 4 of them held: 3 didn't match label tier=gold.",
      message: '1 of 6 wanted clusters is missing; 4 no longer match and are held',
      listed: 'Held 5/6',
    },
  ])('is one everywhere, with $wanted wanted', async ({ wanted, line, message, listed }) => {
    const world = await afterLoss(wanted, ['a', 'b', 'c', 'd']);
    const stored = world.objects.placements[0]?.status as Listed;
    const report = explainReport(world, NAMESPACE, 'web');
    const reading = { world, namespace: undefined, refused: [] };

    expect([stored.phase, stored.numberOfSelectedClusters]).toEqual(['Held', 5]);
    expect(stored.conditions.find(({ type }) => type === 'PlacementSatisfied')?.message).toBe(message);
    const explained = report === undefined ? [] : explanationLines(report, { nearest: 0, colored: false });
    expect(explained).toContain(line);
    expect(explained).toContain(
      'removals are held: maxRemovals 1 in 3600 s would be exceeded; to let them go: kubectl mce release placement web -n shop',
    );
    expect(tree(reading, 'web', { output: 'text', colored: false })).toContain(`shop/web  ${listed}\n`);
    expect(status(reading, { output: 'text', colored: false })).toContain('placements  0 Satisfied, 1 held\n');
  });

  it.each([
    { from: 2, to: undefined, line: '2/8 clusters are selected: 3 ', listed: 'Held 2' },
    { from: 2, to: 4, line: '2/8 clusters are selected: 3 ', listed: 'Held 2/4' },
  ])('is one everywhere while clusters are kept out, with $to wanted', async ({ from, to, line, listed }) => {
    const disruptionBudget = { maxAdditions: 0 };
    const before = fleet({ numberOfClusters: from, disruptionBudget });
    const world = await decided(before, fleet({ numberOfClusters: to, disruptionBudget }));
    const stored = world.objects.placements[0]?.status as Listed;
    const report = explainReport(world, NAMESPACE, 'web');
    const reading = { world, namespace: undefined, refused: [] };

    expect([stored.phase, stored.numberOfSelectedClusters]).toEqual(['Held', 2]);
    const explained = report === undefined ? [] : explanationLines(report, { nearest: 0, colored: false });
    expect(explained.join('\n')).toContain(line);
    expect(explained).toContain(
      'additions are held: maxAdditions 0 in 3600 s would be exceeded; to let them in: kubectl mce release placement web -n shop --additions',
    );
    expect(tree(reading, 'web', { output: 'text', colored: false })).toContain(`shop/web  ${listed}\n`);
    expect(status(reading, { output: 'text', colored: false })).toContain('placements  0 Satisfied, 1 held\n');
  });
});
