import { CONTROL_PLANE_HEALTHY_CONDITION } from '../../../src/api/clusterreasons.js';
import { AGENTS_NAMESPACE, CLUSTER_SET_LABEL, TAINTS } from '../../../src/api/names.js';
import { ManagedClusters } from '../../../src/api/resources.js';
import { conditionIn } from '../../../src/domain/conditions.js';
import { resourceOf } from '../../../src/runtime/client/path.js';
import { field, textField } from '../../../src/runtime/vocabulary/json.js';
import type { BaseHub } from '../hub/base.js';

/** The Lease of a cluster, as it was last seen. */
interface Renewal {
  /** Monotonic ms. */
  readonly at: number;
  readonly holder: string;
  readonly seconds: number;
}

const CLUSTERS = resourceOf(ManagedClusters);
const LEASES = 'leases.coordination.k8s.io';
const DEFAULT_SECONDS = 60;
/** A silent set keeps its clusters from taints for this long. */
const SET_BRAKE_MS = 15 * 60_000;
/** Nobody is tainted for so long after most of the fleet was silent. */
const RECOVERED_AFTER_MS = 3 * 60_000;
/** The hub evaluates once a second. */
const LAG_MS = 2_000;
/** With faults, the hub may have missed renewals of some clusters and not of others until it has noticed that. */
const LAG_WITH_FAULTS_MS = 95_000;

/**
 * Sees every write of a Lease of a cluster and of a ManagedCluster when it is stored, and says at once what may not be:
 * - `holder`: a Lease goes from one cluster to another without a deletion;
 * - `early taint`: a cluster is tainted as unreachable before four lease durations without a renewal, or as unavailable before two
 *   in which its agent said that its control plane is not healthy;
 * - `braked taint`: one is tainted so while most of its set, or of the fleet, is silent, or was so a moment ago.
 */
export class AgentCheck {
  readonly #base: BaseHub;
  readonly #violate: (rule: string, detail: string) => void;
  readonly #isCalm: () => boolean;
  readonly #renewals = new Map<string, Renewal>();
  /** Since when the agent of a cluster says that its control plane is not healthy, monotonic ms. */
  readonly #unhealthyAt = new Map<string, number>();
  /** When the hub began to refuse a cluster: renewals count no more from there. */
  readonly #refusedAt = new Map<string, number>();
  /** When most of the fleet was silent last, monotonic ms. */
  #silentAt = -Infinity;
  readonly #subscriptions: { end(): void }[];

