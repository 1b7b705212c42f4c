import { describe, expect, it } from '@jest/globals';
import type { PlacementStatus } from '../../../../src/api/generated/placement.js';
import { MESSAGE_LIMIT } from '../../../../src/api/names.js';
import { revisionOf } from '../../../../src/domain/placement/stored/decision.js';
import { schedule } from '../../../../src/domain/placement/select/schedule.js';
import { planSlices } from '../../../../src/domain/placement/publish/slices.js';
import { placementReport, statusToWrite } from '../../../../src/domain/placement/report/status.js';
import type { PlacementReport, PublicationFailure } from '../../../../src/domain/placement/report/status.js';
import {
  binding,
  clusterSet,
  decision,
  member,
  members,
  names,
  snapshot,
  UNREADABLE,
} from '../../../support/builders/placement.js';
import type { World } from '../../../support/builders/placement.js';

interface Progress {
  readonly done?: number;
  readonly failure?: PublicationFailure;
}

/** The report on a pass that carried its plan out, or as far as `progress` says. */
function report(over: Partial<World>, { done, failure }: Progress = {}): PlacementReport {
  const seen = snapshot(over);
  const decided = schedule(seen);
  const plan = planSlices(seen, decided);
  return placementReport(seen, decided, { plan, done: done ?? plan.writes.length, ...(failure && { failure }) });
}

function conditionText(of: PlacementReport, type: string): string {
  const state = of.states.find((one) => one.type === type);
  return state === undefined ? 'absent' : `${state.status} ${state.reason}`;
}

function message(of: PlacementReport, type: string): string {
  return of.states.find((one) => one.type === type)?.message ?? '';
}

const N = (numberOfClusters: number): object => ({ numberOfClusters });
const inEu = {
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } }, {}].slice(0, 1),
};
const inEuTwice = { predicates: [...inEu.predicates, ...inEu.predicates] };
const BAD = { ...inEu, numberOfClusters: -1 };
const two = { bindings: [binding('a'), binding('b')], sets: [clusterSet('a'), clusterSet('b')] };

interface Row {
  readonly when: string;
  readonly world: Partial<World>;
  readonly is: string;
  readonly phase: string;
  readonly words: readonly string[];
}

