import { VERDICTS, type VerdictWord } from '../../api/verdicts.js';
import { fixFor, membershipFix, type LabelChanges } from '../../domain/placement/explain/fix.js';
import { hintText, predicateText, type PredicateExplanation } from '../../domain/placement/explain/predicates.js';
import { pieceText } from '../../domain/placement/explain/choicetext.js';
import { foundText, requirementText, wordText } from '../../domain/placement/explain/requirementtext.js';
import { summaryText } from '../../domain/placement/explain/causes.js';
import { limitedTaints, limitedText, otherTaintText } from '../../domain/placement/explain/taints.js';
import { verdictWord, type ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import {
  heldBackCause,
  holdersText,
  PAUSED_TEXT,
  waitingTexts,
  causesText,
} from '../../domain/placement/report/holds.js';
import { endableLine, restoreText } from '../../domain/placement/report/releases.js';
import { commandOf, type PlacementAction } from '../actions/action.js';
import { table, type Cell } from '../output.js';
import { clusterMoveLines, movementLines, otherTaintsOf, whyText, type ExplainReport } from './report.js';
import { proposalsOf, proposalText, withLabelsOf, type Proposal } from './proposals.js';
import {
  absentLine,
  expressionErrorLines,
  setsText,
  uncountedLine,
  withheldLine,
  obstacleText,
  verdictText,
  clusterScoreLines,
  scoreLines,
} from './lines.js';
import { comingIn, keptOut, leaving, staying } from '../../domain/placement/select/decision.js';
import { isHold } from '../../domain/placement/select/holders.js';

export interface ExplanationOptions {
  /** How many clusters that match no predicate are shown. */
  readonly nearest: number;
  readonly colored: boolean;
  /** With the cluster sets of each cluster, and without a limit of rows. */
  readonly wide?: boolean;
  /** With the score of each coordinate. */
  readonly scores?: boolean;
}

/** The most clusters that are shown for each verdict but Selected and NotMatched. */
const MOST_ROWS = 10;
/** The verdicts in the order of the rows. NotMatched is not one of them: of these only the nearest are shown, last. */
const ORDER = (Object.keys(VERDICTS) as readonly VerdictWord[]).filter((word) => word !== 'NotMatched');

/** The explanation of a Placement for a terminal, as lines. */
export function explanationLines(report: ExplainReport, options: ExplanationOptions): readonly string[] {
  const proposals = proposalsOf(report);
  const labels = proposals.filter(({ kind }) => kind === 'Label');
  const others = proposals.filter(({ kind }) => kind !== 'Label');
  const textsOf = (some: readonly Proposal[]): readonly string[] => some.map((one) => proposalText(one));
  const lines = [headline(report), ...noteLines(report), ...textsOf(others), ...findingLines(report)];
  const { shown, omitted } = rowsOf(report, options);
  if (shown.length > 0) {
    const wide = options.wide === true;
    const head = ['CLUSTER', 'VERDICT', 'RANK', ...(wide ? ['SETS'] : []), 'WHY'].map((text): Cell => ({ text }));
    lines.push(...table([head, ...shown.map((one) => cellsOf(one, report, wide))], options.colored));
  }
  const scores = options.scores === true ? ['', ...scoreLines(shown, report, options.colored)] : [];
  return [...lines, ...omitted, ...scores, ...textsOf(labels)];
}

function headline({ explanation, satisfaction }: ExplainReport): string {
  const { namespace, name, rules } = explanation.placement;
  const wanted = rules.wanted === undefined ? 'all wanted' : `${rules.wanted} wanted`;
  const sets =
    explanation.decision === undefined ? 'cluster sets not known' : setsText(explanation.decision.eligibility.eligible);
  const wants = rules.problem === undefined ? `${wanted}, ${sets}` : sets;
  return `${namespace}/${name}: ${satisfaction.phase}, ${wants}`;
}

function noteLines(report: ExplainReport): readonly string[] {
  const { explanation, satisfaction, summary } = report;
  const { status, reason, message } = satisfaction;
  // Without a decision the explanation has only the clusters that are published.
  const published = explanation.clusters.length;
  const count =
    explanation.decision === undefined
      ? `${published} ${published === 1 ? 'cluster is' : 'clusters are'} selected.`
      : summaryText(summary);
  // The message of a condition that is False names the absent sets already.
  const unread = [withheldLine(report), uncountedLine(report), status === 'False' ? undefined : absentLine(report)];
  return [
    ...(status === 'False' ? [`${reason}: ${message}`] : []),
    count,
    ...changeLines(report),
    ...unread.filter((one) => one !== undefined),
  ];
}

/** What holds clusters in the decision or out of it, which will move, and what is released. */
export interface ChangeNote {
  readonly text: string;
  /** The action that ends it. */
  readonly end?: PlacementAction;
}

/** How a line goes on to the command that ends what it says. */
const HOW = { pause: '', resume: 'to resume', release: 'to let them go', releaseAdditions: 'to let them in' } as const;

function changeLines(report: ExplainReport): readonly string[] {
  const { placement } = report.explanation;
  return changeNotes(report, false).map(({ text, end }) =>
    end === undefined ? text : `${text}; ${HOW[end]}: ${commandOf({ kind: end, ...placement }).join(' ')}`,
  );
}

/** `isNaming`: with the clusters that are held, and why they would leave, which the rows of a terminal say. */
export function changeNotes(report: ExplainReport, isNaming: boolean): readonly ChangeNote[] {
  const { explanation, releases, emptyGroups } = report;
  return [
    ...holdNotes(report, isNaming),
    ...[
      ...movementLines(report.movement(), explanation.placement.rules),
      ...releases.map((one) => endableLine(one, explanation.placement)),
      ...(emptyGroups === undefined ? [] : [emptyGroups]),
    ].map((text) => ({ text })),
  ];
}

const PAUSE: ChangeNote = { text: PAUSED_TEXT, end: 'resume' };

/** What holds clusters in the decision or out of it. */
function holdNotes({ explanation, input }: ExplainReport, isNaming: boolean): readonly ChangeNote[] {
  const { decision: decided, placement } = explanation;
  // Of what is not decided a pause is known all the same.
  if (decided === undefined) return placement.rules.paused ? [PAUSE] : [];
  const kept = staying(decided, isHold);
  const [held] = kept;
  const isLoss = held?.by.some(({ kind }) => kind === 'Definitions') === true;
  const restore = isLoss ? restoreText(placement.namespace) : 'revert what led to it, and they stay';
  const would = `; these would leave: ${causesText(kept, input.snapshot, decided)}`;
  const named = `${isNaming ? would : ''}${isNaming || isLoss ? `; ${restore}` : ''}`;
  const [out] = keptOut(decided, isHold);
  const removals = held && `removals are held: ${holdersText(held.by, input.snapshot)}${named}`;
  const additions = out && `additions are held: ${heldBackCause(input.snapshot)}`;
  return [
    ...(removals === undefined ? [] : [{ text: removals, end: 'release' } as const]),
    ...(additions === undefined ? [] : [{ text: additions, end: 'releaseAdditions' } as const]),
    ...waitingTexts(input.snapshot, decided).map(({ type, message: text }) => (type === 'Paused' ? PAUSE : { text })),
  ];
}

/** What of the predicates matches no cluster, with suggestions, and what is not published yet. */
export function findingLines(report: ExplainReport): readonly string[] {
  const { explanation, input } = report;
  const { decision: decided, readable } = explanation;
  const unmatched = report.predicates.flatMap((one) => {
    const text = predicateText(one);
    if (text === undefined) return [];
    return [`${[text, ...one.hints.map(hintText)].join('; ')}${existingValues(one)}`];
  });
  const [adds, removes] = decided === undefined ? [0, 0] : [comingIn(decided).length, leaving(decided).length];
  const isPending = readable.decisions && input.snapshot.stored.length > 0 && adds + removes > 0;
  return [
    ...unmatched,
    ...expressionErrorLines(explanation),
    ...report.absentKeys,
    ...(isPending ? [`not published yet: ${adds} to add, ${removes} to remove`] : []),
  ];
}

function rowsOf(
  { explanation }: ExplainReport,
  { nearest, wide }: ExplanationOptions,
): { readonly shown: readonly ClusterExplanation[]; readonly omitted: readonly string[] } {
  const byWord = new Map<VerdictWord, ClusterExplanation[]>(ORDER.map((word) => [word, []]));
  // NotMatched has no list here.
  for (const one of explanation.clusters) byWord.get(verdictWord(one, explanation))?.push(one);
  const shown: ClusterExplanation[] = [];
  const omitted: string[] = [];
  for (const [word, all] of byWord) {
    const most = word === 'Selected' || wide === true ? Infinity : MOST_ROWS;
    shown.push(...all.sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0)).slice(0, most));
    const more = all.length - most;
    if (more > 0) omitted.push(`${more} more ${more === 1 ? 'is' : 'are'} ${word}`);
  }
  shown.push(...explanation.nearest.slice(0, nearest));
  return { shown, omitted };
}

