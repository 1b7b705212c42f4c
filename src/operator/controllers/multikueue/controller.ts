import { MultiKueueConfigs } from '../../../api/resources.js';
import { placementKeys } from '../../../domain/placement/stored/decision.js';
import { followedPlacement, type MultiKueueConfig } from '../../../domain/placement/publish/multikueue.js';
import { Expressions } from '../../../domain/placement/spec/expression.js';
import type { Cache, CacheOptions } from '../../../runtime/cache/cache.js';
import { MutationCache } from '../../../runtime/controller/mutationcache.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import { newController, type ClusterControllerOptions } from '../clusters/controller.js';
import { optionalSource, type OptionalControllers } from '../optionalsource.js';
import type { PlacementCaches } from '../placement/caches.js';
import { MultiKueueReconciler } from './reconcile.js';

/** Index of the configs by the Placement that they follow. */
const BY_FOLLOWED = 'followed';

export const multiKueueCacheOptions: CacheOptions<MultiKueueConfig> = {
  type: MultiKueueConfigs,
  indexers: {
    [BY_FOLLOWED]: ({ metadata }) => {
      const followed = followedPlacement(metadata);
      return followed.kind === 'placement' ? [`${followed.namespace}/${followed.name}`] : [];
    },
  },
};

/** `client` is guarded by `multiKueueRights`. */
export interface MultiKueueOptions extends Omit<ClusterControllerOptions, 'caches'> {
  /** Those of the placement group, which starts them. */
  readonly caches: PlacementCaches;
  /** Created with `multiKueueCacheOptions`, not started yet. */
  readonly configs: Cache<MultiKueueConfig>;
  readonly recorder: EventRecorder;
}

/** The controller that lists the clusters of decisions in MultiKueueConfigs of Kueue, while their API is served. */
export function createMultiKueueControllers(options: MultiKueueOptions): OptionalControllers {
  const { caches, client, clock, configs, recorder, settleWindowMs, log } = options;
  const mutations = new MutationCache<MultiKueueConfig>(clock);
  const memory = { expressions: new Expressions(), reported: new Map<string, string>() };
  const context = { client, caches, configs, mutations, recorder, ...memory };
  const controller = newController(options, {
    name: 'multikueue',
    kind: MultiKueueConfigs.kind,
    reconciler: new MultiKueueReconciler(context),
    keys: () => configs.store.keys(),
    workers: 1,
  });
  const enqueueFollowers = (placement: string): void => {
    for (const { metadata } of configs.store.byIndex(BY_FOLLOWED, placement))
      controller.addAfter(metadata.name, settleWindowMs);
  };
  caches.placements.onChange(({ key }) => enqueueFollowers(key));
  caches.decisions.onChange(({ before, after }) => {
    for (const object of [before, after]) for (const key of object ? placementKeys(object) : []) enqueueFollowers(key);
  });
  configs.onChange((change) => {
    if (mutations.observe(change)) controller.addAfter(change.key, settleWindowMs);
  });
  configs.onState(() => {
    if (configs.current()) for (const key of configs.store.keys()) controller.addAfter(key, settleWindowMs);
  });
  return { controllers: [controller], source: optionalSource(configs, log), onStartedLeading: () => mutations.clear() };
}
