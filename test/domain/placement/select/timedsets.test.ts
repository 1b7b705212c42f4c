import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CLUSTER_SET_LABEL, TAINTS } from '../../../../src/api/names.js';
import { placementReport } from '../../../../src/domain/placement/report/status.js';
import { sliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import { readRelease } from '../../../../src/domain/placement/spec/budget.js';
import { readChangeTimes } from '../../../../src/domain/placement/spec/changewindows.js';
import { setView } from '../../../../src/domain/placement/select/eligible.js';
import { chosen } from '../../../../src/domain/placement/select/decision.js';
import type { SetView } from '../../../../src/domain/placement/select/snapshot.js';
import {
  binding,
  clusterSet,
  decision,
  member,
  NOW,
  snapshot,
  type World,
} from '../../../support/builders/placement.js';
import type { FleetMember } from '../../../support/builders/candidates.js';
import { scheduled } from '../../../support/builders/scheduled.js';
import { taint } from '../../../support/builders/taints.js';

/** NOW is a Sunday, 10:00:30 UTC. */
const CLOSED = { changeWindows: [{ start: 'Mon 22:00', duration: '4h', timeZone: 'UTC' }] };
const OPEN = { changeWindows: [{ start: 'Sun 08:00', duration: '4h', timeZone: 'UTC' }] };
const OPENS = Date.parse('2026-11-23T22:00:00Z');
const PAUSED = { paused: true };
const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };

const setOf = (name: string, spec: object = {}): SetView => setView({ metadata: { name }, spec });

/** A cluster of this set, which is `fleet` or `other`. */
function of(set: string, name: string, labels: object = {}, over: object = {}): FleetMember {
  return member(name, { labels: { tier: 'gold', [CLUSTER_SET_LABEL]: set, ...labels }, ...over }, [set]);
}

/** Placement `web` of these clusters of set `fleet`, which has selected a and b; both sets are bound. */
function world(fleetSpec: object, over: Partial<World> = {}): Partial<World> {
  return {
    spec: { predicates: [gold] },
    fleet: [of('fleet', 'a'), of('fleet', 'b')],
    sets: [setOf('fleet', fleetSpec), setOf('other')],
    bindings: [binding('fleet'), binding('other')],
    stored: [decision(1, ['a', 'b'])],
    status: statusFor(2),
    ...over,
  };
}

const statusFor = (numberOfClusters?: number): object => ({
  phase: 'Satisfied',
  observedGeneration: 1,
  decisions: [{ name: 'web-decision-1', revision: 'x' }],
  basis: { definitions: { managedclusters: 'x' }, ...(numberOfClusters !== undefined && { numberOfClusters }) },
});

const fresh = { stored: [], status: { observedGeneration: -1 } };

/** `-b` leaves, `+c` comes in, `=b` waits to leave, `!c` waits to come in. */
function changes(of: Partial<World>): string {
  const { dropped, added, waitingRemovals, waitingAdditions } = scheduled(snapshot(of));
  const signed = (sign: string, names: readonly string[]): string[] =>
    [...names].sort().map((name) => `${sign}${name}`);
  const named = (list: readonly { readonly cluster: string }[]): string[] => list.map(({ cluster }) => cluster);
  return [
    ...signed('-', named(dropped)),
    ...signed('+', added),
    ...signed('=', named(waitingRemovals)),
    ...signed('!', waitingAdditions),
  ].join(' ');
}

/** The world once the decision is stored. */
function after(of: Partial<World>): Partial<World> {
  const seen = snapshot(of);
  const decided = scheduled(seen);
  const writes = sliceChanges(seen, decided);
  const { states, ...rest } = placementReport(seen, decided, { changes: writes, done: writes.writes.length });
  return { ...of, status: { ...rest, conditions: states }, stored: [decision(1, [...chosen(decided)].sort())] };
}