function cellsOf(one: ClusterExplanation, report: ExplainReport, wide: boolean): readonly Cell[] {
  return [
    { text: wordText(one.name) },
    { text: verdictWord(one, report.explanation), color: VERDICTS[one.verdict].color },
    { text: one.rank === undefined ? '-' : String(one.rank) },
    ...(wide ? [{ text: one.sets.length === 0 ? '-' : one.sets.join(',') }] : []),
    { text: whyText(one, report) },
  ];
}

const MOST_VALUES = 5;

/** The values that candidates have where the predicate asks for one that none has: `; there are label tier=gold (5), tier=silver (4)`. */
function existingValues({ unmatched, hints, values }: PredicateExplanation): string {
  if (unmatched?.kind !== 'RequirementUnmet' || hints.length > 0) return '';
  const { source, requirement } = unmatched.requirement;
  if (source === 'expression') return '';
  const sorted = [...values].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const texts = sorted
    .slice(0, MOST_VALUES)
    .map(([value, count]) => `${wordText(requirement.key)}=${wordText(value)} (${count})`);
  const more = sorted.length - texts.length;
  return texts.length === 0
    ? ''
    : `; there are ${source} ${texts.join(', ')}${more > 0 ? ` and ${more} more ${more === 1 ? 'value' : 'values'}` : ''}`;
}

