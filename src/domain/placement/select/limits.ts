import { PlacementConditions } from '../../../api/placementreasons.js';
import { isOwn } from '../stored/decision.js';
import { orderedHolders, type Holders } from './holders.js';
import type { PlacementSnapshot, PlacementView } from './snapshot.js';
import { hadDecision, readBasis, storedHold } from '../stored/basis.js';
import { isReleased, leftOf, type Limit, type DisruptionBudget } from '../spec/budget.js';
import type { TimedSets } from './timedsets.js';
import { usedIn } from '../stored/record.js';
import { field } from '../../../runtime/vocabulary/json.js';

/** A limit that counts in this pass. */
export interface LimitInForce {
  readonly limit: Limit;
  /** Whether the spec does not have it any more. */
  readonly isFormer: boolean;
}

export interface BudgetInForce {
  readonly maxRemovals: LimitInForce | undefined;
  readonly maxAdditions: LimitInForce | undefined;
  readonly windowSeconds: number;
}

/**
 * The budget that bounds this pass: the limits of the spec, and former ones that an edit has taken out of it. A former
 * limit stays in force for the first pass after the edit, and then for as long as it holds a cluster: held clusters do
 * not leave or come in because the limit is removed. While the spec is invalid, the limits of the last decision stay in
 * force.
 */
export function budgetInForce(placement: PlacementView): BudgetInForce | undefined {
  const { rules, status, generation } = placement;
  const remembered = readBasis(status)?.budget;
  const windowSeconds = (rules.budget ?? remembered)?.windowSeconds;
  // Most Placements have none.
  if (windowSeconds === undefined) return undefined;
  const isEdited = field(status, 'observedGeneration') !== generation || rules.problem !== undefined;
  const isFormerInForce = (type: string): boolean =>
    isEdited || storedHold(placement, type)?.reason === 'DisruptionBudgetExceeded';
  const maxRemovals = inForce(
    rules.budget?.maxRemovals,
    isFormerInForce(PlacementConditions.RemovalsHeld) ? remembered?.maxRemovals : undefined,
  );
  const maxAdditions = inForce(
    rules.budget?.maxAdditions,
    isFormerInForce(PlacementConditions.AdditionsHeld) ? remembered?.maxAdditions : undefined,
  );
  if ((maxRemovals ?? maxAdditions) === undefined) return undefined;
  return { maxRemovals, maxAdditions, windowSeconds };
}

/** A hold goes on for the spec of now; that of a limit which the spec has no more goes on whatever is edited. */
export function isHoldContinued(
  placement: PlacementView,
  type: 'RemovalsHeld' | 'AdditionsHeld',
  { isFormer }: LimitInForce,
): boolean {
  const stored = storedHold(placement, type);
  return stored !== undefined && (stored.isCurrent || (isFormer && stored.reason === 'DisruptionBudgetExceeded'));
}

function inForce(ofSpec: Limit | undefined, former: Limit | undefined): LimitInForce | undefined {
  if (ofSpec !== undefined) return { limit: ofSpec, isFormer: false };
  return former === undefined ? undefined : { limit: former, isFormer: true };
}

/** The budget to remember with a decision; a former limit only while it holds a cluster, or the spec is invalid. */
export function budgetToRemember(
  { rules }: PlacementView,
  budget: BudgetInForce | undefined,
  holds: { readonly removals: boolean; readonly additions: boolean },
): DisruptionBudget | undefined {
  if (budget === undefined) return undefined;
  const kept = (one: LimitInForce | undefined, isHolding: boolean): Limit | undefined =>
    one?.isFormer === true && !isHolding && rules.problem === undefined ? undefined : one?.limit;
  const maxRemovals = kept(budget.maxRemovals, holds.removals);
  const maxAdditions = kept(budget.maxAdditions, holds.additions);
  if ((maxRemovals ?? maxAdditions) === undefined) return undefined;
  return { maxRemovals, maxAdditions, windowSeconds: budget.windowSeconds };
}

/**
 * What comes in is bounded by `maxAdditions` of the disruption budget, which says how many clusters come in within a window, and has
 * to wait for the sets of each cluster. What fills up an unchanged numberOfClusters is bounded by that number already: it neither
 * counts nor waits. The first decision of a Placement does not count, and waits for sets, whose owners did not choose it. Of those
 * that count all come in, or none.
 */

