import { TAINTS } from '../api/names.js';
import {
  holdOf,
  heldScopes,
  NO_BRAKE,
  recentTaints,
  scopeChanges,
  stepBrake,
  taintsAllowed,
} from '../domain/health/brake.js';
import type { BrakeState, Hold, ScopeChanges, ScopeCount } from '../domain/health/brake.js';
import type { ClockState } from '../domain/health/clock.js';
import {
  availabilityOf,
  countsAsJoined,
  countsAsSilent,
  stateOf,
  taintCause,
  taintOf,
  type HealthFacts,
  type HealthTaintKey,
} from '../domain/health/judge.js';
import { checkSight, contactOf, type Sight, type Stage, type WatchState } from '../domain/health/sight.js';
import type { Judgement } from '../domain/health/status.js';
import type { HealthView } from '../domain/health/view.js';
import { timestamp } from '../domain/conditions.js';

/** What is kept of the Lease of a cluster. */
export interface LeaseSighting {
  /** Monotonic ms at which its resourceVersion was first seen. */
  readonly at: number;
  readonly clock: ClockState;
  /** The holder; kept until the cluster has joined. */
  readonly holder?: string;
}

/** What a look at the fleet has found. */
export interface Look extends ScopeChanges {
  /** The clusters whose judgement may have changed. */
  readonly moved: readonly string[];
}

/** One cluster with an agent, or without one yet. */
interface Agent {
  readonly uid: string;
  accepts: boolean;
  periodMs: number;
  joined: boolean;
  /** Monotonic ms since when the hub knows it; undefined: healthy, accepted. */
  unhealthyAt: number | undefined;
  refusedAt: number | undefined;
  tainted: HealthTaintKey | undefined;
  /** At the last look. */
  stage: Stage;
}

const NOTHING: Look = Object.freeze({ moved: [], silent: [], back: [] });

/**
 * The health of the fleet, folded from the changes of ManagedClusters and Leases and from looks in between. All replicas
 * keep one; only the leader asks for taints.
 *
 * Guarantees: nothing is judged while the hub is blind; no taint NoSelect is granted before the hub has seen four lease
 * durations of silence, or two of an unhealthy control plane, without a gap; a look costs the number of clusters, and a
 * renewal nothing.
 */
export class FleetHealth {
  readonly #agents = new Map<string, Agent>();
  readonly #leases: (name: string) => LeaseSighting | undefined;
  readonly #setsOf: (name: string) => readonly string[];
  /** The last sightings of Leases that were deleted: the agent makes its Lease anew, and the age goes on. */
  readonly #deleted = new Map<string, LeaseSighting>();
  #sight: Sight | undefined;
  #brake: BrakeState = NO_BRAKE;
  #held: readonly string[] = [];
  #joined = 0;
  #taintedAt: readonly number[] = [];

  /** `leases`: what is known of the Lease of a cluster. `setsOf`: the sets of a cluster, sorted. */
  constructor(leases: (name: string) => LeaseSighting | undefined, setsOf: (name: string) => readonly string[]) {
    this.#leases = leases;
    this.#setsOf = setsOf;
  }

  /** The scopes that the brake holds: `fleet` or `set NAME`. */
  get held(): readonly string[] {
    return this.#held;
  }

