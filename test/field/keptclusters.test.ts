import { describe, expect, it } from '@jest/globals';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../src/api/resources.js';
import { tree } from '../../src/cli/commands/tree.js';
import { planReport } from '../../src/answers/plan/report.js';
import { explainReport } from '../../src/answers/explain/report.js';
import { verdictText } from '../../src/answers/explain/lines.js';
import { whoSelects } from '../../src/cli/commands/whoselects.js';
import { placementAnswer } from '../../src/console/server/placements.js';
import { matrixAnswer } from '../../src/console/server/matrix.js';
import { Snapshot } from '../../src/console/server/snapshot.js';
import { overlay, type Change } from '../../src/answers/world/overlay.js';
import { worldOf } from '../../src/answers/world/world.js';
import type { FleetReading } from '../../src/answers/world/worlds.js';
import { readingOf } from '../support/builders/hubinput.js';
import { NAMESPACE, PlacementRig } from '../support/rigs/controllers/placement.js';

/*
 * A cluster has lost its label and stays: a budget, a pause or a change window keeps it. `tree` said why for the pause and the
 * window and nothing for the budget, and `who-selects` and the console called each of them held, where `explain`
 * had Waiting and `release` found nothing to release. Right: each says it of each, in the words of the condition and `explain`.
 */

const PREDICATES = [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } }];
const WINDOW = { start: 'Mon 03:00', duration: '1m', timeZone: 'UTC' };
const OUTPUT = { output: 'text', colored: false } as const;
const CAUSE = 'label tier=silver, wanted tier=gold';

/** A hub whose cluster a has lost its label, and stays; b has never had it. */
async function hubWhere(spec: object): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.cluster('a', { tier: 'gold' });
  hub.cluster('b', { tier: 'silver' });
  hub.place('web', { predicates: PREDICATES });
  await hub.start();
  hub.place('web', { predicates: PREDICATES, ...spec });
  await hub.untilIdle(60_000);
  hub.cluster('a', { tier: 'silver' });
  await hub.untilIdle(60_000);
  return hub;
}

function readingIn(hub: PlacementRig): FleetReading {
  const world = worldOf({
    // As a response has them: the console prints manifests.
    placements: JSON.parse(JSON.stringify(hub.api.all(Placements))) as RawObject[],
    placementdecisions: hub.api.all(PlacementDecisions),
    managedclusters: hub.api.all(ManagedClusters),
    managedclustersets: hub.api.all(ManagedClusterSets),
    managedclustersetbindings: hub.api.all(ManagedClusterSetBindings),
  });
  return readingOf({ ...world, at: hub.clock.now() });
}

describe('a cluster that stays against a rule', () => {
  it.each([
    { what: 'a budget', spec: { disruptionBudget: { maxRemovals: 0 } }, type: 'RemovalsHeld', why: 'held' },
    { what: 'a pause', spec: { paused: true }, type: 'Paused', why: 'waits' },
    { what: 'a change window', spec: { changeWindows: [WINDOW] }, type: 'ChangesWaiting', why: 'waits' },
  ])('by $what is spoken of alike in tree, who-selects and the console', async ({ spec, type, why }) => {
    const hub = await hubWhere(spec);
    const message = hub.condition('web', type)?.message;

    expect(message).toBeDefined();
    expect(tree(readingIn(hub), 'web', OUTPUT)).toContain(`, ${message}\n`);
    expect(whoSelects(readingIn(hub), 'a', OUTPUT)).toContain(`  ${why}: ${CAUSE}  `);
    const page = placementAnswer(new Snapshot(readingIn(hub)), NAMESPACE, 'web');
    expect(page?.explanation.summary).toMatchObject({ held: 1, ...(why === 'waits' && { waiting: { count: 1 } }) });
  });
});

/** What `explain` says of a cluster, after its name. */
function explained(hub: PlacementRig, name: string): string | undefined {
  const report = explainReport(readingIn(hub).world, NAMESPACE, 'web');
  const one = report?.explanation.clusters.find((each) => each.name === name);
  return report && one && verdictText(one, report);
}

