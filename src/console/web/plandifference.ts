import type { PlannedState } from '../../answers/plan/document.js';
import type { CutPlacement, Plan } from '../wire/plan.js';

/** What differs between two plans of one draft, since the fleet has moved. */

export interface PlanDifference {
  /** `namespace/name`. */
  readonly placement: string;
  /** Short sentences; at least one. */
  readonly lines: readonly string[];
}

export interface PlannedCluster {
  readonly name: string;
  readonly why: string;
}

/** Clusters of which the same becomes: they come in, leave, are held, wait, or move later. */
export interface PlannedClusters {
  readonly sign: '+' | '−' | 'held' | 'waits' | '→';
  /** May be cut. */
  readonly list: readonly PlannedCluster[];
  readonly total: number;
}

export function clustersIn(one: CutPlacement): readonly PlannedClusters[] {
  const { add, remove, held, moves = [], addLater = [], counts } = one;
  const moving = moves.filter(({ waitsFor }) => waitsFor !== undefined);
  const later = [...moving.map(({ from, to, why }) => ({ name: from, why: `moves to ${to}: ${why}` })), ...addLater];
  return [
    { sign: '+', list: add, total: counts.add },
    { sign: '−', list: remove, total: counts.remove },
    { sign: 'held', list: held.filter(({ waitsFor }) => waitsFor === undefined), total: counts.held },
    { sign: 'waits', list: held.filter(({ waitsFor }) => waitsFor !== undefined), total: counts.waiting },
    { sign: '→', list: later, total: later.length },
  ];
}

export function problemIn({ problem }: PlannedState): string | undefined {
  return problem && `${problem.field}: ${problem.message}`;
}

/** Of a list, so many clusters are named. */
const FEW = 5;

const WORDS: Readonly<Record<PlannedClusters['sign'], readonly [now: string, before: string]>> = {
  '+': ['now comes in', 'no longer comes in'],
  '−': ['now leaves', 'no longer leaves'],
  held: ['is now held', 'is no longer held'],
  waits: ['now waits', 'no longer waits'],
  '→': ['now moves later', 'no longer moves later'],
};

/** By Placement, in the order of the newer plan; empty where the outcome is the same. */
export function planDifferences(before: Plan, after: Plan): readonly PlanDifference[] {
  const old = new Map(before.placements.map((one) => [keyOf(one), one]));
  const now = new Map(after.placements.map((one) => [keyOf(one), one]));
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((placement) => {
    const lines = linesOf(old.get(placement), now.get(placement));
    return lines.length === 0 ? [] : [{ placement, lines }];
  });
}

function keyOf({ namespace, name }: CutPlacement): string {
  return `${namespace}/${name}`;
}

function linesOf(before: CutPlacement | undefined, after: CutPlacement | undefined): readonly string[] {
  if (after === undefined) return ['no longer changes'];
  const changes = before === undefined ? ['changes now'] : [];
  const old = before && clustersIn(before);
  const moved = clustersIn(after).flatMap(({ sign, list }, index) => {
    const first = old?.[index]?.list ?? [];
    return [line(beyond(list, first), WORDS[sign][0]), line(beyond(first, list), WORDS[sign][1])];
  });
  const states = [after, before].map((one) => stateText(one?.after));
  const state = before !== undefined && states[0] !== states[1] ? `then ${states.join(', not ')}` : undefined;
  const known = [...changes, ...moved, state].filter((one) => one !== undefined);
  if (known.length > 0 || before === undefined) return known;
  // Beyond the clusters that a plan names, counts alone are known.
  const [is, was] = [countsText(after), countsText(before)];
  return is === was ? [] : [`${is}, not ${was}`];
}

function countsText({ counts: { add, remove, stay } }: CutPlacement): string {
  return `+${add} −${remove} =${stay}`;
}

/** The names of the first list that the second one does not have. */
function beyond(list: readonly PlannedCluster[], other: readonly PlannedCluster[]): readonly string[] {
  const names = new Set(other.map(({ name }) => name));
  return [...new Set(list.map(({ name }) => name))].filter((name) => !names.has(name));
}

function line(names: readonly string[], what: string): string | undefined {
  if (names.length === 0) return undefined;
  const rest = names.length > FEW ? ` and ${names.length - FEW} more` : '';
  return `${what}: ${names.slice(0, FEW).join(', ')}${rest}`;
}

function stateText(state: PlannedState | undefined): string {
  if (state === undefined) return 'no decision';
  return `${state.selected}${state.wanted === undefined ? '' : ` of ${state.wanted}`} ${problemIn(state) ?? state.phase}`;
}
