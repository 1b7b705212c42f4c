/**
 * What this process has seen of the agents' Leases. All times are ms on its own monotonic clock: no clock of a cluster,
 * and no time that somebody wrote, decides whether a cluster is silent.
 */

/** Without a list, event or bookmark for this long the hub has not seen the renewals either. */
export const BLIND_AFTER_MS = 90_000;

export interface Sight {
  /** Since when every renewal would have been seen; undefined while the hub is blind. */
  readonly since: number | undefined;
  /** When the sight was last checked. */
  readonly checkedAt: number;
}

/** The state of the watch of the Leases. */
export interface WatchState {
  readonly now: number;
  /** Whether a complete list was read and the last did not fail. */
  readonly current: boolean;
  /** When the last list, event or bookmark arrived; undefined: never. */
  readonly heardAt: number | undefined;
}

/**
 * The sight after a check. Blindness ends with the first check that finds the watch working, and all ages begin there. A
 * process that was suspended has not checked for a while, and was blind too, whatever it received since.
 */
export function checkSight(before: Sight | undefined, { now, current, heardAt }: WatchState): Sight {
  const works = current && heardAt !== undefined && now - heardAt <= BLIND_AFTER_MS;
  if (!works) return { since: undefined, checkedAt: now };
  const missed = before !== undefined && now - before.checkedAt > BLIND_AFTER_MS;
  return { since: missed ? now : (before?.since ?? now), checkedAt: now };
}

/** How long a cluster has been silent, as far as the hub can tell. */
export interface Contact {
  /** Ms since the last renewal that was seen, or since the sight began. */
  readonly ageMs: number;
  /** Whether a renewal was seen since the sight began. */
  readonly renewed: boolean;
  readonly stage: Stage;
}

/** Shorter than 2 lease durations, 2 (silent), 3 (unknown), 4 (lost). */
export type Stage = 'heard' | 'silent' | 'unknown' | 'lost';

/**
 * `renewedAt`: when the resourceVersion of the Lease last changed; undefined: not seen to change. `since`: of the sight.
 * `periodMs`: the lease duration of the cluster.
 */
export function contactOf(renewedAt: number | undefined, since: number, now: number, periodMs: number): Contact {
  const from = renewedAt === undefined ? since : Math.max(since, renewedAt);
  const ageMs = Math.max(0, now - from);
  return { ageMs, renewed: renewedAt !== undefined && renewedAt > since, stage: stageOf(ageMs / periodMs) };
}

function stageOf(periods: number): Stage {
  if (periods < 2) return 'heard';
  if (periods < 3) return 'silent';
  return periods < 4 ? 'unknown' : 'lost';
}
