/**
 * What this process has observed of the agents' Leases. All times are ms on its own monotonic clock: no clock of a cluster,
 * and no time that somebody wrote, decides whether a cluster is silent.
 */

/** Without a list, event or bookmark for this long the observation is stale: renewals may have been missed. */
const STALE_AFTER_MS = 90_000;

export interface Observation {
  /** Since when every renewal would have been observed; undefined while the observation is stale. */
  readonly since: number | undefined;
  /** When it was last checked. */
  readonly checkedAt: number;
}

export interface WatchState {
  readonly now: number;
  /** Whether a complete list was read and the last did not fail. */
  readonly current: boolean;
  /** When the last list, event or bookmark arrived; undefined: never. */
  readonly receivedAt: number | undefined;
}

/**
 * The observation after a check. It begins with the first check that finds the watch working, and all ages begin there. It
 * restarts in a process that was suspended: that one has not checked for a while, and what the watch delivers
 * afterwards does not show what it has missed.
 */
export function checkObservation(
  before: Observation | undefined,
  { now, current, receivedAt }: WatchState,
): Observation {
  const works = current && receivedAt !== undefined && now - receivedAt <= STALE_AFTER_MS;
  if (!works) return { since: undefined, checkedAt: now };
  const suspended = before !== undefined && now - before.checkedAt > STALE_AFTER_MS;
  return { since: suspended ? now : (before?.since ?? now), checkedAt: now };
}

/** The age of the Lease of one cluster, as far as this process can tell. */
export interface LeaseAge {
  /** Ms since the last observed renewal, or since the observation began. */
  readonly ageMs: number;
  /** Whether a renewal was observed since the observation began. */
  readonly renewed: boolean;
  readonly phase: LeasePhase;
}

/** By the age in lease durations: below 2 current, from 2 silent, from 3 unknown, from 4 lost. */
export type LeasePhase = 'current' | 'silent' | 'unknown' | 'lost';

/**
 * The age of a Lease. `renewedAt`: when its resourceVersion last changed; undefined: no change was observed. `since`: the
 * begin of the observation. `leaseDurationMs`: of the cluster.
 */
export function leaseAge(renewedAt: number | undefined, since: number, now: number, leaseDurationMs: number): LeaseAge {
  const from = renewedAt === undefined ? since : Math.max(since, renewedAt);
  const ageMs = Math.max(0, now - from);
  return { ageMs, renewed: renewedAt !== undefined && renewedAt > since, phase: phaseOf(ageMs / leaseDurationMs) };
}

const LOST_LEASE_DURATIONS = 4;

function phaseOf(leaseDurations: number): LeasePhase {
  if (leaseDurations < 2) return 'current';
  if (leaseDurations < 3) return 'silent';
  return leaseDurations < LOST_LEASE_DURATIONS ? 'unknown' : 'lost';
}

/**
 * Whether the watch has delivered something since the Lease became lost. One that is silent itself may have missed renewals, and
 * a short lease duration is over before that makes the observation stale.
 */
export function isLossObserved({ ageMs }: LeaseAge, leaseDurationMs: number, { now, receivedAt }: WatchState): boolean {
  const lostAt = now - ageMs + LOST_LEASE_DURATIONS * leaseDurationMs;
  return receivedAt !== undefined && receivedAt >= lostAt;
}

/** Whether the times that an agent writes agree with the clock of the hub. */
export type ClockState = 'synced' | 'off';

const TOLERATED_MS = 60_000;
/** A clock that was off counts as synced again only below this, so that one at the limit does not flap. */
const SYNCED_AGAIN_MS = 50_000;

/** The state of a clock that is `offMs` ahead of the hub's, or behind it when negative. `before`: its last state. */
export function clockState(offMs: number, before: ClockState | undefined): ClockState {
  const limit = before === 'off' ? SYNCED_AGAIN_MS : TOLERATED_MS;
  return Math.abs(offMs) <= limit ? 'synced' : 'off';
}
