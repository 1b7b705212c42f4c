import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { PLACEMENT_LABEL, SOURCE_ANNOTATION, TAINTS } from '../../../src/api/names.js';
import { asRecord, field, recordsIn } from '../../../src/runtime/vocabulary/json.js';
import { isHealthTaint } from '../../../src/domain/health/taints.js';
import { lossOfEach, planLoss, type PlacementLoss } from '../../../src/answers/plan/loss.js';
import { planFleet } from '../../../src/answers/plan/plan.js';
import { changeLists } from '../../../src/answers/plan/text.js';
import type { PlannedPlacement } from '../../../src/answers/plan/document.js';
import { unnoticedIn } from '../../../src/answers/plan/lose.js';
import { WorldInputs, type World } from '../../../src/answers/world/world.js';
import { clustersAfter } from '../../support/builders/changes.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import { predicate, rawCluster, rawDecision, rawPlacement, someWorld } from '../../support/builders/world.js';
import { runs } from '../../support/runs.js';

const CLUSTERS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];

function lossOf(world: World, ...names: readonly string[]): PlacementLoss {
  const [first] = planLoss(world, new Map(names.map((name) => [name, 'lost']))).losses;
  if (first === undefined) throw new Error('the world has no Placement');
  return first;
}

/** The world once the hub has tainted the clusters, long ago. */
function silent({ objects, ...world }: World, names: readonly string[]): World {
  const unreachable = { key: TAINTS.unreachable, effect: 'NoSelect', timeAdded: '0001-01-01T00:00:00Z' };
  const managedclusters = objects.managedclusters.map((one): RawObject => {
    if (!names.includes(one.metadata.name)) return one;
    const others = recordsIn(field(one.spec, 'taints')).filter(({ key }) => !isHealthTaint({ key: String(key) }));
    return { ...one, spec: { ...asRecord(one.spec), taints: [...others, unreachable] } };
  });
  return { ...world, objects: { ...objects, managedclusters } };
}

const someScheduling = fc.record(
  {
    spreadPolicy: fc.record({
      spreadConstraints: fc
        .tuple(fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'), fc.constantFrom('tier', 'region'))
        .map(([whenUnsatisfiable, topologyKey]) => [{ topologyKey, topologyKeyType: 'Label', whenUnsatisfiable }]),
    }),
    prioritizerPolicy: fc.record({
      configurations: fc.subarray(
        [
          { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } },
          { scoreCoordinate: { type: 'BuiltIn', builtIn: 'PredicateOrder' }, weight: 2 },
          { scoreCoordinate: { type: 'Selector', selector: { labelSelector: { matchLabels: { tier: 'gold' } } } } },
        ],
        { minLength: 1 },
      ),
    }),
  },
  { requiredKeys: [] },
);

/** Two Placements: web is on a and prefers clusters that no other one selects, and api is on z, of which a is the only spare. */
function balanced(): World {
  const configurations = [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } }];
  const web = rawPlacement({
    numberOfClusters: 1,
    prioritizerPolicy: { configurations },
    rebalance: { scoreMargin: 20 },
  });
  const api = rawPlacement({ numberOfClusters: 1, predicates: [predicate({ tier: 'gold' })] }, 'api');
  const managedclusters = Object.entries({ a: 'gold', b: 'silver', z: 'gold' }).map(([name, tier]) =>
    rawCluster(name, { set: 'production', labels: { tier } }),
  );
  const other = rawDecision(1, ['z']);
  const [owner] = other.metadata.ownerReferences ?? [];
  const metadata = {
    ...other.metadata,
    name: 'api-decision-1',
    labels: { [PLACEMENT_LABEL]: 'api' },
    ownerReferences: owner === undefined ? [] : [{ ...owner, name: 'api', uid: 'api' }],
  };
  const placements = [web, { ...api, metadata: { ...api.metadata, uid: 'api' } }];
  const placementdecisions = [rawDecision(1, ['a']), { ...other, metadata }];
  return exampleWorld({}, { placements, managedclusters, placementdecisions });
}

/** Worlds with a second Placement, whose choices depend on scores, on spread, and on each other. */
const someScheduledWorld: fc.Arbitrary<World> = fc
  .tuple(someWorld, someScheduling, someScheduling, fc.integer({ min: 1, max: 4 }))
  .map(([{ objects, ...world }, first, second, numberOfClusters]) => {
    const placements = objects.placements.flatMap((one): RawObject[] => [
      { ...one, spec: { numberOfClusters, ...(one.spec as object), ...first } },
      { metadata: { ...one.metadata, name: 'api', uid: 'api' }, spec: { numberOfClusters, ...second } },
    ]);
    return { ...world, objects: { ...objects, placements } };
  });

