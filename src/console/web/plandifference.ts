import type { PlannedState } from '../../answers/plan/document.js';
import type { CutPlacement, Plan, PlannedCluster, PlannedClusters } from '../wire/plan.js';

/** What differs between two plans of one draft, since the fleet has moved. */

export interface PlanDifference {
  /** `namespace/name`. */
  readonly placement: string;
  /** Short sentences; at least one. */
  readonly lines: readonly string[];
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
  waiting: ['now waits', 'no longer waits'],
  lost: ['is now lost and named', 'is no longer lost and named'],
  '~': ['now changes its piece', 'no longer changes its piece'],
  '→': ['now moves later', 'no longer moves later'],
};
const SIGNS = Object.keys(WORDS) as readonly PlannedClusters['sign'][];

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
  const moved = SIGNS.flatMap((sign) => {
    const [list, first] = [listOf(after, sign), listOf(before, sign)];
    // Of the first clusters of two lists nobody knows whether the other list has them.
    if (list === undefined || first === undefined) return [];
    return [line(beyond(list, first), WORDS[sign][0]), line(beyond(first, list), WORDS[sign][1])];
  });
  const states = [after, before].map((one) => stateText(one?.after));
  const state = before !== undefined && states[0] !== states[1] ? `then ${states.join(', not ')}` : undefined;
  const [is, was] = [countsText(after), before === undefined ? '' : countsText(before)];
  const counts =
    before !== undefined && (isCut(after) || isCut(before)) && is !== was ? `${is}, not ${was}` : undefined;
  return [...changes, ...moved, state, counts].filter((one) => one !== undefined);
}

/** Whether not all of its clusters are named. */
export function isCut({ lists }: CutPlacement): boolean {
  return lists.some(({ rows, total }) => rows.length < total);
}

/** Empty for a list that is not there; undefined for one of which not all clusters are named. */
function listOf(one: CutPlacement | undefined, sign: PlannedClusters['sign']): readonly PlannedCluster[] | undefined {
  const { rows = [], total = 0 } = one?.lists.find((list) => list.sign === sign) ?? {};
  return rows.length < total ? undefined : rows;
}

function countsText(one: CutPlacement): string {
  return (['+', '−', '='] as const).map((sign) => `${sign}${totalOf(one, sign)}`).join(' ');
}

/** How many clusters the list has; `=`: those that stay. */
export function totalOf({ lists, stay }: CutPlacement, wanted: PlannedClusters['sign'] | '='): number {
  return wanted === '=' ? stay : (lists.find(({ sign }) => sign === wanted)?.total ?? 0);
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
