import { fixFor, membershipFix, type LabelChanges } from '../../domain/placement/explain/fix.js';
import { hintText, type Hint } from '../../domain/placement/explain/hints.js';
import { pieceText } from '../../domain/placement/explain/choicetext.js';
import { predicateText } from '../../domain/placement/explain/predicates.js';
import { foundText, requirementText, wordText } from '../../domain/placement/explain/requirementtext.js';
import { summaryText } from '../../domain/placement/explain/summary.js';
import { limitedTaints, limitedText, otherTaintText } from '../../domain/placement/explain/taints.js';
import type { ClusterExplanation, Verdict } from '../../domain/placement/explain/verdict.js';
import { boundText, heldBackCause } from '../../domain/placement/report/holds.js';
import { waitingTexts } from '../../domain/placement/report/waits.js';
import { endableLine } from '../../domain/placement/report/releases.js';
import { textOf } from '../../domain/placement/select/rules.js';
import { verdictWord } from '../reasons.js';
import { table, type Cell, type Color } from '../table.js';
import { clusterMoveLines, movementLines } from './moves.js';
import {
  isOffered,
  labelLines,
  LABEL_RIGHTS,
  proposalsOf,
  setLines,
  withLabelsOf,
  type Proposal,
} from './proposals.js';
import {
  absentLine,
  otherTaintsOf,
  setsText,
  uncountedLine,
  whyText,
  withheldLine,
  type ExplainReport,
  expressionErrorLines,
} from './report.js';
import { fixText } from './rights.js';
import { clusterScoreLines, scoreLines } from './scoretable.js';
import { outText, verdictText } from './verdicttext.js';
import { boundOf, comingIn, isHeld, keptOut, leaving } from '../../domain/placement/select/decision.js';

export interface TextOptions {
  /** How many clusters that match no predicate are shown. */
  readonly nearest: number;
  readonly colored: boolean;
  /** With the cluster sets of each cluster, and without a limit of rows. */
  readonly wide?: boolean;
  /** With the score of each coordinate. */
  readonly scores?: boolean;
}

/** Of each verdict but Selected and NotMatched this many clusters are shown. */
const MOST_ROWS = 10;
const COLORS: Readonly<Partial<Record<Verdict, Color>>> = {
  Selected: 'green',
  Held: 'yellow',
  NotNeeded: 'yellow',
  SpreadBlocked: 'yellow',
  Moved: 'yellow',
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
  const scores = options.scores === true ? ['', ...scoreLines(shown, report, options.colored)] : [];
  return [...lines, ...left, ...scores, ...labelLines(proposals, report)];
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
  const { explanation, satisfaction, summary } = report;
  const { status, reason, message } = satisfaction;
  const chosen = explanation.clusters.length;
  const count =
    explanation.schedule === undefined
      ? `${chosen} ${chosen === 1 ? 'cluster is' : 'clusters are'} selected.`
      : summaryText(summary);
  // A message of False ends with the absent sets.
  const unread = [withheldLine(report), uncountedLine(report), status === 'False' ? undefined : absentLine(report)];
  return [
    ...(status === 'False' ? [`${reason}: ${message}`] : []),
    count,
    ...changeLines(report),
    ...unread.filter((one) => one !== undefined),
    ...setLines(proposals, report),
    ...findingLines(report),
  ];
}

/** What holds clusters in the decision or out of it, which will move, and what is released. */
export function changeLines(report: ExplainReport): readonly string[] {
  const { explanation, releases, emptyGroups } = report;
  return [
    ...holdLines(report),
    ...movementLines(report.movement(), explanation.placement.rules),
    ...releases.map((one) => endableLine(one, explanation.placement)),
    ...(emptyGroups === undefined ? [] : [emptyGroups]),
  ];
}

/** What holds clusters in the decision or out of it, and the commands that let them go or in. */
function holdLines({ explanation, input }: ExplainReport): readonly string[] {
  const { schedule: decided, placement } = explanation;
  const release = `kubectl mce release placement ${placement.name} -n ${placement.namespace}`;
  const lines: string[] = [];
  const bound = decided && boundOf(decided);
  if (bound !== undefined)
    lines.push(`removals are held: ${boundText(bound, input.snapshot)}; to let them go: ${release}`);
  if (decided !== undefined && keptOut(decided, isHeld).length > 0)
    lines.push(`additions are held: ${heldBackCause(input.snapshot)}; to let them in: ${release} --additions`);
  if (decided !== undefined) lines.push(...waitingTexts(input.snapshot, decided).map(({ message }) => message));
  return lines;
}

/** What of the predicates matches no cluster, with suggestions, and what is not published yet. */
export function findingLines(report: ExplainReport): readonly string[] {
  const { explanation, input } = report;
  const { schedule: decided, readable } = explanation;
  const unmatched = report.predicates.flatMap((one) => {
    const text = predicateText(one);
    if (text === undefined) return [];
    return [
      `${[text, ...one.hints.map((hint: Hint) => hintText(hint))].join('; ')}${existingValues(one.index, report)}`,
    ];
  });
  const [adds, removes] = decided === undefined ? [0, 0] : [comingIn(decided).length, leaving(decided).length];
  const isPending = readable.decisions && input.snapshot.stored.length > 0 && adds + removes > 0;
  return [
    ...unmatched,
    ...expressionErrorLines(explanation),
    ...report.absentKeys.map(({ message }) => message),
    ...(isPending ? [`not published yet: ${adds} to add, ${removes} to remove`] : []),
  ];
}