describe('a paused set', () => {
  const silver = of('fleet', 'b', { tier: 'silver' });
  const gone = of('nowhere', 'b');
  const silent = of('fleet', 'b', {}, { taints: [taint(TAINTS.unreachable, { since: NOW - 3_600_000 })] });
  const strict = { tolerations: [{ key: TAINTS.unreachable, operator: 'Exists', tolerationSeconds: 60 }] };
  const a = of('fleet', 'a');

  it.each<[string, Partial<World>, string]>([
    ['lost its label', { fleet: [a, silver] }, '=b'],
    ['is moved out of the set by its label', { fleet: [a, gone] }, '=b'],
    ['got a taint of a person', { fleet: [a, of('fleet', 'b', {}, { taints: [taint('maintenance')] })] }, '=b'],
    ['got a taint of health', { fleet: [a, silent], spec: { predicates: [gold], ...strict } }, '-b'],
    ['is deleted', { fleet: [a] }, '-b'],
    ['is being deleted', { fleet: [a, of('fleet', 'b', {}, { deleting: true })] }, '-b'],
    ['lost its label and is released', { fleet: [a, silver], release: readRelease('2099-01-01T00:00:00Z/*') }, '=b'],
    ['does not match an edited spec', { fleet: [a, silver], generation: 2 }, '=b'],
    ['is one too many for an edited spec', { spec: { numberOfClusters: 1 }, generation: 2 }, '=b'],
    ['is of a set that is no longer bound', { bindings: [binding('other')] }, '=a =b'],
    ['is of a set that an edit leaves out', { spec: { ClusterSets: ['other'] }, generation: 2 }, '=a =b'],
    ['is of a set that is being deleted', { sets: [{ ...setOf('fleet', PAUSED), deleting: true }] }, '=a =b'],
    ['is of a set that is deleted, with its pause', { sets: [setOf('other')] }, '-a -b'],
  ])('keeps a selected cluster that somebody chose to take out, and no other: one that %s', (_, over, expected) => {
    expect(changes(world(PAUSED, over))).toBe(expected);
  });

  it('keeps its clusters when its selector is edited by mistake, and when that cannot be read', () => {
    const nobody = {
      clusterSelector: { selectorType: 'LabelSelector', labelSelector: { matchLabels: { no: 'one' } } },
    };
    const fleet = [member('a', { labels: { tier: 'gold' } }, []), member('b', { labels: { tier: 'silver' } }, [])];

    expect(changes(world({ ...PAUSED, ...nobody }, { fleet }))).toBe('=a =b');
    expect(changes(world({ ...PAUSED, clusterSelector: { selectorType: 'Sorting' } }, { fleet }))).toBe('=b');
  });

  it.each<[string, Partial<World>, string]>([
    ['of a new Placement', { ...fresh }, '!a !b'],
    ['that begins to match', { fleet: [a, of('fleet', 'b'), of('fleet', 'c')] }, '!c'],
    [
      'that a larger number lets in',
      { fleet: [a, of('fleet', 'b'), of('fleet', 'c')], spec: { numberOfClusters: 3 }, generation: 2 },
      '!c',
    ],
    ['that takes the place of a deleted one', { fleet: [a, of('fleet', 'c')], spec: { numberOfClusters: 2 } }, '-b +c'],
    [
      'that takes the place of a silent one',
      { fleet: [a, silent, of('fleet', 'c')], spec: { numberOfClusters: 2 } },
      '-b +c',
    ],
    ['that is released', { ...fresh, releasedAdditions: readRelease('2099-01-01T00:00:00Z/*') }, '!a !b'],
    ['of another set', { fleet: [a, of('fleet', 'b'), of('other', 'c')] }, '+c'],
  ])('keeps a cluster out that does not fill up an unchanged number: one %s', (_, over, expected) => {
    expect(changes(world(PAUSED, over))).toBe(expected);
  });

  it('of two that a loss and a larger number call for, lets the first in', () => {
    const fleet = [a, ...['c', 'd', 'e'].map((name) => of('fleet', name))];
    const decided = scheduled(snapshot(world(PAUSED, { fleet, spec: { numberOfClusters: 3 }, generation: 2 })));

    expect(decided.dropped).toEqual([{ cluster: 'b', cause: 'Gone' }]);
    expect([decided.added.length, decided.waitingAdditions.length]).toEqual([1, 1]);
    expect(decided.shortage).toEqual({ predicates: [], spread: [] });
  });

  it('keeps no place for clusters of another set, and takes none of theirs', () => {
    const fleet = [a, of('fleet', 'b'), of('other', 'c'), of('other', 'd')];
    const stored = [decision(1, ['a', 'b', 'c', 'd'])];
    const one = scheduled(snapshot(world(PAUSED, { fleet, stored, spec: { numberOfClusters: 1 }, generation: 2 })));

    // Three leave whichever they are, of which those of the set wait.
    expect(one.dropped.length + one.waitingRemovals.length).toBe(3);
    for (const { cluster } of one.waitingRemovals) expect(['a', 'b']).toContain(cluster);
    for (const { cluster } of one.dropped) expect(['c', 'd']).toContain(cluster);
  });

  it('counts for a cluster of any set that has it, bound or not', () => {
    const everything = { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} }, ...PAUSED };
    const sets = [setOf('fleet'), setOf('other'), setOf('global', everything)];
    const fleet = [a, silver, of('other', 'c')];

    expect(changes(world({}, { sets, fleet }))).toBe('=b !c');
    expect(scheduled(snapshot(world({}, { sets, fleet }))).fates.get('c')).toEqual({
      kind: 'keptOut',
      by: [{ kind: 'Pause', set: 'global' }],
    });
  });

  it('whose fields cannot be read counts as paused, with the field', () => {
    const { fates } = scheduled(snapshot(world({ changeWindows: [{ start: 'Mo' }] }, { fleet: [a, silver] })));
    const [holder] = Object(fates.get('b')).by;

    expect(holder).toMatchObject({ kind: 'Pause', set: 'fleet', problem: { field: 'spec.changeWindows[0].start' } });
  });
});

