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

/** The clusters that move later, and those that come in after a move. */
export function laterIn({ moves = [], addLater = [] }: CutPlacement): readonly PlannedCluster[] {
  const later = moves.filter(({ waitsFor }) => waitsFor !== undefined);
  return [...later.map(({ from, to, why }) => ({ name: from, why: `moves to ${to}: ${why}` })), ...addLater];
}

/** Those that a bound keeps. */
export function heldIn({ held }: CutPlacement): readonly PlannedCluster[] {
  return held.filter(({ waitsFor }) => waitsFor === undefined);
}

/** Those that stay, or stay out, until a pause ends or a change window opens. */
export function waitingIn({ held }: CutPlacement): readonly PlannedCluster[] {
  return held.filter(({ waitsFor }) => waitsFor !== undefined);
}

export function problemIn({ problem }: PlannedState): string | undefined {
  return problem && `${problem.field}: ${problem.message}`;
}

/** Of a list, so many clusters are named. */
const FEW = 5;

const LISTS: readonly {
  readonly of: (plan: CutPlacement) => readonly PlannedCluster[];
  readonly now: string;
  readonly before: string;
}[] = [
  { of: ({ add }) => add, now: 'now comes in', before: 'no longer comes in' },
  { of: ({ remove }) => remove, now: 'now leaves', before: 'no longer leaves' },
  { of: heldIn, now: 'is now held', before: 'is no longer held' },
  { of: waitingIn, now: 'now waits', before: 'no longer waits' },
  { of: laterIn, now: 'now moves later', before: 'no longer moves later' },
];

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
  const moved = LISTS.flatMap(({ of, ...words }) => {
    const [old, now] = [namesOf(before && of(before)), namesOf(of(after))];
    return [
      line(
        [...now].filter((one) => !old.has(one)),
        words.now,
      ),
      line(
        [...old].filter((one) => !now.has(one)),
        words.before,
      ),
    ];
  });
  const [was, is] = [stateText(before?.after), stateText(after.after)];
  const state = before !== undefined && was !== is ? `then ${is}, not ${was}` : undefined;
  const known = [...changes, ...moved, state].filter((one) => one !== undefined);
  if (known.length > 0 || before === undefined) return known;
  // Beyond the clusters that a plan names, counts alone are known.
  const [now, then] = [countsText(after), countsText(before)];
  return now === then ? [] : [`${now}, not ${then}`];
}

function countsText({ counts: { add, remove, stay } }: CutPlacement): string {
  return `+${add} −${remove} =${stay}`;
}

function namesOf(list: readonly PlannedCluster[] = []): ReadonlySet<string> {
  return new Set(list.map(({ name }) => name));
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
