import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ObjectMeta } from '../../../src/runtime/vocabulary/meta.js';
import { ADDITIONS_ANNOTATION, CLUSTER_SET_LABEL, REMOVALS_ANNOTATION } from '../../../src/api/names.js';
import { overlay, MissingObjectError, type Change } from '../../../src/domain/fleet/overlay.js';
import { forecastOf } from '../../../src/domain/fleet/forecast.js';
import { planFleet } from '../../../src/domain/fleet/plan.js';
import { WorldInputs, type RawObject, type World } from '../../../src/domain/fleet/world.js';
import { recordWindow } from '../../../src/domain/placement/select/budget.js';
import { nextRemovals, withRecord } from '../../../src/domain/placement/stored/removals.js';
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
  const hub = published(overlay(published(before), changes));

  assert.deepEqual(
    planned.map(({ name, after }) => [name, after?.clusters ?? []]),
    planned.map(({ name }) => [name, decided(hub, name)]),
  );
  assert.deepEqual(
    planFleet(hub, hub).map((one) => [one.name, one.kind, one.before?.phase]),
    planned.filter(({ after }) => after !== undefined).map(({ name, after }) => [name, 'Unchanged', after?.phase]),
  );
  for (const { adds, removes, stays, held, before: first, after } of planned) {
    const staying = [...stays, ...held.map(({ name }) => name)];
    assert.deepEqual([...staying, ...removes.map(({ name }) => name)].sort(), first?.clusters ?? []);
    assert.deepEqual([...staying, ...adds.map(({ name }) => name)].sort(), after?.clusters ?? []);
    for (const { name, why } of [...removes, ...adds]) assert.notEqual(why, '', name);
  }
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
): { readonly placement: RawObject; readonly decisions: readonly RawObject[] } {
  const { namespace = '', name, uid = '' } = placement.metadata;
  const input = inputs.input({ namespace, name });
  if (input === undefined) return { placement, decisions: [] };
  const { slots, removals, additions, status } = forecastOf(input.snapshot).published;
  const at = { windowSeconds: recordWindow(input.snapshot), now: world.at };
  const own = world.objects.placementdecisions.filter((one) => one.metadata.ownerReferences?.[0]?.uid === uid);
  const decisions = slots.map((clusters, index) => {
    const object = decisionObject({ namespace, name, uid }, index + 1, contentOf(clusters));
    const before = own.find((one) => one.metadata.name === object.metadata.name)?.metadata.annotations;
    const recorded = (metadata: ObjectMeta, key: string, count: number): ObjectMeta =>
      withRecord(metadata, key, nextRemovals(before?.[key], index === 0 ? count : 0, at));
    const metadata = recorded(
      recorded(object.metadata, REMOVALS_ANNOTATION, removals),
      ADDITIONS_ANNOTATION,
      additions,
    );
    return { ...object, metadata };
  });
  return { placement: { ...placement, status }, decisions };
}

/** The clusters that the decisions of a Placement hold, sorted. */
function decided(world: World, name: string): readonly string[] {
  const input = new WorldInputs(world).input({ namespace: NAMESPACE, name });
  return (input?.snapshot.stored ?? []).flatMap(({ clusters }) => clusters).sort();
}
