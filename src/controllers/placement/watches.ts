import type { ManagedClusterSet } from '../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../api/generated/managedclustersetbinding.js';
import type { Placement } from '../../api/generated/placement.js';
import type { PlacementDecision } from '../../api/generated/placementdecision.js';
import type { KubeObject } from '../../api/meta.js';
import { nameOf } from '../../api/resources.js';
import { readClusterSelector } from '../../domain/clusters/selector.js';
import { clusterView } from '../../domain/placement/cluster.js';
import { compileSpec } from '../../domain/placement/predicates.js';
import type { Cache } from '../../kube/cache/reflector.js';
import type { Change } from '../../kube/cache/store.js';
import { clusterSetOf, placementKeys } from './caches.js';
import type { Sources } from './gather.js';
import type { Inputs } from './inputs.js';

/**
 * Folds every change of the caches into the inventory, in the order in which they come, and asks for a pass over each
 * Placement that it can change. Own writes ask for none. To be called before the caches start.
 */
export function watch(sources: Sources, inputs: Inputs, ask: (key: string) => void): void {
  const { caches, index: inventory } = sources;
  const askAll = (keys: readonly string[]): void => {
    for (const key of keys) ask(key);
  };
  noteAbsences(caches.clusters, inputs);
  noteAbsences(caches.sets, inputs);
  noteAbsences(caches.bindings, inputs);
  caches.clusters.onChange(({ key, after }) =>
    askAll(after === undefined ? inventory.removeCluster(key) : inventory.upsertCluster(clusterView(after))),
  );
  caches.sets.onChange((change) => askAll(foldSet(sources, change)));
  caches.bindings.onChange((change) => askAll(foldBinding(sources, change)));
  caches.placements.onChange((change) => askAll(foldPlacement(sources, change)));
  caches.decisions.onChange((change) => askAll(foldDecision(sources, change)));
  for (const cache of [caches.clusters, caches.sets, caches.bindings, caches.placements, caches.decisions]) {
    cache.onState(() => {
      inputs.noteAbsence();
      askAll(inputs.release());
    });
  }
}

function noteAbsences<T extends KubeObject>(cache: Cache<T>, inputs: Inputs): void {
  cache.onChange(({ after }) => {
    if (after === undefined) inputs.noteAbsence();
  });
}

function foldSet({ index: inventory }: Sources, change: Change<ManagedClusterSet>): readonly string[] {
  const { key, after } = change;
  if (after === undefined) return inventory.removeSet(key);
  if (!isNewSpec(change)) return [];
  const deleting = after.metadata.deletionTimestamp !== undefined;
  return inventory.upsertSet({ name: key, deleting, selector: readClusterSelector(after.spec) });
}

function foldBinding({ index: inventory }: Sources, change: Change<ManagedClusterSetBinding>): readonly string[] {
  const { key, after } = change;
  const { namespace = '', name } = nameOf(key);
  if (after === undefined) return inventory.removeBinding(namespace, name);
  if (!isNewSpec(change)) return [];
  const deleting = after.metadata.deletionTimestamp !== undefined;
  return inventory.upsertBinding(namespace, { name, clusterSet: clusterSetOf(after), deleting });
}

function foldPlacement(
  { index: inventory, memory, latestPlacements }: Sources,
  change: Change<Placement>,
): readonly string[] {
  const { key, after } = change;
  latestPlacements.observe(change);
  if (after === undefined) {
    inventory.removePlacement(key);
    return [key];
  }
  if (!isNewSpec(change)) return memory.concernsStatus(key, change) ? [key] : [];
  inventory.upsertPlacement(key, { namespace: nameOf(key).namespace ?? '', rules: compileSpec(after.spec) });
  return [key];
}

function foldDecision({ memory, latestDecisions }: Sources, change: Change<PlacementDecision>): readonly string[] {
  const keys = new Set<string>();
  for (const object of [change.before, change.after])
    for (const key of object === undefined ? [] : placementKeys(object)) keys.add(key);
  const concerned = [...keys].filter((key) => memory.concerns(key, change));
  latestDecisions.observe(change);
  return concerned;
}

/** Whether the object is new, made anew, being deleted only now, or has another spec; not when only its status or labels moved. */
export function isNewSpec<T extends KubeObject>({ before, after }: Change<T>): boolean {
  if (before === undefined || after === undefined) return true;
  const [old, now] = [before.metadata, after.metadata];
  return old.uid !== now.uid || old.generation !== now.generation || old.deletionTimestamp !== now.deletionTimestamp;
}
