import { decisionHistories } from '../../answers/history.js';
import { topologyText } from '../../domain/placement/explain/choicetext.js';
import { pieceText } from '../../domain/placement/explain/piecetext.js';
import { coordinateText, scoreExplainer } from '../../domain/placement/explain/scores.js';
import { topologiesAfter } from '../../domain/placement/explain/spreadstate.js';
import type { ClusterExplanation, ExplainInput, Explanation } from '../../domain/placement/explain/verdict.js';
import { domainOf } from '../../domain/placement/spec/spread.js';
import { valueText } from '../../answers/explain/scoretable.js';
import type { ExplainReport } from '../../answers/explain/report.js';
import type { Choice, PieceView, ScoreTable, SpreadView } from '../wire/choice.js';
import type { Snapshot } from './snapshot.js';

/** Which of the clusters that match are preferred, how the decision is divided, and what has changed in it. */

/** Rows of scores: of the selected, and of those that would be next. */
const MOST_SCORED = 20;
const NEXT_SCORED = 5;

/** Whether the decision names the cluster once it is published. */
export function isIn({ verdict, inDecision }: { readonly verdict: string; readonly inDecision: boolean }): boolean {
  return verdict === 'Selected' || (verdict === 'Held' && inDecision) || (verdict === 'Unknown' && inDecision);
}

export function choiceOf({ world }: Snapshot, { explanation, input }: ExplainReport): Choice {
  const { namespace, name } = explanation.placement;
  const history = decisionHistories(world, name).find((one) => one.namespace === namespace);
  return {
    spread: spreadOf(explanation, input),
    ...(explanation.scorer === undefined ? {} : { scores: scoresOf(explanation) }),
    pieces: piecesOf(explanation),
    changes: history?.changes ?? [],
    olderChanges: history?.notKept ?? 0,
  };
}

/** The domains that the decision leaves. */
function spreadOf({ clusters, schedule }: Explanation, { snapshot }: ExplainInput): readonly SpreadView[] {
  if (schedule === undefined) return [];
  return topologiesAfter(schedule, snapshot).map((topology) => {
    const { constraint } = topology;
    const { maxSkew, minDomains, isStrict } = constraint;
    const isWithout = ({ cluster }: ClusterExplanation): boolean =>
      cluster !== undefined && domainOf(constraint, cluster) === undefined;
    const without = clusters.filter((one) => isIn(one) && isWithout(one)).length;
    return {
      key: topologyText(constraint),
      maxSkew,
      ...(minDomains === undefined ? {} : { minDomains }),
      isStrict,
      most: topology.lowest + maxSkew,
      without,
      domains: topology.domains.map(({ value, count }) => ({ value, count })),
    };
  });
}

function scoresOf(explanation: Explanation): ScoreTable {
  const explain = scoreExplainer(explanation);
  const ranked = explanation.clusters
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  const shown = [
    ...ranked.filter(isIn).slice(0, MOST_SCORED),
    ...ranked.filter((one) => !isIn(one)).slice(0, NEXT_SCORED),
  ];
  return {
    coordinates: explanation.placement.rules.prioritizers.map((one) => ({
      text: coordinateText(one),
      weight: one.weight,
    })),
    rows: shown.flatMap((one) => {
      const explained = explain(one);
      if (explained === undefined) return [];
      const parts = explained.parts.map((part) => ({ value: valueText(part), points: part.score }));
      return [{ name: one.name, verdict: one.verdict, score: explained.score, parts }];
    }),
  };
}

function piecesOf({ pieces }: Explanation): readonly PieceView[] {
  const byIndex = new Map<number, { text: string; clusters: string[] }>();
  for (const [name, piece] of pieces) {
    const known = byIndex.get(piece.index) ?? { text: pieceText(piece), clusters: [] };
    known.clusters.push(name);
    byIndex.set(piece.index, known);
  }
  return [...byIndex].sort(([a], [b]) => a - b).map(([, { text, clusters }]) => ({ text, clusters: clusters.sort() }));
}