describe('the change windows of a set', () => {
  const fleet = [of('fleet', 'a'), of('fleet', 'b', { tier: 'silver' }), of('fleet', 'c')];

  it('make clusters wait until they open, and the decision is made again at that time', () => {
    const decided = scheduled(snapshot(world(CLOSED, { fleet })));
    const by = [{ kind: 'Window', set: 'fleet', opens: OPENS, text: 'Mon 22:00 UTC' }];

    expect([...decided.fates]).toEqual([
      ['b', { kind: 'held', cause: 'NotMatched', by }],
      ['c', { kind: 'keptOut', by }],
    ]);
    expect(decided.lookAgain).toBe(OPENS);
    expect(changes(world(CLOSED, { fleet, now: OPENS }))).toBe('-b +c');
    expect(changes(world(OPEN, { fleet }))).toBe('-b +c');
  });

  it('are looked at when a cluster waits to come in alone', () => {
    expect(scheduled(snapshot(world(CLOSED, fresh))).lookAgain).toBe(OPENS);
  });

  it('all have to be open that a cluster has, and a pause comes first', () => {
    const labels = { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } };
    const with2 = (second: object): Partial<World> => {
      return world(CLOSED, { fleet, sets: [setOf('fleet', CLOSED), setOf('other', { ...labels, ...second })] });
    };
    const kinds = (of: Partial<World>): string[] =>
      Object(scheduled(snapshot(of)).fates.get('b')).by.map((one: object) => Object(one).kind + Object(one).set);

    expect(kinds(with2(OPEN))).toEqual(['Windowfleet']);
    expect(kinds(with2(PAUSED))).toEqual(['Pauseother', 'Windowfleet']);
    expect(kinds(with2({ changeWindows: [{ start: 'Tue 22:00', duration: '1h', timeZone: 'UTC' }] }))).toEqual([
      'Windowfleet',
      'Windowother',
    ]);
  });

  it('count beside those of the Placement, also for what an edit would bring about', () => {
    const spec = { predicates: [gold], ...CLOSED };
    const sets = (generation: number): unknown =>
      Object(scheduled(snapshot(world(CLOSED, { fleet, spec, generation }))).fates.get('b')).by.map(
        (one: object) => Object(one).set,
      );

    expect(sets(1)).toEqual([undefined, 'fleet']);
    expect(sets(2)).toEqual([undefined, 'fleet']);
    // The set's window is open, and the Placement's is not.
    expect(changes(world(OPEN, { fleet, spec }))).toBe('+c =b');
  });

  it('count beside those of the Placement, and beside its budget, for a cluster above the number of its predicate', () => {
    const silver = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'silver' } } } };
    const predicates = [
      { ...gold, numberOfClusters: 1 },
      { ...silver, numberOfClusters: 1 },
    ];
    const kinds = (over: object, generation = 1): unknown =>
      Object(
        scheduled(snapshot(world(CLOSED, { spec: { predicates, ...CLOSED, ...over }, generation }))).fates.get('b'),
      ).by.map((one: object) => [Object(one).kind, Object(one).set]);
    const both = [
      ['Window', undefined],
      ['Window', 'fleet'],
    ];

    expect(kinds({})).toEqual(both);
    // An edit does not bring about what the set keeps.
    expect(kinds({}, 2)).toEqual(both);
    expect(kinds({ disruptionBudget: { maxRemovals: 0 } })).toEqual([['Budget', undefined], ...both]);
  });

  it('that are open are looked at again when they end, where something else keeps a cluster', () => {
    const spec = { predicates: [gold], disruptionBudget: { maxRemovals: 0 } };

    expect(scheduled(snapshot(world(OPEN, { fleet, spec }))).lookAgain).toBe(Date.parse('2026-11-22T12:00:00Z'));
  });

  it('leave a budget to those that may come in now', () => {
    const many = [of('fleet', 'a'), of('fleet', 'b'), of('fleet', 'c'), of('fleet', 'd'), of('other', 'e')];
    const spec = { predicates: [gold], disruptionBudget: { maxAdditions: 1 } };

    expect(changes(world(CLOSED, { fleet: many, spec }))).toBe('+e !c !d');
  });
});

