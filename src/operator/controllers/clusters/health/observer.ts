import type { ManagedCluster } from '../../../../api/generated/managedcluster.js';
import type { ManagedClusterSet } from '../../../../api/generated/managedclusterset.js';
import { AGENTS_NAMESPACE } from '../../../../api/names.js';
import { ManagedClusterSets } from '../../../../api/resources.js';
import { apiVersionOf, Namespaces } from '../../../../runtime/vocabulary/kinds.js';
import { timestamp, type KubeObject } from '../../../../runtime/vocabulary/meta.js';
import { readClusterSelector } from '../../../../domain/clusters/selector.js';
import { scopeEvent, healthWrites, type HealthWrites, type Judgement } from '../../../../domain/health/status.js';
import type { WatchState } from '../../../../domain/health/observation.js';
import { healthView, type HealthView } from '../../../../domain/health/view.js';
import { FleetHealth } from '../../../index/fleethealth.js';
import { MembershipIndex } from '../../../index/membershipindex.js';
import type { Cache } from '../../../../runtime/cache/cache.js';
import type { EventRecorder } from '../../../../runtime/events/recorder.js';
import type { Clock, Timer } from '../../../../runtime/clock.js';
import type { CacheSource } from '../../../../runtime/manager/manager.js';
import type { FleetCounts } from '../../metrics.js';
import type { AgentLease } from './leases.js';

/** The caches of the health controller. Each needs the verbs list and watch. */
export interface HealthCaches {
  readonly clusters: Cache<ManagedCluster>;
  readonly sets: Cache<ManagedClusterSet>;
  readonly leases: Cache<AgentLease>;
}

/** What a cluster is judged to be, and the writes that it needs for that. */
export interface ClusterHealth {
  readonly view: HealthView;
  readonly judgement: Judgement;
  readonly writes: HealthWrites;
}

export interface ObserverOptions {
  readonly caches: HealthCaches;
  readonly clock: Clock;
  /** The hub's wall clock, ms since the epoch. */
  readonly wall: () => number;
  readonly recorder: EventRecorder;
  readonly enqueue: (cluster: string) => void;
}

const EVALUATION_PERIOD_MS = 1_000;

/**
 * Observes Leases and clusters on every replica, leader or not, and evaluates the fleet once a second. A renewal costs a
 * comparison, and a reconcile only when it changes what is written.
 */
export class HealthObserver implements CacheSource {
  /** Whether this replica grants taints and records events. */
  leading = false;
  readonly health: FleetHealth;
  readonly #options: ObserverOptions;
  readonly #membership = new MembershipIndex();
  #timer: Timer | undefined;

  /** Subscribes to the caches: to be created before they start. */
  constructor(options: ObserverOptions) {
    this.#options = options;
    const { leases } = options.caches;
    this.health = new FleetHealth(
      (name) => leases.store.get(`${AGENTS_NAMESPACE}/${name}`)?.observed,
      (name) => this.#membership.setsOf(name),
    );
    this.#subscribe();
  }

  /** The health of a cluster as `cluster` describes it, which may be newer than the cache. */
  healthOf(cluster: ManagedCluster): ClusterHealth {
    const view = healthView(cluster);
    const judgement = this.health.judge(view, this.#watch(), this.#options.wall());
    return { view, judgement, writes: healthWrites(view.stored, judgement, this.now()) };
  }

  /** The hub's time, RFC 3339. */
  now(): string {
    return timestamp(this.#options.wall());
  }

  isOutdated(cluster: ManagedCluster): boolean {
    const { writes } = this.healthOf(cluster);
    return writes.status !== undefined || writes.taints !== undefined;
  }

  /** The clusters that need a write, by the caches. */
  *outdated(): Generator<string, void, undefined> {
    for (const cluster of this.#options.caches.clusters.store.values())
      if (this.isOutdated(cluster)) yield cluster.metadata.name;
  }

  /** For metrics. */
  counts(): FleetCounts {
    const { braked } = this.health;
    const sets = braked.filter((scope) => scope !== 'fleet').length;
    const stale = this.health.observedSince(this.#watch()) === undefined;
    return { ...this.health.counts(), braked: { fleet: braked.length - sets, set: sets }, stale };
  }

  start(): void {
    this.#timer ??= this.#options.clock.after(EVALUATION_PERIOD_MS, () => this.#evaluate());
  }

  whenSynced(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#timer?.cancel();
    return Promise.resolve();
  }

  #evaluate(): void {
    const { clock, enqueue } = this.#options;
    const watch = this.#watch();
    const { changed, silent, recovered } = this.health.evaluate(watch);
    for (const name of changed) enqueue(name);
    if (this.leading) {
      for (const name of this.health.grantTaints(watch)) enqueue(name);
      for (const scope of silent) this.#record(scope, 'silent');
      for (const scope of recovered) this.#record(scope, 'recovered');
    }
    this.#timer = clock.after(EVALUATION_PERIOD_MS, () => this.#evaluate());
  }

  #record(scope: string, change: 'silent' | 'recovered'): void {
    const { type, reason, note } = scopeEvent(scope, change);
    this.#options.recorder.record({ regarding: this.#regarding(scope), type, reason, action: 'Judge', note });
  }

  /** The set; for the fleet the namespace of the agents. */
  #regarding(scope: string): KubeObject {
    const [kind, set = ''] = scope.split(' ');
    if (kind !== 'set')
      return { apiVersion: apiVersionOf(Namespaces), kind: Namespaces.kind, metadata: { name: AGENTS_NAMESPACE } };
    const metadata = this.#options.caches.sets.store.get(set)?.metadata ?? { name: set };
    return { apiVersion: apiVersionOf(ManagedClusterSets), kind: ManagedClusterSets.kind, metadata };
  }

  #watch(): WatchState {
    const { caches, clock } = this.#options;
    const { leases } = caches;
    const current = leases.current() && caches.clusters.current();
    return { now: clock.monotonic(), current, receivedAt: leases.receivedAt() };
  }

  #subscribe(): void {
    const { caches, clock } = this.#options;
    caches.sets.onChange(({ key, after }) => {
      if (after === undefined) this.#membership.removeSet(key);
      else this.#membership.upsertSet(key, readClusterSelector(after.spec));
    });
    caches.clusters.onChange(({ key, after }) => {
      if (after === undefined) {
        this.#membership.removeCluster(key);
        this.health.removeCluster(key);
        return;
      }
      const { labels = {}, deletionTimestamp } = after.metadata;
      this.#membership.upsertCluster({ name: key, labels, deleting: deletionTimestamp !== undefined });
      this.health.upsertCluster(healthView(after), clock.monotonic());
      this.#enqueueOutdated(key);
    });
    caches.leases.onChange(({ before, after }) => {
      const name = (after ?? before)?.metadata.name ?? '';
      if (after !== undefined) this.health.leaseRenewed(name, clock.monotonic());
      else if (before?.observed !== undefined) this.health.leaseDeleted(name, before.observed);
      this.#enqueueOutdated(name);
    });
    for (const cache of [caches.leases, caches.clusters]) cache.onState(() => this.health.observedSince(this.#watch()));
  }

  #enqueueOutdated(name: string): void {
    const cluster = this.#options.caches.clusters.store.get(name);
    if (cluster !== undefined && this.isOutdated(cluster)) this.#options.enqueue(name);
  }
}
