import { explainScore, preferenceText, type ScorePart } from '../../domain/placement/explain/scores.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import type { ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import { table, type Cell } from '../terminal/table.js';
import type { ExplainReport } from './report.js';

const HEAD = ['SCORE', 'COORDINATE', 'WEIGHT', 'VALUE', 'POINTS'];

/** The score of each of these clusters that rules let in, and what it is the sum of: one row a coordinate. */
export function scoreLines(
  clusters: readonly ClusterExplanation[],
  report: ExplainReport,
  colored: boolean,
): readonly string[] {
  if (report.explanation.placement.rules.prioritizers.length === 0)
    return ['no scores: spec.prioritizerPolicy has no configuration that counts'];
  const rows = clusters.flatMap((one) => {
    const explained = explainScore(one, report.explanation);
    return (explained?.parts ?? []).map((part, index) => [
      { text: index === 0 ? wordText(one.name) : '' },
      { text: index === 0 ? String(explained?.score) : '' },
      ...partCells(part),
    ]);
  });
  if (rows.length === 0) return ['no scores: no cluster matches'];
  return table([['CLUSTER', ...HEAD].map((text): Cell => ({ text })), ...rows], colored);
}

/** The score of one cluster, part by part, and why it was preferred or not; none without a policy. */
export function clusterScoreLines(one: ClusterExplanation, report: ExplainReport): readonly string[] {
  const explained = explainScore(one, report.explanation);
  if (explained === undefined) return [];
  const preference = preferenceText(one, report.explanation);
  return [
    `  ${preference ?? `score ${explained.score}`}`,
    ...explained.parts.map(({ coordinate, prioritizer, score, ...part }) => {
      return `    ${coordinate}: ${valueText(part)}, ${score} × ${prioritizer.weight}`;
    }),
  ];
}

function partCells({ coordinate, prioritizer, score, ...part }: ScorePart): readonly Cell[] {
  return [coordinate, String(prioritizer.weight), valueText(part), String(score)].map((text) => ({ text }));
}

/** `0.35`, `not found`, `n/a (not a number)`. */
function valueText({ found, problem }: Pick<ScorePart, 'found' | 'problem'>): string {
  if (found === undefined) return problem ?? 'not found';
  return problem === undefined ? wordText(found) : `${wordText(found)} (${problem})`;
}