describe('a decision of which a set keeps clusters out', () => {
  const fleet = [of('fleet', 'a'), of('fleet', 'b'), of('fleet', 'c'), of('other', 'x')];
  const first = world(PAUSED, { ...fresh, fleet, spec: { numberOfClusters: 4 } });

  it('goes on keeping them out once it is stored, also after an edit', () => {
    expect(changes(first)).toBe('+x !a !b !c');
    const stored = after(first);
    expect(stored.status).toMatchObject({ phase: 'Waiting', basis: { numberOfClusters: 1 } });
    expect(changes(stored)).toBe('!a !b !c');
    expect(after(stored).status).toEqual(stored.status);
    expect(changes({ ...stored, generation: 2, spec: { numberOfClusters: 3 } })).toMatch(/^!\w !\w$/);
  });

  it('fills up what it had when that is lost', () => {
    const without = { ...after(first), fleet: fleet.filter(({ cluster }) => cluster.name !== 'x') };

    expect(changes(without)).toMatch(/^-x \+\w !\w !\w$/);
  });

  it('lets them in when the pause ends, and remembers the number', () => {
    const resumed = { ...after(first), sets: [setOf('fleet'), setOf('other')] };

    expect(changes(resumed)).toBe('+a +b +c');
    expect(after(resumed).status).toMatchObject({ phase: 'Satisfied', basis: { numberOfClusters: 4 } });
  });

  it('is no first decision where none came in: a budget does not count those that come in later', () => {
    const none = world(PAUSED, { ...fresh, spec: { disruptionBudget: { maxAdditions: 1 } } });
    const stored = after(none);

    expect(changes(stored)).toBe('!a !b');
    expect(stored.status).toMatchObject({ phase: 'Waiting', numberOfSelectedClusters: 0, basis: undefined });
    expect(changes({ ...stored, sets: [setOf('fleet'), setOf('other')] })).toBe('+a +b');
  });
});

