/**
 * The brake: when much of the fleet, or of a set, falls silent together, the cause is rather the hub or a network between
 * than the clusters, and a taint on each would move everything at once. Times are ms on the monotonic clock.
 */

/** The joined clusters of a scope, and how many of them are silent or unavailable. */
export interface ScopeCount {
  readonly joined: number;
  readonly silent: number;
}

export interface BrakeInput {
  readonly now: number;
  /** Since when the hub has seen all renewals. */
  readonly sightSince: number;
  readonly fleet: ScopeCount;
  /** Sets with silent clusters; a set that is missing has none. */
  readonly sets: ReadonlyMap<string, ScopeCount>;
}

export interface BrakeState {
  /** Since when the fleet is silent; undefined: it is not. */
  readonly fleetSince: number | undefined;
  /** Since when few enough clusters are silent for a release of the fleet. */
  readonly calmSince: number | undefined;
  /** When the fleet was released last. */
  readonly releasedAt: number | undefined;
  /** The silent sets, each with since when. */
  readonly sets: ReadonlyMap<string, number>;
}

/** Why a cluster is not tainted. `released`: the fleet was silent until a moment ago. */
export type Hold =
  | { readonly scope: 'fleet' }
  | { readonly scope: 'set'; readonly set: string }
  | { readonly scope: 'released' };

export const NO_BRAKE: BrakeState = Object.freeze({
  fleetSince: undefined,
  calmSince: undefined,
  releasedAt: undefined,
  sets: new Map<string, number>(),
});

/** Fewer joined clusters make no scope of a set, and fewer silent ones no silent scope, but for all of the fleet. */
export const SCOPE_LEAST = 3;
/** A scope is no longer silent when at most this share is. */
const CALM_SHARE = 0.4;
/** The default lease duration, by which the release of the fleet is timed: its clusters may have different ones. */
const PERIOD_MS = 60_000;
const RELEASE_AFTER_MS = 3 * PERIOD_MS;
/** A released fleet: the silent clusters get this many of their lease durations more. */
const RELEASED_PERIODS = 2;
const SET_HOLD_MS = 15 * 60_000;

const RATE_WINDOW_MS = 60_000;
const RATE_LEAST = 6;
const RATE_SHARE = 0.01;

/** Whether more than half, and at least 3, of the joined clusters are silent, or all. */
export function isSilentScope({ joined, silent }: ScopeCount): boolean {
  return joined > 0 && (silent === joined || (silent >= SCOPE_LEAST && silent * 2 > joined));
}

/** The state of the brake after a look at the fleet. It is not to be called while the hub is blind. */
export function stepBrake(before: BrakeState, input: BrakeInput): BrakeState {
  return { ...stepFleet(before, input), sets: stepSets(before.sets, input) };
}

function stepFleet(before: BrakeState, { now, sightSince, fleet }: BrakeInput): Omit<BrakeState, 'sets'> {
  const { fleetSince, releasedAt } = before;
  if (isSilentScope(fleet)) return { fleetSince: fleetSince ?? now, calmSince: undefined, releasedAt };
  if (fleetSince === undefined) return { fleetSince, calmSince: undefined, releasedAt };
  if (!isCalm(fleet)) return { fleetSince, calmSince: undefined, releasedAt };
  // What was calm before the hub was blind says nothing of the time since.
  const calmSince = Math.max(before.calmSince ?? now, sightSince);
  if (now - calmSince < RELEASE_AFTER_MS) return { fleetSince, calmSince, releasedAt };
  return { fleetSince: undefined, calmSince: undefined, releasedAt: now };
}

function stepSets(before: ReadonlyMap<string, number>, { now, sets }: BrakeInput): ReadonlyMap<string, number> {
  const after = new Map<string, number>();
  for (const [set, count] of sets) {
    const since = before.get(set);
    const isSet = count.joined >= SCOPE_LEAST;
    if (isSet && isSilentScope(count)) after.set(set, since ?? now);
    else if (isSet && since !== undefined && !isCalm(count)) after.set(set, since);
  }
  return after;
}

function isCalm({ joined, silent }: ScopeCount): boolean {
  return silent <= joined * CALM_SHARE;
}

/** Why a cluster of these sets, with this lease duration, may not be tainted now; undefined: it may, at the rate. */
export function holdOf(
  brake: BrakeState,
  { sets, periodMs }: { readonly sets: readonly string[]; readonly periodMs: number },
  now: number,
): Hold | undefined {
  if (brake.fleetSince !== undefined) return { scope: 'fleet' };
  const set = sets.find((name) => now - (brake.sets.get(name) ?? -Infinity) < SET_HOLD_MS);
  if (set !== undefined) return { scope: 'set', set };
  const { releasedAt } = brake;
  return releasedAt !== undefined && now - releasedAt < RELEASED_PERIODS * periodMs ? { scope: 'released' } : undefined;
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

/** The scopes whose clusters are held now: `fleet`, and `set NAME`, sorted. */
export function heldScopes({ fleetSince, sets }: BrakeState, now: number): readonly string[] {
  const held = [...sets].filter(([, since]) => now - since < SET_HOLD_MS).map(([set]) => `set ${set}`);
  return [...(fleetSince === undefined ? [] : ['fleet']), ...held.sort()];
}

export interface ScopeChanges {
  readonly silent: readonly string[];
  readonly back: readonly string[];
}

/** The scopes that became silent with a step, and those that no longer are, named as by {@link heldScopes}. */
export function scopeChanges(before: BrakeState, after: BrakeState): ScopeChanges {
  const [was, is] = [silentScopes(before), silentScopes(after)];
  return { silent: is.filter((one) => !was.includes(one)), back: was.filter((one) => !is.includes(one)) };
}

function silentScopes({ fleetSince, sets }: BrakeState): readonly string[] {
  return [...(fleetSince === undefined ? [] : ['fleet']), ...[...sets.keys()].sort().map((set) => `set ${set}`)];
}
