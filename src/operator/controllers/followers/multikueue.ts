import type { Placement } from '../../../api/generated/placement.js';
import { MultiKueueEvents } from '../../../api/placementevents.js';
import { PLACEMENT_FIELD_MANAGER } from '../../../api/names.js';
import { MultiKueueConfigs } from '../../../api/resources.js';
import {
  followedPlacement,
  kueueClusters,
  notFollowed,
  withClusters,
  type Followed,
  type FollowedClusters,
  type FollowingProblem,
  type MultiKueueConfig,
} from '../../../domain/placement/publish/multikueue.js';
import { clusterView, type ClusterView } from '../../../domain/placement/spec/cluster.js';
import { Expressions } from '../../../domain/placement/spec/expression.js';
import { compileSpec } from '../../../domain/placement/spec/predicates.js';
import type { Cache, CacheOptions } from '../../../runtime/cache/cache.js';
import { MutationCache } from '../../../runtime/controller/mutationcache.js';
import { DONE, type Result } from '../../../runtime/controller/result.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { keyOf } from '../../../runtime/vocabulary/names.js';
import type { OptionalControllers } from '../optionalsource.js';
import { confirmedIn } from '../placement/caches.js';
import {
  createFollower,
  NOTHING,
  notCurrent,
  type FollowerOptions,
  type FollowerScope,
  type Nothing,
} from './follower.js';

/** Index of the configs by the Placement that they follow. */
const BY_FOLLOWED = 'followed';

export const multiKueueCacheOptions: CacheOptions<MultiKueueConfig> = {
  type: MultiKueueConfigs,
  indexers: {
    [BY_FOLLOWED]: ({ metadata }) => {
      const followed = followedPlacement(metadata);
      return followed.kind === 'placement' ? [keyOf(followed)] : [];
    },
  },
};

/** `client` is guarded by `multiKueueRights`. */
export interface MultiKueueOptions extends FollowerOptions {
  /** Created with `multiKueueCacheOptions`, not started yet. */
  readonly configs: Cache<MultiKueueConfig>;
  readonly recorder: EventRecorder;
}

/** The controller that lists the clusters of decisions in MultiKueueConfigs of Kueue, while their API is served. */
export function createMultiKueueControllers(options: MultiKueueOptions): OptionalControllers {
  const { configs: objects, recorder, clock } = options;
  const mutations = new MutationCache<MultiKueueConfig>(clock);
  const memory = { expressions: new Expressions(), reported: new Map<string, string>() };
  return createFollower(options, {
    name: 'multikueue',
    kind: MultiKueueConfigs.kind,
    workers: 1,
    objects,
    mutations,
    reconcile: (scope) => reconcile({ ...scope, recorder, ...memory }),
    keys: () => objects.store.keys(),
    keysOfPlacement: (placement) => objects.store.byIndex(BY_FOLLOWED, placement).map(({ metadata }) => metadata.name),
    keysOfObject: ({ metadata }) => [metadata.name],
  });
}

/** What one pass over one config, the key, works with. */
interface Scope extends FollowerScope<MultiKueueConfig> {
  readonly recorder: EventRecorder;
  /** Of the Placements that are followed. */
  readonly expressions: Expressions;
  /** The last event of each config: it is not repeated. */
  readonly reported: Map<string, string>;
}

const UNCHANGED: FollowedClusters = { clusters: undefined, problem: undefined };

/** What a pass over one config decides from, or its result when there is nothing to decide. */
type Gathered =
  | Nothing
  | {
      readonly kind: 'gathered';
      readonly config: MultiKueueConfig;
      readonly followed: Followed;
      /** The Placement that the config follows; undefined for none. */
      readonly placement: Placement | undefined;
      /** The clusters of its decision; undefined while that is about to change. */
      readonly selected: readonly ClusterView[] | undefined;
      /** Those of them without a ManagedCluster. */
      readonly gone: ReadonlySet<string>;
    };

