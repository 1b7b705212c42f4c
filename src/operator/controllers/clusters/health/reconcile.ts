import type { ManagedCluster } from '../../../../api/generated/managedcluster.js';
import { HEALTH_FIELD_MANAGER } from '../../../../api/names.js';
import { ManagedClusters } from '../../../../api/resources.js';
import { apiVersionOf } from '../../../../runtime/vocabulary/kinds.js';
import { refusedConditions } from '../../../../domain/health/conditions.js';
import { clusterEvents, type HealthStatus, type HealthWrites } from '../../../../domain/health/status.js';
import type { Change } from '../../../../runtime/cache/store.js';
import type { KubeClient } from '../../../../runtime/client/client.js';
import type { EventRecorder } from '../../../../runtime/events/recorder.js';
import type { Clock } from '../../../../runtime/clock.js';
import { isFailure, type ApiError } from '../../../../runtime/errors.js';
import { MutationCache } from '../../../../runtime/controller/mutationcache.js';
import { DONE, type Pass, type Reconciler, type Result } from '../../../../runtime/controller/result.js';
import { type ClusterHealth, HealthObserver, type HealthCaches } from './observer.js';
import type { Controller } from '../../../../runtime/controller/controller.js';
import type { ClusterControllerOptions } from '../controller.js';
import { newController } from '../../controller.js';

const identityOf = ({ metadata: { name, uid = '' } }: ManagedCluster) => ({ metadata: { name, uid } });

/** The options of a write to the cluster as it was read or last written. */
const optionsFor = ({ metadata: { resourceVersion } }: ManagedCluster, signal: AbortSignal) => ({
  fieldManager: HEALTH_FIELD_MANAGER,
  force: true,
  resourceVersion,
  signal,
});

/** Ms between two writes of the status Unknown: a whole fleet can become silent at once. */
const UNKNOWN_INTERVAL_MS = 50;
/** Until the cache has caught up. */
const BEHIND_RETRY_MS = 1_000;

/** What all passes share. */
interface HealthContext {
  readonly client: KubeClient;
  readonly clusters: { readonly get: (name: string) => ManagedCluster | undefined };
  readonly observer: HealthObserver;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  /** Own writes that the cache may not show yet. */
  readonly mutations: MutationCache<ManagedCluster>;
  readonly slots: UnknownSlots;
}

/** What one pass over one cluster works with. */
interface Scope extends HealthContext {
  readonly name: string;
  readonly pass: Pass;
}

interface Gathered {
  readonly cluster: ManagedCluster;
  readonly health: ClusterHealth;
}

type Decision =
  | { readonly kind: 'none' }
  /** Another cluster has become Unknown a moment ago. */
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'write'; readonly writes: HealthWrites };

/** How the writes ended. `behind`: somebody has changed or deleted the cluster since it was read. */
type Written = 'nothing' | 'stored' | 'behind';

/**
 * Writes the conditions, the taint and the times of taints of one ManagedCluster, by server-side apply: all other fields
 * are those of people and of agents. The taint comes first: it carries its time itself.
 */
export class HealthReconciler implements Reconciler {
  readonly #context: HealthContext;

  constructor(options: Omit<HealthContext, 'mutations' | 'slots'>) {
    const { clock } = options;
    this.#context = { ...options, mutations: new MutationCache(clock), slots: new UnknownSlots(clock) };
  }

  /** To be called with each change of the cache of clusters. */
  observe(change: Change<ManagedCluster>): void {
    this.#context.mutations.observe(change);
  }

  /** Drops what is known of earlier writes: another process may have written since. */
  clear(): void {
    this.#context.mutations.clear();
    this.#context.slots.clear();
  }

