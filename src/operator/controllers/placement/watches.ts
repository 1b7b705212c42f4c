import type { ManagedClusterSet } from '../../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../../api/generated/managedclustersetbinding.js';
import type { Placement } from '../../../api/generated/placement.js';
import type { PlacementDecision } from '../../../api/generated/placementdecision.js';
import type { KubeObject, ResourceType } from '../../../runtime/vocabulary/meta.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../api/resources.js';
import { sameJson } from '../../../runtime/vocabulary/json.js';
import { nameOf } from '../../../runtime/vocabulary/names.js';
import type { ClusterView } from '../../../domain/placement/select/snapshot.js';
import { placementKeys } from '../../../domain/placement/stored/decision.js';
import { bindingView, setView } from '../../../domain/placement/select/eligible.js';
import { namedFacts, compileSpec } from '../../../domain/placement/spec/predicates.js';
import { clusterView } from '../../../domain/placement/spec/cluster.js';
import type { Change } from '../../../runtime/cache/store.js';
import { NamedFacts } from '../../index/keyindex.js';
import { cachesNotCurrent } from '../controller.js';

import type { PlacementContext } from './scope.js';

/**
 * Folds every change of the caches into the index, in the order of delivery, and enqueues the Placements and sets that
 * it affects. The events of own writes of Placements and decisions enqueue none. To be called before the caches start.
 */
export function watchCaches(context: PlacementContext, enqueueSet: (name: string) => void): void {
  const { caches, index, deletions, postponed, triggers, enqueue } = context;
  const noteTrigger = (key: string, trigger: string): void => {
    // A replica without the lease reconciles nothing, and forgets nothing either.
    if (index.tracking && !triggers.has(key)) triggers.set(key, trigger);
  };
  const enqueueAll = (keys: readonly string[], trigger?: string): void => {
    for (const key of keys) {
      if (trigger !== undefined) noteTrigger(key, trigger);
      enqueue(key);
    }
  };
  const facts = new NamedFacts();
  for (const cache of [caches.clusters, caches.sets, caches.bindings]) {
    cache.onChange(({ after }: Change<KubeObject>) => {
      if (after === undefined) deletions.noteDeletion();
    });
  }
  caches.clusters.onChange(({ key, after }) => {
    const before = index.cluster(key);
    const effects = after === undefined ? index.removeCluster(key) : index.upsertCluster(clusterView(after, facts.all));
    noteEarlier(context, key, before);
    for (const set of effects.sets) enqueueSet(set);
    enqueueAll(effects.placements, triggerOf(ManagedClusters, key));
    for (const { key: placement, afterMs } of effects.delayed) {
      noteTrigger(placement, triggerOf(ManagedClusters, key));
      context.enqueueAfter(placement, afterMs);
    }
  });
  caches.sets.onChange((change) => enqueueAll(foldSet(context, change), triggerOf(ManagedClusterSets, change.key)));
  caches.bindings.onChange((change) =>
    enqueueAll(foldBinding(context, change), triggerOf(ManagedClusterSetBindings, change.key)),
  );
  caches.placements.onChange((change) =>
    enqueueAll(foldPlacement(context, facts, change), triggerOf(Placements, change.key)),
  );
  caches.decisions.onChange((change) =>
    enqueueAll(foldDecision(context, change), triggerOf(PlacementDecisions, change.key)),
  );
  for (const cache of Object.values(caches)) {
    cache.onState(() => {
      deletions.noteState();
      if (cachesNotCurrent(Object.values(caches)).length > 0) return;
      enqueueAll([...postponed].sort());
      postponed.clear();
    });
  }
}

/** `ManagedCluster/edge-1`: as the history of a decision names what has changed first. */
function triggerOf({ kind }: ResourceType, key: string): string {
  return `${kind}/${nameOf(key).name}`;
}

/**
 * Remembers how the cluster was before the last change of its labels or claims; forgets it when the cluster is gone.
 */
function noteEarlier({ index, earlier }: PlacementContext, name: string, before: ClusterView | undefined): void {
  const now = index.cluster(name);
  if (now === undefined) earlier.delete(name);
  else if (before === undefined || before === now) return;
  else if (!sameJson(before.labels, now.labels) || !sameJson(before.claims, now.claims)) earlier.set(name, before);
}

function foldSet({ index }: PlacementContext, change: Change<ManagedClusterSet>): readonly string[] {
  const { key, after } = change;
  if (after === undefined) return index.removeSet(key);
  return isSpecChange(change) ? index.upsertSet(setView(after)) : [];
}

function foldBinding({ index }: PlacementContext, change: Change<ManagedClusterSetBinding>): readonly string[] {
  const { key, after } = change;
  const { namespace = '', name } = nameOf(key);
  if (after === undefined) return index.removeBinding(namespace, name);
  return isSpecChange(change) ? index.upsertBinding(namespace, bindingView(after)) : [];
}

function foldPlacement(
  { index, caches, changeFilter, mutations, metrics, expressions, enqueueAfter }: PlacementContext,
  facts: NamedFacts,
  change: Change<Placement>,
): readonly string[] {
  const { key, after } = change;
  const { namespace = '', name } = nameOf(key);
  // On every path: the mutation cache has to see each change.
  const affected = changeFilter.affected(mutations.placements, change, [key]);
  if (after !== undefined && !isSpecChange(change)) return affected;
  if (after === undefined) {
    for (const other of index.removePlacement(key)) enqueueAfter(other.key, other.afterMs);
    // Here and not in a reconcile: a replica that lost the lease reconciles nothing, and its series end too.
    metrics?.placementGone(namespace, name);
    return facts.put(key) ? [key, ...viewAgain(index, caches, facts)] : [key];
  }
  const rules = compileSpec(after.spec, expressions);
  index.upsertPlacement(key, { namespace, rules });
  return facts.put(key, namedFacts(rules)) ? [key, ...viewAgain(index, caches, facts)] : [key];
}

/** Gives every cluster a view with the facts that are named now. */
function viewAgain(
  index: PlacementContext['index'],
  { clusters }: PlacementContext['caches'],
  facts: NamedFacts,
): readonly string[] {
  return [...clusters.store.values()].flatMap(
    (cluster) => index.upsertCluster(clusterView(cluster, facts.all)).placements,
  );
}

/**
 * A reconcile reads the objects from the cache, and commits its own decision to the index: nothing is folded here. What others
 * change is noted for the history.
 */
function foldDecision(
  { changeFilter, mutations, states }: PlacementContext,
  change: Change<PlacementDecision>,
): readonly string[] {
  const keys = new Set<string>();
  for (const object of [change.before, change.after])
    for (const key of object === undefined ? [] : placementKeys(object)) keys.add(key);
  const { name } = nameOf(change.key);
  return changeFilter.affected(mutations.decisions, change, [...keys], (before) => {
    for (const edited of [...keys].flatMap((key) => states.get(key)?.edited ?? []))
      if (!edited.has(name)) edited.set(name, before);
  });
}

/**
 * Whether the object is new, was recreated, is gone, begins to be deleted, or has another spec; false when only its
 * status, labels or annotations have changed.
 */
function isSpecChange<T extends KubeObject>({ before, after }: Change<T>): boolean {
  if (before === undefined || after === undefined) return true;
  const [old, now] = [before.metadata, after.metadata];
  return old.uid !== now.uid || old.generation !== now.generation || old.deletionTimestamp !== now.deletionTimestamp;
}
