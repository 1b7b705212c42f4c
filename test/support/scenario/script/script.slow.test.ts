import { describe, expect, it } from '@jest/globals';

import { judge, reasonOf } from '../checks/model.js';
import { OPENING } from './opening.js';
import { inAnyOrder, script, storms, type Step } from './script.js';
import type { Write } from './world.js';

function count<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function writes(steps: readonly Step[]): Write[] {
  return steps.flatMap((step) => [...step.writes]);
}

describe('the script of 120 steps', () => {
  const steps = script(1, 120);

  it('the script of 120 steps is the same for the same seed, and another for another', () => {
    expect(script(1, 60).map(({ title }) => title)).toEqual(steps.slice(0, 60).map(({ title }) => title));
    expect(script(2, 60).map(({ title }) => title)).not.toEqual(steps.slice(0, 60).map(({ title }) => title));
  });

  it('the script of 120 steps changes something in every step, in whatever order its writes are seen', () => {
    for (const { before, writes: list, number } of steps.slice(OPENING)) {
      expect([number, list.length > 0, inAnyOrder(before, list)]).toEqual([number, true, true]);
    }
    expect(steps.filter(({ writes: list }) => list.length > 1).length).toBeGreaterThan(30);
  });

  it('the script of 120 steps reaches every reason, a full second object and a third', () => {
    const reasons = count(
      steps.flatMap(({ after }) => [...after.placements.keys()].map((key) => reasonOf(after, key, new Set()))),
    );
    for (const reason of [
      'AllDecisionsScheduled',
      'NotAllDecisionsScheduled',
      'NoManagedClusterSetBindings',
      'NoIntersection',
      'AllManagedClusterSetsEmpty',
      'NoManagedClusterMatched',
      'Misconfigured',
    ])
      expect([reason, reasons.get(reason) ?? 0]).not.toEqual([reason, 0]);
    const most = steps.map(({ after }) =>
      Math.max(
        0,
        ...[...after.placements].map(([key, { count: wanted }]) => {
          return Math.min(wanted ?? Infinity, judge(after, key, new Set()).matching.size);
        }),
      ),
    );
    expect(most.filter((size) => size > 200).length).toBeGreaterThan(50);
  });

  it.each<[string, (write: Write) => boolean]>([
    ['sets that go', ({ kind, to }) => kind === 'set' && to === undefined],
    ['bindings that go', ({ kind, to }) => kind === 'binding' && to === undefined],
    ['placements that go', ({ kind, to }) => kind === 'placement' && to === undefined],
    ['clusters that go', ({ kind, to }) => kind === 'cluster' && to === undefined],
    ['clusters that wait for a finalizer', (write) => write.kind === 'cluster' && write.to?.deleting === true],
    ['no clusters wanted', (write) => write.kind === 'placement' && write.to?.count === 0],
    [
      'as many as match wanted',
      (write) => write.kind === 'placement' && write.to !== undefined && write.to.count === undefined,
    ],
    [
      'a set that cannot be read',
      (write) => write.kind === 'set' && JSON.stringify(write.to ?? {}).includes('"operator":"In"}'),
    ],
  ])('the script of 120 steps has %s', (_what, is) => {
    expect(writes(steps).filter(is).length).toBeGreaterThan(0);
  });
});

describe('the script of storms', () => {
  it('the script of storms changes many clusters at once, each once', () => {
    for (const { writes: list } of storms(3, OPENING + 12, 40).slice(OPENING)) {
      expect(list.length).toBeGreaterThan(20);
      expect(new Set(list.map(({ name }) => name)).size).toBe(list.length);
    }
  });
});