describe('PlacementSatisfied', () => {
  it.each<Row>([
    {
      when: 'misconfigured',
      world: { spec: BAD, stored: [decision(1, ['x', 'y'])], fleet: members('x', 'y') },
      is: 'False Misconfigured',
      phase: 'Misconfigured',
      words: ['spec.numberOfClusters: -1', 'of 2 clusters, stays published'],
    },
    {
      when: 'misconfigured, before what else is missing',
      world: { spec: BAD, bindings: [] },
      is: 'False Misconfigured',
      phase: 'Misconfigured',
      words: ['of 0 clusters'],
    },
    {
      when: 'no cluster is wanted',
      world: { spec: N(0), fleet: members('x') },
      is: 'True AllDecisionsScheduled',
      phase: 'Satisfied',
      words: ['spec.numberOfClusters is 0'],
    },
    {
      when: 'no cluster is wanted, whatever else is missing',
      world: { spec: N(0), bindings: [] },
      is: 'True AllDecisionsScheduled',
      phase: 'Satisfied',
      words: [],
    },
    {
      when: 'there is no binding',
      world: { bindings: [] },
      is: 'False NoManagedClusterSetBindings',
      phase: 'Unsatisfied',
      words: ['namespace team', 'create a ManagedClusterSetBinding', 'metadata.name', 'spec.clusterSet'],
    },
    {
      when: 'no binding is valid',
      world: { bindings: [binding('mine', { clusterSet: 'fleet' }), binding('z')] },
      is: 'False NoManagedClusterSetBindings',
      phase: 'Unsatisfied',
      words: [
        'binding mine (its name is not its spec.clusterSet, fleet)',
        'binding z (there is no ManagedClusterSet z)',
      ],
    },
    {
      when: 'the bound set is being deleted',
      world: { sets: [clusterSet('fleet', { deleting: true })] },
      is: 'False NoManagedClusterSetBindings',
      phase: 'Unsatisfied',
      words: ['ManagedClusterSet fleet is being deleted'],
    },
    {
      when: 'the binding is being deleted',
      world: { bindings: [binding('fleet', { deleting: true })] },
      is: 'False NoManagedClusterSetBindings',
      phase: 'Unsatisfied',
      words: ['binding fleet (it is being deleted)'],
    },
    {
      when: 'no set asked for is bound',
      world: { ...two, spec: { ClusterSets: ['z', 'y'] } },
      is: 'False NoIntersection',
      phase: 'Unsatisfied',
      words: [
        'nothing can be selected from spec.ClusterSets: y (no ManagedClusterSetBinding y in namespace team), z (no',
        '; bound: a, b',
      ],
    },
    {
      when: 'the sets are empty',
      world: two,
      is: 'False AllManagedClusterSetsEmpty',
      phase: 'Unsatisfied',
      words: ['a, b'],
    },
    {
      when: 'all clusters of the sets are being deleted',
      world: { fleet: [member('x', { deleting: true })] },
      is: 'False AllManagedClusterSetsEmpty',
      phase: 'Unsatisfied',
      words: ['fleet'],
    },
    {
      when: 'nothing matches',
      world: { ...two, spec: inEu, fleet: [member('x', {}, ['a'])] },
      is: 'False NoManagedClusterMatched',
      phase: 'Unsatisfied',
      words: ['no cluster of cluster sets a, b matches: predicate 0: no candidate has label region'],
    },
    {
      when: 'nothing matches any predicate',
      world: { ...two, spec: inEuTwice, fleet: [member('x', {}, ['a'])] },
      is: 'False NoManagedClusterMatched',
      phase: 'Unsatisfied',
      words: ['matches: predicate 0: no candidate has label region; predicate 1: no candidate has label region'],
    },
    {
      when: 'the only one wanted is selected',
      world: { spec: N(1), fleet: members('x') },
      is: 'True AllDecisionsScheduled',
      phase: 'Satisfied',
      words: ['the 1 wanted cluster is selected'],
    },
    {
      when: 'one of several is missing',
      world: { spec: N(2), fleet: members('x') },
      is: 'False NotAllDecisionsScheduled',
      phase: 'PartiallySatisfied',
      words: ['1 of 2 wanted clusters is missing: every cluster that matches is selected'],
    },
    {
      when: 'misconfigured with one cluster',
      world: { spec: BAD, stored: [decision(1, ['x'])], fleet: members('x') },
      is: 'False Misconfigured',
      phase: 'Misconfigured',
      words: ['of 1 cluster, stays published'],
    },
    {
      when: 'fewer match than wanted',
      world: { spec: N(5), fleet: members('x', 'y') },
      is: 'False NotAllDecisionsScheduled',
      phase: 'PartiallySatisfied',
      words: ['3 of 5'],
    },
    {
      when: 'as many match as wanted',
      world: { spec: N(2), fleet: members('x', 'y') },
      is: 'True AllDecisionsScheduled',
      phase: 'Satisfied',
      words: ['all 2 wanted'],
    },
    {
      when: 'all that match are wanted',
      world: { fleet: members('x') },
      is: 'True AllDecisionsScheduled',
      phase: 'Satisfied',
      words: ['every cluster that matches'],
    },
  ])('PlacementSatisfied is $is when $when', ({ world, is, phase, words }) => {
    const of = report(world);

    expect(conditionText(of, 'PlacementSatisfied')).toBe(is);
    expect(of.phase).toBe(phase);
    for (const word of words) expect(message(of, 'PlacementSatisfied')).toContain(word);
  });

  const unreadable = {
    sets: [clusterSet('fleet'), clusterSet('bad', { selector: UNREADABLE })],
    bindings: [binding('fleet'), binding('bad')],
  };
  it.each([
    { world: { ...unreadable, fleet: members('x') }, is: 'True AllDecisionsScheduled' },
    { world: { ...unreadable, spec: N(2), fleet: members('x') }, is: 'False NotAllDecisionsScheduled' },
    { world: { ...unreadable, fleet: [member('x', {}, ['bad'])] }, is: 'False AllManagedClusterSetsEmpty' },
    {
      world: { ...unreadable, fleet: [member('x', {}, ['bad'])], stored: [decision(1, ['x'])] },
      is: 'True AllDecisionsScheduled',
    },
    { world: { ...unreadable, spec: inEu, fleet: members('x') }, is: 'False NoManagedClusterMatched' },
  ])('PlacementSatisfied names a set that cannot be read, and stays $is', ({ world, is }) => {
    expect(conditionText(report(world), 'PlacementSatisfied')).toBe(is);
    expect(message(report(world), 'PlacementSatisfied')).toContain('the selector of cluster set bad cannot be read');
  });

  it('PlacementSatisfied stays within the limit of a message, however many names there are', () => {
    const long = (count: number): string[] => names(count).map((name) => `${name}-${'x'.repeat(50)}`);
    const sets = long(200).map((name) => clusterSet(name, { selector: UNREADABLE }));
    const bindings = sets.map((one) => binding(one.name));
    const worlds: Partial<World>[] = [
      { sets, bindings, spec: { ClusterSets: long(256).map((name) => `${name}-z`) } },
      { sets, bindings },
      { sets, bindings, fleet: members('x'), spec: inEu },
      { bindings },
      { bindings: bindings.map((one) => ({ ...one, clusterSet: `${one.name}-z` })) },
      {
        spec: {
          predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { ['k'.repeat(5000)]: 'v' } } } }],
        },
      },
    ];

    for (const world of worlds)
      for (const state of report(world).states) expect(state.message.length).toBeLessThanOrEqual(MESSAGE_LIMIT);
    expect(message(report(worlds[1] ?? {}), 'PlacementSatisfied')).toMatch(/c000-x+, c001-x+, .* and 19\d more/);
  });

  it.each([
    {
      change: 'another candidate that is not needed',
      before: { spec: N(1), fleet: members('x') },
      after: { fleet: members('x', 'y') },
    },
    {
      change: 'another candidate that does not match',
      before: { spec: inEu, fleet: members('x') },
      after: { fleet: members('x', 'y') },
    },
    {
      change: 'another bound set while enough is selected',
      before: { spec: N(1), fleet: members('x') },
      after: { bindings: [binding('fleet'), binding('b')], sets: [clusterSet('fleet'), clusterSet('b')] },
    },
    {
      change: 'another match while all are wanted',
      before: { fleet: members('x') },
      after: { fleet: members('x', 'y') },
    },
  ])('the message of PlacementSatisfied does not change after $change', ({ before, after }) => {
    expect(message(report({ ...before, ...after }), 'PlacementSatisfied')).toBe(
      message(report(before), 'PlacementSatisfied'),
    );
  });
});

