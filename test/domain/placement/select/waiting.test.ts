import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import { readRelease } from '../../../../src/domain/placement/spec/budget.js';
import { selectedClusters } from '../../../../src/domain/placement/select/decision.js';
import { sliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import { placementReport } from '../../../../src/domain/placement/report/status.js';
import { decision, member, NOW, snapshot, type World } from '../../../support/builders/placement.js';
import type { FleetMember } from '../../../support/builders/candidates.js';
import { taint } from '../../../support/builders/taints.js';
import { scheduled } from '../../../support/builders/scheduled.js';

const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };
/** NOW is a Sunday, 10:00:30 UTC. */
const closed = [{ start: 'Mon 22:00', duration: '4h', timeZone: 'UTC' }];
const open = [{ start: 'Sun 08:00', duration: '4h', timeZone: 'UTC' }];
const OPENS = Date.parse('2026-11-23T22:00:00Z');

function tier(name: string, value: string): FleetMember {
  return member(name, { labels: { tier: value } });
}

/** A decision of a, b and c for this spec, of which b fails the predicate. */
function world(spec: object, over: Partial<World> = {}): Partial<World> {
  return {
    spec: { predicates: [gold], ...spec },
    fleet: [tier('a', 'gold'), tier('b', 'silver'), tier('c', 'gold')],
    stored: [decision(1, ['a', 'b', 'c'])],
    status: { phase: 'Satisfied', observedGeneration: 1, decisions: [{ name: 'web-decision-1', revision: 'x' }] },
    ...over,
  };
}

interface Result {
  readonly leaves: readonly string[];
  readonly comes: readonly string[];
  readonly waits: readonly string[];
  readonly phase: string;
}

function outcome(of: Partial<World>): Result {
  const seen = snapshot(of);
  const decided = scheduled(seen);
  const changes = sliceChanges(seen, decided);
  const { phase } = placementReport(seen, decided, { changes, done: changes.writes.length });
  return {
    leaves: decided.dropped.map(({ cluster }) => cluster),
    comes: [...decided.added].sort(),
    waits: [...decided.waitingRemovals.map(({ cluster }) => cluster), ...decided.waitingAdditions],
    phase,
  };
}

/** Status and basis as they are stored after the decision. */
function statusAfter(of: Partial<World>): object {
  const seen = snapshot(of);
  const decided = scheduled(seen);
  const changes = sliceChanges(seen, decided);
  const { states, ...rest } = placementReport(seen, decided, { changes, done: changes.writes.length });
  return { ...rest, conditions: states };
}

function readyAfter(of: Partial<World>): unknown {
  const { conditions } = statusAfter(of) as { readonly conditions: readonly { readonly type: string }[] };
  return conditions.find(({ type }) => type === 'Ready');
}

