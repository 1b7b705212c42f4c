import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { asRecord, recordsIn, sameJson } from '../../src/runtime/vocabulary/json.js';
import { CLUSTER_SET_LABEL, TAINTS } from '../../src/api/names.js';
import { Placements } from '../../src/api/resources.js';
import { planFleet } from '../../src/answers/plan/plan.js';
import type { PlannedRemoval } from '../../src/answers/plan/document.js';
import { worldOf, type World, type WorldResource } from '../../src/answers/world/world.js';
import { taint } from '../support/builders/taints.js';
import { NAMESPACE, predicate, rawBinding, rawCluster, rawPlacement, rawSet } from '../support/builders/world.js';
import { PlacementRig } from '../support/rigs/controllers/placement.js';
import { storeWorld } from '../support/rigs/controllers/worlds.js';
import { runs } from '../support/runs.js';

/*
 * Events, `plan` and conditions blamed a field, a set or a label that nobody had touched. Right, whatever was edited, and however
 * much of it at once: each cause of a removal names something that really differs from before, and when only what the causes
 * name is taken back, the cluster is in the decision again.
 */

/** Something that can be edited by itself, such as `label/a/tier`, `selector/gold`, `spec/predicates`. */
type Thing = string;

type Spec = Readonly<Record<string, unknown>>;

const SEED = 28;
const CLUSTERS = ['a', 'b', 'c', 'd'];
const SETS = ['edge', 'gold', 'prod'];
const KEYS = ['tier', 'region', CLUSTER_SET_LABEL];
const FIELDS = ['ClusterSets', 'predicates', 'numberOfClusters', 'tolerations', 'disruptionBudget'];

const byTier = (tier: string): unknown => ({
  selectorType: 'LabelSelector',
  labelSelector: { matchLabels: { tier } },
});
const inClaims = (value: string): unknown => predicate({}, [], [{ key: 'platform', operator: 'In', values: [value] }]);

function mostly<T>(often: readonly T[], rarely: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...often) },
    { weight: 1, arbitrary: fc.constantFrom(...rarely) },
  );
}

const someSelector = fc.constantFrom(undefined, undefined, byTier('gold'), byTier('silver'));
const TAINTED = [
  [taint('maintenance')],
  [taint('maintenance', { effect: 'NoSelectIfNew' as const })],
  [taint(TAINTS.unreachable, { since: -400_000 })],
  [taint(TAINTS.unreachable, { since: -10_000 })],
];
const someTaints = mostly([[]], TAINTED);
const someCluster = fc.record({
  set: mostly(['edge', 'gold', 'prod'], ['prdo', undefined]),
  labels: fc.record({ tier: mostly(['gold'], ['silver']), region: mostly(['eu'], ['us']) }),
  claims: fc.record({ platform: mostly(['aws'], ['gcp']) }),
  taints: someTaints,
});
const somePredicates = fc.subarray(
  [
    predicate({ tier: 'gold' }),
    predicate({ region: 'eu' }),
    predicate({ tier: 'gold', region: 'eu' }),
    inClaims('aws'),
    inClaims('gcp'),
    predicate({}, [{ key: 'region', operator: 'Exists' }]),
  ],
  { maxLength: 3 },
);
const someField: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ClusterSets: fc.subarray(SETS),
  predicates: somePredicates,
  numberOfClusters: mostly([undefined, 3], [1, 2]),
  tolerations: fc.constantFrom([], [], [{ key: 'maintenance', operator: 'Exists' }]),
  disruptionBudget: fc.constantFrom(undefined, { maxRemovals: 0 }, { maxRemovals: 1 }, { maxRemovals: '50%' }),
};

const someWorld: fc.Arbitrary<World> = fc
  .record({
    clusters: fc.tuple(...CLUSTERS.map(() => someCluster)),
    selectors: fc.tuple(...SETS.map(() => someSelector)),
    spec: fc.record(someField),
  })
  .map(({ clusters, selectors, spec }) =>
    worldOf({
      placements: [rawPlacement(spec)],
      managedclusters: clusters.map((fields, index) => rawCluster(CLUSTERS[index] ?? '', fields)),
      managedclustersets: selectors.map((selector, index) => rawSet(SETS[index] ?? '', selector)),
      managedclustersetbindings: SETS.map((name) => rawBinding(name)),
    }),
  );