describe('conditions beside PlacementSatisfied', () => {
  it.each([
    {
      when: 'all is stored',
      world: { fleet: members('x') },
      ready: 'True DecisionPublished',
      reconciling: 'absent',
      stalled: 'absent',
      misconfigured: 'False Succeedconfigured',
    },
    {
      when: 'all is stored though too few',
      world: { spec: N(3), fleet: members('x') },
      ready: 'True DecisionPublished',
      reconciling: 'absent',
      stalled: 'absent',
      misconfigured: 'False Succeedconfigured',
    },
    {
      when: 'a field cannot be read',
      world: { spec: BAD },
      ready: 'False Misconfigured',
      reconciling: 'absent',
      stalled: 'True Misconfigured',
      misconfigured: 'True Misconfigured',
    },
    {
      when: 'a foreign object is in the way',
      world: { fleet: members('x'), stored: [decision(1, [], { ownership: 'foreign' })] },
      ready: 'False PublishFailed',
      reconciling: 'True PublishFailed',
      stalled: 'absent',
      misconfigured: 'False Succeedconfigured',
    },
    {
      when: "a predecessor's object is held",
      world: { stored: [decision(1, [], { ownership: 'predecessor', deleting: true })] },
      ready: 'False Publishing',
      reconciling: 'True Publishing',
      stalled: 'absent',
      misconfigured: 'False Succeedconfigured',
    },
    {
      when: 'a foreign object is in the way of a misconfigured one',
      world: { spec: BAD, stored: [decision(1, [], { ownership: 'foreign' })] },
      ready: 'False Misconfigured',
      reconciling: 'absent',
      stalled: 'True Misconfigured',
      misconfigured: 'True Misconfigured',
    },
  ] as const)('Ready is $ready when $when', ({ world, ready, reconciling, stalled, misconfigured }) => {
    const of = report(world);

    expect(conditionText(of, 'Ready')).toBe(ready);
    expect(conditionText(of, 'Reconciling')).toBe(reconciling);
    expect(conditionText(of, 'Stalled')).toBe(stalled);
    expect(conditionText(of, 'PlacementMisconfigured')).toBe(misconfigured);
  });

  it('Ready names the foreign object', () => {
    const of = report({ fleet: members(...names(150)), stored: [decision(2, [], { ownership: 'foreign' })] });

    expect(message(of, 'Ready')).toContain('PlacementDecision team/web-decision-2');
    expect(message(of, 'Ready')).not.toContain('web-decision-1');
  });

  it('Ready names the objects that are not stored yet', () => {
    const of = report({ fleet: members(...names(150)) }, { done: 1 });

    expect(conditionText(of, 'Ready')).toBe('False Publishing');
    expect(message(of, 'Ready')).toBe('not stored yet: PlacementDecision team/web-decision-2');
    expect(message(of, 'Reconciling')).toBe(message(of, 'Ready'));
  });

  it('Ready has the message of a refused write', () => {
    const of = report(
      { fleet: members('x') },
      { done: 0, failure: { name: 'web-decision-1', message: 'exceeded quota' } },
    );

    expect(conditionText(of, 'Ready')).toBe('False PublishFailed');
    expect(message(of, 'Ready')).toBe('PlacementDecision team/web-decision-1: exceeded quota');
  });

  it.each<[string, Partial<World>, Progress, string]>([
    [
      'a refused write',
      { spec: N(3), fleet: members('x') },
      { done: 0, failure: { name: 'web-decision-1', message: 'exceeded quota' } },
      'False NotAllDecisionsScheduled',
    ],
    [
      'a foreign object',
      { spec: N(150), fleet: members(...names(150)), stored: [decision(1, [], { ownership: 'foreign' })] },
      {},
      'False NotAllDecisionsScheduled',
    ],
    [
      'a foreign object in the way of an empty decision',
      { spec: N(0), stored: [decision(1, [], { ownership: 'foreign' })] },
      {},
      'True AllDecisionsScheduled',
    ],
    [
      "a predecessor's object that is held",
      { bindings: [], stored: [decision(1, [], { ownership: 'predecessor', deleting: true })] },
      {},
      'False NoManagedClusterSetBindings',
    ],
  ])('PlacementSatisfied reports %s too, with its usual reason', (_what, world, progress, is) => {
    const of = report(world, progress);

    expect(conditionText(of, 'PlacementSatisfied')).toBe(is);
    expect(message(of, 'PlacementSatisfied').endsWith(`; ${message(of, 'Ready')}`)).toBe(true);
  });

  it('PlacementSatisfied shows both the missing clusters and the obstacle, however long', () => {
    const sets = names(200).map((name) => clusterSet(`${name}-${'x'.repeat(50)}`, { selector: UNREADABLE }));
    const world = {
      sets,
      bindings: sets.map((one) => binding(one.name)),
      spec: { ClusterSets: sets.map((one) => `${one.name}-z`) },
    };
    const of = report(world, { done: 0, failure: { name: 'web-decision-1', message: `refused ${'y'.repeat(2_000)}` } });

    expect(message(of, 'PlacementSatisfied')).toMatch(
      /^nothing can be selected from spec.ClusterSets: .*…; PlacementDecision team\/web-decision-1: refused y+…$/,
    );
    expect(message(of, 'PlacementSatisfied')).toHaveLength(MESSAGE_LIMIT);
  });

  it('the conditions of a misconfigured Placement name the field', () => {
    expect(message(report({ spec: BAD }), 'PlacementMisconfigured')).toBe(
      'spec.numberOfClusters: -1 is not a whole number from 0 to 2147483647',
    );
  });

  it('all conditions have the observed generation', () => {
    const of = report({ generation: 7 });

    expect(of.observedGeneration).toBe(7);
    expect(of.states.map((one) => one.observedGeneration)).toEqual([7, 7, 7]);
    expect(of.states.map((one) => one.type)).toEqual(['PlacementSatisfied', 'PlacementMisconfigured', 'Ready']);
  });
});

