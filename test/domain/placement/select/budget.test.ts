import { describe, expect, it } from '@jest/globals';
import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import { readRelease } from '../../../../src/domain/placement/spec/budget.js';
import { readRecord } from '../../../../src/domain/placement/stored/record.js';
import { selectedClusters } from '../../../../src/domain/placement/select/decision.js';
import { sliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import { placementReport } from '../../../../src/domain/placement/report/status.js';
import { decision, member, names, NOW, snapshot, type World } from '../../../support/builders/placement.js';
import type { FleetMember } from '../../../support/builders/candidates.js';
import { taint } from '../../../support/builders/taints.js';
import { scheduled } from '../../../support/builders/scheduled.js';

const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };

function spec(maxRemovals: number | string, over: object = {}): object {
  return { predicates: [gold], disruptionBudget: { maxRemovals }, ...over };
}

function isGold(name: string): FleetMember {
  return member(name, { labels: { tier: 'gold' } });
}

function isSilver(name: string): FleetMember {
  return member(name, { labels: { tier: 'silver' } });
}

/** A record of `count` removals, ten minutes old. */
function recorded(count: number): { removals: ReturnType<typeof readRecord> } {
  return { removals: readRecord(JSON.stringify({ '2026-11-22T09:50:00Z': count })) };
}

function heldStatus(observedGeneration: number): object {
  return {
    conditions: [{ type: 'RemovalsHeld', status: 'True', reason: 'DisruptionBudgetExceeded', observedGeneration }],
  };
}

/** Which clusters are held, leave, and come in. A star marks a cluster that counts against the budget. */
function outcome(world: Partial<World>): { held: string[]; leaves: string[]; comes: string[] } {
  const decided = scheduled(snapshot(world));
  return {
    held: decided.heldRemovals.map((one) => one.cluster),
    leaves: decided.dropped.map(({ cluster }) => (decided.counted.has(cluster) ? `${cluster}*` : cluster)),
    comes: [...decided.added].sort(),
  };
}

/** A decision with the clusters a to e, of which those in `silver` fail the predicate. */
function world(maxRemovals: number | string, silver: readonly string[], over: Partial<World> = {}): Partial<World> {
  const all = ['a', 'b', 'c', 'd', 'e'];
  return {
    spec: spec(maxRemovals),
    fleet: all.map((name) => (silver.includes(name) ? isSilver(name) : isGold(name))),
    stored: [decision(1, all)],
    ...over,
  };
}

const TAINTED = member('e', { labels: { tier: 'gold' }, taints: [taint('repair')] });

describe('the disruption budget, where predicates have numbers', () => {
  const ofTier = (tier: string, numberOfClusters: number): object => {
    return { numberOfClusters, requiredClusterSelector: { labelSelector: { matchLabels: { tier } } } };
  };
  const anyOf = (numberOfClusters: number): object => ({ numberOfClusters, requiredClusterSelector: {} });
  const numbered = (maxRemovals: number, predicates: readonly object[], over: Partial<World> = {}): Partial<World> =>
    world(maxRemovals, ['a', 'b', 'c', 'd'], { spec: spec(maxRemovals, { predicates }), ...over });

  it.each<[string, Partial<World>, object]>([
    [
      'clusters that change their labels and are too many for their new predicate are held',
      numbered(1, [ofTier('silver', 1), anyOf(5)]),
      { held: 3, leaves: 0, starred: 0 },
    ],
    [
      'they leave within the budget, counted',
      numbered(3, [ofTier('silver', 1), anyOf(5)]),
      { held: 0, leaves: 3, starred: 3 },
    ],
    [
      'clusters that are too many for the first predicate after an exchange of predicates are held',
      numbered(1, [anyOf(0), ofTier('silver', 5)]),
      { held: 5, leaves: 0, starred: 0 },
    ],
    [
      'clusters that leave because the numbers add up to less are not held and do not count',
      numbered(0, [ofTier('silver', 1), ofTier('gold', 1)]),
      { held: 0, leaves: 3, starred: 0 },
    ],
    [
      'without a budget nothing is held',
      { ...numbered(0, []), spec: { predicates: [ofTier('silver', 1), anyOf(5)] } },
      { held: 0, leaves: 3, starred: 0 },
    ],
    [
      'a cluster that fails another rule is held, too, where its predicate has more than its number',
      numbered(0, [ofTier('gold', 2), ofTier('silver', 3)], {
        fleet: [isSilver('a'), isSilver('b'), isGold('c'), isGold('d'), TAINTED],
      }),
      { held: 1, leaves: 0, starred: 0 },
    ],
    [
      'a release lets clusters leave that are above the number of their predicate',
      numbered(0, [ofTier('silver', 1), anyOf(5)], { release: readRelease('2026-11-22T11:00:00Z/*') }),
      { held: 0, leaves: 3, starred: 0 },
    ],
  ])('%s', (_what, given, expected) => {
    const { held, leaves } = outcome(given);
    const starred = leaves.filter((name) => name.endsWith('*')).length;
    expect({ held: held.length, leaves: leaves.length, starred }).toEqual(expected);
  });
});

