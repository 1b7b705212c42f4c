import { keyOf, byNumbers } from '../../runtime/vocabulary/names.js';
import { laterMoves, laterText, pairText } from './movesahead.js';
import {
  isChange,
  newMessages,
  type Excess,
  type Name,
  type PieceName,
  type PlanDocument,
  type PlannedPlacement,
  type PlannedState,
  type PlanTotals,
  type PlannedRemoval,
} from './document.js';
import { problemText } from '../../domain/conditions.js';
import { pieceText } from '../../domain/placement/explain/choicetext.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { someNames, type TextOptions, table, type Cell, type Color } from '../output.js';
import { isWithheld, refusedLine, unreadableLine, type FleetReading } from '../world/worlds.js';
import { grouped } from '../world/world.js';

/** Clusters that a line names. */
const MOST_NAMES = 5;
/** Moves of a Placement that are shown. */
const MOST_MOVES = 20;
export const MORE_MOVES = 'more moves may follow: so many are not computed';

/** A plan as text. `reading`: the world before the change. */
export function planLines(document: PlanDocument, reading: FleetReading, options: TextOptions): readonly string[] {
  const { placements, apartComputed, refusals, summary } = document;
  const notes = [
    unreadableLine(reading.world.withheld, 'the effect on the Placements is not known'),
    refusedLine(reading),
  ];
  return [
    ...notes.filter((one) => one !== undefined),
    ...placements.filter(isChange).flatMap((one) => placementLines(one, options)),
    summary.text,
    ...lossLines(document, reading, options),
    ...(apartComputed === false ? [APART_UNKNOWN] : []),
    ...refusals.map(({ kind, name }) => `The deletion will be refused: ${kind} ${wordText(name)} is in use.`),
  ];
}

const APART_UNKNOWN = 'What so many changes do when they are written one after the other is not computed.';

/** `0 to add, 2 to remove, 1 to stay, 0 held, in 1 of 1 Placements.` */
export function totalText(totals: PlanTotals): string {
  const { add, remove, stay, moves = 0, addLater = 0, changed, unknown, placements } = totals;
  const counts = `${add} to add, ${remove} to remove, ${stay} to stay, ${keptText(totals)}`;
  const rest = unknown === 0 ? '' : ` ${unknown} ${unknown === 1 ? 'is' : 'are'} not known.`;
  const following = moves === 0 ? '' : ` ${moves} ${moves === 1 ? 'move follows' : 'moves follow'}.`;
  const later = `${addLater} ${addLater === 1 ? 'cluster comes in after a move' : 'clusters come in after moves'}.`;
  const then = addLater === 0 ? following : `${following} ${later}`;
  return `${counts}, in ${changed} of ${placements} Placements.${then}${rest}`;
}

/**
 * What changes, before all else: `shop/web: +2, nothing leaves`, `2 Placements change: nothing comes in, −3, 1 held`. What was held
 * or waited before does not count.
 */
export function headlineText(placements: readonly PlannedPlacement[]): string {
  const changed = placements.filter(isChange);
  const [first, ...others] = changed;
  const unknown = placements.filter((one) => one.change === 'Unknown').length;
  const rest = unknown === 0 ? [] : [`of ${unknown} it is not known`];
  if (first === undefined)
    return unknown === 0
      ? 'Nothing changes'
      : `What changes is not known of ${unknown} Placement${unknown === 1 ? '' : 's'}`;
  const count = (listOf: (one: PlannedPlacement) => readonly unknown[]): number => changed.flatMap(listOf).length;
  const [add, remove] = [count((one) => one.add), count((one) => one.remove)];
  const kept = changed.flatMap((one) => one.held).filter(({ already }) => already !== true);
  const waiting = kept.filter(({ waitsFor }) => waitsFor !== undefined).length;
  const held = kept.length - waiting;
  const moves =
    add + remove === 0
      ? ['nothing comes in or leaves']
      : [add === 0 ? 'nothing comes in' : `+${add}`, remove === 0 ? 'nothing leaves' : `−${remove}`];
  const keeps = [...(held === 0 ? [] : [`${held} held`]), ...(waiting === 0 ? [] : [`${waiting} waiting`])];
  const of = others.length === 0 ? keyOf(first) : `${changed.length} Placements change`;
  return `${of}: ${[...moves, ...keeps, ...rest].join(', ')}`;
}

/** `0 held, 2 waiting for a change window (1 of them before, too)`. */
function keptText({ held, already = 0, waiting = 0, paused = 0, lost = 0 }: PlanTotals): string {
  const ends = paused === 0 ? '' : `, ${paused} waiting for the end of a pause`;
  const opens = waiting === paused ? '' : `, ${waiting - paused} waiting for a change window`;
  const named = lost === 0 ? '' : `, ${lost} lost and still named`;
  const before = already === 0 ? '' : ` (${already === held ? '' : `${already} of them `}before, too)`;
  return `${held - waiting - lost} held${ends}${opens}${named}${before}`;
}

