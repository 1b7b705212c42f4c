import { fixFor, membershipFix } from '../../domain/placement/explain/fix.js';
import { hintText } from '../../domain/placement/explain/hints.js';
import { requirementText, wordText } from '../../domain/placement/explain/requirementtext.js';
import type { ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import { limitedTaints, limitedText, otherTaintText } from '../../domain/placement/explain/taints.js';
import { isOffered } from './existing.js';
import { LABEL_RIGHTS } from './proposals.js';
import { fixText } from './rights.js';
import type { ExplainReport } from './report.js';
import { otherTaintsOf, setsText, whyText, withheldLine } from '../whatif/reasons.js';

/** The explanation of one cluster for a terminal, as lines. */
export function clusterLines(one: ClusterExplanation, report: ExplainReport): readonly string[] {
  const name = one.sets.length === 0 ? wordText(one.name) : `${wordText(one.name)} (${setsText(one.sets)})`;
  const withheld = withheldLine(report);
  const notes = withheld === undefined ? [] : [withheld];
  const verdict = verdictText(one, report);
  return [
    `${name} ${verdict}`,
    ...notes,
    ...predicateLines(one, report),
    ...taintLines(one, report, verdict),
    ...membershipLines(one, report),
  ];
}

function verdictText(one: ClusterExplanation, report: ExplainReport): string {
  const { wanted } = report.explanation.placement.rules;
  switch (one.verdict) {
    case 'Selected':
      return `is selected: rank ${one.rank} of ${wanted ?? 'all'} wanted, ${whyText(one, report)}`;
    case 'Held':
      if (!one.inDecision) return 'is not selected: spec.disruptionBudget.maxAdditions keeps it out';
      return `stays in the decision: its removal is held, ${whyText(one, report)}`;
    case 'NotNeeded':
      return `is not selected: its rank is ${one.rank}, and ${wanted} ${wanted === 1 ? 'is' : 'are'} wanted`;
    case 'NotMatched':
      return 'is not selected: no predicate matches';
    case 'Unknown':
      return one.inDecision ? 'is selected; why is not known' : 'matches; whether it is selected is not known';
    default:
      return `is not selected: ${whyText(one, report)}`;
  }
}

/**
 * Each unmet requirement; with the last one of a predicate what labels alone could do about it, or the words that were
 * probably meant in the predicate.
 */
function predicateLines(one: ClusterExplanation, report: ExplainReport): readonly string[] {
  const { input, predicates } = report;
  return [...one.unmet.entries()].flatMap(([index, list]) => {
    const lines = list.map((unmet) => {
      const found = unmet.found === undefined ? 'not found' : `found ${wordText(unmet.found)}`;
      return `  predicate ${index}: ${requirementText(unmet)}, ${found}`;
    });
    const hints = predicates[index]?.hints ?? [];
    const last = lines.pop();
    if (last === undefined) return [];
    if (hints.length > 0) return [...lines, last, ...hints.map((hint) => `    ${hintText(hint)}`)];
    const fix = fixFor(one, index, input);
    if (fix?.kind === 'Leaves') return [...lines, `${last} (would leave ${setsText(fix.sets)} with it)`];
    if (fix === undefined || !isOffered(index, report)) return [...lines, last];
    const loser = report.harm.ofLabels(one.name, fix.labels);
    return [
      ...lines,
      loser === undefined ? last : `${last} (${loser} with this label)`,
      ...(loser === undefined ? [`    ${fixText({ command: fix.command, rights: LABEL_RIGHTS }, report)}`] : []),
    ];
  });
}

/**
 * Each taint that keeps the cluster out or limits how long it stays, unless it is the only one and `verdict` names it, and
 * those of a selected one that do not make it leave.
 */
function taintLines(one: ClusterExplanation, { explanation }: ExplainReport, verdict: string): readonly string[] {
  const { rules } = explanation.placement;
  const limited = limitedTaints(one, rules).map((taint) => limitedText(taint, one));
  const [only = ''] = limited;
  return [
    ...(limited.length === 1 && verdict.includes(only) ? [] : limited.map((text) => `  ${text}`)),
    ...otherTaintsOf(one, explanation).map((taint) => `  ${otherTaintText(taint, one, rules)}`),
  ];
}

function membershipLines(one: ClusterExplanation, report: ExplainReport): readonly string[] {
  const fix = membershipFix(one, report.input, (index) => isOffered(index, report));
  if (fix === undefined) return [];
  const loser = report.harm.ofLabels(one.name, fix.labels);
  if (loser !== undefined) return [`  no fix: in cluster set ${fix.set}, ${loser}`];
  return [`  ${fixText({ command: fix.command, rights: LABEL_RIGHTS }, report)}`];
}
