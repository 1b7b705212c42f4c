import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { selectedClusters } from '../../../../src/domain/placement/select/decision.js';
import { schedule } from '../../../../src/domain/placement/select/schedule.js';
import { publishedBy, sliceChanges, type SliceChanges } from '../../../../src/domain/placement/publish/slices.js';
import type { StoredDecision } from '../../../../src/domain/placement/stored/decision.js';
import type { PlacementSnapshot } from '../../../../src/domain/placement/select/snapshot.js';
import { piecesByTheBook, type ModelPiece } from '../../../support/scenario/checks/moving.js';
import { member, names, prefixes, snapshot } from '../../../support/builders/placement.js';
import { runs } from '../../../support/runs.js';

/** Properties of groups through any sequence of changes: of the fleet, of labels, and of the spec, groups switched on and off. */

const GROUPS = ['canary', 'edge', 'last'];
const MOST_CLUSTERS = 24;

interface Step {
  /** The first `fleet` clusters are there, without those at the indices `away`. */
  readonly fleet: number;
  readonly away: readonly number[];
  readonly wanted: number | undefined;
  /** Index in GROUPS of the label of each cluster; no label where it is GROUPS.length, and beyond the list. */
  readonly labels: readonly number[];
  /** undefined: the Placement has no groups. */
  readonly groups: readonly string[] | undefined;
  readonly size: number | string;
}

const someStep: fc.Arbitrary<Step> = fc.record({
  fleet: fc.integer({ min: 0, max: MOST_CLUSTERS }),
  away: fc.array(fc.nat(MOST_CLUSTERS - 1), { maxLength: 6 }),
  wanted: fc.option(fc.integer({ min: 0, max: MOST_CLUSTERS }), { nil: undefined }),
  labels: fc.array(fc.nat(GROUPS.length), { maxLength: MOST_CLUSTERS }),
  groups: fc.option(
    fc.shuffledSubarray(GROUPS).map((list) => [...list]),
    { nil: undefined, freq: 4 },
  ),
  size: fc.constantFrom<number | string>(1, 2, 5, '1%', '10%', '25%', '50%', '100%'),
});
const someSteps = fc.array(someStep, { minLength: 2, maxLength: 6 });

/** Each cluster of the step becomes `times` clusters, so that pieces need several objects. */
function worldOf(step: Step, times: number, stored: readonly StoredDecision[]): PlacementSnapshot {
  const { groups, wanted, size } = step;
  const decisionGroups = groups?.map((groupName) => ({
    groupName,
    groupClusterSelector: { labelSelector: { matchLabels: { wave: groupName } } },
  }));
  const strategy = { groupStrategy: { decisionGroups, clustersPerDecisionGroup: size } };
  const fleet = names(MOST_CLUSTERS * times).map((name, index) => {
    const at = Math.floor(index / times);
    const wave = GROUPS[step.labels[at] ?? GROUPS.length];
    const isThere = at < step.fleet && !step.away.includes(at);
    return member(name, wave === undefined ? {} : { labels: { wave } }, isThere ? ['fleet'] : []);
  });
  const numberOfClusters = wanted === undefined ? undefined : wanted * times;
  return snapshot({
    spec: { numberOfClusters, ...(groups !== undefined && { decisionStrategy: strategy }) },
    fleet,
    stored,
  });
}

interface Pass {
  readonly seen: PlacementSnapshot;
  readonly changes: SliceChanges;
  readonly chosen: readonly string[];
  readonly states: readonly (readonly StoredDecision[])[];
}

function run(seen: PlacementSnapshot): Pass {
  const decided = schedule(seen);
  const changes = sliceChanges(seen, decided);
  return { seen, changes, chosen: selectedClusters(decided), states: prefixes(seen.stored, changes.writes) };
}

/** The snapshot with what the process remembers after the first `done` writes. */
function remembering(seen: PlacementSnapshot, { changes }: Pass, done?: number): PlacementSnapshot {
  return { ...seen, published: publishedBy(changes, done) };
}

function last<T>(list: readonly T[]): T {
  const found = list.at(-1);
  if (found === undefined) throw new Error('an empty list');
  return found;
}

function union(stored: readonly StoredDecision[]): ReadonlySet<string> {
  return new Set(stored.flatMap((one) => one.clusters));
}

function contents(stored: readonly StoredDecision[]): readonly string[] {
  return stored.map(({ name, clusters, piece }) => `${name} ${JSON.stringify(piece)}: ${clusters.join(' ')}`).sort();
}

function through(steps: readonly Step[], times: number, check: (pass: Pass, step: Step) => void): void {
  let stored: readonly StoredDecision[] = [];
  for (const step of steps) {
    const pass = run(worldOf(step, times, stored));
    check(pass, step);
    stored = last(pass.states);
  }
}