describe('moves and sets', () => {
  const better = (...names: readonly string[]): object => ({
    numberOfClusters: 1,
    prioritizerPolicy: {
      configurations: names.map((name, index) => ({
        scoreCoordinate: { type: 'Selector', selector: { labelSelector: { matchLabels: { [name]: 'yes' } } } },
        weight: index + 1,
      })),
    },
    rebalance: { scoreMargin: 1, minSelectedSeconds: 0 },
  });
  const old = [decision(1, ['a'], { since: new Map([['a', '2020-01-01T00:00:00Z']]) })];
  const spec = better('good', 'best');
  const good = of('other', 'c', { good: 'yes' });
  const best = of('fleet', 'd', { best: 'yes' });

  it.each<[string, Partial<World>, string]>([
    ['from a cluster of it', { fleet: [of('fleet', 'a'), good] }, '=a !c'],
    ['to a cluster of it', { fleet: [of('other', 'a'), best] }, '=a !d'],
    ['to the next best, of another set', { fleet: [of('other', 'a'), good, best] }, '-a +c'],
  ])('while a set is paused, a move waits or goes on %s', (_, over, expected) => {
    expect(changes(world(PAUSED, { spec, stored: old, ...over, status: statusFor(1) }))).toBe(expected);
  });

  it('a move that waits for a set is no shortage, and is looked at when the window opens', () => {
    const waiting = world(CLOSED, { spec, stored: old, fleet: [of('other', 'a'), best], status: statusFor(1) });
    const decided = scheduled(snapshot(waiting));

    expect(decided.moveWaits).toEqual({ field: 'changeWindows' });
    expect(decided.lookAgain).toBe(OPENS);
    expect(after(waiting).status).toMatchObject({ phase: 'Waiting', basis: { numberOfClusters: 1 } });
  });
});

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const worlds = fc
  .record({
    kinds: fc.array(fc.constantFrom('gold', 'silver', 'tainted', 'gone', 'moved'), { minLength: 6, maxLength: 6 }),
    inFleet: fc.subarray(NAMES),
    selected: fc.subarray(NAMES),
    wanted: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
    before: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
    generation: fc.constantFrom(1, 2),
  })
  .map(({ kinds, inFleet, selected, wanted, before, generation }): Partial<World> => {
    const fleet = NAMES.flatMap((name, index): readonly FleetMember[] => {
      const kind = kinds[index];
      if (kind === 'gone') return [];
      const set = kind === 'moved' ? 'nowhere' : inFleet.includes(name) ? 'fleet' : 'other';
      const taints = kind === 'tainted' ? { taints: [taint('maintenance')] } : {};
      return [of(set, name, kind === 'silver' ? { tier: 'silver' } : {}, taints)];
    });
    const spec = { predicates: [gold], ...(wanted !== undefined && { numberOfClusters: wanted }) };
    return { fleet, spec, generation, stored: [decision(1, selected)], status: statusFor(before) };
  });

describe('with random fleets', () => {
  it('a paused set loses no cluster that exists, gets none beyond what is filled up, and what is stored is stable', () => {
    const property = fc.property(worlds, (over) => {
      const of = world(PAUSED, over);
      const seen = snapshot(of);
      const decided = scheduled(seen);
      const isOfFleet = (name: string): boolean => seen.selected.get(name)?.labels[CLUSTER_SET_LABEL] === 'fleet';
      const selected = decided.current.flat();
      const limit = decided.wanted ?? Infinity;
      for (const { cluster, cause } of decided.dropped) expect(isOfFleet(cluster) && cause !== 'Gone').toBe(false);
      const size = decided.kept.flat().length + decided.added.length;
      expect(size).toBeLessThanOrEqual(Math.max(limit, selected.length));
      const filled = Math.min(limit, Number(Object(of.status).basis.numberOfClusters ?? 0));
      if (decided.added.some(isOfFleet)) expect(decided.kept.flat().length).toBeLessThan(filled);
      const stored = after(of);
      expect(changes(stored)).not.toMatch(/[-+]/);
      expect(after(stored).status).toEqual(after(after(stored)).status);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('a set without times changes nothing', () => {
    const property = fc.property(worlds, (over) => {
      const plain = { ...world({}, over), sets: [clusterSet('fleet'), clusterSet('other')] };
      expect(changes(world({ paused: false, changeWindows: [] }, over))).toBe(changes(plain));
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe('readChangeTimes', () => {
  it.each<[unknown, unknown]>([
    [{}, undefined],
    [undefined, undefined],
    [{ paused: false, changeWindows: [] }, undefined],
    [{ paused: null }, undefined],
    [{ paused: true }, { paused: true, windows: [] }],
    [
      { paused: 'yes' },
      { paused: true, windows: [], problem: { field: 'spec.paused', message: '"yes" is not true or false' } },
    ],
  ])('of the spec %j: %j', (spec, expected) => {
    expect(readChangeTimes(spec)).toEqual(expected);
  });
});
