import { meetsAll } from '../../selectors.js';
import { amountOf, type Prioritizer, type ValueCoordinate } from '../spec/prioritizers.js';
import type { ClusterView } from '../spec/cluster.js';
import type { PlacementRules } from '../spec/predicates.js';
import { domainOf } from '../spec/spread.js';
import { predicateOf } from './rules.js';
import type { PlacementSnapshot } from './snapshot.js';

/**
 * Scores of clusters, by the prioritizers of a Placement. A score of a coordinate is 0 to 100 with two decimals. All scores
 * are kept as whole hundredths, so that a sum does not depend on the order of its terms.
 */

/** What scores depend on, beside the spec. */
export interface ScoredClusters {
  /** The candidates that match, selected ones included: they are the range of a value without `min` and `max`. */
  readonly matching: () => readonly ClusterView[];
  /** How many other Placements of the hub select the cluster. */
  readonly othersSelecting: (name: string) => number;
}

/** Why a coordinate has the score 0: there is no value, or it is no number. */
export type ValueProblem = 'absent' | 'notANumber';

export interface CoordinateScore {
  readonly prioritizer: Prioritizer;
  /** In hundredths, 0 to 10000. */
  readonly hundredths: number;
  /** The value that it was computed from; undefined where there is none. */
  readonly found: string | undefined;
  readonly problem: ValueProblem | undefined;
}

/** The scores of clusters for a Placement, which count where spread does not decide: the higher one first. */
export function scoresOf(snapshot: PlacementSnapshot): (name: string) => number {
  const scorer = scorerOfSnapshot(snapshot);
  if (scorer === undefined) return () => 0;
  let known: ReadonlyMap<string, number> | undefined;
  return (name) => {
    known ??= scorer.totals();
    const score = known.get(name);
    if (score !== undefined) return score;
    // A selected cluster that is no candidate.
    const cluster = snapshot.selected.get(name);
    return cluster === undefined ? 0 : scorer.total(cluster);
  };
}

/** What scores the clusters of a snapshot; undefined without prioritizers. */
export function scorerOfSnapshot({ placement, candidates, othersSelecting }: PlacementSnapshot): Scorer | undefined {
  const matching = (): readonly ClusterView[] => {
    const views: ClusterView[] = [];
    for (const { name } of candidates.matched) {
      const view = candidates.view(name);
      if (view !== undefined) views.push(view);
    }
    return views;
  };
  return scorerOf(placement.rules, { matching, othersSelecting });
}

/** The scores of the clusters of one Placement. */
export interface Scorer {
  /** The sum of weight × score, in hundredths. */
  readonly total: (cluster: ClusterView) => number;
  /** The total of each cluster that matches, by name. */
  readonly totals: () => ReadonlyMap<string, number>;
  /** The score of each coordinate, in the order of the spec. */
  readonly coordinates: (cluster: ClusterView) => readonly CoordinateScore[];
}

/** One coordinate with what is known of all candidates. */
interface Measure {
  readonly hundredths: (cluster: ClusterView) => number;
  /** The value of the candidate at this index, where it is known without reading the cluster again. */
  readonly at?: (index: number) => number;
  /** The value that it is computed from. */
  readonly found: (cluster: ClusterView) => string | undefined;
  readonly problem?: (cluster: ClusterView) => ValueProblem | undefined;
}

const HIGHEST = 10_000;
/** Less than the smallest part of a score that counts, and more than what a quotient of numbers is off by. */
const TOLERANCE = 1e-6;

/** The scores by the prioritizers of `rules`; undefined without any. What all candidates are is read at the first score. */
export function scorerOf(rules: PlacementRules, clusters: ScoredClusters): Scorer | undefined {
  const { prioritizers } = rules;
  if (prioritizers.length === 0) return undefined;
  let all: readonly ClusterView[] | undefined;
  let made: readonly Measure[] | undefined;
  const matching = (): readonly ClusterView[] => (all ??= clusters.matching());
  const measures = (): readonly Measure[] => (made ??= measuresOf(rules, matching(), clusters.othersSelecting));
  const total = (cluster: ClusterView): number => {
    const list = measures();
    let sum = 0;
    for (let at = 0; at < list.length; at++)
      sum += (prioritizers[at]?.weight ?? 0) * (list[at]?.hundredths(cluster) ?? 0);
    return sum;
  };
  return {
    total,
    totals: () => {
      const candidates = matching();
      const sums = new Float64Array(candidates.length);
      for (const [at, { hundredths, at: known }] of measures().entries()) {
        const weight = prioritizers[at]?.weight ?? 0;
        for (let index = 0; index < sums.length; index++) {
          const cluster = candidates[index];
          if (cluster === undefined) continue;
          sums[index] = (sums[index] ?? 0) + weight * (known === undefined ? hundredths(cluster) : known(index));
        }
      }
      return new Map(candidates.map(({ name }, index) => [name, sums[index] ?? 0]));
    },
    coordinates: (cluster) =>
      measures().flatMap(({ hundredths, found, problem }, at) => {
        const prioritizer = prioritizers[at];
        if (prioritizer === undefined) return [];
        return [{ prioritizer, hundredths: hundredths(cluster), found: found(cluster), problem: problem?.(cluster) }];
      }),
  };
}

