import { describe, expect, it } from '@jest/globals';
import { schedule } from '../../../src/domain/placement/select/schedule.js';
import { sliceChanges } from '../../../src/domain/placement/publish/slices.js';
import { placementReport, statusToWrite } from '../../../src/domain/placement/report/status.js';
import type { PublicationFailure } from '../../../src/domain/placement/report/status.js';
import { decision, members, snapshot } from '../../support/builders/placement.js';
import type { World } from '../../support/builders/placement.js';
import { readingOf, type Readable, type Reading } from '../../support/kstatus/reading.js';

interface Row {
  readonly state: string;
  readonly world: Partial<World>;
  readonly done?: number;
  readonly failure?: PublicationFailure;
  readonly reads: Reading;
}

function watched({ world, done, failure }: Row): Readable {
  const seen = snapshot(world);
  const decided = schedule(seen);
  const changes = sliceChanges(seen, decided);
  const report = placementReport(seen, decided, {
    changes,
    done: done ?? changes.writes.length,
    ...(failure && { failure }),
  });
  const status = statusToWrite(seen.placement.status, report, '2026-01-01T00:00:00Z');
  return { metadata: { generation: seen.placement.generation }, ...(status && { status }) };
}

describe('kstatus of a Placement', () => {
  const foreign = decision(1, [], { ownership: 'foreign' });
  const held = decision(1, [], { ownership: 'predecessor', deleting: true });
  const bad = { numberOfClusters: -1 };
  const rows: readonly Row[] = [
    { state: 'satisfied', world: { fleet: members('a') }, reads: 'Current' },
    { state: 'satisfied with no cluster wanted', world: { spec: { numberOfClusters: 0 } }, reads: 'Current' },
    { state: 'partially satisfied', world: { spec: { numberOfClusters: 2 }, fleet: members('a') }, reads: 'Current' },
    { state: 'unsatisfied for want of a binding', world: { bindings: [] }, reads: 'Current' },
    { state: 'unsatisfied for want of an intersection', world: { spec: { ClusterSets: ['z'] } }, reads: 'Current' },
    { state: 'unsatisfied for want of clusters', world: {}, reads: 'Current' },
    { state: 'misconfigured', world: { spec: bad }, reads: 'Failed' },
    {
      state: 'misconfigured, with a decision',
      world: { spec: bad, stored: [decision(1, ['a'])], fleet: members('a') },
      reads: 'Failed',
    },
    { state: 'misconfigured, beside a foreign object', world: { spec: bad, stored: [foreign] }, reads: 'Failed' },
    { state: 'pending', world: { fleet: members('a') }, done: 0, reads: 'InProgress' },
    { state: 'publishing a change', world: { stored: [decision(1, ['a'])] }, done: 0, reads: 'InProgress' },
    {
      state: 'held up by a refused write',
      world: {},
      done: 0,
      failure: { name: 'web-decision-1', message: 'no' },
      reads: 'InProgress',
    },
    {
      state: 'holding back a removal',
      world: {
        spec: { disruptionBudget: { maxRemovals: 0 } },
        bindings: [],
        stored: [decision(1, ['a'])],
        fleet: members('a'),
      },
      reads: 'Current',
    },
    { state: 'held up by a foreign object', world: { stored: [foreign] }, reads: 'InProgress' },
    { state: 'held up by a finalizer of others', world: { stored: [held] }, reads: 'InProgress' },
  ];

  it.each(rows)('kstatus of a Placement is $reads when it is $state', (row) => {
    expect(readingOf(watched(row))).toBe(row.reads);
  });

  it.each(rows)('kstatus of a Placement is InProgress when its spec has changed since it was $state', (row) => {
    const { status } = watched(row);

    expect(readingOf({ metadata: { generation: 2 }, ...(status && { status }) })).toBe('InProgress');
  });

  it.each(rows)('kstatus of a Placement is Terminating when it is deleted while $state', (row) => {
    const { status } = watched(row);

    expect(
      readingOf({ metadata: { generation: 1, deletionTimestamp: '2026-01-01T00:00:00Z' }, ...(status && { status }) }),
    ).toBe('Terminating');
  });

  it.each(rows)(
    'Reconciling and Stalled are never both set, and only with status True, in a Placement that is $state',
    (row) => {
      const busy =
        watched(row).status?.conditions?.filter((one) => one.type === 'Reconciling' || one.type === 'Stalled') ?? [];

      expect(busy.length).toBeLessThanOrEqual(1);
      expect(busy.every((one) => one.status === 'True')).toBe(true);
    },
  );

  it('kstatus of a Placement is InProgress before the first reconcile, with observedGeneration -1 from the schema', () => {
    expect(readingOf({ metadata: { generation: 1 }, status: { observedGeneration: -1 } })).toBe('InProgress');
  });
});
