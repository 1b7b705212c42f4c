import type { Placement } from '../../api/generated/placement.js';
import type { PlacementDecision } from '../../api/generated/placementdecision.js';
import { nameOf } from '../../api/resources.js';
import { readDecision, type DecisionOwner } from '../../domain/placement/decision.js';
import type { PlacementIndex } from '../../index/placementindex.js';
import type { ClusterView, PlacementSnapshot, StoredDecision } from '../../domain/placement/snapshot.js';
import { BY_PLACEMENT, type PlacementCaches } from './caches.js';
import type { MutationCache } from '../../runtime/mutationcache.js';
import type { Memory, Remembered } from './memory.js';

/** Where a pass reads from. */
export interface Sources {
  readonly caches: PlacementCaches;
  readonly index: PlacementIndex;
  readonly memory: Memory;
  readonly latestPlacements: MutationCache<Placement>;
  readonly latestDecisions: MutationCache<PlacementDecision>;
}

/** Everything that a pass decides on, seen at one moment. */
export interface Input {
  readonly key: string;
  /** Spec as cached, status as newest known. */
  readonly placement: Placement;
  readonly owner: DecisionOwner;
  readonly snapshot: PlacementSnapshot;
  /** The decision objects of the snapshot as stored, by name. Kept up to date by `apply`. */
  readonly objects: Map<string, PlacementDecision>;
  readonly remembered: Remembered;
}

/** The Placement `key`; undefined when there is none. `behind`: the cache is known to be older than what we have seen. */
export function gather(key: string, sources: Sources): Input | 'behind' | undefined {
  const { caches, index: inventory, memory, latestPlacements } = sources;
  const cached = caches.placements.store.get(key);
  const rules = inventory.beginReconcile(key);
  if (cached === undefined || rules === undefined) return undefined;
  const { uid = '', generation = 0, deletionTimestamp } = cached.metadata;
  const newest = latestPlacements.newest(key, cached) ?? cached;
  if (newest.metadata.uid !== uid || (newest.metadata.generation ?? 0) > generation) return 'behind';
  const remembered = memory.of(key, uid);
  const { namespace = '', name } = nameOf(key);
  const owner = { namespace, name, uid };
  const objects = decisionsOf(key, sources, remembered);
  const stored = [...objects.values()].map((object) => readDecision(object, owner));
  return {
    key,
    placement: newest,
    owner,
    objects,
    remembered,
    snapshot: {
      placement: { ...owner, generation, deleting: deletionTimestamp !== undefined, rules, status: newest.status },
      bindings: inventory.bindings(namespace),
      sets: inventory.sets(namespace),
      candidates: inventory.candidates(key),
      held: heldBy(stored, remembered, inventory),
      stored,
      remembered: remembered.slots,
    },
  };
}

/** The cached objects and those we wrote that the cache does not show yet. */
function decisionsOf(
  key: string,
  { caches, latestDecisions }: Sources,
  remembered: Remembered,
): Map<string, PlacementDecision> {
  const { store } = caches.decisions;
  const { namespace = '' } = nameOf(key);
  const names = new Set(remembered.decisions.keys());
  for (const object of store.byIndex(BY_PLACEMENT, key)) names.add(object.metadata.name);
  const objects = new Map<string, PlacementDecision>();
  for (const name of [...names].sort()) {
    const at = `${namespace}/${name}`;
    const object = latestDecisions.newest(at, store.get(at));
    if (object !== undefined) objects.set(name, object);
  }
  return objects;
}

function heldBy(
  stored: readonly StoredDecision[],
  { slots = [] }: Remembered,
  inventory: PlacementIndex,
): Map<string, ClusterView> {
  const held = new Map<string, ClusterView>();
  for (const name of [...stored.flatMap((object) => object.clusters), ...slots.flat()]) {
    const cluster = held.has(name) ? undefined : inventory.cluster(name);
    if (cluster !== undefined) held.set(name, cluster);
  }
  return held;
}
