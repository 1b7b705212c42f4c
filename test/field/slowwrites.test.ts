import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { PlacementDecisions, Placements } from '../../src/api/resources.js';
import { asRecord, recordsIn } from '../../src/runtime/vocabulary/json.js';
import { labelChange } from '../../src/answers/plan/changes.js';
import { apartText } from '../../src/answers/plan/apart.js';
import { planChange, type PlanOutput } from '../../src/cli/commands/plan.js';
import { overlay, worldsOf, type Change } from '../../src/answers/world/overlay.js';
import { worldOf, type World } from '../../src/answers/world/world.js';
import { NAMESPACE, predicate, rawBinding, rawCluster, rawPlacement, rawSet } from '../support/builders/world.js';
import { PlacementRig } from '../support/rigs/controllers/placement.js';
import { storeWorld } from '../support/rigs/controllers/worlds.js';

/*
 * Somebody plans a change of many clusters under a disruption budget, and reads that nothing leaves. Then a script with pauses
 * writes it, or a GitOps tool in waves, and as many clusters leave as the budget allows before the rest is held. Right: `plan`
 * shows what the changes do together and, where that differs, what they do one after another, in the order of the request.
 */

const NAMES = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
const SLOW_MS = 5_000;

function fleet(spec: object): World {
  return worldOf({
    placements: [rawPlacement({ predicates: [predicate({ tier: 'gold' })], ...spec })],
    managedclusters: [
      ...NAMES.map((name) => rawCluster(name, { set: 'prod', labels: { tier: 'gold' } })),
      ...['d1', 'd2'].map((name) => rawCluster(name, { set: 'prod', labels: { tier: 'silver' } })),
    ],
    managedclustersets: [rawSet('prod')],
    managedclustersetbindings: [rawBinding('prod')],
  });
}

const tier = (name: string, value: string): string => `mcl/${name}:tier=${value}`;

function plan(world: World, request: Partial<Parameters<typeof planChange>[1]>): PlanOutput {
  const reading = { world, namespace: undefined, refused: [] };
  const none = { manifests: undefined, complete: false, deletions: [], labels: [], colored: false } as const;
  return planChange(reading, { namespace: NAMESPACE, output: 'text', ...none, ...request });
}

interface Document {
  readonly placements: readonly {
    readonly before?: { readonly selected: number };
    readonly remove: readonly { readonly name: string }[];
    readonly add: readonly { readonly name: string }[];
    readonly held: readonly { readonly name: string }[];
    readonly apart?: {
      readonly leave: string[];
      readonly back: string[];
      readonly come: string[];
      readonly held: string[];
    };
  }[];
}

describe('a plan of changes that a bound holds together', () => {
  it('says with numbers what they do when they are written slowly', () => {
    const { text } = plan(fleet({ disruptionBudget: { maxRemovals: 2 } }), {
      labels: NAMES.map((name) => tier(name, 'silver')),
    });

    expect(text).toContain('Plan: 0 to add, 0 to remove, 0 to stay, 6 held, in 1 of 1 Placements.');
    expect(text).toContain('  written more than 2 s apart, in this order: 2 leave (c1, c2), 4 are held\n');
  });

  it('says what slow deletions do without a budget, and in which order additions come in', () => {
    expect(plan(fleet({}), { deletions: NAMES.slice(1).map((name) => `mcl/${name}`) }).text).toContain(
      '  written more than 2 s apart, in this order: 3 leave (c2, c3, c4), 2 are held\n',
    );
    expect(
      plan(fleet({ disruptionBudget: { maxAdditions: 1 } }), { labels: [tier('d2', 'gold'), tier('d1', 'gold')] }).text,
    ).toContain('  written more than 2 s apart, in this order: 1 comes in (d2), 1 is held\n');
  });

  it('tells what is held from what waits', () => {
    const apart = { isCollected: false, leave: ['c1'], back: [], come: [] };

    expect(apartText({ ...apart, held: ['c2', 'c3'], waiting: 2 })).toBe(
      'written one after the other, in this order: 1 leaves (c1), 2 wait',
    );
    expect(apartText({ ...apart, held: ['c2', 'c3'], waiting: 1 })).toBe(
      'written one after the other, in this order: 1 leaves (c1), 1 is held, 1 waits',
    );
  });

  it('says nothing where it is the same, and nothing without an order', () => {
    const two = { labels: [tier('c1', 'silver'), tier('c2', 'silver')] };

    expect(plan(fleet({ disruptionBudget: { maxRemovals: 2 } }), two).text).not.toContain('apart');
    expect(plan(fleet({}), { labels: NAMES.map((name) => tier(name, 'silver')) }).text).not.toContain('apart');
  });

  it('compares the larger number with --max-removals', () => {
    const labels = NAMES.map((name) => tier(name, 'silver'));
    const limits = { maxRemovals: { kind: 'number', value: 1 } } as const;
    const found = plan(fleet({ disruptionBudget: { maxRemovals: 2 } }), { labels, ...limits });

    expect(found.errors).toEqual(['--max-removals: shop/web would lose 2 of 6 clusters, and at most 1 may leave']);
    expect(found.exitCode).toBe(1);
  });
});

