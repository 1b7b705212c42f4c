import type { PlannedState } from '../../answers/plan/document.js';
import type { CutPlacement, Plan, PlannedClusters } from '../wire/plan.js';

/** What differs between two plans of one draft, since the fleet has moved. */

export function problemIn({ problem }: PlannedState): string | undefined {
  return problem && `${problem.field}: ${problem.message}`;
}

/** Of a list, so many clusters are named. */
const FEW = 5;

const WORDS: Readonly<Record<PlannedClusters['sign'], string>> = {
  '+': 'comes in',
  '−': 'leaves',
  held: 'is held',
  waiting: 'waits',
  lost: 'is lost and named',
  '~': 'changes its piece',
  '→': 'moves later',
};
const SIGNS = Object.keys(WORDS) as readonly PlannedClusters['sign'][];

/** A line for each Placement, in the order of the newer plan; empty where the outcome is the same. */
export function planDifferences(before: Plan, after: Plan): readonly string[] {
  const [old, now] = [byKey(before), byKey(after)];
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((key) => {
    const texts = textsOf(old.get(key), now.get(key));
    return texts.length === 0 ? [] : [`${key}: ${texts.join('; ')}`];
  });
}

function byKey({ placements }: Plan): ReadonlyMap<string, CutPlacement> {
  return new Map(placements.map((one) => [`${one.namespace}/${one.name}`, one]));
}

function textsOf(before: CutPlacement | undefined, after: CutPlacement | undefined): readonly string[] {
  if (after === undefined) return ['no longer changes'];
  const moved = SIGNS.flatMap((sign) => {
    const [is, was] = [namesIn(after, sign), namesIn(before, sign)];
    // Of the first clusters of two lists nobody knows whether the other list has them.
    if (is === undefined || was === undefined) return [];
    return [beyond(is, was, `now ${WORDS[sign]}`), beyond(was, is, `no longer ${WORDS[sign]}`)].flat();
  });
  if (before === undefined) return ['changes now', ...moved];
  const texts = [after, before].map((one) => [
    `then ${stateText(one.after)}`,
    ...(isCut(one) ? [countsText(one)] : []),
  ]);
  const [is = [], was = []] = texts;
  const others = is.flatMap((text, index) =>
    text === was[index] ? [] : [`${text}, not ${(was[index] ?? countsText(before)).replace(/^then /, '')}`],
  );
  return [...moved, ...others];
}

/** Whether not all of its clusters are named. */
export function isCut({ lists }: CutPlacement): boolean {
  return lists.some(({ rows, total }) => rows.length < total);
}

/** Empty for a list that is not there; undefined for one of which not all clusters are named. */
function namesIn(one: CutPlacement | undefined, sign: PlannedClusters['sign']): readonly string[] | undefined {
  const { rows = [], total = 0 } = one?.lists.find((list) => list.sign === sign) ?? {};
  return rows.length < total ? undefined : rows.map(({ name }) => name);
}

function countsText(one: CutPlacement): string {
  return (['+', '−', '='] as const).map((sign) => `${sign}${totalOf(one, sign)}`).join(' ');
}

/** How many clusters the list has; `=`: those that stay. */
export function totalOf({ lists, stay }: CutPlacement, wanted: PlannedClusters['sign'] | '='): number {
  return wanted === '=' ? stay : (lists.find(({ sign }) => sign === wanted)?.total ?? 0);
}

/** What is said of the names of the first list that the second one does not have. */
function beyond(list: readonly string[], other: readonly string[], what: string): readonly string[] {
  const names = [...new Set(list)].filter((name) => !other.includes(name));
  const rest = names.length > FEW ? ` and ${names.length - FEW} more` : '';
  return names.length === 0 ? [] : [`${what}: ${names.slice(0, FEW).join(', ')}${rest}`];
}

function stateText(state: PlannedState | undefined): string {
  if (state === undefined) return 'no decision';
  return `${state.selected}${state.wanted === undefined ? '' : ` of ${state.wanted}`} ${problemIn(state) ?? state.phase}`;
}
