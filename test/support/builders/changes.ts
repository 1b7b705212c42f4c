import assert from 'node:assert/strict';
import fc from 'fast-check';
import { timestamp, type ObjectMeta, type RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { ADDITIONS_ANNOTATION, CLUSTER_SET_LABEL, REMOVALS_ANNOTATION } from '../../../src/api/names.js';
import { overlay, MissingObjectError, type Change } from '../../../src/answers/world/overlay.js';
import { forecastOf } from '../../../src/answers/world/forecast.js';
import type { PlannedPlacement } from '../../../src/answers/plan/document.js';
import { planFleet } from '../../../src/answers/plan/plan.js';
import { WorldInputs, type World } from '../../../src/answers/world/world.js';
import { compileSpec } from '../../../src/domain/placement/spec/predicates.js';
import { isBalanced } from '../../../src/domain/placement/spec/prioritizers.js';
import { comingIn, countsAs, leaving, type Decision } from '../../../src/domain/placement/select/decision.js';
import { recordWindow } from '../../../src/domain/placement/select/budget.js';
import { nextRecord, withRecord } from '../../../src/domain/placement/stored/record.js';
import { decisionObject } from '../../../src/domain/placement/stored/decision.js';
import { contentOf } from '../../../src/domain/placement/stored/items.js';
import { NAMESPACE, predicate, rawBinding, rawCluster, rawPlacement, rawSet } from './world.js';

/** Arbitrary changes of the worlds of `someWorld`, and the hub that carries them out. */

const SETS = ['edge', 'production', 'staging'];
const CLUSTERS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'];

const inNamespace = (name: string): { namespace: string; name: string } => ({ namespace: NAMESPACE, name });
const someLabel = fc.oneof(
  fc.tuple(fc.constantFrom('tier', 'region'), fc.constantFrom('gold', 'silver', 'eu', undefined)),
  fc.tuple(fc.constant(CLUSTER_SET_LABEL), fc.constantFrom(...SETS, undefined)),
);
const someChange: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.constantFrom(...CLUSTERS), someLabel).map(([name, [key, value]]): Change => {
    return { kind: 'label', resource: 'managedclusters', object: { name }, key, value };
  }),
  fc
    .constantFrom(...CLUSTERS)
    .map((name): Change => ({ kind: 'delete', resource: 'managedclusters', object: { name } })),
  fc
    .constantFrom(...SETS)
    .map((name): Change => ({ kind: 'delete', resource: 'managedclustersets', object: { name } })),
  fc.constantFrom(...SETS).map((name): Change => {
    return { kind: 'delete', resource: 'managedclustersetbindings', object: inNamespace(name) };
  }),
  fc.constantFrom('web', 'api').map((name): Change => {
    return { kind: 'delete', resource: 'placements', object: inNamespace(name) };
  }),
  fc.tuple(fc.constantFrom(...CLUSTERS), fc.constantFrom(...SETS)).map(([name, set]): Change => {
    return { kind: 'apply', resource: 'managedclusters', object: rawCluster(name, { set, labels: { tier: 'gold' } }) };
  }),
  fc.constantFrom(...SETS).map((name): Change => {
    return { kind: 'apply', resource: 'managedclustersets', object: rawSet(name) };
  }),
  fc.constantFrom(...SETS).map((name): Change => {
    return { kind: 'apply', resource: 'managedclustersetbindings', object: rawBinding(name) };
  }),
  fc
    .tuple(fc.constantFrom('web', 'api', 'new'), fc.integer({ min: -1, max: 6 }), fc.constantFrom('gold', 'silver'))
    .map(([name, numberOfClusters, tier]): Change => {
      const spec = { numberOfClusters, predicates: [predicate({ tier })] };
      const { metadata } = rawPlacement({}, name);
      return { kind: 'apply', resource: 'placements', object: { metadata: { ...metadata, uid: name }, spec } };
    }),
);

export const someChanges: fc.Arbitrary<readonly Change[]> = fc.array(someChange, { minLength: 1, maxLength: 4 });