  /** Adds or updates a cluster. */
  upsertCluster(view: HealthView, now: number): void {
    const { name, uid, accepts, periodMs } = view;
    const found = this.#agents.get(name);
    if (found !== undefined && found.uid !== uid) this.removeCluster(name);
    if (accepts === undefined) {
      this.#agents.delete(name);
      return;
    }
    const known = found?.uid === uid ? found : undefined;
    const agent: Agent = known ?? { ...NEW_AGENT, uid };
    agent.accepts = accepts;
    agent.periodMs = periodMs;
    agent.joined ||= view.joined || this.#sighting(name) !== undefined;
    agent.unhealthyAt = view.unhealthy === undefined ? undefined : (agent.unhealthyAt ?? now);
    agent.refusedAt = accepts ? undefined : (agent.refusedAt ?? now);
    this.#agents.set(name, agent);
    if (agent.tainted === undefined && view.tainted !== undefined) {
      agent.tainted = view.tainted;
      // Another process has written it: its taints count for the rate when this one becomes the leader.
      if (this.#settle(name, agent, now)) this.#taintedAt = [...recentTaints(this.#taintedAt, now), now];
      return;
    }
    this.#settle(name, agent, now);
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
    agent.joined ||= this.#sighting(name) !== undefined;
    this.#settle(name, agent, now);
  }

  /** Notes that the Lease of a cluster was deleted. `last`: what was known of it. */
  leaseDeleted(name: string, last: LeaseSighting): void {
    if (this.#agents.has(name)) this.#deleted.set(name, last);
  }

  /** Notes whether the hub sees the renewals. Returns since when, ms; undefined: it does not. */
  check(watch: WatchState): number | undefined {
    this.#sight = checkSight(this.#sight, watch);
    return this.#sight.since;
  }

  /** Looks at all clusters: to be called every second, on every replica. */
  look(watch: WatchState): Look {
    const since = this.check(watch);
    if (since === undefined) return NOTHING;
    const { now } = watch;
    const moved = new Set<string>();
    const silent: string[] = [];
    this.#joined = 0;
    for (const [name, agent] of this.#agents) {
      const facts = this.#settledFacts(name, agent, { since, now });
      if (facts.contact.stage !== agent.stage) moved.add(name);
      agent.stage = facts.contact.stage;
      if (countsAsJoined(facts)) this.#joined += 1;
      if (countsAsSilent(facts)) silent.push(name);
    }
    const fleet = { joined: this.#joined, silent: silent.length };
    const before = this.#brake;
    this.#brake = stepBrake(before, { now, sightSince: since, fleet, sets: this.#countSets(silent) });
    const held = heldScopes(this.#brake, now);
    const isHeldChanged = held.join() !== this.#held.join();
    this.#held = held;
    if (isHeldChanged) for (const name of this.#unknown()) moved.add(name);
    return { moved: [...moved], ...scopeChanges(before, this.#brake) };
  }

  /** Grants taints where they are due and not held, the longest silent first, at most as many as the rate allows. */
  grantTaints(watch: WatchState): readonly string[] {
    const since = this.check(watch);
    if (since === undefined) return [];
    const { now } = watch;
    const due: { name: string; agent: Agent; key: HealthTaintKey; lastedMs: number }[] = [];
    for (const [name, agent] of this.#agents) {
      if (agent.tainted !== undefined || (agent.stage !== 'lost' && agent.unhealthyAt === undefined)) continue;
      const cause = taintCause(this.#facts(name, agent, { since, now }));
      if (cause !== undefined && this.#holdOf(name, agent, now) === undefined) due.push({ name, agent, ...cause });
    }
    due.sort((a, b) => b.lastedMs - a.lastedMs || (a.name < b.name ? -1 : 1));
    const granted = due.slice(0, taintsAllowed(this.#taintedAt, this.#joined, now));
    for (const { agent, key } of granted) agent.tainted = key;
    this.#taintedAt = [...recentTaints(this.#taintedAt, now), ...granted.map(() => now)];
    return granted.map(({ name }) => name);
  }

  /** The judgement of a cluster. `watch.now` is `times.now`. */
  judge(view: HealthView, watch: WatchState, wall: number): Judgement {
    const { name } = view;
    if (view.accepts === undefined) return { kind: 'none' };
    const agent = this.#agents.get(name);
    const since = this.check(watch);
    if (since === undefined || agent === undefined || agent.uid !== view.uid) return { kind: 'unseen' };
    const { now } = watch;
    const facts = this.#facts(name, agent, { since, now });
    const sighting = this.#sighting(name);
    const isHeld = countsAsSilent(facts) && agent.tainted === undefined;
    return {
      kind: 'judged',
      taint: taintOf(facts),
      conditions: {
        name,
        accepts: agent.accepts,
        joined: agent.joined,
        clusterId: view.joined ? undefined : sighting?.holder,
        availability: availabilityOf(facts),
        lastSeen: timestamp(wall - facts.contact.ageMs),
        hold: isHeld ? this.#holdOf(name, agent, now) : undefined,
        agentMessage: view.unhealthy ?? '',
        clock: facts.contact.renewed && agent.accepts ? sighting?.clock : undefined,
      },
    };
  }

  /** The numbers of clusters by state, and of tainted ones by key, at the last look. */
  counts(): { readonly clusters: Record<string, number>; readonly taints: Record<string, number> } {
    const clusters = { available: 0, unavailable: 0, unknown: 0, 'never-joined': 0 };
    const taints = { [TAINTS.unreachable]: 0, [TAINTS.unavailable]: 0 };
    for (const agent of this.#agents.values()) {
      clusters[stateOf(agent)] += 1;
      if (agent.tainted !== undefined) taints[agent.tainted] += 1;
    }
    return { clusters, taints };
  }

  #sighting(name: string): LeaseSighting | undefined {
    return this.#leases(name) ?? this.#deleted.get(name);
  }

  #facts(name: string, agent: Agent, { since, now }: { since: number; now: number }): HealthFacts {
    const { accepts, joined, periodMs, unhealthyAt, refusedAt, tainted } = agent;
    const seenAt = this.#sighting(name)?.at;
    const renewedAt = seenAt === undefined ? undefined : Math.min(seenAt, refusedAt ?? seenAt);
    return {
      accepts,
      joined,
      periodMs,
      contact: contactOf(renewedAt, since, now, periodMs),
      unhealthyMs: unhealthyAt === undefined ? undefined : now - Math.max(unhealthyAt, since),
      tainted,
    };
  }

  /** Drops the taint of a cluster whose renewal has ended it. Whether the cluster is tainted. */
  #settle(name: string, agent: Agent, now: number): boolean {
    const since = this.#sight?.since;
    if (since !== undefined) this.#settledFacts(name, agent, { since, now });
    return agent.tainted !== undefined;
  }

  #settledFacts(name: string, agent: Agent, times: { since: number; now: number }): HealthFacts {
    const facts = this.#facts(name, agent, times);
    if (agent.tainted === undefined) return facts;
    const taint = taintOf(facts);
    agent.tainted = taint?.effect === 'NoSelect' ? taint.key : undefined;
    return { ...facts, tainted: agent.tainted };
  }

  #holdOf(name: string, { periodMs }: Agent, now: number): Hold | undefined {
    return holdOf(this.#brake, { sets: this.#setsOf(name), periodMs }, now);
  }

  /** The clusters whose condition Available is Unknown: their messages name the brake. */
  #unknown(): readonly string[] {
    return [...this.#agents].filter(([, { stage }]) => stage === 'unknown' || stage === 'lost').map(([name]) => name);
  }

  /** The sets of these silent clusters, with the number of their joined ones. */
  #countSets(silent: readonly string[]): ReadonlyMap<string, ScopeCount> {
    const counts = new Map<string, { joined: number; silent: number }>();
    for (const name of silent) {
      for (const set of this.#setsOf(name)) {
        const count = counts.get(set) ?? { joined: 0, silent: 0 };
        count.silent += 1;
        counts.set(set, count);
      }
    }
    if (counts.size === 0) return counts;
    for (const [name, { accepts, joined }] of this.#agents) {
      if (!accepts || !joined) continue;
      for (const set of this.#setsOf(name)) {
        const count = counts.get(set);
        if (count !== undefined) count.joined += 1;
      }
    }
    return counts;
  }
}

const NEW_AGENT: Omit<Agent, 'uid'> = Object.freeze({
  accepts: true,
  periodMs: 0,
  joined: false,
  unhealthyAt: undefined,
  refusedAt: undefined,
  tainted: undefined,
  stage: 'heard',
});
