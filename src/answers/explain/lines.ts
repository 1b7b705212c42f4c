import { grouped } from '../world/world.js';
import { absentList } from '../../domain/placement/explain/membership.js';
import { printable, requirementText, wordText } from '../../domain/placement/explain/requirementtext.js';
import {
  type Explanation,
  isWaiting,
  keptOutBy,
  type ClusterExplanation,
} from '../../domain/placement/explain/verdict.js';
import type { Unmet } from '../../domain/placement/select/rules.js';
import { isBalanced } from '../../domain/placement/spec/prioritizers.js';
import { someNames, table, type Cell } from '../output.js';
import { unreadableLine } from '../world/worlds.js';
import { type ExplainReport, whyText } from './report.js';
import { notNeededText } from '../../domain/placement/explain/choicetext.js';
import { heldBackCause, holdersText } from '../../domain/placement/report/holds.js';
import { hasNumbers } from '../../domain/placement/spec/predicates.js';
import { staying } from '../../domain/placement/select/decision.js';
import { waitsForSet } from '../../domain/placement/select/holders.js';
import { problemText } from '../../domain/conditions.js';
import { preferenceText, scoreExplainer, type ScorePart } from '../../domain/placement/explain/scores.js';

/** Lines that an explanation has beside its table. */

/** The line that scores of Balance leave out decisions that could not be read; undefined where none are left out. */
export function uncountedLine({ explanation, others }: ExplainReport): string | undefined {
  const isUnread =
    others.refused.length > 0 || others.world.withheld.some(({ resource }) => resource.startsWith('placement'));
  if (!isUnread || !isBalanced(explanation.placement.rules)) return undefined;
  return 'scores of Balance do not count decisions of other namespaces: they cannot be read';
}

/** The sets that bring in no cluster, with the reason; undefined without one. */
export function absentLine({ absentSets, explanation }: ExplainReport): string | undefined {
  if (absentSets.length === 0) return undefined;
  return `nothing comes from ${absentList(absentSets, explanation.placement.namespace, Infinity)}`;
}

/** What could not be read; undefined when everything was. */
export function withheldLine({ world, explanation }: ExplainReport): string | undefined {
  // With the fleet, verdicts are computed, but without the decisions; without the fleet, they are what is stored.
  const consequence = explanation.readable.fleet
    ? 'which clusters were selected before is not known'
    : 'verdicts Unknown; the rest is from status and decisions';
  return unreadableLine(world.withheld, consequence);
}

/** `cluster set edge`, `cluster sets edge, production`, `no cluster set`. */
export function setsText(sets: readonly string[]): string {
  if (sets.length === 0) return 'no cluster set';
  return `${sets.length === 1 ? 'cluster set' : 'cluster sets'} ${sets.join(', ')}`;
}

/** The most lines of errors, and the most clusters that a line names. */
const MOST_LINES = 3;
const MOST_NAMES = 3;

/** `predicate 0: expression …: error: no such key: env, for 3 of 9 clusters (a, b, c)`; the most frequent first. */
export function expressionErrorLines({ clusters, placement }: Explanation): readonly string[] {
  if (!placement.rules.predicates.some(({ expressions }) => expressions.length > 0)) return [];
  const found = grouped(
    clusters,
    ({ unmet }) => unmet.flatMap(errorsOf),
    ({ name }) => name,
  );
  const sorted = [...found].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  const more = sorted.length - MOST_LINES;
  return [
    ...sorted
      .slice(0, MOST_LINES)
      .map(
        ([errorText, names]) =>
          `${errorText}, for ${names.length} of ${clusters.length} clusters (${someNames(names, MOST_NAMES)})`,
      ),
    ...(more > 0 ? [`${more} more ${more === 1 ? 'error' : 'errors'} of expressions`] : []),
  ];
}

function errorsOf(unmet: readonly Unmet[], index: number): readonly string[] {
  return unmet.flatMap((one) => {
    const { source, found } = one;
    if (source !== 'expression' || found?.startsWith('error: ') !== true) return [];
    return [`predicate ${index}: ${requirementText(one)}: ${printable(found)}`];
  });
}

