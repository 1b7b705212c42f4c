import { heldBackCause, holdCause } from '../../domain/placement/report/holds.js';
import { endableLine } from '../../domain/placement/report/standingrelease.js';
import { hintText, type Hint } from '../../domain/placement/explain/hints.js';
import { existingValues } from './existing.js';
import { predicateText } from '../../domain/placement/explain/predicates.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { summaryText } from '../../domain/placement/explain/summary.js';
import type { ClusterExplanation, Verdict } from '../../domain/placement/explain/verdict.js';
import { table, type Cell, type Color } from '../terminal/table.js';
import type { ExplainReport } from './report.js';
import { labelLines, setLines } from './proposaltext.js';
import { proposalsOf, type Proposal } from './proposals.js';
import { absentLine, setsText, whyText, withheldLine } from '../whatif/reasons.js';

export interface TextOptions {
  /** How many clusters that match no predicate are shown. */
  readonly nearest: number;
  readonly colored: boolean;
  /** With the cluster sets of each cluster, and without a limit of rows. */
  readonly wide?: boolean;
}

/** Of each verdict but Selected and NotMatched this many clusters are shown. */
const MOST_ROWS = 10;
const COLORS: Readonly<Partial<Record<Verdict, Color>>> = {
  Selected: 'green',
  Held: 'yellow',
  NotNeeded: 'yellow',
  NotMatched: 'red',
  Tainted: 'red',
  NotMember: 'red',
  Deleting: 'red',
  Gone: 'red',
};
/** Those between the clusters that can be selected and the nearest ones. */
const OTHERS: readonly Verdict[] = ['Unknown', 'Tainted', 'Deleting', 'NotMember', 'Gone'];

/** The explanation of a Placement for a terminal, as lines. */
export function explanationLines(report: ExplainReport, options: TextOptions): readonly string[] {
  const proposals = proposalsOf(report);
  const lines = [headline(report), ...notes(report, proposals)];
  const { shown, left } = rowsOf(report, options);
  if (shown.length > 0) {
    const wide = options.wide === true;
    const head = ['CLUSTER', 'VERDICT', 'RANK', ...(wide ? ['SETS'] : []), 'WHY'].map((text): Cell => ({ text }));
    lines.push(...table([head, ...shown.map((one) => cellsOf(one, report, wide))], options.colored));
  }
  return [...lines, ...left, ...labelLines(proposals, report)];
}

function headline({ explanation, satisfaction }: ExplainReport): string {
  const { namespace, name, rules } = explanation.placement;
  const wanted = rules.wanted === undefined ? 'all wanted' : `${rules.wanted} wanted`;
  const sets =
    explanation.schedule === undefined ? 'cluster sets not known' : setsText(explanation.schedule.eligibility.eligible);
  const wants = rules.problem === undefined ? `${wanted}, ${sets}` : sets;
  return `${namespace}/${name}: ${satisfaction.phase}, ${wants}`;
}

function notes(report: ExplainReport, proposals: readonly Proposal[]): readonly string[] {
  const { explanation, satisfaction, summary, input } = report;
  const { status, reason, message } = satisfaction;
  const lines: (string | undefined)[] = [status === 'False' ? `${reason}: ${message}` : undefined];
  const chosen = explanation.clusters.length;
  lines.push(
    explanation.schedule === undefined
      ? `${chosen} ${chosen === 1 ? 'cluster is' : 'clusters are'} selected.`
      : summaryText(summary),
    ...holdLines(report),
    ...report.releases.map((one) => endableLine(one, explanation.placement)),
    withheldLine(report),
    // A message of False ends with it.
    status === 'False' ? undefined : absentLine(report),
    ...setLines(proposals, report),
    ...findings(report),
  );
  const { schedule: decided } = explanation;
  const changes = (decided?.added.length ?? 0) + (decided?.dropped.length ?? 0);
  if (decided !== undefined && explanation.readable.decisions && input.snapshot.stored.length > 0 && changes > 0)
    lines.push(`not published yet: ${decided.added.length} to add, ${decided.dropped.length} to remove`);
  return lines.filter((one) => one !== undefined);
}

/** What holds clusters in the decision or out of it, and the commands that let them go or in. */
function holdLines({ explanation, input }: ExplainReport): readonly string[] {
  const { schedule: decided, placement } = explanation;
  const release = `kubectl mce release placement ${placement.name} -n ${placement.namespace}`;
  const lines: string[] = [];
  if (decided?.hold !== undefined)
    lines.push(`removals are held: ${holdCause(input.snapshot, decided)}; to let them go: ${release}`);
  if (decided !== undefined && decided.heldAdditions.length > 0)
    lines.push(`additions are held: ${heldBackCause(input.snapshot)}; to let them in: ${release} --additions`);
  return lines;
}

/** The text about predicates that match no cluster, with suggestions. */
function findings(report: ExplainReport): readonly string[] {
  return report.predicates.flatMap((one) => {
    const text = predicateText(one);
    if (text === undefined) return [];
    return [
      `${[text, ...one.hints.map((hint: Hint) => hintText(hint))].join('; ')}${existingValues(one.index, report)}`,
    ];
  });
}

function rowsOf(
  { explanation }: ExplainReport,
  { nearest, wide }: TextOptions,
): { readonly shown: readonly ClusterExplanation[]; readonly left: readonly string[] } {
  const shown: ClusterExplanation[] = [];
  const left: string[] = [];
  const mostRows = wide === true ? Infinity : MOST_ROWS;
  const add = (verdict: Verdict, from: readonly ClusterExplanation[], most: number): void => {
    shown.push(...from.slice(0, most));
    if (from.length > most && most > 0) left.push(`${from.length - most} more are ${verdict}`);
  };
  const ofVerdict = (verdict: Verdict): readonly ClusterExplanation[] => {
    const list = explanation.clusters.filter((one) => one.verdict === verdict);
    return list.sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  };
  add('Selected', ofVerdict('Selected'), Infinity);
  add('Held', ofVerdict('Held'), mostRows);
  add('NotNeeded', ofVerdict('NotNeeded'), mostRows);
  for (const verdict of OTHERS) add(verdict, ofVerdict(verdict), mostRows);
  shown.push(...explanation.nearest.slice(0, nearest));
  return { shown, left };
}

function cellsOf(one: ClusterExplanation, report: ExplainReport, wide: boolean): readonly Cell[] {
  return [
    { text: wordText(one.name) },
    { text: one.verdict, color: COLORS[one.verdict] },
    { text: one.rank === undefined ? '-' : String(one.rank) },
    ...(wide ? [{ text: one.sets.length === 0 ? '-' : one.sets.join(',') }] : []),
    { text: whyText(one, report) },
  ];
}
