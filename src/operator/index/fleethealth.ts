import { TAINTS } from '../../api/names.js';
import {
  brakeCause,
  brakedScopes,
  NO_BRAKE,
  recentTaints,
  scopeChanges,
  stepBrake,
  taintsAllowed,
  type BrakeState,
  type BrakeCause,
  type ScopeChanges,
} from '../../domain/health/brake.js';
import {
  checkObservation,
  isLossObserved,
  leaseAge,
  type Observation,
  type WatchState,
} from '../../domain/health/observation.js';
import {
  availabilityOf,
  countsAsJoined,
  countsAsSilent,
  stateOf,
  taintCause,
  taintOf,
  type HealthEvidence,
  type HealthTaintKey,
} from '../../domain/health/judge.js';
import type { Judgement } from '../../domain/health/status.js';
import type { HealthView } from '../../domain/health/view.js';
import { countSets, NEW_AGENT, type Agent, type ObservedLease } from './agents.js';
import { timestamp } from '../../runtime/vocabulary/meta.js';

/** What an evaluation of the fleet has changed. */
export interface Evaluation extends ScopeChanges {
  /** The clusters whose judgement may have changed. */
  readonly changed: readonly string[];
}

const NOTHING: Evaluation = Object.freeze({ changed: [], silent: [], recovered: [] });

/**
 * The health of the fleet, folded from the changes of ManagedClusters and Leases and from a periodic evaluation. All
 * replicas keep one; only the leader grants taints.
 *
 * Guarantees: nothing is judged while the observation of the Leases is stale; no taint NoSelect is granted before four lease
 * durations of silence, or two of an unhealthy control plane, were observed without a gap; an evaluation costs the number
 * of clusters, and a renewal nothing.
 */
export class FleetHealth {
  readonly #agents = new Map<string, Agent>();
  readonly #leases: (name: string) => ObservedLease | undefined;
  readonly #setsOf: (name: string) => readonly string[];
  /** What was last observed of deleted Leases: the agent creates its Lease again, and the age continues. */
  readonly #deleted = new Map<string, ObservedLease>();
  #observation: Observation | undefined;
  #brake: BrakeState = NO_BRAKE;
  #braked: readonly string[] = [];
  #joined = 0;
  #taintedAt: readonly number[] = [];

  /** `leases`: what is known of the Lease of a cluster. `setsOf`: the sets of a cluster, sorted. */
  constructor(leases: (name: string) => ObservedLease | undefined, setsOf: (name: string) => readonly string[]) {
    this.#leases = leases;
    this.#setsOf = setsOf;
  }

  /** The scopes whose clusters the brake keeps from taints: `fleet` or `set NAME`. */
  get braked(): readonly string[] {
    return this.#braked;
  }

