import { describe, expect, it } from '@jest/globals';
import type { PlacementStatus } from '../../../../src/api/generated/placement.js';
import { MESSAGE_LIMIT } from '../../../../src/api/names.js';
import { revisionOf } from '../../../../src/domain/placement/stored/decision.js';
import { schedule } from '../../../../src/domain/placement/select/schedule.js';
import { sliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import { placementReport, statusToWrite } from '../../../../src/domain/placement/report/status.js';
import type { PlacementReport, PublicationFailure } from '../../../../src/domain/placement/report/status.js';
import {
  binding,
  clusterSet,
  decision,
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

/** The report on a pass that carried its changes out, or as far as `progress` says. */
function report(over: Partial<World>, { done, failure }: Progress = {}): PlacementReport {
  const seen = snapshot(over);
  const decided = schedule(seen);
  const changes = sliceChanges(seen, decided);
  return placementReport(seen, decided, { changes, done: done ?? changes.writes.length, ...(failure && { failure }) });
}

function message(of: PlacementReport, type: string): string {
  return of.states.find((one) => one.type === type)?.message ?? '';
}

const N = (numberOfClusters: number): object => ({ numberOfClusters });
const inEu = {
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } }, {}].slice(0, 1),
};

describe('PlacementSatisfied', () => {
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

describe('placementReport', () => {
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
    expect(
      placementReport(before, decided, { changes: sliceChanges(before, decided), done: 0, failure }),
    ).toMatchObject({
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
