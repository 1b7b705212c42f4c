import type { Prioritizer } from '../spec/prioritizers.js';
import { isFurther } from '../select/rules.js';
import type { CoordinateScore } from '../select/scores.js';
import type { ClusterView } from '../spec/cluster.js';
import { requirementText, wordText } from './requirementtext.js';
import type { ClusterExplanation, Explanation } from './verdict.js';

/** Scores as people read them. */

/** A score of one cluster: its sum, and its parts. */
export interface ScoreExplanation {
  readonly score: number;
  readonly parts: readonly ScorePart[];
}

export interface ScorePart {
  readonly prioritizer: Prioritizer;
  /** `claim cost-per-hour, ascending`. */
  readonly coordinate: string;
  readonly found: string | undefined;
  readonly score: number;
  /** Why the score is 0 although the coordinate counts; undefined where a value could be used. */
  readonly problem: string | undefined;
}

/** The score of a cluster, by the function that decides; undefined without a policy, and for a cluster that no rule lets in. */
export function scoreOf(one: ClusterExplanation, { scorer }: Explanation): number | undefined {
  const cluster = scoredCluster(one);
  return cluster === undefined || scorer === undefined ? undefined : scorer.total(cluster) / 100;
}

/** Explains scores as {@link scoreOf} computes them, with each part. */
export function scoreExplainer({
  scorer,
  placement,
}: Explanation): (one: ClusterExplanation) => ScoreExplanation | undefined {
  const texts = new Map(placement.rules.prioritizers.map((each) => [each, coordinateText(each)]));
  return (one) => {
    const cluster = scoredCluster(one);
    if (cluster === undefined || scorer === undefined) return undefined;
    let total = 0;
    const parts = scorer.coordinates(cluster).map(({ prioritizer, hundredths, found, problem }): ScorePart => {
      total += prioritizer.weight * hundredths;
      const coordinate = texts.get(prioritizer) ?? '';
      return { prioritizer, coordinate, found, score: hundredths / 100, problem: problemText(problem, prioritizer) };
    });
    return { score: total / 100, parts };
  };
}

function scoredCluster({ cluster, causes }: ClusterExplanation): ClusterView | undefined {
  return causes.every(isFurther) ? cluster : undefined;
}

/** `claim cost-per-hour, ascending`, `Balance`, `label provider=aws`. */
export function coordinateText({ coordinate, builtIn }: Prioritizer): string {
  if (builtIn !== undefined) return builtIn;
  switch (coordinate.kind) {
    case 'Value': {
      const { source, key, isAscending, range } = coordinate;
      const between = range === undefined ? '' : `, ${range.min} to ${range.max}`;
      return `${source} ${wordText(key)}, ${isAscending ? 'ascending' : 'descending'}${between}`;
    }
    case 'Selector': {
      const labels = coordinate.labels.map((requirement) => requirementText({ source: 'label', requirement }));
      const claims = coordinate.claims.map((requirement) => requirementText({ source: 'claim', requirement }));
      return [...labels, ...claims].join(' and ') || 'every cluster';
    }
    default:
      return coordinate.kind;
  }
}

function problemText(problem: CoordinateScore['problem'], { coordinate }: Prioritizer): string | undefined {
  if (problem === undefined) return undefined;
  if (coordinate.kind !== 'Value') return 'matches no predicate';
  return problem === 'absent' ? `no ${coordinate.source} ${wordText(coordinate.key)}` : 'not a number';
}

/**
 * Why a cluster that passes every rule was left out: what the selected cluster that ranks lowest has. Undefined without scores,
 * and for one that is selected. `moves`: those that follow.
 */
export function preferenceText(
  one: ClusterExplanation,
  explanation: Explanation,
  moves: readonly { readonly from: string; readonly to: string }[],
): string | undefined {
  const score = scoreOf(one, explanation);
  if (score === undefined || one.verdict !== 'NotNeeded') return undefined;
  const last = lastSelected(explanation);
  const other = last && scoreOf(last, explanation);
  if (last === undefined || other === undefined) return `score ${score}`;
  const name = `${wordText(last.name)} (score ${other})`;
  if (last.inDecision) return `score ${score}; ${name} was selected before, and ${futureText(one, last, moves)}`;
  if (other > score) return `score ${score}; ${name} has the higher score`;
  if (other === score) return `score ${score}; ${name} has the same score, and ranks before it by hash`;
  return `score ${score}; ${name} ranks before it by taints or spread, which count before the score`;
}

function futureText(
  one: ClusterExplanation,
  last: ClusterExplanation,
  moves: Parameters<typeof preferenceText>[2],
): string {
  const move = moves.find(({ to }) => to === one.name) ?? moves.find(({ from }) => from === last.name);
  if (move === undefined) return 'stays';
  if (move.from !== last.name) return `stays; ${wordText(move.from)} makes room for this one`;
  return `makes room for ${move.to === one.name ? 'this one' : wordText(move.to)}`;
}

function lastSelected({ clusters }: Explanation): ClusterExplanation | undefined {
  return clusters.filter(({ verdict }) => verdict === 'Selected').sort((a, b) => (b.rank ?? 0) - (a.rank ?? 0))[0];
}