  async reconcile(name: string, pass: Pass): Promise<Result> {
    const scope: Scope = { ...this.#context, name, pass };
    const gathered = gather(scope);
    const decision = decide(gathered, scope);
    const written = await apply(gathered, decision, scope);
    return report(decision, written);
  }
}

/** Reads the cluster and its health; undefined for a cluster that is gone. */
function gather({ clusters, mutations, observer, name }: Scope): Gathered | undefined {
  const cluster = mutations.newest(name, clusters.get(name));
  return cluster && { cluster, health: observer.healthOf(cluster) };
}

function decide(gathered: Gathered | undefined, { slots, name }: Scope): Decision {
  const writes = gathered?.health.writes;
  if (gathered === undefined || (writes?.status === undefined && writes?.taints === undefined)) {
    slots.leave(name);
    return { kind: 'none' };
  }
  const forMs = slots.untilSlot(name, gathered.health);
  return forMs > 0 ? { kind: 'wait', forMs } : { kind: 'write', writes: gathered.health.writes };
}

async function apply(gathered: Gathered | undefined, decision: Decision, scope: Scope): Promise<Written> {
  if (gathered === undefined || decision.kind !== 'write') return 'nothing';
  const { client, mutations, name, pass } = scope;
  const { status, taints } = decision.writes;
  let current = gathered.cluster;
  try {
    if (taints !== undefined) {
      const spec = taints.length === 0 ? {} : { taints: [...taints] };
      const object = { ...identityOf(current), spec };
      current = await client.apply<ManagedCluster>(ManagedClusters, object, optionsFor(current, pass.signal));
      mutations.mutated(name, current);
      recordEvents(gathered, { taints }, scope);
    }
    if (status !== undefined) {
      await applyStatus(current, status, scope);
      recordEvents(gathered, { status }, scope);
    }
    return 'stored';
  } catch (error) {
    if (isFailure(error, 'Conflict', 'NotFound')) return 'behind';
    if (isFailure(error, 'Invalid')) await applyRefusal(error, scope);
    throw error;
  }
}

/** The status is the report; what is left to say is when the next pass is due. */
function report(decision: Decision, written: Written): Result {
  if (decision.kind === 'wait')
    return { ending: 'wait', reason: 'another cluster was judged unknown a moment ago', afterMs: decision.forMs };
  if (written === 'behind')
    return { ending: 'wait', reason: 'the cluster was changed or deleted meanwhile', afterMs: BEHIND_RETRY_MS };
  return DONE;
}

/** The events of one write, as soon as it is stored: no later pass knows of it, should the next write fail. */
function recordEvents(
  { cluster, health: { view, judgement } }: Gathered,
  writes: Partial<HealthWrites>,
  { recorder }: Scope,
): void {
  const { kind } = ManagedClusters;
  const regarding = { apiVersion: apiVersionOf(ManagedClusters), kind, metadata: cluster.metadata };
  for (const { type, reason, note } of clusterEvents(view.stored, judgement, writes))
    recorder.record({ regarding, type, reason, action: 'Judge', note });
}

/** Writes the status, without times that somebody else has written. `cluster`: as it was read or last written. */
async function applyStatus(
  cluster: ManagedCluster,
  { conditions, taintTimes }: HealthStatus,
  { client, mutations, pass: { signal } }: Scope,
): Promise<void> {
  const status = {
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
    ...(taintTimes.length === 0 ? {} : { taintTimes: [...taintTimes] as never[] }),
  };
  // An empty status would stay owned by this manager, and become null when its last field goes.
  const object = { ...identityOf(cluster), spec: {}, ...(Object.keys(status).length === 0 ? {} : { status }) };
  const options = optionsFor(cluster, signal);
  const applied = await client.applyStatus<ManagedCluster>(ManagedClusters, object, options);
  mutations.mutated(cluster.metadata.name, applied);
  if ((applied.status?.taintTimes ?? []).length <= taintTimes.length) return;
  // An apply leaves items of a list that others have written, too: only an update takes them away.
  const times = taintTimes.length === 0 ? undefined : [...taintTimes];
  const alone = { ...applied, status: { ...applied.status, taintTimes: times as never } };
  const { fieldManager } = options;
  const updated = await client.updateStatus<ManagedCluster>(ManagedClusters, alone, { fieldManager, signal });
  mutations.mutated(cluster.metadata.name, updated);
}

/** The cluster says what the hub cannot write: the log alone would reach nobody who reads the cluster. */
async function applyRefusal(error: ApiError, scope: Scope): Promise<void> {
  const gathered = gather(scope);
  if (gathered === undefined) return;
  const { stored } = gathered.health.view;
  const conditions = refusedConditions(stored.conditions, error.message, scope.observer.now());
  if (conditions === undefined) return;
  try {
    await applyStatus(gathered.cluster, { conditions, taintTimes: stored.taintTimes }, scope);
  } catch (failure) {
    // The first refusal is thrown and logged; this one has the same cause, or the next pass meets its own.
    if (!isFailure(failure, 'Invalid', 'Conflict', 'NotFound')) throw failure;
  }
}

/** Lets the status Unknown be written {@link UNKNOWN_INTERVAL_MS} apart, in the order in which clusters ask. */
class UnknownSlots {
  readonly #clock: Clock;
  /** Cluster → monotonic ms from which its status Unknown may be written. */
  readonly #slots = new Map<string, number>();
  #next = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  clear(): void {
    this.#slots.clear();
  }