/** What both ways have to say of a Placement: a lost cluster that stay is one that is held. */
function comparable({ add, remove, stay, held, ...plan }: PlannedPlacement): unknown {
  const namesOf = (list: readonly { readonly name: string }[]): readonly string[] => list.map(({ name }) => name);
  return {
    after: plan.after,
    moves: plan.moves,
    add: namesOf(add),
    remove: remove.map(({ name, cause }) => [name, cause]),
    stay: [...stay, ...namesOf(held)].sort(),
  };
}

describe('planLoss', () => {
  it('moves that follow from a loss are part of the plan', () => {
    const losses = planLoss(balanced(), new Map([['z', 'lost']])).losses;

    expect(
      losses.map(({ plan }) => [
        plan.name,
        plan.add.map(({ name }) => name),
        plan.moves?.map(({ from, to }) => `${from} → ${to}`) ?? [],
      ]),
    ).toEqual([
      ['api', ['a'], []],
      ['web', [], ['a → b']],
    ]);
  });

  it('other clusters come in for those that are lost, and each says why', () => {
    const { plan, effect, isOnLast } = lossOf(exampleWorld(), 'prod-us-1', 'prod-ap-2');

    expect([effect, isOnLast, plan.change]).toEqual(['Moves', false, 'Changed']);
    expect(plan.remove).toEqual([{ name: 'prod-us-1', cause: 'Tainted', why: 'lost' }]);
    expect(plan.add).toEqual([{ name: 'prod-eu-1', predicate: 0, why: 'predicate 0' }]);
  });

  it.each([
    ['fewer are left than wanted', ['prod-us-1', 'prod-eu-1', 'prod-ap-1'], 'Short', false],
    [
      'one is left, and no other can take its place',
      ['prod-us-1', 'prod-eu-1', 'prod-ap-1', 'prod-eu-2'],
      'Short',
      true,
    ],
    ['none is left', ['prod-us-1', 'prod-eu-1', 'prod-ap-1', 'prod-eu-2', 'edge-eu-2'], 'Empty', false],
    ['a cluster is lost that is not selected', ['prod-eu-1'], 'None', false],
  ])('%s', (_sentence, names, effect, isOnLast) => {
    expect(lossOf(exampleWorld(), ...names)).toMatchObject({ effect, isOnLast });
  });

  it('a Placement that loses its only spare cluster stands on its last, although nothing moves', () => {
    const spec = { numberOfClusters: 1, predicates: [predicate({ tier: 'gold' })] };
    const world = exampleWorld(spec);
    const selected = lossOf(world).plan.stay;
    const spare = ['prod-ap-1', 'prod-eu-1', 'prod-us-1'].filter((name) => !selected.includes(name));

    expect(lossOf(world, ...spare)).toMatchObject({ effect: 'None', isOnLast: true, plan: { change: 'Unchanged' } });
    expect(lossOf(world, ...spare.slice(1))).toMatchObject({ effect: 'None', isOnLast: false });
  });

  it('a lost cluster that nothing can replace stays in the decision, whatever a disruption budget says', () => {
    const lost = ['edge-eu-2', 'prod-eu-2', 'prod-us-1'];
    const budgeted = exampleWorld({ ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: 0 } });

    for (const world of [exampleWorld(), budgeted]) {
      const { plan, effect } = lossOf(world, ...lost);
      expect([effect, plan.remove.length, plan.held.map(({ why }) => why)]).toEqual([
        'Short',
        2,
        ['lost; stays, and no other cluster can take its place'],
      ]);
      expect(clustersAfter(plan)).toHaveLength(3);
    }
  });

  it('a paused Placement keeps what is lost, and no other comes in: it is short', () => {
    const { plan, effect } = lossOf(exampleWorld({ ...EXAMPLE_SPEC, paused: true }), 'prod-us-1');

    expect([effect, plan.add, plan.remove]).toEqual(['Short', [], []]);
    expect(plan.held.filter(({ name }) => name === 'prod-us-1')).toEqual([
      {
        name: 'prod-us-1',
        cause: 'Tainted',
        why: 'lost; taint cluster.fleetmgmt.io/unreachable:NoSelect, tolerated for 300 s; spec.paused is true',
        waitsFor: 'paused',
      },
    ]);
    expect(clustersAfter(plan)).toEqual(['edge-eu-2', 'prod-eu-2', 'prod-us-1']);

    // Of three that are lost two could be replaced.
    const all = lossOf(exampleWorld({ ...EXAMPLE_SPEC, paused: true }), 'edge-eu-2', 'prod-eu-2', 'prod-us-1');
    expect(all.plan.held.map(({ why }) => why)).toContain('lost; stays, and spec.paused keeps others out of its place');
  });

  it('a Placement that holds all of its clusters, before the loss too, changes by what it loses', () => {
    const disruptionBudget = { maxRemovals: 0 };
    const world = exampleWorld({ predicates: [predicate({ tier: 'none' })], disruptionBudget });

    expect(lossOf(world, 'prod-us-1').plan).toMatchObject({ change: 'Changed', loss: { usable: 2 } });
    expect(lossOf(world, 'prod-ap-1').plan.change).toBe('Unchanged');
  });

  it.each([
    ['that wants every cluster that matches', {}, 'lost; stays, since every cluster that matches is wanted'],
    [
      'that tolerates silence for ever',
      { numberOfClusters: 1, tolerations: [{ key: TAINTS.unreachable, operator: 'Exists' }] },
      'lost; stays: taint cluster.fleetmgmt.io/unreachable:NoSelect, tolerated for ever by spec.tolerations[0]',
    ],
  ])('a Placement %s keeps what is lost, and the plan says so', (_which, spec, why) => {
    const world = exampleWorld(spec);
    const [first = ''] = lossOf(world).plan.stay;

    expect(lossOf(world, first).plan).toMatchObject({ change: 'Changed', remove: [], held: [{ name: first, why }] });
  });

  it('a lost cluster that comes in, since its silence is tolerated, is shown as lost, and not as one that comes in', () => {
    const taints = [{ key: TAINTS.unavailable, value: '', effect: 'NoSelect', since: undefined } as const];
    const gold = { set: 'production', labels: { tier: 'gold' } };
    const managedclusters = [rawCluster('down', { ...gold, taints }), rawCluster('up', gold)];
    const spec = { tolerations: [{ key: TAINTS.unreachable, operator: 'Exists' }] };
    const world = exampleWorld(spec, { managedclusters, placementdecisions: [rawDecision(1, ['up'])] });
    const { plan } = lossOf(world, 'down');

    expect(plan.add).toMatchObject([{ name: 'down', why: expect.stringContaining('lost') }]);
    expect(plan.loss).toMatchObject({ usable: 1 });
    expect(changeLists(plan, new Map([['down', 'lost']])).map(({ sign }) => sign)).toEqual(['lost']);
    expect(changeLists(plan, new Map()).map(({ sign }) => sign)).toEqual(['+']);
  });

  it('a written toleration for a time ends, and the cluster leaves without a replacement', () => {
    const tolerations = [{ key: TAINTS.unreachable, operator: 'Exists', tolerationSeconds: 86_400 }];

    expect(lossOf(exampleWorld({ tolerations }), 'prod-us-1').plan.remove).toMatchObject([{ name: 'prod-us-1' }]);
  });

  it('a change window keeps nothing lost in a decision, and no other cluster out', () => {
    const changeWindows = [{ start: 'Mon 22:00', duration: '1h', timeZone: 'UTC' }];
    const { plan, effect } = lossOf(exampleWorld({ ...EXAMPLE_SPEC, changeWindows }), 'prod-us-1');

    expect([effect, plan.add.map(({ name }) => name)]).toEqual(['Moves', ['prod-eu-1']]);
  });

  it('what is too few without the loss is not counted as short', () => {
    expect(lossOf(exampleWorld({ ...EXAMPLE_SPEC, numberOfClusters: 9 }), 'edge-ap-1')).toMatchObject({
      effect: 'None',
    });
  });

  it('without the right to read clusters nothing is known', () => {
    const world = exampleWorld(EXAMPLE_SPEC, {}, [{ resource: 'managedclusters', verb: 'list', status: 403 }]);

    expect(lossOf(world, 'prod-us-1')).toMatchObject({ plan: { change: 'Unknown' }, effect: 'None' });
    expect(lossOfEach(world, new Map([['prod-us-1', 'us']]))).toMatchObject([{ value: 'us', placements: [] }]);
  });

  it('is what is planned when the hub has tainted the clusters', () => {
    fc.assert(
      fc.property(someScheduledWorld, fc.subarray(CLUSTERS), (world, names) => {
        const planned = planLoss(world, new Map(names.map((name) => [name, 'lost']))).losses;

        expect(planned.map(({ plan }) => comparable(plan))).toEqual(
          planFleet(world, silent(world, names)).map(comparable),
        );
      }),
      { numRuns: runs(75) },
    );
  });
});

