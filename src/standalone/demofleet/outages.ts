/** When clusters of the demo fleet are silent. Times are ms since the whole fleet has joined. */

/** A cluster that is silent again and again. */
export interface Outage {
  /** Number of the cluster, from 0 on. */
  readonly cluster: number;
  /** The first time; then each {@link OUTAGE_PERIOD_MS}. */
  readonly firstMs: number;
}

/** Short, so that what the hub does about a silent cluster is seen within minutes. The shortest that the API permits. */
export const DEMO_LEASE_SECONDS = 10;
/** Nine lease durations: the cluster is unreachable after four, and a toleration of 20 s ends before it is back. */
export const OUTAGE_MS = 90_000;
export const OUTAGE_PERIOD_MS = 180_000;

const FIRST_MS = 60_000;
/** At most every sixth cluster, so that the brake of the hub never holds them, and no more than it taints in a minute. */
const SHARE = 6;
const MOST = 6;

/** The clusters of a fleet of `total`, one or more, that fall silent: spread over the fleet, and one after the other. */
export function outagesOf(total: number): readonly Outage[] {
  const count = Math.min(MOST, Math.max(1, Math.floor(total / SHARE)));
  return Array.from({ length: count }, (_, at) => ({
    cluster: Math.floor(((at + 0.5) * total) / count),
    firstMs: FIRST_MS + (at * OUTAGE_PERIOD_MS) / count,
  }));
}