describe('groups, through any sequence of changes', () => {
  it('groups never change who is selected', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        through(steps, 1, ({ seen, chosen }) => {
          const rules = { ...seen.placement.rules, groups: undefined };
          const plain = { ...seen, placement: { ...seen.placement, rules } };
          expect(selectedClusters(schedule(plain))).toEqual(chosen);
        });
      }),
      { numRuns: runs(40) },
    );
  });

  it.each([
    [1, 60],
    [12, 10],
  ])(
    'no selected cluster is in no object for a moment, and the union never exceeds the larger of before and after (%i clusters for each of the step)',
    (times, numRuns) => {
      fc.assert(
        fc.property(someSteps, (steps) => {
          through(steps, times, ({ seen, chosen, states }) => {
            const before = union(seen.stored);
            const staying = chosen.filter((name) => before.has(name));
            for (const state of states) {
              const now = union(state);
              expect(staying.filter((name) => !now.has(name))).toEqual([]);
              expect(now.size).toBeLessThanOrEqual(Math.max(before.size, chosen.length));
              // The most that the definition allows.
              expect(Math.max(0, ...state.map((one) => one.clusters.length))).toBeLessThanOrEqual(100);
            }
            const end = last(states);
            expect(end.flatMap((one) => one.clusters).sort()).toEqual([...chosen].sort());
            expect(end.some((one) => one.ordinal === 1)).toBe(true);
          });
        }),
        { numRuns: runs(numRuns) },
      );
    },
  );

  it('pieces are cut as the rules say, read literally', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        let before: readonly ModelPiece[] = [];
        through(steps, 1, ({ states, chosen }, step) => {
          const groups = step.groups === undefined ? [] : [...step.groups, ''];
          const groupOf = (name: string): string => groupIn(step, name);
          before = piecesByTheBook({ groups, groupOf, before, selected: chosen, size: step.size });
          const found = new Map<number, readonly [string, readonly string[]]>();
          for (const { piece, clusters } of last(states)) {
            if (piece === undefined) continue;
            const [group, others] = found.get(piece.index) ?? [piece.group, []];
            found.set(piece.index, [group, [...others, ...clusters].sort()]);
          }
          // The first object exists also where nothing is selected.
          if (before.length === 0 && found.size === 1) expect(found.get(0)?.[1]).toEqual([]);
          else {
            const expected = before.map(
              ({ group, clusters }, index) => [index, [group, [...clusters].sort()]] as const,
            );
            expect(found).toEqual(new Map(expected));
          }
        });
      }),
      { numRuns: runs(120) },
    );
  });

  it.each([
    [1, 40],
    [12, 3],
  ])(
    'a pass ends in the same objects after a crash between any two writes, and then writes nothing (%i clusters for each of the step)',
    (times, numRuns) => {
      fc.assert(
        fc.property(someSteps, (steps) => {
          through(steps, times, (pass) => {
            const { seen, states } = pass;
            const end = contents(last(states));
            states.forEach((state, done) => {
              const crashed = { ...seen, stored: state };
              expect(contents(last(run(crashed).states))).toEqual(end);
              expect(contents(last(run(remembering(crashed, pass, done)).states))).toEqual(end);
            });
            const settled = { ...seen, stored: last(states) };
            expect(run(settled).changes.writes).toEqual([]);
            expect(run(remembering(settled, pass)).changes.writes).toEqual([]);
          });
        }),
        { numRuns: runs(numRuns) },
      );
    },
  );

  it('the pieces are numbered over all groups, each object is of one piece, and a piece is empty only before one of its group that is not', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        through(steps, 1, ({ states }, step) => {
          const end = last(states);
          if (step.groups === undefined) {
            expect(end.filter((one) => one.piece !== undefined)).toEqual([]);
            return;
          }
          const order = [...step.groups, ''];
          const rank = ({ group, number }: NonNullable<StoredDecision['piece']>): number =>
            order.indexOf(group) * 1000 + number;
          const pieces = [...new Map(end.map(({ piece }) => [piece?.index, piece])).values()];
          const sorted = pieces.flatMap((one) => one ?? []).sort((a, b) => rank(a) - rank(b));
          expect(sorted.map((one) => one.index)).toEqual(sorted.map((_, index) => index));
          for (const { piece, clusters } of end) {
            for (const name of clusters) expect([name, piece?.group]).toEqual([name, groupIn(step, name)]);
          }
          for (const piece of sorted) {
            const own = end.filter((one) => one.piece?.index === piece.index);
            const later = end.filter((one) => one.piece?.group === piece.group && one.piece.number > piece.number);
            if (own.every((one) => one.clusters.length === 0) && end.some((one) => one.clusters.length > 0))
              expect(later.some((one) => one.clusters.length > 0)).toBe(true);
          }
        });
      }),
      { numRuns: runs(60) },
    );
  });

  it('an object that others have deleted comes back with its piece', () => {
    fc.assert(
      fc.property(someSteps, fc.nat(5), (steps, lost) => {
        through(steps, 1, (pass) => {
          const stored = last(pass.states);
          const left = stored.filter((_, index) => index !== lost);
          const again = run(remembering({ ...pass.seen, stored: left }, pass));
          expect(contents(last(again.states))).toEqual(contents(stored));
        });
      }),
      { numRuns: runs(40) },
    );
  });
});

/** The group of a cluster by the labels and the spec of the step, where each of its clusters is one. */
function groupIn({ labels, groups }: Step, name: string): string {
  const wave = GROUPS[labels[Number(name.slice(1))] ?? GROUPS.length] ?? '';
  return groups?.includes(wave) === true ? wave : '';
}