describe('what the hub notices of a loss', () => {
  const joined = (name: string, spec: object = { hubAcceptsClient: true }): RawObject => {
    const one = rawCluster(name, { set: 'production' });
    const conditions = [{ type: 'ManagedClusterJoined', status: 'True' }];
    return { ...one, spec: { ...asRecord(one.spec), ...spec }, status: { conditions } };
  };
  const unheard = { ...joined('n'), status: {} };
  const read = rawCluster('i', { set: 'production' });
  const sourced = { ...read, metadata: { ...read.metadata, annotations: { [SOURCE_ANNOTATION]: 'ocm' } } };
  const denied = joined('d', { hubAcceptsClient: false });
  const agents = ['a', 'b', 'c', 'e', 'f'].map((name) => joined(name));
  const managedclusters = [...agents, unheard, sourced, denied, rawCluster('w', { set: 'production' })];
  const world = exampleWorld({}, { managedclusters });
  const noticed = unnoticedIn(world, new WorldInputs(world));

  it.each([
    ['that have agents', ['a', 'b'], {}],
    ['without an agent, or one that never came', ['a', 'n', 'w'], { unnoticed: ['n', 'w'] }],
    ['of an inventory, or denied', ['d', 'i'], {}],
    ['that are most of the fleet', ['a', 'b', 'c'], { braked: true }],
  ])('of clusters %s', (_which, names, expected) => {
    expect(noticed(names)).toEqual(expected);
  });
});