describe('the disruption budget', () => {
  it('removals within the budget are made and count', () => {
    expect(outcome(world(2, ['a', 'b']))).toEqual({ held: [], leaves: ['a*', 'b*'], comes: [] });
  });

  it('if the removals exceed the budget, none of them is made', () => {
    expect(outcome(world(2, ['a', 'b', 'c']))).toEqual({ held: ['a', 'b', 'c'], leaves: [], comes: [] });
  });

  it('without a budget every cluster that fails a rule leaves, and nothing is recorded', () => {
    const silver = world(0, ['a', 'b', 'c'], { spec: { predicates: [gold] } });

    expect(outcome(silver)).toEqual({ held: [], leaves: ['a', 'b', 'c'], comes: [] });
  });

  it('the removals of the window before count, and older ones do not', () => {
    const stored = [decision(1, ['a', 'b', 'c', 'd', 'e'], recorded(1))];
    const later = NOW + 50 * 60_000;

    expect(outcome(world(2, ['a', 'b'], { stored })).held).toEqual(['a', 'b']);
    expect(outcome(world(3, ['a', 'b'], { stored })).leaves).toEqual(['a*', 'b*']);
    expect(outcome(world(2, ['a', 'b'], { stored, now: later })).leaves).toEqual(['a*', 'b*']);
  });

  it('the records of all objects of the Placement count, and those of others do not', () => {
    const own = [decision(1, ['a', 'b', 'c', 'd', 'e'], recorded(1)), decision(2, [], recorded(1))];
    const foreign = decision(3, [], { ownership: 'foreign', ...recorded(9) });

    expect(outcome(world(3, ['a'], { stored: [...own, foreign] })).leaves).toEqual(['a*']);
    expect(outcome(world(2, ['a'], { stored: own })).held).toEqual(['a']);
  });

  it('a percentage is of the clusters that pass, fail and were removed, rounded up', () => {
    expect(outcome(world('20%', ['a'])).leaves).toEqual(['a*']);
    expect(outcome(world('20%', ['a', 'b'])).held).toEqual(['a', 'b']);
    expect(outcome(world('21%', ['a', 'b'])).leaves).toEqual(['a*', 'b*']);
    const stored = [decision(1, ['a', 'b', 'c', 'd', 'e'], recorded(1))];
    expect(outcome(world('20%', ['a'], { stored })).leaves).toEqual(['a*']);
    expect(outcome(world('20%', ['a', 'b'], { stored })).held).toEqual(['a', 'b']);
  });

  it('a percentage is of numberOfClusters at most', () => {
    const stored = [decision(1, ['a', 'b', 'c', 'd', 'e'], recorded(3))];
    const wanted = (maxRemovals: string): object => spec(maxRemovals, { numberOfClusters: 5 });

    expect(outcome(world('0%', ['a'], { stored, spec: wanted('80%') })).leaves).toEqual(['a*']);
    expect(outcome(world('0%', ['a'], { stored, spec: wanted('60%') })).held).toEqual(['a']);
  });

  it('with 0 every removal is held, and with 100% none', () => {
    expect(outcome(world(0, ['a'])).held).toEqual(['a']);
    expect(outcome(world('0%', ['a'])).held).toEqual(['a']);
    expect(outcome(world('100%', ['a', 'b', 'c', 'd', 'e'])).leaves).toHaveLength(5);
  });

  it('an unreadable record is full, whatever the budget', () => {
    const stored = [decision(1, ['a', 'b', 'c', 'd', 'e'], { removals: readRecord('x') })];

    for (const maxRemovals of [3, '100%', '0%']) {
      expect(outcome(world(maxRemovals, ['a'], { stored })).held).toEqual(['a']);
    }
  });

  it('clusters that are deleted or being deleted count like those that fail another rule', () => {
    const fleet = [isSilver('a'), member('b', { deleting: true, labels: { tier: 'gold' } }), isGold('d'), isGold('e')];

    expect(outcome(world(3, [], { fleet }))).toEqual({ held: [], leaves: ['a*', 'b*', 'c*'], comes: [] });
    expect(outcome(world(2, [], { fleet }))).toEqual({ held: ['a', 'b', 'c'], leaves: [], comes: [] });
    expect(outcome(world('60%', [], { fleet })).leaves).toHaveLength(3);
    expect(outcome(world('40%', [], { fleet })).held).toHaveLength(3);
  });

  it('clusters beyond numberOfClusters leave without being counted, held ones first', () => {
    const over = { spec: spec(0, { numberOfClusters: 3 }) };

    expect(outcome(world(0, [], over)).leaves).toHaveLength(2);
    expect(outcome(world(0, ['a', 'b'], over))).toEqual({ held: [], leaves: ['a', 'b'], comes: [] });
    expect(outcome(world(0, ['a', 'b', 'c'], over)).held).toHaveLength(1);
    expect(outcome(world(0, ['a', 'b', 'c'], over)).leaves).toHaveLength(2);
  });

  it('held clusters leave a decision that is too large in the order of their ranks', () => {
    const keeps = (numberOfClusters: number): readonly string[] =>
      outcome(world(0, ['a', 'b', 'c', 'd', 'e'], { spec: spec(0, { numberOfClusters }) })).held;

    for (let count = 1; count < 5; count++) expect(keeps(count + 1)).toEqual(expect.arrayContaining([...keeps(count)]));
  });

  it('held clusters keep their slots and count towards numberOfClusters', () => {
    const fleet = [isSilver('a'), isSilver('b'), ...['c', 'd', 'e', 'f', 'g'].map(isGold)];
    const held = world(1, [], { fleet, spec: spec(1, { numberOfClusters: 6 }) });
    const decided = scheduled(snapshot(held));

    expect(outcome(held).held).toEqual(['a', 'b']);
    expect(decided.added).toHaveLength(1);
    expect(decided.kept).toEqual([['a', 'b', 'c', 'd', 'e']]);
    expect([...selectedClusters(decided)].sort()).toEqual(['c', 'd', 'e', ...decided.added].sort());
  });

  it('removed clusters are replaced in the same pass', () => {
    const fleet = [isSilver('a'), ...['b', 'c', 'd', 'e', 'f'].map(isGold)];

    expect(outcome(world(1, [], { fleet, spec: spec(1, { numberOfClusters: 5 }) }))).toEqual({
      held: [],
      leaves: ['a*'],
      comes: ['f'],
    });
  });

  it('a hold that is stored for this generation goes on although the removals would fit by now', () => {
    expect(outcome(world(2, ['a'], { generation: 7, status: heldStatus(7) })).held).toEqual(['a']);
    expect(outcome(world(2, ['a'], { generation: 8, status: heldStatus(7) })).leaves).toEqual(['a*']);
    expect(outcome(world(2, [], { generation: 7, status: heldStatus(7) }))).toEqual({
      held: [],
      leaves: [],
      comes: [],
    });
  });

  it('released clusters leave without being counted, and the others are held or removed by the budget', () => {
    const some = { release: readRelease('2026-11-22T10:01:00Z/a') };
    const all = { release: readRelease('2026-11-22T10:01:00Z/*'), status: heldStatus(1) };

    expect(outcome(world(1, ['a', 'b'], some))).toEqual({ held: [], leaves: ['a', 'b*'], comes: [] });
    expect(outcome(world(0, ['a', 'b'], some))).toEqual({ held: ['b'], leaves: ['a'], comes: [] });
    expect(outcome(world(0, ['a', 'b'], all))).toEqual({ held: [], leaves: ['a', 'b'], comes: [] });
    expect(outcome(world(0, ['a', 'b'], { ...all, now: NOW + 30_000 })).held).toEqual(['a', 'b']);
  });

  it('clusters that leave their set, or whose set is not bound any more, are held like those that match no predicate', () => {
    const unbound = world(2, [], { bindings: [] });

    expect(outcome(unbound).held).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(scheduled(snapshot(unbound)).heldRemovals[0]).toEqual({ cluster: 'a', cause: 'NotMember' });
  });

  it('with an invalid spec nothing is held, since nothing but deleted clusters leaves', () => {
    expect(outcome(world(0, ['a'], { spec: { ...spec(0), numberOfClusters: -1 } }))).toEqual({
      held: [],
      leaves: [],
      comes: [],
    });
  });
});

