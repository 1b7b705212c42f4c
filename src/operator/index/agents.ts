import type { ScopeCount } from '../../domain/health/brake.js';
import type { ClockState, LeasePhase } from '../../domain/health/observation.js';
import type { HealthTaintKey } from '../../domain/health/judge.js';

/** What is kept of the Lease of a cluster (client-go's observedRecord and observedTime). */
export interface ObservedLease {
  /** Monotonic ms at which its resourceVersion was first observed. */
  readonly at: number;
  readonly clock: ClockState;
  /** By which the agent renews, as it has written, ms; 0: it has not. The hub's own counts only where it is longer. */
  readonly durationMs: number;
  /** The holder; kept until the cluster has joined. */
  readonly holder?: string;
}

/** One cluster with an agent, or without one yet. */
export interface Agent {
  readonly uid: string;
  accepts: boolean;
  leaseDurationMs: number;
  joined: boolean;
  /** Monotonic ms since when the hub knows it; undefined: healthy, accepted. */
  unhealthyAt: number | undefined;
  refusedAt: number | undefined;
  tainted: HealthTaintKey | undefined;
  /** At the last evaluation. */
  phase: LeasePhase;
}

export const NEW_AGENT: Omit<Agent, 'uid'> = Object.freeze({
  accepts: true,
  leaseDurationMs: 0,
  joined: false,
  unhealthyAt: undefined,
  refusedAt: undefined,
  tainted: undefined,
  phase: 'current',
});

/** The sets of these silent clusters, with the number of their joined ones. */
export function countSets(
  silent: readonly string[],
  agents: ReadonlyMap<string, Agent>,
  setsOf: (name: string) => readonly string[],
): ReadonlyMap<string, ScopeCount> {
  const counts = new Map<string, { joined: number; silent: number }>();
  for (const name of silent) {
    for (const set of setsOf(name)) {
      const count = counts.get(set) ?? { joined: 0, silent: 0 };
      count.silent += 1;
      counts.set(set, count);
    }
  }
  if (counts.size === 0) return counts;
  for (const [name, { accepts, joined }] of agents) {
    if (!accepts || !joined) continue;
    for (const set of setsOf(name)) {
      const count = counts.get(set);
      if (count !== undefined) count.joined += 1;
    }
  }
  return counts;
}
