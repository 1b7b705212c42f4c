import { PlacementConditions } from '../../../api/placementreasons.js';
import { isOwn } from '../stored/decision.js';
import type { PlacementSnapshot } from './snapshot.js';
import { hadDecision, readBasis, storedHold } from '../stored/basis.js';
import { budgetInForce, type LimitInForce } from './inforce.js';
import { isReleased } from '../spec/release.js';
import { usedIn } from '../stored/record.js';
import { leftOf } from '../spec/budget.js';

/**
 * `maxAdditions` of the disruption budget: how many clusters come in within a window. What fills up an unchanged
 * numberOfClusters is bounded by that number already and does not count, nor does the first decision of a Placement. Of the
 * others all come in, or none.
 */

/** What becomes of the clusters that would come in. */
export interface Admission {
  /** In the order of `added`. */
  readonly admitted: readonly string[];
  /** Those of `admitted` that count. */
  readonly counted: ReadonlySet<string>;
  /** Those that stay out because of the budget, in the order of `added`. */
  readonly heldBack: readonly string[];
}

/** The places of a decision. */
export interface Places {
  readonly size: number;
  readonly free: number;
  /** Clusters that leave when another one can take their place. */
  readonly yielding: readonly string[];
}

/**
 * `added`: those that would come in, highest rank first, and `replacing` of them for clusters that yield. `free`: how many of the
 * admitted come in for nobody. Where the budget keeps some out, the others come in for those that yield first.
 */
export function admit(
  snapshot: PlacementSnapshot,
  added: readonly string[],
  { size, free, yielding }: Places,
  replacing: number,
): Admission & { readonly free: number } {
  const admission = admitBeside(snapshot, added, size - replacing);
  if (admission.heldBack.length === 0) return { ...admission, free };
  const first = Math.min(added.length, yielding.length);
  const bounded = admitBeside(snapshot, added, size - first);
  return { ...bounded, free: Math.max(bounded.admitted.length - first, 0) };
}

/** `staying`: how many clusters stay. */
function admitBeside(snapshot: PlacementSnapshot, added: readonly string[], staying: number): Admission {
  const { placement, now, stored } = snapshot;
  const all: Admission = { admitted: added, counted: new Set(), heldBack: [] };
  const inForce = budgetInForce(placement);
  if (inForce?.maxAdditions === undefined || added.length === 0 || !hadDecision(placement.status)) return all;
  const filling = Math.max(filledTo(snapshot) - staying, 0);
  const limited = added.slice(filling).filter((name) => !isReleased(placement.releasedAdditions, name, now));
  if (limited.length === 0) return all;
  const records = stored.filter(isOwn).map(({ additions }) => additions);
  const used = usedIn(records, inForce.windowSeconds, now);
  const fits = limited.length <= leftOf(inForce.maxAdditions.limit, Math.max(staying - (used ?? 0), 1), used);
  const counted = new Set(limited);
  if (fits && !isHoldContinued(snapshot, inForce.maxAdditions)) return { ...all, counted };
  return { admitted: added.filter((name) => !counted.has(name)), counted: new Set(), heldBack: limited };
}

/** Up to how many clusters an addition only fills up what was wanted before. */
function filledTo({ placement: { rules, status } }: PlacementSnapshot): number {
  const { wanted } = rules;
  const basis = readBasis(status);
  // A decision of a version that did not remember the number.
  if (basis === undefined) return wanted ?? 0;
  return Math.min(wanted ?? Infinity, basis.wanted ?? 0);
}

function isHoldContinued({ placement }: PlacementSnapshot, { isFormer }: LimitInForce): boolean {
  const stored = storedHold(placement, PlacementConditions.AdditionsHeld);
  return stored !== undefined && (stored.isCurrent || isFormer);
}

/** numberOfClusters to remember with a decision: while clusters are held back, what was wanted before. */
export function wantedToRemember(
  { placement: { rules, status } }: PlacementSnapshot,
  holds: boolean,
): number | undefined {
  const basis = readBasis(status);
  if (rules.problem !== undefined) return basis?.wanted;
  if (!holds || basis === undefined) return rules.wanted;
  return basis.wanted === undefined ? undefined : Math.min(basis.wanted, rules.wanted ?? Infinity);
}
