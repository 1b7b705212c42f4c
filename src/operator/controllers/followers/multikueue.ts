import type { Placement } from '../../../api/generated/placement.js';
import { FOLLOWS_PLACEMENT_ANNOTATION, PLACEMENT_FIELD_MANAGER } from '../../../api/names.js';
import { MultiKueueEvents } from '../../../api/placementreasons.js';
import { MultiKueueConfigs } from '../../../api/resources.js';
import { sameList } from '../../../domain/placement/stored/items.js';
import type { Cache, CacheOptions } from '../../../runtime/cache/cache.js';
import { MutationCache } from '../../../runtime/controller/mutationcache.js';
import { DONE, type Result } from '../../../runtime/controller/result.js';
import type { EventRecorder } from '../../../runtime/events/recorder.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import type { KubeObject, ObjectMeta } from '../../../runtime/vocabulary/meta.js';
import { keyOf } from '../../../runtime/vocabulary/names.js';
import type { OptionalControllers } from '../controller.js';
import { confirmedIn } from '../placement/caches.js';
import type { Nothing } from '../placement/scope.js';
import { createFollower, NOTHING, notCurrent, type FollowerOptions, type FollowerScope } from './follower.js';

/** How many clusters Kueue takes; it takes no empty list either. */
const MOST_KUEUE_CLUSTERS = 20;
/** Index of the configs by the Placement that they follow. */
const BY_FOLLOWED = 'followed';

export interface MultiKueueConfig extends KubeObject {
  spec?: { clusters: string[] };
}

/**
 * The Placement that a config follows. Whoever may edit the config, which has no namespace, decides that by an annotation on it:
 * an edit of a Placement cannot make a config follow it.
 */
type Followed =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly value: string }
  | { readonly kind: 'placement'; readonly namespace: string; readonly name: string };

function followedPlacement({ annotations = {} }: ObjectMeta): Followed {
  const value = annotations[FOLLOWS_PLACEMENT_ANNOTATION];
  if (value === undefined) return { kind: 'none' };
  const [namespace = '', name = '', ...others] = value.split('/');
  if (namespace === '' || name === '' || others.length > 0) return { kind: 'malformed', value };
  return { kind: 'placement', namespace, name };
}

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
  const reported = new Map<string, string>();
  return createFollower(options, {
    name: 'multikueue',
    kind: MultiKueueConfigs.kind,
    workers: 1,
    objects,
    mutations,
    reconcile: (scope) => reconcile({ ...scope, recorder, reported }),
    keys: () => objects.store.keys(),
    keysOfPlacement: (placement) => objects.store.byIndex(BY_FOLLOWED, placement).map(({ metadata }) => metadata.name),
    keysOfObject: ({ metadata }) => [metadata.name],
  });
}

/** What one pass over one config, the key, works with. */
interface Scope extends FollowerScope<MultiKueueConfig> {
  readonly recorder: EventRecorder;
  /** The last event of each config: it is not repeated. */
  readonly reported: Map<string, string>;
}

/** What a pass over one config decides from, or its result when there is nothing to decide. */
type Gathered =
  | Nothing
  | {
      readonly kind: 'gathered';
      readonly config: MultiKueueConfig;
      readonly followed: Followed;
      /** The Placement that the config follows; undefined for none. */
      readonly placement: Placement | undefined;
      /** The clusters of its decision, in the order in which they are published; undefined while that is about to change. */
      readonly decided: readonly string[] | undefined;
    };

/** What a config is to list, and why that is not the whole decision; `clusters` undefined: what it lists stays. */
interface Decision {
  readonly clusters?: readonly string[];
  readonly problem?: string;
}

/** Lists the clusters of a confirmed decision in one MultiKueueConfig. What it cannot list stays as it is, and an event says why. */
async function reconcile(scope: Scope): Promise<Result> {
  const gathered = gather(scope);
  if (gathered.kind === 'nothing') return gathered.result;
  const { config } = gathered;
  const { clusters = config.spec?.clusters, problem } = decide(gathered);
  await apply(config, clusters ?? [], scope);
  report(config, problem, scope);
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
  const confirmed = placement && confirmedIn(caches, key, placement);
  const decided = confirmed && [...new Set(confirmed.objects.flatMap(({ clusters }) => clusters))];
  return { kind: 'gathered', config, followed, placement, decided };
}

function decide({ followed, placement, decided }: Extract<Gathered, { kind: 'gathered' }>): Decision {
  if (followed.kind === 'none') return {};
  if (followed.kind === 'malformed')
    return { problem: `annotation "${followed.value}": want NAMESPACE/NAME of a Placement` };
  const name = `Placement ${keyOf(followed)}`;
  const keeps = 'the MultiKueueConfig keeps its clusters';
  if (placement === undefined) return { problem: `there is no ${name}: ${keeps}` };
  const { status = {} } = placement;
  // Of a Placement that nobody has read yet a decision is about to come.
  if (status.decisions?.length === 0 && status.phase !== 'Pending')
    return { problem: `${name} has no decision yet: ${keeps}` };
  if (decided === undefined) return {};
  if (decided.length === 0)
    return { problem: `the decision of ${name} is empty, and a MultiKueueConfig cannot be: it keeps its clusters` };
  if (decided.length <= MOST_KUEUE_CLUSTERS) return { clusters: decided };
  return {
    clusters: decided.slice(0, MOST_KUEUE_CLUSTERS),
    problem: `the decision of ${name} has ${decided.length} clusters, and a MultiKueueConfig takes ${MOST_KUEUE_CLUSTERS}: it lists the first`,
  };
}

async function apply(
  stored: MultiKueueConfig,
  clusters: readonly string[],
  { client, mutations, key: name, pass: { log, signal } }: Scope,
): Promise<void> {
  if (sameList(stored.spec?.clusters ?? [], clusters)) return;
  const config = { ...stored, spec: { ...stored.spec, clusters: [...clusters] } };
  await mutations.write(
    name,
    () => client.update<MultiKueueConfig>(MultiKueueConfigs, config, { fieldManager: PLACEMENT_FIELD_MANAGER, signal }),
    () => client.get<MultiKueueConfig>(MultiKueueConfigs, { name }, { signal }),
  );
  log.info({ clusters: clusters.length }, 'clusters of a decision listed for Kueue');
}

function report(
  { metadata }: MultiKueueConfig,
  problem: string | undefined,
  { key: name, recorder, reported }: Scope,
): void {
  if (problem === undefined) reported.delete(name);
  if (problem === undefined || reported.get(name) === problem) return;
  reported.set(name, problem);
  const reason = 'DecisionNotFollowed';
  const { type } = MultiKueueEvents[reason];
  const regarding = { apiVersion: apiVersionOf(MultiKueueConfigs), kind: MultiKueueConfigs.kind, metadata };
  recorder.record({ regarding, type, reason, action: 'Follow', note: problem });
}
