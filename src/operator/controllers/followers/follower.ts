import { placementKeys } from '../../../domain/placement/stored/decision.js';
import type { Cache } from '../../../runtime/cache/cache.js';
import type { ControllerOptions } from '../../../runtime/controller/controller.js';
import type { MutationCache } from '../../../runtime/controller/mutationcache.js';
import { DONE, type Pass, type Reconciler, type Result } from '../../../runtime/controller/result.js';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import type { ClusterControllerOptions } from '../clusters/controller.js';
import {
  newController,
  cachesNotCurrent,
  waitForCaches,
  optionalSource,
  type OptionalControllers,
} from '../controller.js';
import type { PlacementCaches } from '../placement/caches.js';
import type { Nothing } from '../placement/scope.js';

export interface FollowerOptions extends Omit<ClusterControllerOptions, 'caches'> {
  /** Those of the placement group, which starts them. */
  readonly caches: PlacementCaches;
}

/** A controller that repeats decisions, or clusters, in objects of a kind of another project. */
interface Follower<T extends KubeObject> extends Omit<ControllerOptions, keyof FollowerOptions | 'reconciler'> {
  readonly reconcile: (scope: FollowerScope<T>) => Promise<Result>;
  /** The objects of the other project: created with the cache options of the follower, not started yet. */
  readonly objects: Cache<T>;
  /** Own writes that the cache may not show yet. */
  readonly mutations: MutationCache<T>;
  /** The keys that a change of a Placement or of its decision concerns; absent: none. */
  readonly keysOfPlacement?: (placement: string) => Iterable<string>;
  /** The keys that a change of a cluster concerns; absent: none. */
  readonly keysOfCluster?: (cluster: string) => Iterable<string>;
  readonly keysOfObject: (object: T) => Iterable<string>;
}

/** What a pass works with. */
export interface FollowerScope<T extends KubeObject>
  extends Pick<FollowerOptions, 'client' | 'caches'>, Pick<Follower<T>, 'objects' | 'mutations'> {
  readonly key: string;
  readonly pass: Pass;
}

export const NOTHING: Nothing = { kind: 'nothing', result: DONE };

/** Why a pass cannot decide by the caches, by default those that have decisions; undefined when it can. */
export function notCurrent<T extends KubeObject>(
  { caches, objects }: FollowerScope<T>,
  needed: readonly Cache<KubeObject>[] = [caches.placements, caches.decisions, caches.clusters],
): Nothing | undefined {
  // While the API is not served there is nothing to wait for: its cache brings all keys back.
  if (!objects.current()) return NOTHING;
  const missing = cachesNotCurrent(needed);
  return missing.length > 0 ? { kind: 'nothing', result: waitForCaches(missing) } : undefined;
}

/** The controller of a follower, which runs while the API of the other project is served. */
export function createFollower<T extends KubeObject>(
  options: FollowerOptions,
  follower: Follower<T>,
): OptionalControllers {
  const { client, caches, settleWindowMs, log } = options;
  const { objects, mutations, reconcile, keysOfPlacement, keysOfCluster, keysOfObject, ...controlled } = follower;
  const reconciler: Reconciler = {
    reconcile: (key, pass) => reconcile({ client, caches, objects, mutations, key, pass }),
  };
  const controller = newController(options, { ...controlled, reconciler });
  const enqueue = (some: Iterable<string>): void => {
    for (const key of some) controller.addAfter(key, settleWindowMs);
  };
  // Clusters change most of all: who does not follow them does not hear of them.
  if (keysOfCluster !== undefined) caches.clusters.onChange(({ key }) => enqueue(keysOfCluster(key)));
  if (keysOfPlacement !== undefined) {
    caches.placements.onChange(({ key }) => enqueue(keysOfPlacement(key)));
    caches.decisions.onChange(({ before, after }) => {
      for (const object of [before, after])
        for (const placement of object ? placementKeys(object) : []) enqueue(keysOfPlacement(placement));
    });
  }
  objects.onChange((change) => {
    if (!mutations.observe(change)) return;
    for (const object of [change.before, change.after]) if (object !== undefined) enqueue(keysOfObject(object));
  });
  objects.onState(() => {
    if (objects.current()) enqueue(controlled.keys());
  });
  return { controllers: [controller], source: optionalSource(objects, log), onStartedLeading: () => mutations.clear() };
}
