import { keyOf } from '../../runtime/vocabulary/names.js';
import { laterMoves, laterText, pairText } from './movesahead.js';
import type { ApartPlan } from './apart.js';
import { newlySaid, type PieceName, type PlacementPlan, type PlacementState } from './plan.js';
import type { Name } from './sides.js';
import { problemText } from '../../domain/conditions.js';
import { pieceText } from '../../domain/placement/explain/piecetext.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { someNames } from '../output.js';
import { table, type Cell, type Color } from '../table.js';
import { refusedLine, unreadableLine } from '../world/withheld.js';
import { isChange, type Excess, type LossReport, type PlanReport, type PlanTotals } from './report.js';

/** Clusters that a line names. */
const MOST_NAMES = 5;
/** Moves of a Placement that are shown. */
const MOST_MOVES = 20;
export const MORE_MOVES = 'more moves may follow: so many are not computed';

export interface TextOptions {
  readonly colored: boolean;
  /** Show the clusters that stay. */
  readonly wide: boolean;
}

export function planLines(report: PlanReport, options: TextOptions): readonly string[] {
  const { placements, apart, refusals, totals, reading } = report;
  const notes = [
    unreadableLine(reading.world.withheld, 'the effect on the Placements is not known'),
    refusedLine(reading),
  ];
  return [
    ...notes.filter((one) => one !== undefined),
    ...placements.filter(isChange).flatMap((one) => [...placementLines(one, options), ...apartLines(apart?.get(one))]),
    totalText(totals),
    ...lossLines(report, options),
    ...(apart === undefined ? [APART_UNKNOWN] : []),
    ...refusals.map(({ kind, name }) => `The deletion will be refused: ${kind} ${wordText(name)} is in use.`),
  ];
}

const APART_UNKNOWN = 'What so many changes do when they are written one after the other is not computed.';

function apartLines(apart: ApartPlan | undefined): readonly string[] {
  return apart === undefined ? [] : [`  ${apartText(apart)}`];
}

/**
 * `written more than 2 s apart, in this order: 2 leave (a, b), 4 are held`; `written one after the other, …` where each write may
 * be decided before the next.
 */
export function apartText({ isCollected, leave, back, come, held: staying, waiting }: ApartPlan): string {
  const held = staying.length - waiting;
  const parts = [
    leave.length === 0 ? undefined : `${leave.length} ${leave.length === 1 ? 'leaves' : 'leave'} (${namesText(leave)})`,
    back.length === 0 ? undefined : `of these ${back.length} come back (${namesText(back)})`,
    come.length === 0 ? undefined : `${come.length} ${come.length === 1 ? 'comes' : 'come'} in (${namesText(come)})`,
    held === 0 && waiting > 0 ? undefined : `${held || 'none'} ${held > 1 ? 'are' : 'is'} held`,
    waiting === 0 ? undefined : `${waiting} ${waiting === 1 ? 'waits' : 'wait'}`,
  ];
  const way = isCollected ? 'more than 2 s apart' : 'one after the other';
  return `written ${way}, in this order: ${parts.filter((one) => one !== undefined).join(', ')}`;
}

function namesText(names: readonly string[]): string {
  return someNames(names, MOST_NAMES);
}

/** `Plan: 0 to add, 2 to remove, 1 to stay, 0 held, in 1 of 1 Placements.` */
export function totalText(totals: PlanTotals): string {
  const { add, remove, stay, moves = 0, addLater = 0, changed, unknown, placements } = totals;
  const counts = `${add} to add, ${remove} to remove, ${stay} to stay, ${keptText(totals)}`;
  const rest = unknown === 0 ? '' : ` ${unknown} ${unknown === 1 ? 'is' : 'are'} not known.`;
  const following = moves === 0 ? '' : ` ${moves} ${moves === 1 ? 'move follows' : 'moves follow'}.`;
  const later = `${addLater} ${addLater === 1 ? 'cluster comes in after a move' : 'clusters come in after moves'}.`;
  const then = addLater === 0 ? following : `${following} ${later}`;
  return `Plan: ${counts}, in ${changed} of ${placements} Placements.${then}${rest}`;
}

/** `0 held, 2 waiting for a change window`. */
function keptText({ held, waiting = 0, paused = 0 }: PlanTotals): string {
  const ends = paused === 0 ? '' : `, ${paused} waiting for the end of a pause`;
  const opens = waiting === paused ? '' : `, ${waiting - paused} waiting for a change window`;
  return `${held - waiting} held${ends}${opens}`;
}

/** What the loss does, and what the hub does not notice of it. Nothing where not all that may be read are known. */
export function lossLines(
  { loss, totals, reading }: PlanReport,
  options: Pick<TextOptions, 'wide'>,
): readonly string[] {
  const isUnread = reading.world.withheld.some(({ resource }) => resource === 'placements');
  if (loss === undefined || totals.unknown > 0 || isUnread) return [];
  const { clusters, isBraked } = loss.unnoticed;
  const braked = isBraked ? [`Most of the fleet would be silent${BRAKED}`] : [];
  return [lossText(loss, options), ...braked, ...unseenLines(clusters, options)];
}

/** What follows `Most of the fleet would be silent`. */
export const BRAKED = ': the hub taints nobody then, and decisions stay until somebody does.';

/** A line about clusters of which no agent has reported. */
export function unseenLines(clusters: readonly string[], { wide }: Pick<TextOptions, 'wide'>): readonly string[] {
  if (clusters.length === 0) return [];
  const [their, them] = clusters.length === 1 ? ['its', 'it'] : ['their', 'them'];
  const names = someNames(clusters, wide ? Infinity : MOST_NAMES);
  return [
    `No agent of ${names} has reported: the hub does not notice ${their} loss, and decisions keep ${them} until somebody taints ${them}.`,
  ];
}