  /** Adds or updates a cluster. */
  upsertCluster(view: HealthView, now: number): void {
    const { name, uid, accepts, leaseDurationMs } = view;
    const found = this.#agents.get(name);
    if (found !== undefined && found.uid !== uid) this.removeCluster(name);
    if (accepts === undefined) {
      this.#agents.delete(name);
      return;
    }
    const known = found?.uid === uid ? found : undefined;
    const agent: Agent = known ?? { ...NEW_AGENT, uid };
    agent.accepts = accepts;
    agent.leaseDurationMs = leaseDurationMs;
    agent.joined ||= view.joined || this.#observedLease(name) !== undefined;
    agent.unhealthyAt = view.unhealthy === undefined ? undefined : (agent.unhealthyAt ?? now);
    agent.refusedAt = accepts ? undefined : (agent.refusedAt ?? now);
    this.#agents.set(name, agent);
    if (agent.tainted === undefined && view.tainted !== undefined) {
      agent.tainted = view.tainted;
      // Another process has written it: its taints count for the rate when this one becomes the leader.
      if (this.#updateTaint(name, agent, now)) this.#taintedAt = [...recentTaints(this.#taintedAt, now), now];
      return;
    }
    this.#updateTaint(name, agent, now);
  }

  removeCluster(name: string): void {
    this.#agents.delete(name);
    this.#deleted.delete(name);
  }

  /** Notes that the Lease of a cluster is new or was renewed. */
  leaseRenewed(name: string, now: number): void {
    this.#deleted.delete(name);
    const agent = this.#agents.get(name);
    if (agent === undefined) return;
    agent.joined ||= this.#observedLease(name) !== undefined;
    this.#updateTaint(name, agent, now);
  }

  /** Notes that the Lease of a cluster was deleted. `last`: what was known of it. */
  leaseDeleted(name: string, last: ObservedLease): void {
    if (this.#agents.has(name)) this.#deleted.set(name, last);
  }

  /** Checks the watch, and returns since when all renewals are observed, ms; undefined: the observation is stale. */
  observedSince(watch: WatchState): number | undefined {
    this.#observation = checkObservation(this.#observation, watch);
    return this.#observation.since;
  }

  /** Evaluates all clusters: to be called every second, on every replica. */
  evaluate(watch: WatchState): Evaluation {
    const since = this.observedSince(watch);
    if (since === undefined) return NOTHING;
    const { now } = watch;
    const changed = new Set<string>();
    const silent: string[] = [];
    this.#joined = 0;
    for (const [name, agent] of this.#agents) {
      const evidence = this.#updatedEvidence(name, agent, { since, now });
      if (evidence.lease.phase !== agent.phase) changed.add(name);
      agent.phase = evidence.lease.phase;
      if (countsAsJoined(evidence)) this.#joined += 1;
      if (countsAsSilent(evidence)) silent.push(name);
    }
    const fleet = { joined: this.#joined, silent: silent.length };
    const before = this.#brake;
    this.#brake = stepBrake(before, {
      now,
      observedSince: since,
      fleet,
      sets: countSets(silent, this.#agents, this.#setsOf),
    });
    const braked = brakedScopes(this.#brake, now);
    const isBrakeChanged = braked.join() !== this.#braked.join();
    this.#braked = braked;
    if (isBrakeChanged) for (const name of this.#unknown()) changed.add(name);
    return { changed: [...changed], ...scopeChanges(before, this.#brake) };
  }

  /**
   * Grants taints where they are due and not braked, the longest silent first, at most as many as the rate allows. One of silence
   * takes the place of one of an unhealthy control plane.
   */
  grantTaints(watch: WatchState): readonly string[] {
    const since = this.observedSince(watch);
    if (since === undefined) return [];
    const { now } = watch;
    const due: { name: string; agent: Agent; key: HealthTaintKey; lastedMs: number }[] = [];
    for (const [name, agent] of this.#agents) {
      if (agent.tainted === TAINTS.unreachable) continue;
      if (agent.phase !== 'lost' && (agent.tainted !== undefined || agent.unhealthyAt === undefined)) continue;
      const evidence = this.#evidence(name, agent, { since, now });
      const { lease, leaseDurationMs } = evidence;
      if (lease.phase === 'lost' && !isLossObserved(lease, leaseDurationMs, watch)) continue;
      const cause = taintCause(evidence);
      if (cause !== undefined && this.#brakeCause(name, agent, now) === undefined) due.push({ name, agent, ...cause });
    }
    due.sort((a, b) => b.lastedMs - a.lastedMs);
    const granted = due.slice(0, taintsAllowed(this.#taintedAt, this.#joined, now));
    for (const { agent, key } of granted) agent.tainted = key;
    this.#taintedAt = [...recentTaints(this.#taintedAt, now), ...granted.map(() => now)];
    return granted.map(({ name }) => name);
  }

  /** The judgement of a cluster. `wall`: the hub's wall clock, ms since the epoch, at `watch.now`. */
  judge(view: HealthView, watch: WatchState, wall: number): Judgement {
    const { name } = view;
    if (view.accepts === undefined) return { kind: 'none' };
    const agent = this.#agents.get(name);
    const since = this.observedSince(watch);
    if (since === undefined || agent === undefined || agent.uid !== view.uid) return { kind: 'unobserved' };
    const { now } = watch;
    const evidence = this.#evidence(name, agent, { since, now });
    const observed = this.#observedLease(name);
    const isBraked = countsAsSilent(evidence) && agent.tainted === undefined;
    return {
      kind: 'judged',
      taint: taintOf(evidence),
      conditions: {
        name,
        accepts: agent.accepts,
        joined: agent.joined,
        clusterId: view.joined ? undefined : observed?.holder,
        availability: availabilityOf(evidence),
        longerLease:
          evidence.leaseDurationMs > agent.leaseDurationMs
            ? { leaseMs: evidence.leaseDurationMs, specMs: agent.leaseDurationMs }
            : undefined,
        lastRenewal: timestamp(wall - evidence.lease.ageMs),
        brake: isBraked ? this.#brakeCause(name, agent, now) : undefined,
        agentMessage: view.unhealthy ?? '',
        clock: evidence.lease.renewed && agent.accepts ? observed?.clock : undefined,
      },
    };
  }

  /** The numbers of clusters by state, and of tainted ones by key, at the last evaluation. */
  counts(): { readonly clusters: Record<string, number>; readonly taints: Record<string, number> } {
    const clusters = { available: 0, unavailable: 0, unknown: 0, 'never-joined': 0 };
    const taints = { [TAINTS.unreachable]: 0, [TAINTS.unavailable]: 0 };
    for (const agent of this.#agents.values()) {
      clusters[stateOf(agent)] += 1;
      if (agent.tainted !== undefined) taints[agent.tainted] += 1;
    }
    return { clusters, taints };
  }

  #observedLease(name: string): ObservedLease | undefined {
    return this.#leases(name) ?? this.#deleted.get(name);
  }

  #evidence(name: string, agent: Agent, { since, now }: { since: number; now: number }): HealthEvidence {
    const { accepts, joined, unhealthyAt, refusedAt, tainted } = agent;
    const observed = this.#observedLease(name);
    // Renewals of a refused cluster do not count.
    const renewedAt = observed === undefined ? undefined : Math.min(observed.at, refusedAt ?? observed.at);
    const leaseDurationMs = Math.max(agent.leaseDurationMs, observed?.durationMs ?? 0);
    return {
      accepts,
      joined,
      leaseDurationMs,
      lease: leaseAge(renewedAt, since, now, leaseDurationMs),
      unhealthyMs: unhealthyAt === undefined ? undefined : now - Math.max(unhealthyAt, since),
      tainted,
    };
  }

  /** Forgets the taint of a cluster that has renewed since. Returns whether the cluster is tainted. */
  #updateTaint(name: string, agent: Agent, now: number): boolean {
    const since = this.#observation?.since;
    if (since !== undefined) this.#updatedEvidence(name, agent, { since, now });
    return agent.tainted !== undefined;
  }

  #updatedEvidence(name: string, agent: Agent, times: { since: number; now: number }): HealthEvidence {
    const evidence = this.#evidence(name, agent, times);
    if (agent.tainted === undefined) return evidence;
    const taint = taintOf(evidence);
    agent.tainted = taint?.effect === 'NoSelect' ? taint.key : undefined;
    return { ...evidence, tainted: agent.tainted };
  }

  #brakeCause(name: string, { leaseDurationMs }: Agent, now: number): BrakeCause | undefined {
    return brakeCause(this.#brake, { sets: this.#setsOf(name), leaseDurationMs }, now);
  }

  /** The clusters whose condition Available is Unknown: their messages name the brake. */
  #unknown(): readonly string[] {
    return [...this.#agents].filter(([, { phase }]) => phase === 'unknown' || phase === 'lost').map(([name]) => name);
  }
}
