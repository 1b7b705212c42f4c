import { notNeededText } from '../../domain/placement/explain/choicetext.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { isWaiting, keptOutBy, type ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import { heldBackCause, holdersText } from '../../domain/placement/report/holds.js';
import { hasNumbers } from '../../domain/placement/spec/predicates.js';
import { staying } from '../../domain/placement/select/decision.js';
import { waitsForSet } from '../../domain/placement/select/holders.js';
import { problemText } from '../../domain/conditions.js';
import { someNames } from '../output.js';
import { whyText, type ExplainReport } from './report.js';

/** Texts that follow the name of a cluster in a sentence and say what becomes of it. */

/** The most clusters that are named as those which keep a place. */
const MOST_NAMES = 3;

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
