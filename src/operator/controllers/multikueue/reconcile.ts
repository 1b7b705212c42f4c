import { MultiKueueEvents } from '../../../api/placementevents.js';
import { PLACEMENT_FIELD_MANAGER } from '../../../api/names.js';
import { MultiKueueConfigs } from '../../../api/resources.js';
import {
  followedPlacement,
  kueueClusters,
  withClusters,
  type FollowedClusters,
  type MultiKueueConfig,
} from '../../../domain/placement/publish/multikueue.js';
import { clusterView } from '../../../domain/placement/spec/cluster.js';
import { compileSpec } from '../../../domain/placement/spec/predicates.js';
import type { Cache } from '../../../runtime/cache/cache.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import type { MutationCache } from '../../../runtime/controller/mutationcache.js';
import { DONE, type Pass, type Reconciler, type Result } from '../../../runtime/controller/result.js';
import { isFailure } from '../../../runtime/errors.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { cachesNotCurrent, waitForCaches } from '../clusters/caches.js';
import { confirmedIn, type PlacementCaches } from '../placement/caches.js';

export interface MultiKueueContext {
  readonly client: KubeClient;
  readonly caches: PlacementCaches;
  readonly configs: Cache<MultiKueueConfig>;
  /** Own writes that the cache may not show yet. */
  readonly mutations: MutationCache<MultiKueueConfig>;
  readonly recorder: EventRecorder;
}

const NOT_CURRENT_RETRY_MS = 5_000;
const UNCHANGED: FollowedClusters = { clusters: undefined, problem: undefined };

/** Lists the clusters of a confirmed decision in one MultiKueueConfig. What it cannot list stays as it is, and an event says why. */
export class MultiKueueReconciler implements Reconciler {
  readonly #context: MultiKueueContext;
  /** The last event of each config: it is not repeated. */
  readonly #reported = new Map<string, string>();

  constructor(context: MultiKueueContext) {
    this.#context = context;
  }

  async reconcile(name: string, pass: Pass): Promise<Result> {
    const { caches, configs, mutations } = this.#context;
    const config = mutations.newest(name, configs.store.get(name));
    // While the API is not served there is nothing to wait for: its cache brings all configs back.
    if (!configs.current()) return DONE;
    if (config === undefined || config.metadata.deletionTimestamp !== undefined) {
      this.#reported.delete(name);
      return DONE;
    }
    const notCurrent = cachesNotCurrent([caches.placements, caches.decisions, caches.clusters]);
    if (notCurrent.length > 0) return waitForCaches(notCurrent, NOT_CURRENT_RETRY_MS);
    const { clusters, problem } = this.#decide(config);
    const changed = clusters && withClusters(config, clusters);
    if (changed !== undefined) await this.#update(changed, pass);
    this.#report(config, problem);
    return DONE;
  }

  #decide({ metadata }: MultiKueueConfig): FollowedClusters {
    const { caches } = this.#context;
    const followed = followedPlacement(metadata);
    if (followed.kind === 'none') return UNCHANGED;
    if (followed.kind === 'malformed')
      return { ...UNCHANGED, problem: `annotation "${followed.value}": want NAMESPACE/NAME of a Placement` };
    const { namespace, name } = followed;
    const key = `${namespace}/${name}`;
    const placement = caches.placements.store.get(key);
    if (placement === undefined)
      return { ...UNCHANGED, problem: `there is no Placement ${key}: the MultiKueueConfig keeps its clusters` };
    const decided = confirmedIn(caches, key, placement);
    const rules = compileSpec(placement.spec);
    // Either is about to change, or nobody knows the order: what is listed stays.
    if (decided === undefined || rules.problem !== undefined) return UNCHANGED;
    const names = new Set(decided.objects.flatMap((object) => object.clusters));
    const selected = [...names].map((cluster) =>
      clusterView(caches.clusters.store.get(cluster) ?? { metadata: { name: cluster } }, 'all'),
    );
    return kueueClusters(followed, rules, selected);
  }

  async #update(config: MultiKueueConfig, { log, signal }: Pass): Promise<void> {
    const { client, mutations } = this.#context;
    const { name } = config.metadata;
    try {
      const options = { fieldManager: PLACEMENT_FIELD_MANAGER, signal };
      mutations.mutated(name, await client.update<MultiKueueConfig>(MultiKueueConfigs, config, options));
      log.info({ clusters: config.spec?.clusters.length }, 'clusters of a decision listed for Kueue');
    } catch (error) {
      // The cache is behind: the next reconcile takes what is stored.
      if (isFailure(error, 'Conflict')) {
        const found = await client.get<MultiKueueConfig>(MultiKueueConfigs, { name }, { signal });
        if (found !== undefined) mutations.mutated(name, found);
      }
      throw error;
    }
  }

  #report({ metadata }: MultiKueueConfig, note: string | undefined): void {
    if (note === undefined) this.#reported.delete(metadata.name);
    if (note === undefined || this.#reported.get(metadata.name) === note) return;
    this.#reported.set(metadata.name, note);
    const { type } = MultiKueueEvents.DecisionNotFollowed;
    const regarding = { apiVersion: apiVersionOf(MultiKueueConfigs), kind: MultiKueueConfigs.kind, metadata };
    this.#context.recorder.record({ regarding, type, reason: 'DecisionNotFollowed', action: 'Follow', note });
  }
}