describe('placementReport', () => {
  it('a report is Pending before the first decision is stored', () => {
    expect(report({ fleet: members('x') }, { done: 0 })).toMatchObject({
      phase: 'Pending',
      numberOfSelectedClusters: 0,
      decisions: [],
    });
  });

  it.each<[unknown, string]>([
    [undefined, 'Pending'],
    [{ phase: 'Pending', decisions: [] }, 'Pending'],
    [{ phase: 'Misconfigured', decisions: [] }, 'Pending'],
    [{ phase: 7, decisions: 'odd' }, 'Pending'],
    [{ phase: 'Satisfied', decisions: [{ name: 'web-decision-1', revision: 'x' }] }, 'Unsatisfied'],
    [{ phase: 'Misconfigured', decisions: [{ name: 'web-decision-1', revision: 'x' }] }, 'Unsatisfied'],
    [{ phase: 'Unsatisfied', decisions: [] }, 'Unsatisfied'],
  ])('a report of a decision whose objects are all missing, after the status %j, is %s', (status, phase) => {
    const failure = { name: 'web-decision-1', message: 'exceeded quota' };

    const seen = snapshot({ fleet: members('x') });
    const before = { ...seen, placement: { ...seen.placement, status } };
    const decided = schedule(before);
    expect(placementReport(before, decided, { plan: planSlices(before, decided), done: 0, failure })).toMatchObject({
      phase,
      numberOfSelectedClusters: 0,
      decisions: [],
    });
  });

  it('a report lists the objects in order with their revisions', () => {
    const fleet = members(...names(101), 'x');
    const of = report({ fleet, stored: [decision(3, ['x']), decision(1, names(100))] });

    expect(of.decisions.map((one) => one.name)).toEqual(['web-decision-1', 'web-decision-3']);
    expect(of.decisions[1]?.revision).toBe(revisionOf(['x', 'c100']));
    expect(of.numberOfSelectedClusters).toBe(102);
  });

  it('a report of a partial change has the old revision of objects that are not written', () => {
    const world = { spec: N(2), fleet: members('y', 'z'), stored: [decision(1, ['x', 'y'])] };

    expect(report(world, { done: 0 })).toMatchObject({
      phase: 'PartiallySatisfied',
      numberOfSelectedClusters: 2,
      decisions: [{ name: 'web-decision-1', revision: revisionOf(['x', 'y']) }],
    });
    expect(message(report(world, { done: 0 }), 'PlacementSatisfied')).toBe(
      '1 of 2 wanted clusters is missing; not stored yet: PlacementDecision team/web-decision-1',
    );
  });

  it('a report counts a cluster once that another client listed twice', () => {
    expect(
      report({ fleet: members('x'), stored: [decision(1, ['x', 'x'])] }, { done: 0 }).numberOfSelectedClusters,
    ).toBe(1);
  });
});

