import { Placements, SigPlacementDecisions } from '../../../api/resources.js';
import { placementKeys } from '../../../domain/placement/stored/decision.js';
import type { SigDecision } from '../../../domain/placement/publish/sigdecision.js';
import type { Cache, CacheOptions } from '../../../runtime/cache/cache.js';
import { MutationCache } from '../../../runtime/controller/mutationcache.js';
import { newController, type ClusterControllerOptions } from '../clusters/controller.js';
import { optionalSource, type OptionalControllers } from '../optionalsource.js';
import { BY_PLACEMENT, type PlacementCaches } from '../placement/caches.js';
import { SigDecisionReconciler } from './reconcile.js';

export const sigDecisionCacheOptions: CacheOptions<SigDecision> = {
  type: SigPlacementDecisions,
  indexers: { [BY_PLACEMENT]: placementKeys },
};

/** `client` is guarded by `sigDecisionRights`. */
export interface SigDecisionOptions extends Omit<ClusterControllerOptions, 'caches'> {
  /** Those of the placement group, which starts them. */
  readonly caches: PlacementCaches;
  /** Created with `sigDecisionCacheOptions`, not started yet. */
  readonly published: Cache<SigDecision>;
  readonly workers: number;
}

/** The controller that publishes decisions as PlacementDecisions of SIG Multicluster, while their API is served. */
export function createSigDecisionControllers(options: SigDecisionOptions): OptionalControllers {
  const { caches, client, clock, published, workers, settleWindowMs, log } = options;
  const mutations = new MutationCache<SigDecision>(clock);
  const controller = newController(options, {
    name: 'sigdecision',
    kind: Placements.kind,
    reconciler: new SigDecisionReconciler({ client, caches, published, mutations }),
    keys: () => keysIn(caches),
    workers,
  });
  const enqueue = (key: string): void => controller.addAfter(key, settleWindowMs);
  caches.placements.onChange(({ key }) => enqueue(key));
  caches.decisions.onChange(({ before, after }) => {
    for (const object of [before, after]) for (const key of object ? placementKeys(object) : []) enqueue(key);
  });
  published.onChange((change) => {
    if (!mutations.observe(change)) return;
    for (const object of [change.before, change.after])
      for (const key of object ? placementKeys(object) : []) enqueue(key);
  });
  published.onState(() => {
    if (published.current()) for (const key of keysIn(caches)) enqueue(key);
  });
  return {
    controllers: [controller],
    source: optionalSource(published, log),
    onStartedLeading: () => mutations.clear(),
  };
}

function* keysIn({ placements }: PlacementCaches): Generator<string> {
  for (const { metadata } of placements.store.values()) yield `${metadata.namespace ?? ''}/${metadata.name}`;
}