/** Lists the clusters of a confirmed decision in one MultiKueueConfig. What it cannot list stays as it is, and an event says why. */
async function reconcile(scope: Scope): Promise<Result> {
  const gathered = gather(scope);
  if (gathered.kind === 'nothing') return gathered.result;
  const { clusters, problem } = decide(gathered, scope);
  if (clusters !== undefined) await apply(gathered.config, clusters, scope);
  report(gathered.config, problem, scope);
  return DONE;
}

function gather(scope: Scope): Gathered {
  const { caches, objects, mutations, key: name, reported } = scope;
  const config = mutations.newest(name, objects.store.get(name));
  if (objects.current() && (config === undefined || config.metadata.deletionTimestamp !== undefined)) {
    reported.delete(name);
    return NOTHING;
  }
  const nothing = notCurrent(scope);
  if (nothing !== undefined || config === undefined) return nothing ?? NOTHING;
  const followed = followedPlacement(config.metadata);
  const key = followed.kind === 'placement' ? keyOf(followed) : '';
  const placement = caches.placements.store.get(key);
  const decided = placement && confirmedIn(caches, key, placement);
  const names = decided && new Set(decided.objects.flatMap((object) => object.clusters));
  const selected =
    names &&
    Array.from(names, (cluster) =>
      clusterView(caches.clusters.store.get(cluster) ?? { metadata: { name: cluster } }, 'all'),
    );
  const gone = new Set([...(names ?? [])].filter((cluster) => caches.clusters.store.get(cluster) === undefined));
  return { kind: 'gathered', config, followed, placement, selected, gone };
}

function decide(
  { config, followed, placement, selected, gone }: Extract<Gathered, { kind: 'gathered' }>,
  { expressions }: Pick<Scope, 'expressions'>,
): FollowedClusters {
  if (followed.kind === 'none') return UNCHANGED;
  if (followed.kind === 'malformed')
    return notFollowed(`annotation "${followed.value}": want NAMESPACE/NAME of a Placement`);
  const keeps = 'the MultiKueueConfig keeps its clusters';
  if (placement === undefined) return notFollowed(`there is no Placement ${keyOf(followed)}: ${keeps}`);
  const { status = {} } = placement;
  // Of a Placement that nobody has read yet a decision is about to come.
  if (status.decisions?.length === 0 && status.phase !== 'Pending')
    return notFollowed(`Placement ${keyOf(followed)} has no decision yet: ${keeps}`);
  if (selected === undefined) return UNCHANGED;
  const rules = compileSpec(placement.spec, expressions);
  return kueueClusters(followed, rules, { selected, gone, listed: config.spec?.clusters ?? [] });
}

async function apply(
  stored: MultiKueueConfig,
  clusters: readonly string[],
  { client, mutations, key: name, pass: { log, signal } }: Scope,
): Promise<void> {
  const config = withClusters(stored, clusters);
  if (config === undefined) return;
  await mutations.write(
    name,
    () => client.update<MultiKueueConfig>(MultiKueueConfigs, config, { fieldManager: PLACEMENT_FIELD_MANAGER, signal }),
    () => client.get<MultiKueueConfig>(MultiKueueConfigs, { name }, { signal }),
  );
  log.info({ clusters: config.spec?.clusters.length }, 'clusters of a decision listed for Kueue');
}

function report(
  { metadata }: MultiKueueConfig,
  problem: FollowingProblem | undefined,
  { key: name, recorder, reported }: Scope,
): void {
  if (problem === undefined) reported.delete(name);
  if (problem === undefined || reported.get(name) === problem.text) return;
  const { reason, text: note } = problem;
  reported.set(name, note);
  const { type } = MultiKueueEvents[reason];
  const regarding = { apiVersion: apiVersionOf(MultiKueueConfigs), kind: MultiKueueConfigs.kind, metadata };
  recorder.record({ regarding, type, reason, action: 'Follow', note });
}