/** A thing, with another value that it gets; without one it is deleted. */
type Edit = readonly [thing: Thing, value: unknown];

const clusterName = fc.constantFrom(...CLUSTERS);
const setName = fc.constantFrom(...SETS);
const someEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(
    clusterName.map((name) => `label/${name}/tier`),
    fc.constantFrom('gold', 'silver', undefined),
  ),
  fc.tuple(
    clusterName.map((name) => `label/${name}/region`),
    fc.constantFrom('eu', 'us', undefined),
  ),
  fc.tuple(
    clusterName.map((name) => `label/${name}/${CLUSTER_SET_LABEL}`),
    fc.constantFrom(...SETS, 'prdo', undefined),
  ),
  fc.tuple(
    clusterName.map((name) => `claims/${name}`),
    fc.constantFrom('aws', 'gcp', undefined),
  ),
  fc.tuple(
    clusterName.map((name) => `taints/${name}`),
    fc.constantFrom([], ...TAINTED),
  ),
  fc.tuple(
    clusterName.map((name) => `cluster/${name}`),
    fc.constantFrom(undefined, 'deleting'),
  ),
  fc.tuple(
    setName.map((name) => `selector/${name}`),
    someSelector,
  ),
  fc.tuple(
    setName.map((name) => `set/${name}`),
    fc.constantFrom(undefined, 'deleting'),
  ),
  fc.tuple(
    setName.map((name) => `binding/${name}`),
    fc.constantFrom(undefined, 'deleting'),
  ),
  ...Object.entries(someField).map(([name, value]) => fc.tuple(fc.constant(`spec/${name}`), value)),
);

const RESOURCES: Readonly<Record<string, WorldResource>> = {
  label: 'managedclusters',
  claims: 'managedclusters',
  taints: 'managedclusters',
  cluster: 'managedclusters',
  selector: 'managedclustersets',
  set: 'managedclustersets',
  binding: 'managedclustersetbindings',
  spec: 'placements',
};

function objectOf(world: World, thing: Thing): RawObject | undefined {
  const [kind = '', name = ''] = thing.split('/');
  const objects = world.objects[RESOURCES[kind] ?? 'placements'];
  return kind === 'spec' ? objects[0] : objects.find(({ metadata }) => metadata.name === name);
}

/** The value of the thing; undefined also where its object does not exist. */
function valueIn(world: World, thing: Thing): unknown {
  const [kind = '', name = ''] = thing.split('/');
  const key = thing.slice(kind.length + name.length + 2);
  const found = objectOf(world, thing);
  switch (kind) {
    case 'label':
      return found?.metadata.labels?.[key];
    case 'claims':
      return found?.status;
    case 'taints':
      return found === undefined ? undefined : ((found.spec as Spec)['taints'] ?? []);
    case 'selector':
      return found?.spec;
    case 'spec':
      return asRecord(found?.spec)[name];
    default:
      return found === undefined ? undefined : (found.metadata.deletionTimestamp ?? 'there');
  }
}