/** What becomes of the clusters that would come in. */
export interface Admission {
  /** In the order of `added`. */
  readonly admitted: readonly string[];
  /** Those of `admitted` that count. */
  readonly counted: ReadonlySet<string>;
  /** Those that stay out, in the order of `added`, with what keeps them. */
  readonly heldBack: ReadonlyMap<string, Holders>;
}

/** The places of a decision. */
export interface Places {
  readonly size: number;
  readonly free: number;
  /** Clusters that leave when another one can take their place. */
  readonly yielding: readonly string[];
  readonly timedSets: TimedSets;
}

/**
 * `added`: those that would come in, highest rank first, and `replacing` of them for clusters that yield. `free`: how many of the
 * admitted come in for nobody. Where something keeps some out, the others come in for those that yield first.
 */
export function admit(
  snapshot: PlacementSnapshot,
  added: readonly string[],
  { size, free, yielding, timedSets }: Places,
  replacing: number,
): Admission & { readonly free: number } {
  const admission = admitBeside(snapshot, added, size - replacing, timedSets);
  if (admission.heldBack.size === 0) return { ...admission, free };
  const first = Math.min(added.length, yielding.length);
  const bounded = admitBeside(snapshot, added, size - first, timedSets);
  return { ...bounded, free: Math.max(bounded.admitted.length - first, 0) };
}

/** Which of the clusters to add come in. `staying`: how many clusters stay. */
function admitBeside(
  snapshot: PlacementSnapshot,
  added: readonly string[],
  staying: number,
  sets: TimedSets,
): Admission {
  const { placement, now } = snapshot;
  const isFirst = !hadDecision(placement.status);
  const { maxAdditions, windowSeconds = 0 } = (isFirst ? undefined : budgetInForce(placement)) ?? {};
  const none: Admission = { admitted: added, counted: new Set(), heldBack: new Map() };
  if (added.length === 0 || (maxAdditions === undefined && !sets.isAny)) return none;
  const elective = added.slice(isFirst ? 0 : Math.max(filledTo(snapshot) - staying, 0));
  const bySets = new Map(elective.map((name) => [name, orderedHolders(...sets.holding(name))]));
  const counts = (name: string): boolean =>
    bySets.get(name) === undefined && !isReleased(placement.releasedAdditions, name, now);
  const counted = new Set(maxAdditions === undefined ? [] : elective.filter(counts));
  const isOver = maxAdditions && isExceeded(snapshot, counted.size, staying, { maxAdditions, windowSeconds });
  const heldBack = new Map<string, Holders>();
  for (const name of elective) {
    const by = bySets.get(name) ?? (isOver === true && counted.has(name) ? BUDGET : undefined);
    if (by !== undefined) heldBack.set(name, by);
  }
  const admitted = added.filter((name) => !heldBack.has(name));
  return { admitted, counted: isOver === true ? new Set() : counted, heldBack };
}

const BUDGET: Holders = [{ kind: 'Budget' }];

/** Whether so many additions are more than the budget has left, or have been. */
function isExceeded(
  { placement, stored, now }: PlacementSnapshot,
  count: number,
  staying: number,
  { maxAdditions, windowSeconds }: { readonly maxAdditions: LimitInForce; readonly windowSeconds: number },
): boolean {
  if (count === 0) return false;
  const records = stored.filter(isOwn).map(({ additions }) => additions);
  const used = usedIn(records, windowSeconds, now);
  const fits = count <= leftOf(maxAdditions.limit, Math.max(staying - (used ?? 0), 1), used);
  return !fits || isHoldContinued(placement, 'AdditionsHeld', maxAdditions);
}

/** Up to how many clusters an addition only fills up what was wanted before. */
function filledTo({ placement: { rules, status } }: PlacementSnapshot): number {
  const { wanted } = rules;
  const basis = readBasis(status);
  // A decision of a version that did not remember the number.
  if (basis === undefined) return wanted ?? 0;
  return Math.min(wanted ?? Infinity, basis.wanted ?? 0);
}

/**
 * numberOfClusters to remember with a decision: while clusters are kept out, which `holds` says, what was wanted before, and at
 * least `size`.
 */
export function wantedToRemember(
  { placement: { rules, status } }: PlacementSnapshot,
  { holds, size }: { readonly holds: boolean; readonly size: number },
): number | undefined {
  const basis = readBasis(status);
  if (rules.problem !== undefined) return basis?.wanted;
  const before = basis === undefined && !hadDecision(status) ? 0 : (basis ?? rules).wanted;
  if (!holds || before === undefined) return holds ? undefined : rules.wanted;
  return rules.wanted === undefined ? before : Math.min(Math.max(before, size), rules.wanted);
}
