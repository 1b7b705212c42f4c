import type { ManagedCluster } from '../../../api/generated/managedcluster.js';
import {
  type InventoryCount,
  isAvailable,
  isSourceOf,
  type SourcedCluster,
  type SourceObject,
  type Inventory,
  scoreClaims,
  storedScoreClaims,
  withScores,
  type ScoreClaims,
} from '../../../domain/inventories/source.js';
import { originOf } from '../../../domain/inventories/managedcluster.js';
import type { Cache } from '../../../runtime/cache/cache.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import type { Clock } from '../../../runtime/clock.js';
import type { MutationCache } from '../../../runtime/controller/mutationcache.js';
import type { Pass } from '../../../runtime/controller/result.js';
import type { DeletionCheck } from '../deletions.js';

const NO_SCORES: ScoreClaims = { claims: [], until: undefined };

/** What becomes of one ManagedCluster. */
export type Gathered =
  /** The inventory has the cluster: its fields are to be applied. */
  | {
      readonly kind: 'known';
      readonly cluster: SourcedCluster;
      readonly inventory: InventoryCache;
      readonly stored: ManagedCluster | undefined;
      /** When a score of it expires first, in ms since the epoch; undefined for never. */
      readonly until: number | undefined;
    }
  /** Its inventory can be read, and does not have it any more. */
  | { readonly kind: 'missing'; readonly inventory: InventoryCache; readonly stored: ManagedCluster }
  /** Somebody else's, although an inventory has a cluster of this name. */
  | { readonly kind: 'taken' }
  /** Nothing to do, or nothing that can be known now; a change of a cache brings the cluster back. */
  | { readonly kind: 'none' }
  | { readonly kind: 'notCurrent' };

/**
 * Reads what the caches have of a cluster. Its inventory is the one that it was made from, and with that gone, or disabled,
 * the first other one that has it: nothing is decided while its own inventory cannot be read.
 */
export function gather(name: string, { clusters, inventories, mutations, clock }: InventoryContext): Gathered {
  if (!clusters.current()) return { kind: 'notCurrent' };
  const stored = mutations.newest(name, clusters.store.get(name));
  if (stored?.metadata.deletionTimestamp !== undefined) return { kind: 'none' };
  const origin = stored && originOf(stored);
  const own = inventories.find(({ inventory }) => {
    return origin?.kind === 'sourced' && isSourceOf(inventory.type, origin.source);
  });
  if (own !== undefined && !own.cache.current()) return { kind: 'none' };
  const others = inventories.filter((one) => one !== own && one.cache.current());
  for (const inventory of [...(own === undefined ? [] : [own]), ...others]) {
    const cluster = readCluster(name, inventory);
    if (cluster === undefined) continue;
    if (origin?.kind === 'own') return { kind: 'taken' };
    const scores = scoresFor(name, inventory, stored, clock.now());
    return { kind: 'known', cluster: withScores(cluster, scores), inventory, stored, until: scores.until };
  }
  return own === undefined || stored === undefined ? { kind: 'none' } : { kind: 'missing', inventory: own, stored };
}

/** While scores cannot be read, those that the cluster has stay. */
function scoresFor(
  name: string,
  { scores }: InventoryCache,
  stored: ManagedCluster | undefined,
  now: number,
): ScoreClaims {
  if (scores === undefined) return NO_SCORES;
  return scores.current()
    ? scoreClaims(scores.store.byIndex(BY_NAMESPACE, name), now)
    : storedScoreClaims(stored?.status);
}

/** The cluster of this name as the inventory has it; undefined for none. */
function readCluster(name: string, { inventory, cache, namespace }: InventoryCache): SourcedCluster | undefined {
  const object: SourceObject | undefined = cache.store.get(namespace === undefined ? name : `${namespace}/${name}`);
  return object && inventory.read(object);
}

/** A count costs the size of the inventory, and most of a fleet can need one at once. */
const VALID_MS = 1_000;

/** Counts of the clusters of inventories, by the caches, each made once a second at most. */
export class InventoryCounts {
  readonly #context: InventoryContext;
  readonly #made = new Map<InventoryCache, { readonly at: number; readonly count: InventoryCount }>();

  constructor(context: InventoryContext) {
    this.#context = context;
  }

  of(inventory: InventoryCache): InventoryCount {
    const now = this.#context.clock.monotonic();
    const known = this.#made.get(inventory);
    if (known !== undefined && now - known.at < VALID_MS) return known.count;
    const count = this.#count(inventory);
    this.#made.set(inventory, { at: now, count });
    return count;
  }

  #count(inventory: InventoryCache): InventoryCount {
    const count = { clusters: 0, missing: 0, unavailable: 0 };
    for (const cluster of this.#context.clusters.store.values()) {
      const origin = originOf(cluster);
      if (origin.kind === 'own' || !isSourceOf(inventory.inventory.type, origin.source)) continue;
      count.clusters += 1;
      const found = readCluster(cluster.metadata.name, inventory);
      if (found === undefined) count.missing += 1;
      else if (!isAvailable(found)) count.unavailable += 1;
    }
    return count;
  }
}

/** One inventory and its objects. */
export interface InventoryCache {
  readonly inventory: Inventory;
  /** The cache of the inventory's type, which is not started yet. */
  readonly cache: Cache<SourceObject>;
  /** The namespace that the cache is of; undefined for a cluster-scoped type. */
  readonly namespace: string | undefined;
  /** What add-ons say of its clusters, with the index {@link BY_NAMESPACE}; undefined for an inventory without. Not started yet. */
  readonly scores?: Cache<SourceObject>;
}

/** Index of scores by their namespace, which is that of the cluster. */
export const BY_NAMESPACE = 'namespace';

/** What all reconciles share. */
export interface InventoryContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly clusters: Cache<ManagedCluster>;
  readonly inventories: readonly InventoryCache[];
  readonly recorder: EventRecorder;
  /** Own writes that the cache may not show yet. */
  readonly mutations: MutationCache<ManagedCluster>;
  /** For the definition of each inventory's type. */
  readonly deletions: ReadonlyMap<Inventory, DeletionCheck>;
}

/** What is kept of clusters between reconciles, by name. */
export interface InventoryMemory {
  /** Those that were reported as taken by others. */
  readonly taken: Set<string>;
  /** Monotonic ms since when the source is missing, and unavailable. */
  readonly missingSince: Map<string, number>;
  readonly unavailableSince: Map<string, number>;
}

/** What one reconcile of one cluster works with. */
export interface Scope extends InventoryContext {
  readonly name: string;
  readonly pass: Pass;
  readonly memory: InventoryMemory;
  readonly counts: { of(inventory: InventoryCache): InventoryCount };
}