/** The explanation of one cluster, as lines. */
export function clusterLines(one: ClusterExplanation, report: ExplainReport): readonly string[] {
  const name = one.sets.length === 0 ? wordText(one.name) : `${wordText(one.name)} (${setsText(one.sets)})`;
  const withheld = withheldLine(report);
  const unread = [withheld, uncountedLine(report)].filter((line) => line !== undefined);
  const verdict = verdictText(one, report);
  const piece = report.pieces.get(one.name);
  return [
    `${name} ${verdict}`,
    ...unread,
    ...(piece === undefined ? [] : [`  ${pieceText(piece)}`]),
    ...clusterMoveLines(one, report.movement()),
    ...clusterScoreLines(one, report),
    ...predicateLines(one, report),
    ...taintLines(one, report, verdict),
    ...membershipLines(one, report),
  ];
}

/**
 * Each unmet requirement; with the last one of a predicate what labels alone could do about it, or the words that were
 * probably meant in the predicate.
 */
function predicateLines(one: ClusterExplanation, report: ExplainReport): readonly string[] {
  return [...one.unmet.entries()].flatMap(([index, list]) => {
    const lines = list.map((unmet) => `  predicate ${index}: ${requirementText(unmet)}, ${foundText(unmet)}`);
    const last = lines.pop();
    return last === undefined ? [] : [...lines, ...adviceLines(one, index, last, report)];
  });
}

/** The last line of a predicate, with what to do about it. `last`: that line so far. */
function adviceLines(one: ClusterExplanation, index: number, last: string, report: ExplainReport): readonly string[] {
  // In this order: a word is misspelt; the labels would take it out of its sets; there is no advice for this predicate; they would
  // harm other decisions; they do not suffice; the command.
  const hints = report.predicates[index]?.hints ?? [];
  if (hints.length > 0) return [last, ...hints.map((hint) => `    ${hintText(hint)}`)];
  const fix = fixFor(one, index, report.input);
  if (fix?.kind === 'Leaves') return [`${last} (would leave ${setsText(fix.sets)} with it)`];
  if (fix === undefined || !report.isOffered(index)) return [last];
  const harm = report.harm.ofLabels(one.name, fix.labels);
  if (harm !== undefined)
    return [`${last} (${harm} with ${Object.keys(fix.labels).length === 1 ? 'this label' : 'these labels'})`];
  const out = stillOut(one.name, fix.labels, report);
  if (out !== undefined) return [last, `    with ${fix.command} it would match, and ${out}`];
  return [last, `    fix: ${fix.command}`];
}

/** What would still keep a cluster out that matches with these labels; undefined where it comes in. */
function stillOut(name: string, labels: LabelChanges, report: ExplainReport): string | undefined {
  const { placement, timedSets } = report.input.snapshot;
  const { wanted, paused, budget } = placement.rules;
  // Without a number, a pause, a set that keeps it out or a bound on additions, one comes in that passes every rule.
  if (wanted === undefined && !paused && timedSets.length === 0 && budget?.maxAdditions === undefined) return undefined;
  const changed = withLabelsOf(report, name, labels);
  const one = changed.explanation.clusters.find((each) => each.name === name);
  const out = one === undefined || one.inDecision ? undefined : obstacleText(one, changed);
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
  const fix = membershipFix(one, report.input, report.isOffered);
  if (fix === undefined) return [];
  const harm = report.harm.ofLabels(one.name, fix.labels);
  if (harm !== undefined) return [`  no fix: in cluster set ${fix.set}, ${harm}`];
  return [`  fix: ${fix.command}`];
}
