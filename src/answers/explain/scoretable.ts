import { preferenceText, scoreExplainer, type ScorePart } from '../../domain/placement/explain/scores.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import type { ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import { table, type Cell } from '../table.js';
import type { ExplainReport } from './report.js';

const HEAD = ['SCORE', 'COORDINATE', 'WEIGHT', 'VALUE', 'POINTS'];

/** The score of each of these clusters that rules let in, one row a coordinate: SCORE is the sum of WEIGHT × POINTS. */
export function scoreLines(
  clusters: readonly ClusterExplanation[],
  report: ExplainReport,
  colored: boolean,
): readonly string[] {
  if (report.explanation.placement.rules.prioritizers.length === 0)
    return ['no scores: spec.prioritizerPolicy has no configuration that counts'];
  const scoreOf = scoreExplainer(report.explanation);
  const rows = clusters.flatMap((one) => {
    const explained = scoreOf(one);
    return (explained?.parts ?? []).map((part, index) => [
      { text: index === 0 ? wordText(one.name) : '' },
      { text: index === 0 ? String(explained?.score) : '' },
      ...[part.coordinate, String(part.prioritizer.weight), valueText(part), String(part.score)].map((text) => ({
        text,
      })),
    ]);
  });
  if (rows.length === 0) return ['no scores: no cluster matches'];
  return table([['CLUSTER', ...HEAD].map((text): Cell => ({ text })), ...rows], colored);
}

/** The score of one cluster, part by part, and why it was preferred or not; none without a policy. */
export function clusterScoreLines(one: ClusterExplanation, report: ExplainReport): readonly string[] {
  const explained = scoreExplainer(report.explanation)(one);
  if (explained === undefined) return [];
  const preference = preferenceText(one, report.explanation, report.movement().moves);
  return [
    `  ${preference ?? `score ${explained.score}`}`,
    ...explained.parts.map((part) => {
      return `    ${part.coordinate}: ${valueText(part)}, ${part.score} × ${part.prioritizer.weight}`;
    }),
  ];
}

/** `0.35`, `no claim cost`, `n/a (not a number)`, `-`. */
function valueText({ found, problem, prioritizer }: ScorePart): string {
  if (found === undefined) return problem ?? '-';
  const text = prioritizer.coordinate.kind === 'Value' ? wordText(found) : found;
  return problem === undefined ? text : `${text} (${problem})`;
}