describe('decision objects with a record', () => {
  it('if more clusters are selected than wanted, all that leave do so before any comes in, so that a crash changes no count', () => {
    const fleet = [...['a', 'x', 'y', 'z'].map(isGold), ...['b', 'c', 'd'].map(isSilver)];
    const stored = [decision(1, ['a', 'b', 'c']), decision(2, ['d', 'x', 'y'])];
    const before = snapshot({ spec: spec(2, { numberOfClusters: 4 }), fleet, stored });
    const decided = scheduled(before);

    expect([decided.counted.size, decided.uncounted, decided.added]).toEqual([3, 2, ['z']]);
    expect(sliceChanges(before, decided).writes.map(({ ordinal, clusters }) => [ordinal, clusters])).toEqual([
      [1, ['a']],
      [2, ['x', 'y']],
      [1, ['a', 'z']],
    ]);
  });

  it('an object that is emptied by recorded removals stays, and goes when they have run out', () => {
    const fleet = ['a', 'b'].map(isGold);
    const stored = [decision(1, ['a', 'b']), decision(2, ['z'])];
    const before = snapshot({ spec: spec(1), fleet: [...fleet, isSilver('z')], stored });
    const changes = sliceChanges(before, scheduled(before));
    expect(changes.writes).toMatchObject([{ kind: 'update', ordinal: 2, clusters: [] }]);

    const empty = [decision(1, ['a', 'b']), decision(2, [], recorded(1))];
    const writes = (now: number): readonly unknown[] => {
      const later = snapshot({ spec: spec(1), fleet, stored: empty, now });
      return sliceChanges(later, scheduled(later)).writes;
    };
    expect(writes(NOW)).toEqual([]);
    expect(writes(NOW + 3_600_000)).toMatchObject([{ kind: 'delete', ordinal: 2, cause: 'Empty' }]);
  });

  it('an empty object with a record goes at once when the spec has no budget any more', () => {
    const stored = [decision(1, ['a']), decision(2, [], recorded(1))];
    const after = snapshot({ spec: { predicates: [gold] }, fleet: [isGold('a')], stored });

    expect(sliceChanges(after, scheduled(after)).writes).toMatchObject([{ kind: 'delete', ordinal: 2 }]);
  });

  it('an object that others deleted comes back empty to record the removal of its clusters', () => {
    const before = snapshot({
      spec: spec(1),
      fleet: [isGold('a'), isSilver('z')],
      stored: [decision(1, ['a'])],
      remembered: [['a'], ['z']],
    });

    expect(sliceChanges(before, scheduled(before)).writes).toMatchObject([
      { kind: 'create', ordinal: 2, clusters: [] },
    ]);
  });
});