/** What the controller makes of writes with pauses: the clusters at the end, those that are held, those that have left. */
async function written(world: World, changes: readonly Change[]): Promise<readonly string[][]> {
  const rig = new PlacementRig();
  storeWorld(rig, worldOf({}), world);
  await rig.start();
  const left = new Set<string>();
  const decided = (): string[] => {
    const lists = rig.api
      .all<RawObject>(PlacementDecisions)
      .flatMap(({ status }) => recordsIn(asRecord(status)['decisions']));
    return lists.map((one) => String(one['clusterName'])).sort();
  };
  const first = decided();
  let now = world;
  for (const next of worldsOf(world, changes)) {
    storeWorld(rig, now, next);
    now = next;
    await rig.untilIdle(SLOW_MS);
    const has = new Set(decided());
    for (const name of first) if (!has.has(name)) left.add(name);
  }
  const status = rig.api.peek<RawObject>(Placements, { namespace: NAMESPACE, name: 'web' })?.status;
  const conditions = recordsIn(asRecord(status)['conditions']);
  const held = conditions.flatMap((one) => {
    const isHold = one['type'] === 'RemovalsHeld' || one['type'] === 'AdditionsHeld';
    const [, text = ''] = isHold ? (/(?:held: |within a minute: )(.*?); /.exec(String(one['message'])) ?? []) : [];
    return [...text.matchAll(/\b[cd]\d\b/g)].map(([name]) => name);
  });
  return [decided(), [...new Set(held)].sort(), [...left].sort()];
}

const someWrite = fc.oneof(
  fc
    .tuple(fc.constantFrom(...NAMES, 'd1', 'd2'), fc.constantFrom('silver', 'silver', 'gold'))
    .map(([name, value]): Change => {
      return { kind: 'label', resource: 'managedclusters', object: { name }, key: 'tier', value };
    }),
);
const someBudget = fc.constantFrom<object | undefined>(
  undefined,
  { maxRemovals: 1 },
  { maxRemovals: 2 },
  { maxRemovals: '50%' },
  { maxAdditions: 1 },
);

describe('what a plan foresees of slow writes', () => {
  it('is what the controller does, for any changes of labels and any budget', async () => {
    let differing = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(someWrite, { minLength: 3, maxLength: 8 }),
        someBudget,
        fc.constantFrom(undefined, 4),
        async (writes, disruptionBudget, numberOfClusters) => {
          const world = fleet({
            ...(disruptionBudget && { disruptionBudget }),
            ...(numberOfClusters !== undefined && { numberOfClusters }),
          });
          const labels = writes.flatMap((one) =>
            one.kind === 'label' ? [tier(one.object.name, one.value ?? '')] : [],
          );
          const { text } = plan(world, { labels, output: 'json' });
          const [planned] = (JSON.parse(text) as Document).placements;
          if (planned === undefined) return;
          const [decided = [], held = [], left = []] = await written(world, writes);
          const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name).sort();
          const { apart } = planned;
          if (apart !== undefined) differing++;

          expect([held, left]).toEqual([
            apart?.held ?? names(planned.held),
            [...(apart?.leave ?? names(planned.remove))].sort(),
          ]);
          const [leave, come] = [apart?.leave ?? names(planned.remove), apart?.come ?? names(planned.add)];
          const gone = leave.filter((name) => !apart?.back.includes(name));
          expect(decided).toHaveLength((planned.before?.selected ?? 0) - gone.length + come.length);
          expect(decided).toEqual(expect.arrayContaining([...come]));
        },
      ),
      { seed: 28, numRuns: 80 },
    );
    expect(differing).toBeGreaterThan(20);
  });

  it('is what the controller does with an edit of the Placement and labels after it, without a budget', async () => {
    const some = fleet({ numberOfClusters: 1 });
    const silver = NAMES.slice(0, 4).map((name) => tier(name, 'silver'));
    const world = overlay(some, silver.map(labelChange));
    const wider = {
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'Placement',
      ...rawPlacement({ predicates: [predicate({ tier: 'gold' })], numberOfClusters: 2 }),
    };
    const labels = [...NAMES.slice(0, 4), 'd1', 'd2'].map((name) => tier(name, 'gold'));

    const { text } = plan(world, { manifests: [wider], labels });
    const [decided = []] = await written(world, [
      { kind: 'apply', resource: 'placements', object: wider },
      ...labels.map(labelChange),
    ]);

    const [, come] = /written one after the other, in this order: 1 comes in \((\w\d)\), none is held/.exec(text) ?? [];
    expect(decided).toContain(come);
    expect(decided).toHaveLength(2);
  });
});