  leave(name: string): void {
    this.#slots.delete(name);
  }

  /** Ms until the status Unknown may be written; 0 for every other write. */
  untilSlot(name: string, { judgement, writes }: ClusterHealth): number {
    const isLoss = judgement.kind === 'judged' && judgement.conditions.availability === 'unknown';
    if (!isLoss || writes.status === undefined) return 0;
    const now = this.#clock.monotonic();
    const slot = this.#slots.get(name) ?? Math.max(now, this.#next);
    if (slot <= now) {
      this.#slots.delete(name);
      this.#next = Math.max(this.#next, now + UNKNOWN_INTERVAL_MS);
      return 0;
    }
    if (!this.#slots.has(name)) this.#next = slot + UNKNOWN_INTERVAL_MS;
    this.#slots.set(name, slot);
    return slot - now;
  }
}

/** `client` is guarded by `healthRights`. */
interface HealthControllerOptions extends Omit<ClusterControllerOptions, 'caches' | 'settleWindowMs'> {
  /** The caches, which are not started yet. */
  readonly caches: HealthCaches;
  readonly recorder: EventRecorder;
  /** The hub's wall clock, ms since the epoch. */
  readonly wall: () => number;
  /** How many clusters are written at the same time. */
  readonly workers: number;
}

export interface HealthControllers {
  readonly controllers: readonly Controller[];
  /** Observes the fleet on every replica: a source of the group, beside the caches. */
  readonly observer: HealthObserver;
  /** To be called each time the lease is acquired, before the controllers start; `end` fires when it is lost. */
  readonly onStartedLeading: (end: AbortSignal) => void;
}

/** The controller that judges the clusters by the Leases of their agents. */
export function createHealthControllers(options: HealthControllerOptions): HealthControllers {
  const { caches, client, clock, recorder, wall, workers } = options;
  const observer = new HealthObserver({ caches, clock, wall, recorder, enqueue: (name) => controller.add(name) });
  const reconciler = new HealthReconciler({ client, clusters: caches.clusters.store, observer, recorder, clock });
  caches.clusters.onChange((change) => reconciler.observe(change));
  const controller = newController(options, {
    name: 'clusterhealth',
    kind: ManagedClusters.kind,
    reconciler,
    keys: () => observer.outdated(),
    workers,
  });
  const onStartedLeading = (end: AbortSignal): void => {
    reconciler.clear();
    observer.leading = true;
    end.addEventListener('abort', () => (observer.leading = false), { once: true });
  };
  return { controllers: [controller], observer, onStartedLeading };
}