describe('change windows', () => {
  it('outside of them a cluster that fails a rule waits for the next', () => {
    const decided = scheduled(snapshot(world({ changeWindows: closed })));

    expect(outcome(world({ changeWindows: closed }))).toEqual({
      leaves: [],
      comes: [],
      waits: ['b'],
      phase: 'Waiting',
    });
    expect(decided.fates.get('b')).toEqual({
      kind: 'held',
      cause: 'NotMatched',
      by: [{ kind: 'Window', opens: OPENS, text: 'Mon 22:00 UTC' }],
    });
    expect(decided.lookAgain).toBe(OPENS);
    expect(selectedClusters(decided)).toEqual(['a', 'c']);
  });

  it.each<[string, object, Record<string, string>]>([
    [
      'a budget holds',
      { disruptionBudget: { maxRemovals: 0 } },
      {
        PlacementSatisfied: '1 of 3 wanted clusters no longer matches and is held',
        RemovalsHeld: 'maxRemovals 0 in 3600 s would be exceeded; held: b (label tier=silver, wanted tier=gold)',
        ChangesWaiting: 'then, unless they are held, these leave: b (label tier=silver, wanted tier=gold)',
      },
    ],
    [
      'is paused',
      { paused: true },
      {
        PlacementSatisfied: '1 of 3 wanted clusters no longer matches and stays while spec.paused is true',
        Paused: 'spec.paused is true: no cluster comes in and none leaves',
        ChangesWaiting: 'then, unless spec.paused is true, these leave: b (label tier=silver, wanted tier=gold)',
      },
    ],
    [
      'nothing else keeps',
      {},
      {
        PlacementSatisfied: '1 of 3 wanted clusters no longer matches and waits for a change window',
        ChangesWaiting:
          'outside of spec.changeWindows; the next one opens at 2026-11-23T22:00:00Z (Mon 22:00 UTC); then these leave: b',
      },
    ],
  ])('outside of them a cluster that %s has each condition that keeps it, and no other', (_what, spec, messages) => {
    const of = world({ changeWindows: closed, numberOfClusters: 3, ...spec });
    const seen = snapshot(of);
    const decided = scheduled(seen);
    const { states } = placementReport(seen, decided, { changes: sliceChanges(seen, decided), done: 9 });
    const found = states.filter(({ type }) => !['PlacementMisconfigured', 'Ready', 'Reconciling'].includes(type));

    expect(found.map(({ type }) => type)).toEqual(Object.keys(messages));
    for (const { type, message } of found) expect(message).toContain(messages[type]);
    expect([decided.lookAgain, selectedClusters(decided)]).toEqual([OPENS, ['a', 'c']]);
  });

  it('what a budget holds of an edit of the Placement waits for the window, too, and everything else of it is made', () => {
    const edited = { status: { phase: 'Satisfied', observedGeneration: 0 } };
    const held = { changeWindows: closed, disruptionBudget: { maxRemovals: 0 } };
    const { fates, lookAgain } = scheduled(snapshot(world(held, edited)));

    expect([fates.get('b'), lookAgain]).toMatchObject([{ by: [{ kind: 'Budget' }, { kind: 'Window' }] }, OPENS]);
    expect(outcome(world({ changeWindows: closed }, edited))).toMatchObject({ leaves: ['b'], waits: [] });
    const paused = scheduled(snapshot(world({ ...held, paused: true }, edited)));
    expect(paused.fates.get('b')).toMatchObject({ by: [{ kind: 'Budget' }, { kind: 'Pause' }] });
  });

  it('inside of one it leaves', () => {
    expect(outcome(world({ changeWindows: open }))).toMatchObject({ leaves: ['b'], waits: [] });
    expect(outcome(world({ changeWindows: closed }, { now: OPENS }))).toMatchObject({ leaves: ['b'], waits: [] });
  });

  const noMember = member('b', { labels: { tier: 'gold' } }, []);
  const cordoned = member('b', { labels: { tier: 'gold' }, taints: [taint('maintenance')] });
  const silent = member('b', {
    labels: { tier: 'gold' },
    taints: [taint('cluster.fleetmgmt.io/unreachable', { since: NOW - 3_600_000 })],
  });
  const strict = {
    tolerations: [{ key: 'cluster.fleetmgmt.io/unreachable', operator: 'Exists', tolerationSeconds: 60 }],
  };
  it.each<[string, readonly FleetMember[], object, string, string]>([
    ['of another set', [noMember], {}, '', 'b'],
    ['with a taint of a person', [cordoned], {}, '', 'b'],
    ['with a taint of health that is not tolerated any more', [silent], strict, 'b', ''],
    ['with a taint of health and a substitute', [silent, tier('d', 'gold')], { numberOfClusters: 3 }, 'b', ''],
    ['that is deleted', [], {}, 'b', ''],
    ['that is being deleted', [member('b', { labels: { tier: 'gold' }, deleting: true })], {}, 'b', ''],
  ])('outside of them a cluster %s leaves or waits', (_what, b, spec, leaves, waits) => {
    const fleet = [tier('a', 'gold'), tier('c', 'gold'), ...b];
    const result = outcome(world({ changeWindows: closed, ...spec }, { fleet }));

    expect([result.leaves.join(), result.waits.join()]).toEqual([leaves, waits]);
  });

  it('what is missing is filled up, also by each cluster that begins to match where all are wanted', () => {
    const fleet = [tier('a', 'gold'), tier('b', 'silver'), tier('d', 'gold')];

    expect(outcome(world({ changeWindows: closed }, { fleet }))).toMatchObject({
      leaves: ['c'],
      comes: ['d'],
      waits: ['b'],
    });
    const three = outcome(world({ changeWindows: closed, numberOfClusters: 3 }, { fleet }));
    expect(three).toEqual({ leaves: ['c'], comes: ['d'], waits: ['b'], phase: 'Waiting' });
  });

  it('an edit of the spec waits for none, as often as it is decided before it is stored', () => {
    const first = world({ changeWindows: closed }, { generation: 2 });
    expect(outcome(first)).toMatchObject({ leaves: ['b'], waits: [] });

    const seen = snapshot(first);
    const decided = scheduled(seen);
    const changes = sliceChanges(seen, decided);
    const { states, ...rest } = placementReport(seen, decided, { changes, done: 0 });
    // Nothing was stored but the status.
    const again = { ...first, status: { ...rest, conditions: states } };
    expect(outcome(again)).toMatchObject({ leaves: ['b'], waits: [] });
    // What fails a rule after that edit waits.
    const later = world({ changeWindows: closed }, { generation: 2, status: statusAfter(first) });
    expect(outcome(later)).toMatchObject({ leaves: [], waits: ['b'] });
  });

  it('to pause and to resume is no edit', () => {
    const before = statusAfter(
      world({ changeWindows: closed }, { fleet: ['a', 'b', 'c'].map((name) => tier(name, 'gold')) }),
    );
    const paused = world({ changeWindows: closed, paused: true }, { generation: 2, status: before });
    expect(outcome(paused)).toEqual({ leaves: [], comes: [], waits: ['b'], phase: 'Paused' });

    const resumed = world({ changeWindows: closed }, { generation: 3, status: statusAfter(paused) });
    expect(outcome(resumed)).toMatchObject({ leaves: [], waits: ['b'] });
    const edited = world(
      { changeWindows: closed, numberOfClusters: 3 },
      { generation: 3, status: statusAfter(paused) },
    );
    expect(outcome(edited)).toMatchObject({ leaves: ['b'], waits: [] });
  });

  it('a release opens no window, and a hold of the budget goes on', () => {
    const release = readRelease('2099-01-01T00:00:00Z/*');
    const spec = { changeWindows: closed, disruptionBudget: { maxRemovals: 0 } };
    const held = scheduled(snapshot(world(spec)));

    expect(held.hold).toBe('Budget');
    expect(held).toMatchObject({ waitingRemovals: [], windowed: [{ cluster: 'b' }] });
    expect(outcome(world(spec, { release }))).toMatchObject({ leaves: [], waits: ['b'] });
    expect(outcome(world({ ...spec, changeWindows: open }, { release }))).toMatchObject({ leaves: ['b'], waits: [] });
  });
});