/** `Without 2 of 9 clusters: 1 Placement is short (shop/web), none is empty, 1 stands on its last cluster (shop/api).` */
function lossText({ clusters, of, short, empty, onLast }: LossReport, { wide }: Pick<TextOptions, 'wide'>): string {
  const namesOf = (list: readonly Name[]): string => {
    const names = list.map(keyOf);
    return names.length === 0 ? '' : ` (${someNames(names, wide ? Infinity : MOST_NAMES)})`;
  };
  const first = `${short.length === 0 ? 'no' : short.length} ${short.length > 1 ? 'Placements are' : 'Placement is'} short`;
  const second = `${empty.length === 0 ? 'none' : empty.length} ${empty.length > 1 ? 'are' : 'is'} empty`;
  const third =
    onLast.length > 1
      ? `${onLast.length} stand on their last cluster`
      : `${onLast.length || 'none'} stands on its last cluster`;
  const parts = [`${first}${namesOf(short)}`, `${second}${namesOf(empty)}`, `${third}${namesOf(onLast)}`];
  return `Without ${clusters.length} of ${of} ${of === 1 ? 'cluster' : 'clusters'}: ${parts.join(', ')}.`;
}

/** `shop/web would lose 2 of 3 clusters, and at most 1 may leave`. */
export function excessText({ namespace, name, removals, additions, moves, selected, most }: Excess): string {
  const clusters = `${selected} ${selected === 1 ? 'cluster' : 'clusters'}`;
  const by = moves === undefined ? '' : `, ${moves === (removals ?? additions) ? '' : `${moves} of them `}by moves`;
  if (additions !== undefined)
    return `${namespace}/${name} would gain ${additions} beside ${clusters}${by}, and at most ${most} may come in`;
  return `${namespace}/${name} would lose ${removals} of ${clusters}${by}, and at most ${most} may leave`;
}

function placementLines(one: PlacementPlan, { colored, wide }: TextOptions): readonly string[] {
  const { adds, removes, held, stays, regrouped, after, addLater, hasMoreMoves } = one;
  const moves = laterMoves(one);
  const shownMoves = wide ? moves : moves.slice(0, MOST_MOVES);
  const rows = [
    ...removes.map((move) => rowOf('-', move, 'red')),
    ...held.map((move) => rowOf('!', move, 'yellow')),
    ...adds.map((move) => rowOf('+', move, 'green')),
    ...regrouped.map(({ name, from, to }) =>
      rowOf('~', { name, why: `${placeText(from)} -> ${placeText(to)}` }, 'yellow'),
    ),
    ...shownMoves.map((move) => [
      { text: `  > ${pairText(move)}`, color: 'yellow' as const },
      { text: laterText(move) },
    ]),
    ...addLater.map((later) => rowOf('>', { name: later.name, why: laterText(later) }, 'yellow')),
    ...(wide ? stays.map((name): readonly Cell[] => [{ text: `    ${wordText(name)}` }, { text: 'stays' }]) : []),
  ];
  const problem = after?.rules.problem;
  return [
    `${wordText(one.namespace)}/${wordText(one.name)}  ${changeText(one)}`,
    ...(problem === undefined ? shortageLines(one) : [`  ${problemText(problem)}`]),
    ...newlySaid(one.before, one.after).map((text) => `  ${text}`),
    ...table(rows, colored),
    ...(shownMoves.length === moves.length ? [] : [`  > and ${moves.length - shownMoves.length} more moves`]),
    ...(hasMoreMoves ? [`  > ${MORE_MOVES}`] : []),
  ];
}

/** Why the Placement has too few clusters then, in the words of the condition; nothing where that is so already. */
function shortageLines({ before, after }: PlacementPlan): readonly string[] {
  if (after?.satisfied.status !== 'False' || after.satisfied.message === before?.satisfied.message) return [];
  return [`  ${after.satisfied.reason}: ${after.satisfied.message}`];
}

function placeText(piece: PieceName | undefined): string {
  return piece === undefined ? 'no piece' : pieceText(piece);
}

function rowOf(
  sign: string,
  { name, why }: { readonly name: string; readonly why: string },
  color: Color,
): readonly Cell[] {
  return [{ text: `  ${sign} ${wordText(name)}`, color }, { text: why }];
}

/** `3 -> 1 of 3 wanted, Satisfied -> PartiallySatisfied`. */
function changeText({ before, after }: PlacementPlan): string {
  if (before === undefined) return after === undefined ? '' : `new: ${countText(after)}, ${after.phase}`;
  if (after === undefined) return `deleted: ${before.clusters.length} -> 0 clusters`;
  const phase = before.phase === after.phase ? after.phase : `${before.phase} -> ${after.phase}`;
  const isOther = before.rules.wanted !== after.rules.wanted || before.rules.problem !== after.rules.problem;
  if (isOther) return `${countText(before)} -> ${countText(after)}, ${phase}`;
  const [first, then] = [before.clusters.length, after.clusters.length];
  return `${first === then ? '' : `${first} -> `}${countText(after)}, ${phase}`;
}

/** `1 of 3 wanted`, `4 (all that match)`; an invalid spec keeps the last decision: `3 kept`. */
function countText({ clusters, rules: { wanted, problem } }: PlacementState): string {
  if (problem !== undefined) return `${clusters.length} kept`;
  return wanted === undefined ? `${clusters.length} (all that match)` : `${clusters.length} of ${wanted} wanted`;
}