/**
 * `Without 2 of 9 clusters: 1 Placement is short (shop/web), none of them is empty, 1 stands on its last cluster (shop/api).`, and what
 * the hub does not notice of the loss. Nothing where not all that may be read are known.
 */
export function lossLines(
  { loss, summary }: Pick<PlanDocument, 'loss' | 'summary'>,
  reading: FleetReading,
  { wide, mostNames = wide ? Infinity : MOST_NAMES }: Pick<TextOptions, 'wide'> & { readonly mostNames?: number },
): readonly string[] {
  if (loss === undefined || summary.unknown > 0 || isWithheld(reading, 'placements')) return [];
  const { clusters, short, empty, onLastCluster, unnoticed = [], braked } = loss;
  const namesOf = (list: readonly Name[]): string =>
    list.length === 0 || mostNames === 0 ? '' : ` (${someNames(list.map(keyOf), mostNames)})`;
  const first = `${short.length === 0 ? 'no' : short.length} ${short.length > 1 ? 'Placements are' : 'Placement is'} short`;
  const second = `${empty.length === 0 ? 'none' : empty.length} of them ${empty.length > 1 ? 'are' : 'is'} empty`;
  const third =
    onLastCluster.length > 1
      ? `${onLastCluster.length} stand on their last cluster`
      : `${onLastCluster.length || 'none'} stands on its last cluster`;
  const parts = [`${first}${namesOf(short)}`, `${second}${namesOf(empty)}`, `${third}${namesOf(onLastCluster)}`];
  const of = reading.world.objects.managedclusters.length;
  return [
    `Without ${clusters.length} of ${of} ${of === 1 ? 'cluster' : 'clusters'}: ${parts.join(', ')}.`,
    ...(braked === true ? [`Most of the fleet would be silent${BRAKED}`] : []),
    ...unseenLines(unnoticed, { wide }),
  ];
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

/** `shop/web would lose 2 of 3 clusters, and at most 1 may leave`. */
export function excessText({
  namespace,
  name,
  removals,
  additions,
  moves,
  selected,
  most,
}: Omit<Excess, 'message'>): string {
  const clusters = `${selected} ${selected === 1 ? 'cluster' : 'clusters'}`;
  const by = moves === undefined ? '' : `, ${moves === (removals ?? additions) ? '' : `${moves} of them `}by moves`;
  if (additions !== undefined)
    return `${namespace}/${name} would gain ${additions} beside ${clusters}${by}, and at most ${most} may come in`;
  return `${namespace}/${name} would lose ${removals} of ${clusters}${by}, and at most ${most} may leave`;
}

function placementLines(one: PlannedPlacement, { colored, wide }: TextOptions): readonly string[] {
  const { stay, before, after, movesComputed, apart } = one;
  const mostMoves = wide ? Infinity : MOST_MOVES;
  const moreMoves = laterMoves(one).length - mostMoves;
  const rows = [
    ...changeRows(one, mostMoves).map(({ sign, text, why }): readonly Cell[] => {
      return [{ text: `  ${sign} ${text}`, color: COLORS[sign] }, { text: why }];
    }),
    ...(wide ? stay.map((name): readonly Cell[] => [{ text: `    ${wordText(name)}` }, { text: 'stays' }]) : []),
  ];
  const problem = after?.problem;
  return [
    `${wordText(one.namespace)}/${wordText(one.name)}  ${changeText(one)}`,
    ...(problem === undefined ? shortageLines(one) : [`  ${problemText(problem)}`]),
    ...newMessages(before, after).map((text) => `  ${text}`),
    ...table(rows, colored),
    ...(moreMoves > 0 ? [`  > and ${moreMoves} more ${moreMoves === 1 ? 'move' : 'moves'}`] : []),
    ...(movesComputed === false ? [`  > ${MORE_MOVES}`] : []),
    ...(apart === undefined ? [] : [`  ${apart.message}`]),
  ];
}

/** What becomes of a cluster: it leaves, is held or waits, comes in, changes its piece, or follows later. */
export interface ChangeRow {
  readonly sign: '-' | '!' | '+' | '~' | '>';
  /** The cluster; of a move the one that leaves. */
  readonly name: string;
  readonly text: string;
  readonly why: string;
}

const COLORS: Readonly<Record<ChangeRow['sign'], Color>> = {
  '-': 'red',
  '!': 'yellow',
  '+': 'green',
  '~': 'yellow',
  '>': 'yellow',
};

/** A row for each cluster of which something becomes, and for each move that follows. */
export function changeRows(one: PlannedPlacement, mostMoves = Infinity): readonly ChangeRow[] {
  const { remove, held, add, regroup = [], addLater = [] } = one;
  const later = laterMoves(one).slice(0, mostMoves);
  const rowsOf = (
    sign: ChangeRow['sign'],
    list: readonly { readonly name: string; readonly why: string }[],
  ): readonly ChangeRow[] => list.map(({ name, why }) => ({ sign, name, text: wordText(name), why }));
  return [
    ...rowsOf('-', remove),
    ...rowsOf(
      '!',
      held.map(({ name, why, already }) => ({ name, why: already === true ? `${why} (before, too)` : why })),
    ),
    ...rowsOf('+', add),
    ...rowsOf(
      '~',
      regroup.map(({ name, from, to }) => ({ name, why: `${placeText(from)} -> ${placeText(to)}` })),
    ),
    ...later.map((move): ChangeRow => ({ sign: '>', name: move.from, text: pairText(move), why: laterText(move) })),
    ...rowsOf(
      '>',
      addLater.map((after) => ({ name: after.name, why: laterText(after) })),
    ),
  ];
}

/** Why the Placement has too few clusters then, in the words of the condition; nothing where that is so already. */
function shortageLines({ before, after }: PlannedPlacement): readonly string[] {
  if (after?.satisfied.status !== 'False' || after.satisfied.message === before?.satisfied.message) return [];
  return [`  ${after.satisfied.reason}: ${after.satisfied.message}`];
}

function placeText(piece: PieceName | undefined): string {
  return piece === undefined ? 'no piece' : pieceText(piece);
}

/** `3 -> 1 of 3 wanted, Satisfied -> PartiallySatisfied`. */
function changeText({ before, after, loss }: PlannedPlacement): string {
  if (before === undefined) return after === undefined ? '' : `new: ${countText(after)}, ${after.phase}`;
  if (after === undefined) return `deleted: ${before.selected} -> 0 clusters`;
  const phase = before.phase === after.phase ? after.phase : `${before.phase} -> ${after.phase}`;
  if (loss !== undefined && loss.usable < after.selected) {
    const alone = after.phase === 'Satisfied' ? ' by its condition alone' : '';
    return `${before.selected} -> ${countText(after, `${loss.usable} usable`)}, ${phase}${alone}`;
  }
  const isOther = before.wanted !== after.wanted || before.problem !== after.problem;
  if (isOther) return `${countText(before)} -> ${countText(after)}, ${phase}`;
  return `${before.selected === after.selected ? '' : `${before.selected} -> `}${countText(after)}, ${phase}`;
}

/** `1 of 3 wanted`, `4 (all that match)`; an invalid spec keeps the last decision: `3 kept`. */
function countText({ selected, wanted, problem }: PlannedState, count = `${selected}`): string {
  if (problem !== undefined) return `${count} kept`;
  return wanted === undefined ? `${count} (all that match)` : `${count} of ${wanted} wanted`;
}

/** Clusters of which the same becomes: they come in, leave, are held, wait, are lost and named, change their piece, or move later. */
export interface ChangeList {
  readonly sign: '+' | '−' | 'held' | 'waiting' | 'lost' | '~' | '→';
  readonly rows: readonly PlannedCluster[];
}

export interface PlannedCluster {
  readonly name: string;
  readonly why: string;
}

/** What `plan` prints of each cluster, those apart that wait, and those that come in although they are lost. */
export function changeLists(one: PlannedPlacement, lost: ReadonlyMap<string, string>): readonly ChangeList[] {
  const kept = new Map(one.held.map((each) => [each.name, keptSign(each)]));
  const signOf = ({ sign, name }: ChangeRow): ChangeList['sign'] => {
    if (sign === '!') return kept.get(name) ?? 'held';
    return sign === '+' && lost.has(name) ? 'lost' : SIGNS[sign];
  };
  const lists = grouped(
    changeRows(one),
    (row) => [signOf(row)],
    ({ name, text, why }) => ({ name, why: text.includes('→') ? `${text}: ${why}` : why }),
  );
  // Moves stand in the order of their times.
  const sorted = (rows: readonly PlannedCluster[]): readonly PlannedCluster[] =>
    [...rows].sort((a, b) => byNumbers(a.name, b.name));
  return [...lists].map(([sign, rows]) => ({ sign, rows: sign === '→' ? rows : sorted(rows) }));
}

function keptSign({ lost, waitsFor }: PlannedRemoval): ChangeList['sign'] {
  if (lost === true) return 'lost';
  return waitsFor === undefined ? 'held' : 'waiting';
}

const SIGNS: Readonly<Record<Exclude<ChangeRow['sign'], '!'>, ChangeList['sign']>> = {
  '-': '−',
  '+': '+',
  '~': '~',
  '>': '→',
};