describe('a cluster that would come in, and that a budget and a pause keep out', () => {
  const BUDGET = { disruptionBudget: { maxAdditions: 0 } };
  const MAX_ADDITIONS = 'spec.disruptionBudget.maxAdditions';
  it.each([
    { what: 'a budget', spec: BUDGET, field: MAX_ADDITIONS, word: 'Held' },
    { what: 'a pause', spec: { paused: true }, field: 'spec.paused', word: 'Waiting' },
    { what: 'both', spec: { ...BUDGET, paused: true }, field: MAX_ADDITIONS, word: 'Held' },
  ])('is kept by $what for the condition, explain and the console alike', async ({ spec, field, word }) => {
    const hub = await hubWhere({ ...spec });
    hub.cluster('b', { tier: 'gold' });
    await hub.untilIdle(60_000);

    expect(hub.condition('web', 'PlacementSatisfied')?.message).toBe(`${field} keeps matching clusters out`);
    const [, message = ''] = /^(.*?); held: /.exec(hub.condition('web', 'AdditionsHeld')?.message ?? '') ?? [];
    expect(explained(hub, 'b')).toBe(
      `is not selected: ${field} keeps it out${message === '' ? '' : `, since ${message}`}`,
    );
    const snapshot = new Snapshot(readingIn(hub));
    const page = placementAnswer(snapshot, NAMESPACE, 'web');
    expect(page?.funnel.at(-1)?.lost).toEqual([{ count: 1, text: `kept out by ${field}` }]);
    expect(page?.explanation.summary?.text).toContain(`1 kept out by ${field}`);
    const rows = matrixAnswer(snapshot, [NAMESPACE, 'web'], { show: 'out', query: '', after: 0, limit: 10 })?.rows;
    expect(rows?.map(({ name, verdict }) => [name, verdict])).toContainEqual(['b', word]);
  });
});

describe('what a plan counts', () => {
  it.each([
    { what: 'a budget', spec: { disruptionBudget: { maxRemovals: 0 } }, kept: '1 held' },
    { what: 'a pause', spec: { paused: true }, kept: '0 held, 1 waiting for the end of a pause' },
    {
      what: 'a change window',
      spec: { changeWindows: [WINDOW] },
      kept: '0 held, 1 waiting for a change window',
    },
    {
      what: 'a pause and a window',
      spec: { paused: true, changeWindows: [WINDOW] },
      kept: '0 held, 1 waiting for the end of a pause',
    },
    {
      what: 'a budget and a pause',
      spec: { paused: true, disruptionBudget: { maxRemovals: 0 } },
      kept: '1 held',
    },
  ])('is held or waits by $what as the decision has it', async ({ spec, kept }) => {
    const hub = await hubWhere(spec);
    hub.cluster('a', { tier: 'gold' });
    await hub.untilIdle(60_000);
    const label: Change = {
      kind: 'label',
      resource: 'managedclusters',
      object: { name: 'a' },
      key: 'tier',
      value: 'x',
    };
    const { world } = readingIn(hub);
    const report = planReport(
      readingIn(hub),
      { after: overlay(world, [label]), writes: [label], hasAllWrites: true },
      {},
    );

    expect(report.document.summary.text).toBe(`Plan: 0 to add, 0 to remove, 0 to stay, ${kept}, in 1 of 1 Placements.`);
  });
});

describe('a move that waits for a window', () => {
  it('is neither held nor waiting for changes that are written one after the other', async () => {
    const selector = { labelSelector: { matchLabels: { preferred: 'yes' } } };
    const spec = {
      numberOfClusters: 1,
      predicates: PREDICATES,
      prioritizerPolicy: { configurations: [{ scoreCoordinate: { type: 'Selector', selector } }] },
      rebalance: { scoreMargin: 20, minSelectedSeconds: 0 },
      changeWindows: [WINDOW],
    };
    const hub = new PlacementRig();
    hub.cluster('a', { tier: 'gold' });
    hub.place('web', spec);
    await hub.start();
    hub.cluster('b', { tier: 'gold' });
    await hub.untilIdle(300_000);
    const labels = [
      { key: 'preferred', value: 'yes' },
      { key: 'zone', value: 'x' },
    ].map((one): Change => ({ kind: 'label', resource: 'managedclusters', object: { name: 'b' }, ...one }));
    const reading = readingIn(hub);
    const { document } = planReport(
      reading,
      { after: overlay(reading.world, labels), writes: labels, hasAllWrites: true },
      {},
    );

    expect(document.placements).toMatchObject([{ moves: [{ to: 'b' }], held: [] }]);
    expect(document.placements.map(({ apart }) => apart)).toEqual([undefined]);
  });
});