/** A plan of the changes, and what the hub has once they are carried out and all decisions published again, are the same. */
export function expectAsPlanned(world: World, wanted: readonly Change[]): void {
  const before = withApi(world);
  const changes = possible(before, wanted);
  const planned = planFleet(before, overlay(before, changes));
  const first = published(before);
  const hub = published(overlay(first, changes));

  assert.deepEqual(
    planned.map((one) => [one.name, clustersAfter(one)]),
    planned.map(({ name }) => [name, decided(hub, name)]),
  );
  assert.deepEqual(
    planFleet(hub, hub).map((one) => [one.name, one.change, one.before?.phase]),
    planned.filter(({ after }) => after !== undefined).map(({ name, after }) => [name, 'Unchanged', after?.phase]),
  );
  for (const { name: placement, add, remove, stay, held, before: was, after } of planned) {
    const staying = [...stay, ...held.map(({ name }) => name)];
    assert.deepEqual([...staying, ...remove.map(({ name }) => name)].sort(), decided(first, placement));
    assert.equal(was?.selected ?? 0, staying.length + remove.length);
    assert.equal(after?.selected ?? 0, staying.length + add.length);
    for (const { name, why } of [...remove, ...add]) assert.notEqual(why, '', name);
  }
}

/** The clusters of the decision that a plan leads to, sorted. */
export function clustersAfter({ stay, held, add }: PlannedPlacement): readonly string[] {
  const kept = held.filter(({ cause }) => cause !== 'HeldBack');
  return [...stay, ...[...kept, ...add].map(({ name }) => name)].sort();
}

/** Those of the changes that name what exists then. */
function possible(world: World, changes: readonly Change[]): readonly Change[] {
  let reached = world;
  return changes.filter((change) => {
    try {
      reached = overlay(reached, [change]);
      return true;
    } catch (error) {
      if (error instanceof MissingObjectError) return false;
      throw error;
    }
  });
}

/** The world with a second Placement, `api`. */
function withApi(world: World): World {
  const api = rawPlacement({ numberOfClusters: 2 }, 'api');
  const placements = [...world.objects.placements, { ...api, metadata: { ...api.metadata, uid: 'api' } }];
  return { ...world, objects: { ...world.objects, placements } };
}

/**
 * The world once the controller has published every decision with its statuses and records of removals, and the decisions
 * of deleted Placements are collected.
 */
function published(world: World): World {
  const inputs = new WorldInputs(world);
  const all = world.objects.placements.map((placement) => publishedOf(placement, inputs, world));
  const placements = all.map((one) => one.placement);
  return {
    ...world,
    objects: { ...world.objects, placements, placementdecisions: all.flatMap((one) => one.decisions) },
  };
}

function publishedOf(
  placement: RawObject,
  inputs: WorldInputs,
  world: World,
): { readonly placement: RawObject; readonly decisions: readonly RawObject[]; readonly decision?: Decision } {
  const { namespace = '', name, uid = '' } = placement.metadata;
  const input = inputs.input({ namespace, name });
  if (input === undefined) return { placement, decisions: [] };
  const { decision, published: after } = forecastOf(input.snapshot);
  const { lists, since, pieces, status } = after;
  const counting = (kind: 'leaves' | 'comesIn'): number =>
    [...decision.fates.values()].filter((fate) => countsAs(kind, fate)).length;
  const [removals, additions] = [Math.max(counting('leaves') - decision.uncounted, 0), counting('comesIn')];
  const at = { windowSeconds: recordWindow(input.snapshot), now: world.at };
  const own = world.objects.placementdecisions.filter((one) => one.metadata.ownerReferences?.[0]?.uid === uid);
  const decisions = lists.map((clusters, index) => {
    const content = contentOf(clusters, { since }, pieces.get(index + 1));
    const object = decisionObject({ namespace, name, uid }, index + 1, content);
    const before = own.find((one) => one.metadata.name === object.metadata.name)?.metadata.annotations;
    const recorded = (metadata: ObjectMeta, key: string, count: number): ObjectMeta =>
      withRecord(metadata, key, nextRecord(before?.[key], index === 0 ? count : 0, at));
    const metadata = recorded(
      recorded(object.metadata, REMOVALS_ANNOTATION, removals),
      ADDITIONS_ANNOTATION,
      additions,
    );
    return { ...object, metadata };
  });
  return { placement: { ...placement, status }, decisions, decision };
}