function rowsOf(
  { explanation }: ExplainReport,
  { nearest, wide }: TextOptions,
): { readonly shown: readonly ClusterExplanation[]; readonly left: readonly string[] } {
  const shown: ClusterExplanation[] = [];
  const left: string[] = [];
  const mostRows = wide === true ? Infinity : MOST_ROWS;
  const add = (verdict: ReturnType<typeof verdictWord>, from: readonly ClusterExplanation[], most: number): void => {
    shown.push(...from.slice(0, most));
    if (from.length > most && most > 0) left.push(`${from.length - most} more are ${verdict}`);
  };
  const ofVerdict = (verdict: Verdict): readonly ClusterExplanation[] => {
    const list = explanation.clusters.filter((one) => one.verdict === verdict);
    return list.sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  };
  add('Selected', ofVerdict('Selected'), Infinity);
  const held = ofVerdict('Held');
  for (const word of ['Held', 'Waiting'] as const)
    add(
      word,
      held.filter((one) => verdictWord(one, explanation) === word),
      mostRows,
    );
  add('NotNeeded', ofVerdict('NotNeeded'), mostRows);
  add('Moved', ofVerdict('Moved'), mostRows);
  add('SpreadBlocked', ofVerdict('SpreadBlocked'), mostRows);
  for (const verdict of OTHERS) add(verdict, ofVerdict(verdict), mostRows);
  shown.push(...explanation.nearest.slice(0, nearest));
  return { shown, left };
}

function cellsOf(one: ClusterExplanation, report: ExplainReport, wide: boolean): readonly Cell[] {
  return [
    { text: wordText(one.name) },
    { text: verdictWord(one, report.explanation), color: COLORS[one.verdict] },
    { text: one.rank === undefined ? '-' : String(one.rank) },
    ...(wide ? [{ text: one.sets.length === 0 ? '-' : one.sets.join(',') }] : []),
    { text: whyText(one, report) },
  ];
}

const MOST_VALUES = 5;

/** The values that candidates have where the predicate asks for one that none has: `; there are label tier=gold (5), tier=silver (4)`. */
function existingValues(index: number, { explanation, predicates }: ExplainReport): string {
  const { unmatched, hints = [] } = predicates[index] ?? {};
  if (unmatched?.kind !== 'RequirementUnmet' || hints.length > 0) return '';
  const { source, requirement } = unmatched.requirement;
  if (source === 'expression') return '';
  const counts = new Map<string, number>();
  for (const { cluster, sets } of explanation.clusters) {
    const found = cluster && sets.length > 0 ? textOf(cluster, source, requirement.key) : undefined;
    if (found !== undefined) counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const texts = sorted
    .slice(0, MOST_VALUES)
    .map(([value, count]) => `${wordText(requirement.key)}=${wordText(value)} (${count})`);
  const more = sorted.length - texts.length;
  return texts.length === 0
    ? ''
    : `; there are ${source} ${texts.join(', ')}${more > 0 ? ` and ${more} more values` : ''}`;
}

export function clusterLines(one: ClusterExplanation, report: ExplainReport): readonly string[] {
  const name = one.sets.length === 0 ? wordText(one.name) : `${wordText(one.name)} (${setsText(one.sets)})`;
  const withheld = withheldLine(report);
  const unread = [withheld, uncountedLine(report)].filter((line) => line !== undefined);
  const verdict = verdictText(one, report);
  return [
    `${name} ${verdict}`,
    ...unread,
    ...pieceLines(one, report),
    ...clusterMoveLines(one, report.movement()),
    ...clusterScoreLines(one, report),
    ...predicateLines(one, report),
    ...taintLines(one, report, verdict),
    ...membershipLines(one, report),
  ];
}

function pieceLines({ name }: ClusterExplanation, { explanation }: ExplainReport): readonly string[] {
  const piece = explanation.pieces.get(name);
  return piece === undefined ? [] : [`  ${pieceText(piece)}`];
}

/**
 * Each unmet requirement; with the last one of a predicate what labels alone could do about it, or the words that were
 * probably meant in the predicate.
 */
function predicateLines(one: ClusterExplanation, report: ExplainReport): readonly string[] {
  const { input, predicates } = report;
  return [...one.unmet.entries()].flatMap(([index, list]) => {
    const lines = list.map((unmet) => `  predicate ${index}: ${requirementText(unmet)}, ${foundText(unmet)}`);
    const hints = predicates[index]?.hints ?? [];
    const last = lines.pop();
    if (last === undefined) return [];
    if (hints.length > 0) return [...lines, last, ...hints.map((hint) => `    ${hintText(hint)}`)];
    const fix = fixFor(one, index, input);
    if (fix?.kind === 'Leaves') return [...lines, `${last} (would leave ${setsText(fix.sets)} with it)`];
    if (fix === undefined || !isOffered(index, report)) return [...lines, last];
    const loser = report.harm.ofLabels(one.name, fix.labels);
    if (loser !== undefined) return [...lines, `${last} (${loser} with this label)`];
    const out = stillOut(one.name, fix.labels, report);
    if (out !== undefined) return [...lines, last, `    with ${fix.command} it would match, and ${out}`];
    return [...lines, last, `    ${fixText({ command: fix.command, rights: LABEL_RIGHTS }, report)}`];
  });
}

/** What would still keep a cluster out that matches with these labels; undefined where it comes in. */
function stillOut(name: string, labels: LabelChanges, report: ExplainReport): string | undefined {
  const { rules } = report.explanation.placement;
  // Else a cluster that matches comes in, whatever it is.
  if (rules.wanted === undefined && !rules.paused && rules.budget?.maxAdditions === undefined) return undefined;
  const changed = withLabelsOf(report, name, labels);
  const one = changed.explanation.clusters.find((each) => each.name === name);
  const out = one === undefined || one.inDecision ? undefined : outText(one, changed);
  return out === undefined ? undefined : `not be selected: ${out}`;
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