describe('statusToWrite', () => {
  const THEN = '2026-01-01T00:00:00Z';
  const NOW = '2026-01-01T01:00:00Z';
  const of = report({ spec: N(2), fleet: members('x') });
  const stored = statusToWrite({ observedGeneration: -1 }, of, THEN);

  it('statusToWrite returns the status with times', () => {
    expect(stored).toEqual({
      phase: 'PartiallySatisfied',
      observedGeneration: 1,
      numberOfSelectedClusters: 1,
      decisions: [{ name: 'web-decision-1', revision: revisionOf(['x']) }],
      conditions: of.states.map((state) => ({ ...state, lastTransitionTime: THEN, lastUpdateTime: THEN })),
      basis: { numberOfClusters: 2 },
    });
  });

  it('statusToWrite returns undefined when the stored status is the same in any order of keys', () => {
    const reversed = JSON.parse(JSON.stringify(stored), (_key, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    ) as unknown;

    expect(statusToWrite(reversed, of, NOW)).toBeUndefined();
  });

  it.each<[string, (status: PlacementStatus) => unknown]>([
    ['the phase', (status) => ({ ...status, phase: 'Satisfied' })],
    ['the number', (status) => ({ ...status, numberOfSelectedClusters: 2 })],
    ['the generation', (status) => ({ ...status, observedGeneration: 9 })],
    ['a revision', (status) => ({ ...status, decisions: [{ name: 'web-decision-1', revision: 'x' }] })],
    ['the list of decisions', (status) => ({ ...status, decisions: [] })],
    ['a condition', (status) => ({ ...status, conditions: status.conditions?.slice(1) })],
    ['the order of conditions', (status) => ({ ...status, conditions: [...(status.conditions ?? [])].reverse() })],
    [
      'a condition of their own',
      (status) => ({
        ...status,
        conditions: [...(status.conditions ?? []), { ...status.conditions?.[0], type: 'Mine' }],
      }),
    ],
    [
      'a field of a condition',
      (status) => ({ ...status, conditions: status.conditions?.map((one) => ({ ...one, message: 'x' })) }),
    ],
    [
      'the time of a condition',
      (status) => ({ ...status, conditions: status.conditions?.map(({ lastUpdateTime: _gone, ...one }) => one) }),
    ],
    ['the shape of its decisions', (status) => ({ ...status, decisions: null })],
    ['the shape of its conditions', (status) => ({ ...status, conditions: [null, 'x', ...(status.conditions ?? [])] })],
    ['everything', () => null],
    ['the conditions', (status) => ({ ...status, conditions: 'x' })],
  ])('statusToWrite restores %s after a foreign edit', (_what, edit) => {
    const right = statusToWrite(edit(stored ?? {}), of, NOW);

    expect(
      right?.conditions
        .flatMap((one) => [one.lastTransitionTime, one.lastUpdateTime])
        .every((time) => time === THEN || time === NOW),
    ).toBe(true);
    expect(right).toMatchObject({
      phase: 'PartiallySatisfied',
      numberOfSelectedClusters: 1,
      observedGeneration: 1,
      decisions: [{ revision: revisionOf(['x']) }],
    });
  });

  it('statusToWrite changes the times of changed conditions alone', () => {
    const next = statusToWrite(stored, report({ spec: N(1), fleet: members('x') }), NOW);

    expect(next?.conditions.map((one) => [one.type, one.lastTransitionTime])).toEqual([
      ['PlacementSatisfied', NOW],
      ['PlacementMisconfigured', THEN],
      ['Ready', THEN],
    ]);
  });
});