describe('lossOfEach', () => {
  const web = { namespace: 'shop', name: 'web' };
  const regions = new Map([
    ['prod-us-1', 'us'],
    ['prod-eu-1', 'eu'],
    ['prod-eu-2', 'eu'],
    ['edge-eu-2', 'eu'],
    ['prod-ap-2', 'ap'],
  ]);

  it('has a row for each value, the worst first', () => {
    expect(lossOfEach(exampleWorld(), regions)).toMatchObject([
      { value: 'eu', clusters: 3, placements: [{ ...web, effect: 'Short', selected: { before: 3, after: 2 } }] },
      { value: 'us', clusters: 1, placements: [{ ...web, effect: 'Moves', selected: { before: 3, after: 3 } }] },
      { value: 'ap', clusters: 1, placements: [] },
    ]);
  });

  it('a Placement that is empty counts as short and as one that moves, too', () => {
    const gold = { numberOfClusters: 3, predicates: [predicate({ tier: 'gold' })] };
    const values = new Map(['prod-ap-1', 'prod-eu-1', 'prod-us-1'].map((name) => [name, 'gold']));
    const [row] = lossOfEach(exampleWorld(gold), values);

    expect(row).toMatchObject({ move: 1, short: 1, empty: 1 });
  });

  it('says how far it is', () => {
    const seen: (readonly number[])[] = [];
    const world = exampleWorld(EXAMPLE_SPEC, { placements: [rawPlacement({}), rawPlacement({}, 'api')] });
    lossOfEach(world, regions, { onProgress: (...progress) => seen.push(progress) });

    expect(seen).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it('each row is what the loss of its clusters does', () => {
    const someValues = fc.dictionary(fc.constantFrom(...CLUSTERS), fc.constantFrom('eu', 'us', 'ap'));
    fc.assert(
      fc.property(someScheduledWorld, someValues, (world, values) => {
        for (const { value, placements } of lossOfEach(world, new Map(Object.entries(values)))) {
          const names = Object.keys(values).filter((name) => values[name] === value);
          const one = planLoss(world, new Map(names.map((name) => [name, 'lost']))).losses;
          const effects = one.map(({ plan: { namespace, name }, effect }) => ({ namespace, name, effect }));

          const found = placements.map(({ selected: _selected, ...rest }) => rest);
          expect(found).toEqual(effects.filter(({ effect }) => effect !== 'None'));
        }
      }),
      { numRuns: runs(75) },
    );
  });
});