describe('an open change window', () => {
  const CLOSES = Date.parse('2026-11-22T12:00:00Z');

  it.each([
    ['a pause', { paused: true }, CLOSES],
    ['a budget', { disruptionBudget: { maxRemovals: 0 } }, CLOSES],
    ['nothing', {}, undefined],
  ])('is looked at again when it closes, where %s keeps a cluster', (_, spec, lookAgain) => {
    expect(scheduled(snapshot(world({ changeWindows: open, ...spec }, { generation: 1 }))).lookAgain).toBe(lookAgain);
  });
});

describe('spec.paused', () => {
  const fleet = [tier('a', 'gold'), tier('b', 'silver'), tier('d', 'gold')];
  const released = { release: readRelease('2099-01-01T00:00:00Z/*') };

  it.each<[string, object, Partial<World>, readonly string[]]>([
    ['a cluster that fails a rule, one that was deleted, and one that matches', {}, { fleet }, ['b', 'c', 'd']],
    ['an edit of the number', { numberOfClusters: 0 }, { generation: 2 }, ['a', 'b', 'c']],
    ['a release', { disruptionBudget: { maxRemovals: 0 } }, released, ['b']],
    ['an invalid spec', { predicates: 1 }, { fleet: [tier('a', 'gold'), tier('c', 'gold')] }, ['b']],
  ])('freezes the decision: %s', (_what, spec, over, waits) => {
    const frozen = outcome(world({ paused: true, ...spec }, over));

    expect(frozen).toMatchObject({ leaves: [], comes: [], waits });
    const seen = snapshot(world({ paused: true, ...spec }, over));
    expect(sliceChanges(seen, scheduled(seen)).writes).toEqual([]);
  });

  it('a bulk deletion that begins meanwhile is held when the Placement is resumed', () => {
    const paused = world({ paused: true }, { fleet: [] });
    expect(outcome(paused).leaves).toEqual([]);

    const resumed = scheduled(snapshot(world({}, { fleet: [], generation: 2, status: statusAfter(paused) })));
    expect(resumed.hold).toBe('Deletions');
  });

  it('a Placement that is paused before its first decision gets none', () => {
    const undecided = { stored: [], status: { observedGeneration: -1 } };
    const seen = snapshot(world({ paused: true }, undecided));
    const status = statusAfter(world({ paused: true }, undecided));

    expect(sliceChanges(seen, scheduled(seen)).writes).toEqual([]);
    expect(status).toMatchObject({ phase: 'Paused', decisions: [] });
    const budget = { disruptionBudget: { maxAdditions: 0 } };
    expect(outcome(world(budget, { stored: [], status, generation: 2 })).comes).toEqual(['a', 'c']);
  });

  it('a Placement that is paused is Ready where it has a decision, and is not where there is none to read', () => {
    const undecided = { stored: [], status: { observedGeneration: -1 } };

    expect(readyAfter(world({ paused: true }))).toMatchObject({ status: 'True', reason: 'DecisionPublished' });
    expect(readyAfter(world({ paused: true }, undecided))).toMatchObject({
      status: 'False',
      reason: 'PausedBySpec',
      message: 'there is no decision: the first one is made when spec.paused ends',
    });
  });

  it('what the decision was made with stays remembered', () => {
    const basis = {
      numberOfClusters: 3,
      disruptionBudget: { maxRemovals: 1, windowSeconds: 60 },
      definitions: { a: 'b' },
    };
    const status = { phase: 'Satisfied', observedGeneration: 1, decisions: [{ name: 'x', revision: 'y' }], basis };

    expect(statusAfter(world({ paused: true, numberOfClusters: 9 }, { status, generation: 2 }))).toMatchObject({
      basis,
    });
  });
});

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** A fleet in which each cluster may fail one rule, or be gone, and a decision of some of them. */
const worlds = fc
  .record({
    kinds: fc.array(fc.constantFrom('gold', 'silver', 'tainted', 'deleting', 'gone', 'moved'), {
      minLength: 6,
      maxLength: 6,
    }),
    selected: fc.subarray(NAMES),
    wanted: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
    hours: fc.integer({ min: 0, max: 7 * 24 }),
    budget: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  })
  .map(({ kinds, selected, wanted, hours, budget }) => {
    const fleet = NAMES.flatMap((name, index): readonly FleetMember[] => {
      const kind = kinds[index] ?? 'gold';
      if (kind === 'gone') return [];
      const labels = { tier: kind === 'silver' ? 'silver' : 'gold', [CLUSTER_SET_LABEL]: 'fleet' };
      const taints = kind === 'tainted' ? [taint('maintenance')] : [];
      return [member(name, { labels, taints, deleting: kind === 'deleting' }, kind === 'moved' ? [] : ['fleet'])];
    });
    const spec = {
      ...(wanted === undefined ? {} : { numberOfClusters: wanted }),
      ...(budget === undefined ? {} : { disruptionBudget: { maxRemovals: budget } }),
    };
    return { kinds, selected, spec, over: { fleet, stored: [decision(1, selected)], now: NOW + hours * 3_600_000 } };
  });

