import { isHealthTaint, isNeverJoined } from '../../health/taints.js';
import { type Taint, toleranceOf, toleratedForEverBy, type Tolerance, type Toleration } from '../spec/taint.js';

/**
 * What the taints of a cluster mean for one Placement. A cluster that is not selected yet comes in only where each taint that
 * keeps clusters out is tolerated for ever: a toleration for a time keeps a selected cluster, it never lets one in.
 */

/** A taint that a Placement does not tolerate for ever; `tolerance`: for how long it does; undefined: not at all. */
export interface LimitedTaint {
  readonly taint: Taint;
  readonly tolerance: Tolerance | undefined;
}

/** A taint that does not make a selected cluster leave, now or later. */
export interface OtherTaint {
  readonly taint: Taint;
  /** The index in `spec.tolerations` of the item that tolerates it for ever; undefined: its effect makes no cluster leave. */
  readonly toleration: number | undefined;
}

/** What becomes of a selected cluster. `until`: when this is to be looked at again, ms since the epoch; undefined for never. */
export type Standing =
  | { readonly kind: 'stays'; readonly until: number | undefined }
  /** It leaves when another cluster can take its place. */
  | { readonly kind: 'yields'; readonly until: number | undefined; readonly taint: Taint }
  /** `isByHub`: every taint that makes it leave is one that the hub adds itself. */
  | { readonly kind: 'leaves'; readonly isByHub: boolean; readonly until?: undefined };

/** More than taints can prefer others: `spec.taints` has at most 64. */
const UNHEALTHY_PENALTY = 65;
const STAYS: Standing = { kind: 'stays', until: undefined };

/**
 * The taints that keep the cluster out while it is not selected. No toleration lets in a cluster that has never joined: to
 * tolerate a taint of health means that work may stay, and none has come there.
 */
export function taintsAgainstNew(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): readonly LimitedTaint[] {
  return taints
    .filter(({ effect }) => effect !== 'PreferNoSelect')
    .flatMap((taint) => limitedBy(taint, isNeverJoined(taint) ? undefined : toleranceOf(taint, tolerations)));
}

/** The taints that make the cluster leave where it is selected, now or later. */
export function taintsAgainstSelected(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): readonly LimitedTaint[] {
  return limited(taints, tolerations).filter(({ taint }) => taint.effect === 'NoSelect');
}

/**
 * The taints that do not make a selected cluster leave: those that are tolerated for ever and, where the decision names the
 * cluster, those with NoSelectIfNew. NoSelect comes first. PreferNoSelect is left out: it only changes the order.
 */
export function taintsOfSelected(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  inDecision: boolean,
): readonly OtherTaint[] {
  const others = taints.flatMap((taint): OtherTaint[] => {
    if (taint.effect === 'PreferNoSelect') return [];
    if (taint.effect === 'NoSelectIfNew' && inDecision) return [{ taint, toleration: undefined }];
    const toleration = toleratedForEverBy(taint, tolerations);
    return toleration === undefined ? [] : [{ taint, toleration }];
  });
  const order = ({ taint }: OtherTaint): number => (taint.effect === 'NoSelect' ? 0 : 1);
  return others.sort((a, b) => order(a) - order(b));
}

/**
 * How far behind others that are not selected the taints put the cluster: by the number of its taints that prefer others and
 * are not tolerated; a cluster that the hub found unhealthy comes after all healthy ones, even where that is tolerated.
 */
export function preferenceAgainst(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  const preferring = limited(taints, tolerations).filter(({ taint }) => taint.effect === 'PreferNoSelect').length;
  return isUnhealthy(taints) ? UNHEALTHY_PENALTY + preferring : preferring;
}

/** Whether the hub has found the cluster silent or unavailable, or has never heard of it. */
export function isUnhealthy(taints: readonly Taint[]): boolean {
  return taints.some((taint) => isHealthTaint(taint) && taint.effect !== 'PreferNoSelect');
}

/** Whether the Placement tolerates each taint for ever. */
export function toleratesAll(taints: readonly Taint[], tolerations: readonly Toleration[]): boolean {
  return limited(taints, tolerations).length === 0;
}

function limited(taints: readonly Taint[], tolerations: readonly Toleration[]): readonly LimitedTaint[] {
  return taints.flatMap((taint) => limitedBy(taint, toleranceOf(taint, tolerations)));
}

function limitedBy(taint: Taint, tolerance: ReturnType<typeof toleranceOf>): readonly LimitedTaint[] {
  return tolerance === 'forever' ? [] : [{ taint, tolerance }];
}

/** What becomes of a selected cluster with these taints at `now`, ms since the epoch. */
export function standingOf(taints: readonly Taint[], tolerations: readonly Toleration[], now: number): Standing {
  if (taints.length === 0) return STAYS;
  let until: number | undefined;
  let yielding: Taint | undefined;
  const against: Taint[] = [];
  for (const one of taintsAgainstSelected(taints, tolerations)) {
    const end = endOf(one, now);
    if (end !== undefined && now < end) until = one.taint.since === undefined ? until : Math.min(until ?? end, end);
    // The spec does not name this taint: after the implied 300 s another cluster must be able to take its place.
    else if (one.tolerance?.isImplied === true) yielding ??= one.taint;
    else against.push(one.taint);
  }
  if (against.length > 0) return { kind: 'leaves', isByHub: against.every(isHealthTaint) };
  return yielding === undefined ? { kind: 'stays', until } : { kind: 'yields', until, taint: yielding };
}

/**
 * When the taint is tolerated no more, ms since the epoch. One without a time counts as added now: it has no end that could be
 * waited for, and the time that is stored later is a change of the cluster. Undefined where it is not tolerated at all.
 */
function endOf({ taint, tolerance }: LimitedTaint, now: number): number | undefined {
  return tolerance && (taint.since ?? now) + tolerance.seconds * 1_000;
}

/** {@link endOf} as far as it is known from stored values. */
export function knownEnd({ taint, tolerance }: LimitedTaint): number | undefined {
  if (taint.since === undefined || tolerance === undefined) return undefined;
  return taint.since + tolerance.seconds * 1_000;
}
