/**
 * The brake: when most clusters of the fleet, or of a set, become silent together, the cause is more likely the hub or the
 * network between than the clusters, and a taint on each would move everything at once. Times are ms on the monotonic
 * clock.
 */

/** The joined clusters of a scope, and how many of them are silent or unavailable. */
export interface ScopeCount {
  readonly joined: number;
  readonly silent: number;
}

interface BrakeInput {
  readonly now: number;
  /** Since when the hub has observed all renewals. */
  readonly observedSince: number;
  readonly fleet: ScopeCount;
  /** Sets with silent clusters; a set that is missing has none. */
  readonly sets: ReadonlyMap<string, ScopeCount>;
}

export interface BrakeState {
  /** Since when the fleet is silent; undefined: it is not. */
  readonly fleetSince: number | undefined;
  /** Since when few enough clusters are silent for the end of the brake of the fleet; undefined: too many are. */
  readonly recoveredSince: number | undefined;
  /** When the brake of the fleet ended last. */
  readonly endedAt: number | undefined;
  /** The silent sets, each with since when. */
  readonly sets: ReadonlyMap<string, number>;
}

/** Why a cluster is not tainted. `recovered`: the fleet was silent until a moment ago. */
export type BrakeCause =
  | { readonly scope: 'fleet' }
  | { readonly scope: 'set'; readonly set: string }
  | { readonly scope: 'recovered' };

export const NO_BRAKE: BrakeState = Object.freeze({
  fleetSince: undefined,
  recoveredSince: undefined,
  endedAt: undefined,
  sets: new Map<string, number>(),
});

/** A set with fewer joined clusters is no scope; a scope with fewer silent ones is silent only when all of it is. */
export const SCOPE_LEAST = 3;
/** A scope is no longer silent when at most this share is. */
const RECOVERED_SHARE = 0.4;
/** Three default lease durations: the clusters of a fleet may have different ones. */
const RECOVERED_AFTER_MS = 3 * 60_000;
/** After the end of the brake of the fleet no cluster is tainted for this many of its lease durations. */
const CALM_LEASE_DURATIONS = 2;
const SET_BRAKE_MS = 15 * 60_000;

const RATE_WINDOW_MS = 60_000;
const RATE_LEAST = 6;
const RATE_SHARE = 0.01;

/** Whether more than half, and at least 3, of the joined clusters are silent, or all. */
export function isSilentScope({ joined, silent }: ScopeCount): boolean {
  return joined > 0 && (silent === joined || (silent >= SCOPE_LEAST && silent * 2 > joined));
}

/** The state of the brake after an evaluation of the fleet. It is not to be called while the observation is stale. */
export function stepBrake(before: BrakeState, input: BrakeInput): BrakeState {
  return { ...stepFleet(before, input), sets: stepSets(before.sets, input) };
}

function stepFleet(before: BrakeState, { now, observedSince, fleet }: BrakeInput): Omit<BrakeState, 'sets'> {
  const { fleetSince, endedAt } = before;
  if (isSilentScope(fleet)) return { fleetSince: fleetSince ?? now, recoveredSince: undefined, endedAt };
  if (fleetSince === undefined) return { fleetSince, recoveredSince: undefined, endedAt };
  if (!isRecovered(fleet)) return { fleetSince, recoveredSince: undefined, endedAt };
  // Few silent clusters before a gap of the observation prove nothing about the gap.
  const recoveredSince = Math.max(before.recoveredSince ?? now, observedSince);
  if (now - recoveredSince < RECOVERED_AFTER_MS) return { fleetSince, recoveredSince, endedAt };
  return { fleetSince: undefined, recoveredSince: undefined, endedAt: now };
}

function stepSets(before: ReadonlyMap<string, number>, { now, sets }: BrakeInput): ReadonlyMap<string, number> {
  const after = new Map<string, number>();
  for (const [set, count] of sets) {
    const since = before.get(set);
    const isSet = count.joined >= SCOPE_LEAST;
    if (isSet && isSilentScope(count)) after.set(set, since ?? now);
    else if (isSet && since !== undefined && !isRecovered(count)) after.set(set, since);
  }
  return after;
}

function isRecovered({ joined, silent }: ScopeCount): boolean {
  return silent <= joined * RECOVERED_SHARE;
}

/** Why a cluster of these sets, with this lease duration, may not be tainted now; undefined: it may, at the rate. */
export function brakeCause(
  brake: BrakeState,
  { sets, leaseDurationMs }: { readonly sets: readonly string[]; readonly leaseDurationMs: number },
  now: number,
): BrakeCause | undefined {
  if (brake.fleetSince !== undefined) return { scope: 'fleet' };
  const set = sets.find((name) => now - (brake.sets.get(name) ?? -Infinity) < SET_BRAKE_MS);
  if (set !== undefined) return { scope: 'set', set };
  const { endedAt } = brake;
  return endedAt !== undefined && now - endedAt < CALM_LEASE_DURATIONS * leaseDurationMs
    ? { scope: 'recovered' }
    : undefined;
}

/** How many clusters may be tainted now. `taintedAt`: when the last ones were. */
export function taintsAllowed(taintedAt: readonly number[], joined: number, now: number): number {
  const limit = Math.max(RATE_LEAST, Math.floor(joined * RATE_SHARE));
  return Math.max(0, limit - recentTaints(taintedAt, now).length);
}

/** Those of the times that still count for {@link taintsAllowed}. */
export function recentTaints(taintedAt: readonly number[], now: number): readonly number[] {
  return taintedAt.filter((at) => now - at < RATE_WINDOW_MS);
}

/** The scopes whose clusters are not tainted now: `fleet`, and `set NAME`, sorted. */
export function brakedScopes({ fleetSince, sets }: BrakeState, now: number): readonly string[] {
  const braked = [...sets].filter(([, since]) => now - since < SET_BRAKE_MS).map(([set]) => `set ${set}`);
  return [...(fleetSince === undefined ? [] : ['fleet']), ...braked.sort()];
}

export interface ScopeChanges {
  readonly silent: readonly string[];
  readonly recovered: readonly string[];
}

/** The scopes that became silent with a step, and those that no longer are, named as by {@link brakedScopes}. */
export function scopeChanges(before: BrakeState, after: BrakeState): ScopeChanges {
  const [was, is] = [silentScopes(before), silentScopes(after)];
  return { silent: is.filter((one) => !was.includes(one)), recovered: was.filter((one) => !is.includes(one)) };
}

function silentScopes({ fleetSince, sets }: BrakeState): readonly string[] {
  return [...(fleetSince === undefined ? [] : ['fleet']), ...[...sets.keys()].sort().map((set) => `set ${set}`)];
}