/** A plan of edits of Placements says each move that the controller then makes, and when. Returns how many it makes. */
export function expectMovesAsPlanned(world: World, edits: Readonly<Record<string, unknown>>): number {
  const before = published(world);
  const after = overlay(
    before,
    Object.entries(edits).map(([name, spec]) => ({
      kind: 'apply',
      resource: 'placements',
      object: { metadata: inNamespace(name), spec },
    })),
  );
  const { made, isEndless } = movesMade(after);
  const planned = planFleet(before, after);
  // Where one Placement prefers what another one selects, and that one avoids it, moves have no end.
  assert.equal(
    planned.some(({ movesComputed }) => movesComputed === false),
    isEndless,
  );
  if (isEndless) return 0;
  assert.deepEqual(
    planned.map(({ name, moves = [] }) => [name, moves.map(({ from, to, at }) => [from, to, at])]),
    planned.map(({ name }) => [
      name,
      made.flatMap(([of, from, to, at]) => (of === name ? [[from, to, timestamp(at)]] : [])),
    ]),
  );
  return made.length;
}

/** A move that the controller made: which Placement, from where, to where, and when. */
type MadeMove = readonly [name: string, from: string, to: string, at: number];

/**
 * What the controller does from `world.at` on: it decides each Placement at once and publishes the decision, and again at the time
 * for which it asks; one with Balance and moves also an interval after another decision has changed. Of several at the same time
 * the first by name is decided first.
 */
function movesMade(world: World): { readonly made: readonly MadeMove[]; readonly isEndless: boolean } {
  const names = world.objects.placements.map(({ metadata }) => metadata.name).sort();
  const due = new Map(names.map((name) => [name, world.at]));
  const made: MadeMove[] = [];
  let hub = world;
  for (let passes = 0; passes < 2_000; passes++) {
    const [name, at] = [...due].reduce((first, one) => (one[1] < first[1] ? one : first));
    if (at === Infinity) return { made, isEndless: false };
    hub = { ...hub, at };
    const placement = hub.objects.placements.find((one) => one.metadata.name === name);
    assert.ok(placement);
    const { decision, ...after } = publishedOf(placement, new WorldInputs(hub), hub);
    assert.ok(decision);
    const isOf = ({ metadata }: RawObject): boolean => metadata.ownerReferences?.[0]?.uid === placement.metadata.uid;
    const others = hub.objects.placementdecisions.filter((one) => !isOf(one));
    const placements = hub.objects.placements.map((one) => (one === placement ? after.placement : one));
    hub = { ...hub, objects: { ...hub.objects, placements, placementdecisions: [...others, ...after.decisions] } };
    due.set(name, decision.lookAgain ?? Infinity);
    if (comingIn(decision).length + leaving(decision).length === 0) continue;
    if (decision.move !== undefined) made.push([name, decision.move.leaves, decision.move.comes, at]);
    for (const one of placements) {
      const { rebalance, ...rules } = compileSpec(one.spec);
      const again = at + (rebalance?.intervalSeconds ?? Infinity) * 1_000;
      if (one.metadata.name !== name && isBalanced(rules))
        due.set(one.metadata.name, Math.min(due.get(one.metadata.name) ?? Infinity, again));
    }
  }
  return { made, isEndless: true };
}

/** The clusters that the decisions of a Placement hold, sorted. */
function decided(world: World, name: string): readonly string[] {
  const input = new WorldInputs(world).input({ namespace: NAMESPACE, name });
  return (input?.snapshot.stored ?? []).flatMap(({ clusters }) => clusters).sort();
}