/** `is selected: rank 1 of 3 wanted, predicate 0`. */
export function verdictText(one: ClusterExplanation, report: ExplainReport): string {
  const obstacle = obstacleText(one, report);
  if (obstacle !== undefined) return `is not selected: ${obstacle}`;
  switch (one.verdict) {
    case 'Selected':
      return `is selected: ${rankText(one, report)}${whyText(one, report)}`;
    case 'Unknown':
      return one.inDecision ? 'is selected; why is not known' : 'matches; whether it is selected is not known';
    default:
      return stayText(one, report);
  }
}

/** Why the cluster is not selected; undefined where it is selected or stays, and where that is not known. */
export function obstacleText(one: ClusterExplanation, report: ExplainReport): string | undefined {
  const { rules } = report.explanation.placement;
  if (rules.problem !== undefined && !one.inDecision)
    return `the last decision stays while the spec is invalid: ${problemText(rules.problem)}`;
  switch (one.verdict) {
    case 'Selected':
    case 'Unknown':
      return undefined;
    case 'Held':
      return one.inDecision ? undefined : heldBackText(one, report);
    case 'NotNeeded':
      return `its rank is ${one.rank}, ${limitText(one, report)}${keptPlacesText(one, report)}`;
    case 'NotMatched':
      return 'no predicate matches';
    default:
      return whyText(one, report);
  }
}

/** `rank 1 of 3 wanted, `; empty where all matching clusters are wanted, and where the cluster has no rank. */
function rankText({ rank }: ClusterExplanation, { explanation }: ExplainReport): string {
  const { wanted } = explanation.placement.rules;
  return rank === undefined || wanted === undefined ? '' : `rank ${rank} of ${wanted} wanted, `;
}

/** `and 3 are wanted`; where predicates have numbers, which of these numbers is reached. */
function limitText({ cluster }: ClusterExplanation, { explanation }: ExplainReport): string {
  const { rules } = explanation.placement;
  if (hasNumbers(rules)) return notNeededText(cluster, rules);
  return `and ${rules.wanted} ${rules.wanted === 1 ? 'is' : 'are'} wanted`;
}

/**
 * `; edge-1 keeps a place: …`: which clusters stay although they would leave, and why. Empty where none does, and for a cluster
 * whose rank is too low to be selected in their place.
 */
function keptPlacesText({ rank = Infinity }: ClusterExplanation, { explanation, input }: ExplainReport): string {
  const { decision, placement } = explanation;
  const { rules } = placement;
  const keeping = decision === undefined ? [] : staying(decision).filter(({ cause }) => cause !== 'Moved');
  const [first] = keeping;
  const mayReplace = hasNumbers(rules) || rank <= (rules.wanted ?? 0);
  if (first === undefined || !mayReplace) return '';
  const names = someNames(
    keeping.map(({ cluster }) => wordText(cluster)),
    MOST_NAMES,
  );
  const cause = holdersText(first.by, input.snapshot);
  return `; ${names} ${keeping.length === 1 ? 'keeps a place' : 'keep places'}: ${cause}`;
}

/** What keeps a matching cluster out of the decision, such as the disruption budget. */
function heldBackText(one: ClusterExplanation, { explanation, input }: ExplainReport): string {
  const fate = explanation.decision?.fates.get(one.name);
  if (fate?.kind === 'keptOut' && waitsForSet(fate.by) !== undefined) return holdersText(fate.by, input.snapshot);
  const out = `${keptOutBy(one, explanation) ?? ''} keeps it out`;
  return isWaiting(one, explanation) ? out : `${out}, since ${heldBackCause(input.snapshot)}`;
}

/** What keeps the cluster in the decision, and until when. */
function stayText(one: ClusterExplanation, report: ExplainReport): string {
  const { explanation, input } = report;
  const fate = explanation.decision?.fates.get(one.name);
  const cause = fate?.kind === 'held' ? `; ${holdersText(fate.by, input.snapshot)}` : '';
  const what = isWaiting(one, explanation) ? 'its removal waits' : 'its removal is held';
  return `stays in the decision: ${what}, ${whyText(one, report)}${cause}`;
}

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
