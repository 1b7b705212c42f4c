import { describe, expect, it } from '@jest/globals';
import { schedule } from '../../../../src/domain/placement/select/schedule.js';
import { sliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import { decisionObject, readDecision, type StoredDecision } from '../../../../src/domain/placement/stored/decision.js';
import { contentOf, type Since } from '../../../../src/domain/placement/stored/items.js';
import { decision, members, prefixes, snapshot, type World } from '../../../support/builders/placement.js';

const OWNER = { namespace: 'team', name: 'web', uid: 'u' };
const REBALANCE = { rebalance: { scoreMargin: 20 } };
const NOW = '2026-11-22T10:00:30Z';
const EARLY = '2026-01-01T00:00:00Z';
const LATE = '2026-02-01T00:00:00Z';

const timed = (times: Readonly<Record<string, string>>): Pick<StoredDecision, 'since'> => ({
  since: new Map(Object.entries(times)),
});

/** The times of the items once all of it is published: `a=TIME`. */
function times(over: Partial<World>, known?: Since): readonly string[] {
  const before = snapshot(over);
  const seen = { ...before, published: before.published && { ...before.published, ...(known && { since: known }) } };
  const { writes } = sliceChanges(seen, schedule(seen));
  const stored = prefixes(seen.stored, writes).at(-1) ?? [];
  return stored.flatMap(({ clusters, since }) => clusters.map((name) => `${name}=${since.get(name) ?? ''}`)).sort();
}

function writes(over: Partial<World>): readonly string[] {
  const seen = snapshot(over);
  return sliceChanges(seen, schedule(seen)).writes.map((write) => write.kind);
}

describe('the time since which a cluster is selected', () => {
  it('a Placement without rebalance has no times', () => {
    expect(times({ fleet: members('a') })).toEqual(['a=']);
  });

  it('a cluster that comes in has the time of its write, and one that stays keeps its time', () => {
    const stored = [decision(1, ['a'], timed({ a: EARLY }))];

    expect(times({ spec: REBALANCE, fleet: members('a', 'b'), stored })).toEqual([`a=${EARLY}`, `b=${NOW}`]);
    expect(writes({ spec: REBALANCE, fleet: members('a'), stored })).toEqual([]);
  });

  it('rebalance gives the clusters of a decision the time of that write, once', () => {
    const world = { spec: REBALANCE, fleet: members('a'), stored: [decision(1, ['a'])] };

    expect(writes(world)).toEqual(['update']);
    expect(times(world)).toEqual([`a=${NOW}`]);
  });

  it('a decision without rebalance loses the times', () => {
    const world = { fleet: members('a'), stored: [decision(1, ['a'], timed({ a: EARLY }))] };

    expect(writes(world)).toEqual(['update']);
    expect(times(world)).toEqual(['a=']);
  });

  it('an invalid spec leaves the times as they are', () => {
    const stored = [decision(1, ['a', 'b'], timed({ a: EARLY }))];

    expect(writes({ spec: { rebalance: {} }, fleet: members('a', 'b'), stored })).toEqual([]);
  });

  it('a cluster whose object was deleted gets the remembered time back', () => {
    const world = { spec: REBALANCE, fleet: members('a'), remembered: [['a']] };

    expect(times(world, new Map([['a', EARLY]]))).toEqual([`a=${EARLY}`]);
  });

  it('a cluster that comes in again does not get the remembered time of before', () => {
    const world = { spec: REBALANCE, fleet: members('a'), remembered: [[]], stored: [decision(1, [])] };

    expect(times(world, new Map([['a', EARLY]]))).toEqual([`a=${NOW}`]);
  });

  it('a cluster of two objects has the earlier time', () => {
    const stored = [decision(1, ['a'], timed({ a: LATE })), decision(2, ['a'], timed({ a: EARLY }))];

    expect(times({ spec: REBALANCE, fleet: members('a'), stored })).toEqual([`a=${EARLY}`]);
  });

  it('the items of an object have the times of their clusters, and are read again', () => {
    const object = decisionObject(OWNER, 1, contentOf(['a', 'b'], { since: new Map([['a', EARLY]]) }));

    expect(object.status.decisions).toEqual([
      { clusterName: 'a', reason: '', since: EARLY },
      { clusterName: 'b', reason: '' },
    ]);
    expect(readDecision(object, OWNER)).toMatchObject({ clusters: ['a', 'b'], intact: true, ...timed({ a: EARLY }) });
  });

  it.each(['soon', 7, null])('an item whose time is %j has none, and is written again', (since) => {
    const object = { ...decisionObject(OWNER, 1, contentOf(['a'])) };
    const edited = { ...object, status: { decisions: [{ clusterName: 'a', reason: '', since }] } };

    expect(readDecision(edited, OWNER)).toMatchObject({ clusters: ['a'], intact: false, ...timed({}) });
  });
});