function measuresOf(
  rules: PlacementRules,
  all: readonly ClusterView[],
  othersSelecting: (name: string) => number,
): readonly Measure[] {
  return rules.prioritizers.map(({ coordinate }): Measure => {
    switch (coordinate.kind) {
      case 'Balance':
        return balance(all, othersSelecting);
      case 'PredicateOrder':
        return predicateOrder(rules);
      case 'Selector':
        return {
          hundredths: (cluster) => (meetsAll(coordinate, cluster) ? HIGHEST : 0),
          found: (cluster) => (meetsAll(coordinate, cluster) ? 'matches' : 'does not match'),
        };
      case 'Value':
        return valueMeasure(coordinate, all);
    }
  });
}

/** 100 for a cluster that no other Placement selects, falling to 0 for the most of the candidates. */
function balance(all: readonly ClusterView[], othersSelecting: (name: string) => number): Measure {
  const counts = all.map(({ name }) => othersSelecting(name));
  const most = counts.reduce((one, other) => Math.max(one, other), 0);
  const score = (count: number): number => (most > 0 ? between(most - count, most) : count === 0 ? HIGHEST : 0);
  return {
    hundredths: ({ name }) => score(othersSelecting(name)),
    at: (index) => score(counts[index] ?? 0),
    found: ({ name }) => String(othersSelecting(name)),
  };
}

/** 100 for the first predicate, falling to 0 for the last; without a choice of predicates every cluster matches the first. */
function predicateOrder(rules: PlacementRules): Measure {
  const last = rules.predicates.length - 1;
  const firstOf = (cluster: ClusterView): number | undefined => (last < 0 ? 0 : predicateOf(rules, cluster));
  return {
    hundredths: (cluster) => {
      const first = firstOf(cluster);
      return first === undefined ? 0 : last < 1 ? HIGHEST : between(last - first, last);
    },
    found: (cluster) => {
      const first = firstOf(cluster);
      return first === undefined ? undefined : `predicate ${first}`;
    },
    problem: (cluster) => (firstOf(cluster) === undefined ? 'absent' : undefined),
  };
}

function valueMeasure(coordinate: ValueCoordinate, all: readonly ClusterView[]): Measure {
  const { isAscending } = coordinate;
  const found = (cluster: ClusterView): string | undefined => domainOf(coordinate, cluster);
  const amount = (cluster: ClusterView): number => amountOf(found(cluster) ?? '') ?? NaN;
  // Each is read once for the range and for the scores.
  const amounts = all.map(amount);
  const { min, max } = coordinate.range ?? rangeOf(amounts);
  const score = (value: number): number => {
    if (Number.isNaN(value)) return 0;
    // Where all candidates have one value, none is worse than another.
    if (!(max > min)) return HIGHEST;
    // Halves, since the difference of two numbers may be more than a number holds.
    const part = isAscending ? max / 2 - value / 2 : value / 2 - min / 2;
    return between(part, max / 2 - min / 2);
  };
  return {
    hundredths: (cluster) => score(amount(cluster)),
    at: (index) => score(amounts[index] ?? NaN),
    found,
    problem: (cluster) => {
      if (!Number.isNaN(amount(cluster))) return undefined;
      return found(cluster) === undefined ? 'absent' : 'notANumber';
    },
  };
}

function rangeOf(amounts: readonly number[]): { readonly min: number; readonly max: number } {
  let [min, max] = [Infinity, -Infinity];
  for (const value of amounts) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}

/** The hundredths of `part` in `whole`, cut to 0 to 100, rounded half up. */
function between(part: number, whole: number): number {
  const ratio = Math.min(Math.max(part / whole, 0), 1);
  return Math.floor(ratio * HIGHEST + 0.5 + TOLERANCE);
}