  /** `isCalm`: whether no fault has happened so far. */
  constructor(base: BaseHub, isCalm: () => boolean, violate: (rule: string, detail: string) => void) {
    const { server } = base;
    this.#base = base;
    this.#violate = violate;
    this.#isCalm = isCalm;
    for (const { key, object } of server.store.list(LEASES, `${AGENTS_NAMESPACE}/`)) this.#renewed(key, object);
    this.#subscriptions = [
      server.observe(LEASES, ({ type, entry }) => {
        if (entry.key.startsWith(`${AGENTS_NAMESPACE}/`)) this.#lease(type, entry.key, entry.object);
      }),
      server.observe(CLUSTERS, ({ type, entry, previous }) => {
        if (type === 'remove') this.#forget(entry.key);
        else this.#cluster(entry.key, entry.object, previous?.object);
      }),
    ];
  }

  end(): void {
    for (const one of this.#subscriptions) one.end();
  }

  #forget(name: string): void {
    this.#renewals.delete(name);
    this.#refusedAt.delete(name);
    this.#unhealthyAt.delete(name);
  }

  #cluster(name: string, cluster: unknown, before: unknown): void {
    const now = this.#base.simulation.monotonic();
    if (!isUnhealthy(cluster)) this.#unhealthyAt.delete(name);
    else if (!this.#unhealthyAt.has(name)) this.#unhealthyAt.set(name, now);
    const forMs = now - (this.#unhealthyAt.get(name) ?? now);
    const hasNoTaint = !isTainted(before) && !isTainted(before, TAINTS.unavailable);
    if (hasNoTaint && isTainted(cluster, TAINTS.unavailable) && forMs < 2 * this.#durationMs(name, cluster))
      this.#violate('early taint', `${name} is tainted ${forMs} ms after it was called unhealthy`);
    if (isAccepted(cluster)) this.#refusedAt.delete(name);
    else if (!this.#refusedAt.has(name)) this.#refusedAt.set(name, now);
    if (isTainted(cluster) && !isTainted(before)) this.#tainted(name, cluster);
  }

  #lease(type: 'put' | 'remove', key: string, object: unknown): void {
    const name = key.slice(AGENTS_NAMESPACE.length + 1);
    const before = this.#renewals.get(name);
    if (type === 'remove') {
      // The age of a Lease that was deleted goes on.
      if (before !== undefined) this.#renewals.set(name, { ...before, holder: '' });
      return;
    }
    if (this.#silentMs('') > 0) this.#silentAt = this.#base.simulation.monotonic();
    const { holder } = this.#renewed(key, object);
    if (before !== undefined && before.holder !== '' && before.holder !== holder)
      this.#violate('holder', `the Lease of ${name} went from ${before.holder} to ${holder}`);
  }

  #renewed(key: string, object: unknown): Renewal {
    const spec = field(object, 'spec');
    const seconds = Number(field(spec, 'leaseDurationSeconds') ?? 0);
    const holder = textField(spec, 'holderIdentity');
    const renewal = { at: this.#base.simulation.monotonic(), holder, seconds };
    this.#renewals.set(key.slice(AGENTS_NAMESPACE.length + 1), renewal);
    return renewal;
  }

  #tainted(name: string, cluster: unknown): void {
    const age = this.#ageOf(name, cluster);
    if (age === undefined || age < 4)
      this.#violate('early taint', `${name} is tainted ${age?.toFixed(2)} lease durations after its last renewal`);
    const set = setOf(cluster);
    // A process that was started meanwhile does not know it.
    if (this.#isCalm() && this.#base.simulation.monotonic() - this.#silentAt < RECOVERED_AFTER_MS)
      this.#violate('braked taint', `${name} is tainted soon after most of the fleet was silent`);
    for (const scope of ['', ...(set === undefined ? [] : [set])]) {
      const silentMs = this.#silentMs(scope);
      // At most so long: what was subtracted may be none.
      if (silentMs > 0 && (scope === '' || silentMs + this.#lagMs < SET_BRAKE_MS))
        this.#violate(
          'braked taint',
          `${name} is tainted while most of ${scope === '' ? 'the fleet' : scope} is silent`,
        );
    }
  }

  /** For how long more than half of a set, and at least 3, or all, have been silent; '': of the fleet. */
  #silentMs(set: string): number {
    const silent: number[] = [];
    let joined = 0;
    for (const { key, object } of this.#base.server.store.list(CLUSTERS, '')) {
      const age = this.#ageOf(key, object);
      if (age === undefined || !isAccepted(object)) continue;
      if (set !== '' && setOf(object) !== set) continue;
      joined += 1;
      silent.push((age - 2) * this.#durationMs(key, object) - this.#lagMs);
    }
    if (set !== '' && joined < 3) return 0;
    silent.sort((a, b) => b - a);
    const all = silent[joined - 1] ?? 0;
    return Math.max(all, silent[Math.max(3, Math.floor(joined / 2) + 1) - 1] ?? 0);
  }

  get #lagMs(): number {
    return this.#isCalm() ? LAG_MS : LAG_WITH_FAULTS_MS;
  }

  /** In lease durations; undefined for a cluster that has not joined. */
  #ageOf(name: string, cluster: unknown): number | undefined {
    const renewal = this.#renewals.get(name);
    if (renewal === undefined) return undefined;
    const from = Math.min(renewal.at, this.#refusedAt.get(name) ?? renewal.at);
    return (this.#base.simulation.monotonic() - from) / this.#durationMs(name, cluster);
  }

  #durationMs(name: string, cluster: unknown): number {
    const seconds = Number(field(field(cluster, 'spec'), 'leaseDurationSeconds') ?? DEFAULT_SECONDS);
    return Math.max(seconds, this.#renewals.get(name)?.seconds ?? 0) * 1_000;
  }
}

function setOf(cluster: unknown): string | undefined {
  const set = field(field(field(cluster, 'metadata'), 'labels'), CLUSTER_SET_LABEL);
  return typeof set === 'string' ? set : undefined;
}

function isAccepted(cluster: unknown): boolean {
  return field(field(cluster, 'spec'), 'hubAcceptsClient') === true;
}

function isUnhealthy(cluster: unknown): boolean {
  return conditionIn(field(cluster, 'status'), CONTROL_PLANE_HEALTHY_CONDITION)?.['status'] === 'False';
}

function isTainted(cluster: unknown, key: string = TAINTS.unreachable): boolean {
  const taints = field(field(cluster, 'spec'), 'taints');
  return (
    Array.isArray(taints) && taints.some((one) => field(one, 'key') === key && field(one, 'effect') === 'NoSelect')
  );
}