/** The world in which the thing is as in `of`, and nothing else differs. */
function withThing(world: World, thing: Thing, of: World): World {
  const [kind = '', name = ''] = thing.split('/');
  const key = thing.slice(kind.length + name.length + 2);
  const [now, then] = [objectOf(world, thing), objectOf(of, thing)];
  if (['cluster', 'set', 'binding'].includes(kind)) {
    if (now === undefined || then === undefined) return put(world, thing, then);
    const { deletionTimestamp: _, ...metadata } = now.metadata;
    const { deletionTimestamp } = then.metadata;
    return put(world, thing, {
      ...now,
      metadata: { ...metadata, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    });
  }
  if (now === undefined || then === undefined) return world;
  const value = valueIn(of, thing);
  switch (kind) {
    case 'label': {
      const { [key]: _, ...others } = now.metadata.labels ?? {};
      const labels = value === undefined ? others : { ...others, [key]: wordOf(value) };
      return put(world, thing, { ...now, metadata: { ...now.metadata, labels } });
    }
    case 'claims':
      return put(world, thing, { ...now, status: value });
    case 'taints':
      return put(world, thing, { ...now, spec: { ...(now.spec as Spec), taints: value } });
    case 'spec':
      return put(world, thing, {
        ...now,
        metadata: { ...now.metadata, generation: (now.metadata.generation ?? 0) + 1 },
        spec: { ...(now.spec as Spec), [name]: value },
      });
    default:
      return put(world, thing, { ...now, spec: value });
  }
}

function put(world: World, thing: Thing, object: RawObject | undefined): World {
  const [kind = '', name = ''] = thing.split('/');
  const resource = RESOURCES[kind] ?? 'placements';
  const isOther = ({ metadata }: RawObject): boolean => kind !== 'spec' && metadata.name !== name;
  const others = world.objects[resource].filter(isOther);
  const objects = object === undefined ? others : [...others, object];
  return { ...world, objects: { ...world.objects, [resource]: objects } };
}

function edited(world: World, [thing, value]: Edit): World {
  const [kind = '', name = ''] = thing.split('/');
  const found = objectOf(world, thing);
  if (found === undefined) return world;
  const { metadata } = found;
  const with_ = (object: RawObject | undefined): World => withThing(world, thing, put(world, thing, object));
  switch (kind) {
    case 'label': {
      const { [thing.slice(kind.length + name.length + 2)]: _, ...others } = metadata.labels ?? {};
      const labels = value === undefined ? others : { ...others, [thing.slice(7 + name.length)]: wordOf(value) };
      return with_({ ...found, metadata: { ...metadata, labels } });
    }
    case 'claims': {
      const { status } = rawCluster(name, { claims: value === undefined ? {} : { platform: wordOf(value) } });
      return with_({ ...found, status });
    }
    case 'taints':
      return with_({ ...found, spec: rawCluster(name, { taints: value as [] }).spec });
    case 'selector':
      return with_({ ...found, spec: rawSet(name, value).spec });
    case 'spec':
      return with_({ ...found, spec: { ...(found.spec as Spec), [name]: value } });
    default:
      return with_(
        value === undefined
          ? undefined
          : { ...found, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      );
  }
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The things that a cause names. */
function named(cluster: string, why: string): readonly Thing[] {
  const sets = [...why.matchAll(/\b(?:cluster sets? )([a-z, ]+)/g)].flatMap(([, list = '']) => list.split(/, | /));
  const parts = (pattern: RegExp, thing: (name: string) => Thing): Thing[] =>
    [...why.matchAll(pattern)].map(([, name = '']) => thing(name));
  return [
    ...KEYS.filter((key) => why.includes(`label ${key}`)).map((key) => `label/${cluster}/${key}`),
    ...(why.includes('claim platform') ? [`claims/${cluster}`] : []),
    ...(why.includes(', wanted ') ? ['spec/predicates'] : []),
    ...(why.includes('taint ') ? [`taints/${cluster}`, 'spec/tolerations'] : []),
    ...(/was deleted|ManagedCluster is being deleted/.test(why) ? [`cluster/${cluster}`] : []),
    ...sets.filter((name) => SETS.includes(name)).map((name) => `selector/${name}`),
    ...parts(/ManagedClusterSetBinding (\w+)/g, (name) => `binding/${name}`),
    ...(why.includes('its binding is being deleted') ? SETS.map((name) => `binding/${name}`) : []),
    ...parts(/ManagedClusterSet (\w+)/g, (name) => `set/${name}`),
    ...FIELDS.filter((field) => why.includes(`spec.${field}`)).map((field) => `spec/${field}`),
  ];
}

function planned(before: World, after: World): readonly PlannedRemoval[] {
  const [plan] = planFleet(before, after);
  return [...(plan?.remove ?? []), ...(plan?.held ?? [])];
}

/** What the causes of a removal name, until the cluster is in again. @throws what expect throws. */
function takenBack(before: World, after: World, name: string): readonly Thing[] {
  const things: Thing[] = [];
  for (let world = after; ;) {
    const lost = planned(before, world).find((one) => one.name === name);
    if (lost === undefined) return things;
    const differing = named(name, lost.why).filter(
      (thing) => !sameJson(valueIn(before, thing) ?? null, valueIn(world, thing) ?? null),
    );
    expect({ ...lost, changed: differing }).not.toEqual({ ...lost, changed: [] });
    for (const thing of differing) world = withThing(world, thing, before);
    things.push(...differing);
  }
}

/** The texts of the controller about the change: the note of its event, and the message of the condition RemovalsHeld. */
async function texts(before: World, after: World): Promise<{ readonly event: string; readonly held: string }> {
  const rig = new PlacementRig();
  storeWorld(rig, worldOf({}), before);
  await rig.start();
  rig.events.length = 0;
  storeWorld(rig, before, after);
  await rig.untilIdle();
  const notes = rig.events.filter(({ reason }) => reason === 'DecisionChanged').map(({ note }) => note);
  const status = rig.api.peek<RawObject>(Placements, { namespace: NAMESPACE, name: 'web' })?.status;
  const held = recordsIn(asRecord(status)['conditions']).find((one) => one['type'] === 'RemovalsHeld');
  return { event: notes.join('\n'), held: wordOf(held?.['message']) };
}

const withSpec = (world: World, field: string, value: unknown): World => edited(world, [`spec/${field}`, value]);

describe('the cause of a removal, of whatever was edited,', () => {
  it.each([1, 2, 4])('names what changed, and taking that back is enough: %d edits', (edits) => {
    let removals = 0;
    fc.assert(
      fc.property(someWorld, fc.array(someEdit, { minLength: edits, maxLength: edits }), (before, list) => {
        const after = list.reduce(edited, before);
        for (const { name } of planned(before, after)) {
          removals++;
          takenBack(before, after, name);
        }
      }),
      { seed: SEED, numRuns: runs(300) },
    );
    expect(removals).toBeGreaterThan(10);
  });

  it('is that of the plan in the event', async () => {
    let removals = 0;
    await fc.assert(
      fc.asyncProperty(someWorld, fc.array(someEdit, { minLength: 1, maxLength: 3 }), async (world, list) => {
        const before = withSpec(world, 'disruptionBudget', undefined);
        const after = withSpec(list.reduce(edited, before), 'disruptionBudget', undefined);
        const [plan] = planFleet(before, after);
        const whys = plan?.held.length === 0 ? plan.remove.map(({ why }) => why) : [];
        if (whys.length === 0) return;
        removals++;
        const { event } = await texts(before, after);
        for (const why of whys) expect(event).toContain(`(${why})`);
      }),
      { seed: SEED, numRuns: runs(120) },
    );
    expect(removals).toBeGreaterThan(6);
  });

  it('is named by the condition, which knows the sets of before alone', async () => {
    let holds = 0;
    await fc.assert(
      fc.asyncProperty(someWorld, someEdit, async (world, edit) => {
        const before = withSpec(world, 'disruptionBudget', { maxRemovals: 0 });
        const after = withSpec(edited(before, edit), 'disruptionBudget', { maxRemovals: 0 });
        const names = (planFleet(before, after)[0]?.held ?? []).map(({ name }) => name);
        if (names.length === 0) return;
        holds++;
        const { held } = await texts(before, after);
        for (const name of names)
          expect({ held, named: named(name, held) }).toMatchObject({ named: expect.arrayContaining([edit[0]]) });
      }),
      { seed: SEED, numRuns: runs(250) },
    );
    expect(holds).toBeGreaterThan(6);
  });
});
