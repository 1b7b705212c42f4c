import { firstUnmet, valueOf } from '../../selectors.js';
import { amountOf } from '../spec/amount.js';
import type { ClusterView } from '../spec/cluster.js';
import type { PlacementRules } from '../spec/predicates.js';
import type { Prioritizer, ValueCoordinate } from '../spec/prioritizers.js';
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

/** Why a coordinate has the score 0: there is no value, or it is no quantity. */
export type ValueProblem = 'absent' | 'notANumber';

/** The score of one coordinate. */
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
  const { candidates, selected } = snapshot;
  return (name) => {
    const cluster = candidates.view(name) ?? selected.get(name);
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
  /** The score of each coordinate, in the order of the spec. */
  readonly coordinates: (cluster: ClusterView) => readonly CoordinateScore[];
}

interface Scored extends Omit<CoordinateScore, 'prioritizer' | 'problem'> {
  readonly problem?: ValueProblem;
}

/** One coordinate with what is known of all candidates. */
type Measure = (cluster: ClusterView) => Scored;

const HIGHEST = 10_000;
/** Less than the smallest part of a score that counts, and more than what a quotient of numbers is off by. */
const TOLERANCE = 1e-6;

/** The scores by the prioritizers of `rules`; undefined without any. What all candidates are is read at the first score. */
export function scorerOf(rules: PlacementRules, clusters: ScoredClusters): Scorer | undefined {
  const { prioritizers } = rules;
  if (prioritizers.length === 0) return undefined;
  let made: readonly Measure[] | undefined;
  const measures = (): readonly Measure[] => (made ??= measuresOf(rules, clusters));
  return {
    total: (cluster) => {
      let sum = 0;
      const all = measures();
      for (let at = 0; at < all.length; at++)
        sum += (prioritizers[at]?.weight ?? 0) * (all[at]?.(cluster).hundredths ?? 0);
      return sum;
    },
    coordinates: (cluster) =>
      measures().flatMap((measure, at) => {
        const prioritizer = prioritizers[at];
        return prioritizer === undefined ? [] : [{ prioritizer, problem: undefined, ...measure(cluster) }];
      }),
  };
}

function measuresOf(rules: PlacementRules, clusters: ScoredClusters): readonly Measure[] {
  const all = clusters.matching();
  return rules.prioritizers.map(({ coordinate }): Measure => {
    switch (coordinate.kind) {
      case 'Balance':
        return balance(all, clusters.othersSelecting);
      case 'PredicateOrder':
        return predicateOrder(rules);
      case 'Selector':
        return ({ labels, claims }) => {
          const isMet =
            firstUnmet(coordinate.labels, labels) === undefined && firstUnmet(coordinate.claims, claims) === undefined;
          return { hundredths: isMet ? HIGHEST : 0, found: isMet ? 'matches' : 'does not match' };
        };
      case 'Value':
        return valueMeasure(coordinate, all);
    }
  });
}

/** 100 for a cluster that no other Placement selects, falling to 0 for the most of the candidates. */
function balance(all: readonly ClusterView[], othersSelecting: (name: string) => number): Measure {
  let most = 0;
  for (const { name } of all) most = Math.max(most, othersSelecting(name));
  return ({ name }) => {
    const count = othersSelecting(name);
    const hundredths = most > 0 ? between(most - count, most) : count === 0 ? HIGHEST : 0;
    return { hundredths, found: String(count) };
  };
}

/** 100 for the first predicate, falling to 0 for the last; without a choice of predicates every cluster matches the first. */
function predicateOrder(rules: PlacementRules): Measure {
  const last = rules.predicates.length - 1;
  return (cluster) => {
    const first = last < 0 ? 0 : predicateOf(rules, cluster);
    if (first < 0) return { hundredths: 0, found: undefined, problem: 'absent' };
    return { hundredths: last < 1 ? HIGHEST : between(last - first, last), found: `predicate ${first}` };
  };
}

function valueMeasure(coordinate: ValueCoordinate, all: readonly ClusterView[]): Measure {
  const { key, source, isAscending } = coordinate;
  const read = ({ labels, claims }: ClusterView): string | undefined =>
    valueOf(source === 'label' ? labels : claims, key);
  const { min, max } = coordinate.range ?? rangeOf(all, read);
  return (cluster) => {
    const found = read(cluster);
    const amount = amountOf(found);
    if (amount === undefined) return { hundredths: 0, found, problem: found === undefined ? 'absent' : 'notANumber' };
    // Where all candidates have one value, none is worse than another.
    if (!(max > min)) return { hundredths: HIGHEST, found };
    return { hundredths: between(isAscending ? max - amount : amount - min, max - min), found };
  };
}

function rangeOf(
  all: readonly ClusterView[],
  read: (cluster: ClusterView) => string | undefined,
): { readonly min: number; readonly max: number } {
  let [min, max] = [Infinity, -Infinity];
  for (const cluster of all) {
    const amount = amountOf(read(cluster));
    if (amount === undefined) continue;
    if (amount < min) min = amount;
    if (amount > max) max = amount;
  }
  return { min, max };
}

/** The hundredths of `part` in `whole`, cut to 0 to 100, rounded half up. */
function between(part: number, whole: number): number {
  const ratio = Math.min(Math.max(part / whole, 0), 1);
  return Math.floor(ratio * HIGHEST + 0.5 + TOLERANCE);
}