describe('the status while removals are held', () => {
  function report(over: Partial<World>): ReturnType<typeof placementReport> {
    const seen = snapshot(over);
    const decided = scheduled(seen);
    const changes = sliceChanges(seen, decided);
    return placementReport(seen, decided, { changes, done: changes.writes.length });
  }

  function message(over: Partial<World>, type = 'RemovalsHeld'): string | undefined {
    return report(over).states.find((one) => one.type === type)?.message;
  }

  it('the condition RemovalsHeld names budget, clusters, causes and what lets them go; Ready stays True', () => {
    const held = world('10%', ['b', 'c'], { generation: 3 });

    expect(report(held).states.map(({ type, status }) => [type, status])).toEqual([
      ['PlacementSatisfied', 'True'],
      ['PlacementMisconfigured', 'False'],
      ['Ready', 'True'],
      ['RemovalsHeld', 'True'],
    ]);
    expect(report(held).states.at(-1)).toEqual({
      type: 'RemovalsHeld',
      status: 'True',
      reason: 'DisruptionBudgetExceeded',
      observedGeneration: 3,
      message:
        'maxRemovals 10% in 3600 s would be exceeded; held: b, c (label tier=silver, wanted tier=gold); to let them go: ' +
        'kubectl mce release placement web -n team (annotation cluster.fleetmgmt.io/allow-removals), or raise ' +
        'spec.disruptionBudget.maxRemovals',
    });
  });

  it('the clusters of each cause stand together', () => {
    const fleet = [isSilver('a'), member('b', {}, ['other']), isSilver('c'), isGold('d'), isGold('e')];

    expect(message(world(1, [], { fleet }))).toContain(
      `held: a, c (label tier=silver, wanted tier=gold), b (no label ${CLUSTER_SET_LABEL}, in none of cluster sets fleet); to let them go`,
    );
  });

  it('an unreadable record is named with its object', () => {
    const stored = [decision(1, ['a', 'b', 'c', 'd', 'e'], { removals: readRecord('x') })];

    expect(message(world(9, ['a'], { stored }))).toContain(
      'maxRemovals 9 in 3600 s would be exceeded (annotation cluster.fleetmgmt.io/removals of PlacementDecision ' +
        'web-decision-1 cannot be read and counts as full); held: a (',
    );
  });

  it('held clusters take places of those wanted, and are counted apart from missing ones', () => {
    const fleet = ['a', 'b', 'c'].map((name) => (name === 'a' ? isSilver(name) : isGold(name)));
    const held = { spec: spec(0, { numberOfClusters: 3 }), fleet, stored: [decision(1, ['a', 'b', 'c'])] };

    expect(message(held, 'PlacementSatisfied')).toBe('1 of 3 wanted clusters no longer matches and is held');
    expect(report(held)).toMatchObject({ phase: 'Held', numberOfSelectedClusters: 3 });
  });

  it('a message for many clusters says how many are left out, and keeps its end', () => {
    const all = names(300);
    const fleet = all.map((name, index) => member(name, { labels: { tier: `${'x'.repeat(50)}${index % 7}` } }));
    const stored = [decision(1, all.slice(0, 100)), decision(2, all.slice(100, 200)), decision(3, all.slice(200))];
    const text = message({ spec: spec(0), fleet, stored }) ?? '';

    expect(text.length).toBeLessThanOrEqual(1024);
    expect(text).toMatch(/ and \d+ more; to let them go: .* spec\.disruptionBudget\.maxRemovals$/);
  });

  it('without a held removal there is no such condition', () => {
    expect(message(world(5, ['a']))).toBeUndefined();
    expect(message(world(0, []))).toBeUndefined();
  });
});
