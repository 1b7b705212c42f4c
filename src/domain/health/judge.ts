import { TAINTS } from '../../api/names.js';
import type { LeaseAge, LeasePhase } from './observation.js';

/** What follows from the age of the Lease of one cluster that has an agent, or should have one. */

export interface HealthEvidence {
  /** spec.hubAcceptsClient. */
  readonly accepts: boolean;
  /** An agent has renewed the Lease of the cluster at some time. */
  readonly joined: boolean;
  /** The lease duration in the spec of the cluster. */
  readonly leaseDurationMs: number;
  readonly lease: LeaseAge;
  /** For how long the hub has known that the control plane of the cluster is not healthy, ms; undefined: it is, or says nothing. */
  readonly unhealthyMs: number | undefined;
  /** The key of the taint NoSelect that the cluster was given and that no renewal has ended since. */
  readonly tainted: HealthTaintKey | undefined;
}

export type HealthTaintKey = typeof TAINTS.unreachable | typeof TAINTS.unavailable;

/** A taint as the hub gives it to a cluster. */
export interface HealthTaint {
  readonly key: HealthTaintKey;
  readonly effect: 'NoSelect' | 'NoSelectIfNew';
}

export type Availability = 'available' | 'unavailable' | 'unknown';

/** An unhealthy control plane is a reason for a taint after this many lease durations. */
const UNHEALTHY_LEASE_DURATIONS = 2;

/**
 * The status of the condition Available; undefined: keep the stored one, since too little has been observed, or none, since
 * the cluster has not joined.
 */
export function availabilityOf({ joined, lease, unhealthyMs }: HealthEvidence): Availability | undefined {
  if (!joined) return undefined;
  if (lease.phase === 'unknown' || lease.phase === 'lost') return 'unknown';
  if (!lease.renewed) return undefined;
  return unhealthyMs === undefined ? 'available' : 'unavailable';
}

/** Whether the brake counts the cluster among its joined ones. One that is refused is silent by decision. */
export function countsAsJoined({ accepts, joined }: HealthEvidence): boolean {
  return accepts && joined;
}

/** Whether the brake counts the cluster as silent. */
export function countsAsSilent(evidence: HealthEvidence): boolean {
  return countsAsJoined(evidence) && (evidence.lease.phase !== 'current' || evidence.unhealthyMs !== undefined);
}

/** The cause for a taint NoSelect, and for how long it has lasted, ms; undefined: none. The brake may still keep it back. */
export function taintCause(
  evidence: HealthEvidence,
): { readonly key: HealthTaintKey; readonly lastedMs: number } | undefined {
  const { joined, lease, unhealthyMs, leaseDurationMs } = evidence;
  if (!joined) return undefined;
  if (lease.phase === 'lost') return { key: TAINTS.unreachable, lastedMs: lease.ageMs };
  if (unhealthyMs === undefined || unhealthyMs < UNHEALTHY_LEASE_DURATIONS * leaseDurationMs) return undefined;
  return { key: TAINTS.unavailable, lastedMs: unhealthyMs };
}

/**
 * The taint that the cluster has to have: at most one. A cluster that was given a taint has it until it is given another one, or a
 * renewal is observed; then, if its control plane is not healthy, the other one at once.
 */
export function taintOf(evidence: HealthEvidence): HealthTaint | undefined {
  const { joined, lease, unhealthyMs, tainted } = evidence;
  if (!joined) return { key: TAINTS.unreachable, effect: 'NoSelectIfNew' };
  if (tainted === undefined) return undefined;
  if (lease.phase === 'lost' || !lease.renewed) return { key: tainted, effect: 'NoSelect' };
  return unhealthyMs === undefined ? undefined : { key: TAINTS.unavailable, effect: 'NoSelect' };
}

/** The state of a cluster in one word, by the last evaluation; for metrics. */
export function stateOf(agent: {
  readonly joined: boolean;
  readonly phase: LeasePhase;
  readonly unhealthyAt: number | undefined;
  readonly tainted: HealthTaintKey | undefined;
}): 'available' | 'unavailable' | 'unknown' | 'never-joined' {
  const { joined, phase, unhealthyAt, tainted } = agent;
  if (!joined) return 'never-joined';
  if (phase === 'unknown' || phase === 'lost' || tainted === TAINTS.unreachable) return 'unknown';
  return unhealthyAt === undefined ? 'available' : 'unavailable';
}