describe('with random fleets and times', () => {
  it('outside of its windows nobody leaves that chose to, and what is missing is filled up', () => {
    const property = fc.property(worlds, ({ kinds, selected, spec, over }) => {
      const free = outcome(world(spec, over));
      const decided = scheduled(snapshot(world({ ...spec, changeWindows: closed }, over)));
      const isOpen = over.now >= OPENS && over.now < OPENS + 4 * 3_600_000;
      const leaves = decided.dropped.map(({ cluster }) => cluster);
      if (isOpen) return expect(leaves).toEqual(free.leaves);
      const elective = decided.dropped.filter(({ cause }) => ['NotMember', 'NotMatched', 'Tainted'].includes(cause));
      const limit = decided.wanted ?? Infinity;
      // Only a decision that is larger than wanted loses clusters which fail a rule.
      if (elective.length > 0) expect(selected.length).toBeGreaterThan(limit);
      for (const name of leaves) expect(selected).toContain(name);
      const size = decided.kept.flat().length + decided.added.length;
      const matching = NAMES.filter((name, index) => kinds[index] === 'gold' && !selected.includes(name));
      expect(size).toBeLessThanOrEqual(Math.max(limit, selected.length));
      expect(size >= limit || decided.added.length === matching.length).toBe(true);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('a paused Placement writes nothing, and its report is the same when it is computed again', () => {
    const property = fc.property(worlds, ({ spec, over }) => {
      const of = world({ ...spec, paused: true }, over);
      const seen = snapshot(of);
      expect(sliceChanges(seen, scheduled(seen)).writes).toEqual([]);
      const status = statusAfter(of);
      expect(statusAfter({ ...of, status })).toEqual(status);
    });
    fc.assert(property, { numRuns: 200 });
  });
});
