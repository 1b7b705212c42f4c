import type { Placement } from '../../api/generated/placement.js';
import type { PlacementDecision } from '../../api/generated/placementdecision.js';
import { PlacementDecisions, Placements } from '../../api/resources.js';
import { readDecision, type DecisionOwner } from '../../domain/placement/decision.js';
import { dropsForAbsence } from '../../domain/placement/schedule.js';
import { replacesPredecessor } from '../../domain/placement/slices.js';
import type { ClusterView, PlacementSnapshot, StoredDecision } from '../../domain/placement/snapshot.js';
import type { PlacementIndex } from '../../index/placementindex.js';
import { BY_PLACEMENT, placementCachesNotCurrent } from './caches.js';
import type { PlacementState } from './memory.js';
import type { ReconcileScope } from './scope.js';

/** Everything that a decision is based on, read at one moment. */
export interface Input {
  /** Spec as in the cache, status as last read or written. */
  readonly placement: Placement;
  readonly owner: DecisionOwner;
  readonly snapshot: PlacementSnapshot;
  /** The decision objects of the snapshot by name; `apply` updates them. */
  readonly objects: Map<string, PlacementDecision>;
  readonly state: PlacementState;
}

export type Gathered =
  | { readonly kind: 'gathered'; readonly input: Input }
  /** The plural names of the caches that cannot be read at the moment. */
  | { readonly kind: 'notCurrent'; readonly caches: readonly string[] }
  | { readonly kind: 'wait'; readonly reason: string; readonly afterMs: number }
  | { readonly kind: 'deleting' }
  | { readonly kind: 'gone' };

const CACHE_BEHIND: Gathered = { kind: 'wait', reason: 'the cache is older than what was read', afterMs: 1_000 };

/**
 * Reads what the decision for the Placement needs: caches and index always, and the API where these do not prove enough.
 * Changes nothing; what is read from the API enters the mutation cache. Throws when the API cannot be read.
 */
export async function gather(scope: ReconcileScope): Promise<Gathered> {
  const notCurrent = placementCachesNotCurrent(scope.caches);
  if (notCurrent.length > 0) return { kind: 'notCurrent', caches: notCurrent };
  await confirmWrites(scope);
  const gathered = readInput(scope);
  return gathered.kind === 'gathered' ? confirmInput(gathered.input, scope) : gathered;
}

/** Reads the decision objects whose last write has an unknown outcome. */
async function confirmWrites(scope: ReconcileScope): Promise<void> {
  const { key, namespace, caches, memory, mutations } = scope;
  const state = memory.find(key);
  if (state === undefined) return;
  for (const name of state.unconfirmed) {
    const at = `${namespace}/${name}`;
    const known = mutations.decisions.newest(at, caches.decisions.store.get(at));
    await readStoredDecision({ name, known, state }, scope);
    state.unconfirmed.delete(name);
  }
}

/** Reads a decision object from the API into the mutation cache. `known`: the object as it was before. */
export async function readStoredDecision(
  { name, known, state }: { name: string; known: PlacementDecision | undefined; state: PlacementState },
  { client, namespace, mutations }: ReconcileScope,
): Promise<PlacementDecision | undefined> {
  const at = `${namespace}/${name}`;
  const found = await client.get<PlacementDecision>(PlacementDecisions, { namespace, name });
  if (found === undefined) {
    if (known !== undefined) mutations.decisions.deleted(at, known.metadata.uid ?? '');
    state.decisions.delete(name);
  } else {
    mutations.decisions.mutated(at, found);
    state.decisions.add(name);
  }
  return found;
}

/** Reads caches and index, without waiting in between. */
function readInput(scope: ReconcileScope): Gathered {
  const { key, namespace, name, caches, index, memory, mutations } = scope;
  const cached = caches.placements.store.get(key);
  const rules = index.rules(key);
  if (cached === undefined || rules === undefined) return { kind: 'gone' };
  const { uid = '', generation = 0, deletionTimestamp } = cached.metadata;
  const placement = mutations.placements.newest(key, cached) ?? cached;
  if (placement.metadata.uid !== uid || (placement.metadata.generation ?? 0) > generation) return CACHE_BEHIND;
  if (deletionTimestamp !== undefined) return { kind: 'deleting' };
  const owner = { namespace, name, uid };
  const state = memory.stateOf(key, uid);
  const objects = decisionsOf(state, scope);
  const stored = [...objects.values()].map((object) => readDecision(object, owner));
  const snapshot: PlacementSnapshot = {
    placement: { ...owner, generation, deleting: false, rules, status: placement.status },
    bindings: index.bindings(namespace),
    sets: index.sets(namespace),
    candidates: index.candidates(key),
    held: heldClusters(stored, state, index),
    stored,
    remembered: state.slots,
  };
  return { kind: 'gathered', input: { placement, owner, objects, state, snapshot } };
}

/** The decision objects in the cache, and those written that it does not show yet. */
function decisionsOf(
  state: PlacementState,
  { key, namespace, caches, mutations }: ReconcileScope,
): Map<string, PlacementDecision> {
  const { store } = caches.decisions;
  const names = new Set(state.decisions);
  for (const object of store.byIndex(BY_PLACEMENT, key)) names.add(object.metadata.name);
  const objects = new Map<string, PlacementDecision>();
  for (const name of [...names].sort()) {
    const at = `${namespace}/${name}`;
    const object = mutations.decisions.newest(at, store.get(at));
    if (object !== undefined) objects.set(name, object);
  }
  return objects;
}

function heldClusters(
  stored: readonly StoredDecision[],
  { slots = [] }: PlacementState,
  index: PlacementIndex,
): Map<string, ClusterView> {
  const held = new Map<string, ClusterView>();
  for (const name of [...stored.flatMap((object) => object.clusters), ...slots.flat()]) {
    const cluster = held.has(name) ? undefined : index.cluster(name);
    if (cluster !== undefined) held.set(name, cluster);
  }
  return held;
}

/** Confirms by reads of the API what the caches alone do not prove, where the decision depends on it. */
async function confirmInput(input: Input, scope: ReconcileScope): Promise<Gathered> {
  const { snapshot } = input;
  if (dropsForAbsence(snapshot)) {
    const result = await scope.deletions.check(creationTime(input));
    if (result.kind === 'unconfirmed') return { ...result, kind: 'wait' };
  }
  if (replacesPredecessor(snapshot.stored) && !(await isCurrentPlacement(input, scope))) return CACHE_BEHIND;
  return { kind: 'gathered', input };
}

/** When the oldest object that a cluster may be removed from was created, ms since the epoch; NaN when unknown. */
function creationTime({ placement, objects }: Input): number {
  return Math.min(
    ...[placement, ...objects.values()].map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '')),
  );
}

/** Whether the API server has the same Placement as the cache. Objects of an earlier one are deleted only then. */
async function isCurrentPlacement({ owner }: Input, { client }: ReconcileScope): Promise<boolean> {
  const { namespace, name, uid } = owner;
  const found = await client.get<Placement>(Placements, { namespace, name }, { metadataOnly: true });
  return found?.metadata.uid === uid;
}
