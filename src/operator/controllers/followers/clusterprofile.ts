import { PLACEMENT_FIELD_MANAGER } from '../../../api/names.js';
import { ClusterProfiles, ManagedClusters } from '../../../api/resources.js';
import {
  profileChange,
  type ClusterProfile,
  type ProfileChange,
  type ProfileInput,
} from '../../../domain/inventories/clusterprofile.js';
import { isBraked, isOwnProfile } from '../../../domain/inventories/source.js';
import type { Cache, CacheOptions } from '../../../runtime/cache/cache.js';
import type { Clock } from '../../../runtime/clock.js';
import { MutationCache } from '../../../runtime/controller/mutationcache.js';
import { DONE, type Result } from '../../../runtime/controller/result.js';
import { isFailure } from '../../../runtime/errors.js';
import { keyOf, nameOf } from '../../../runtime/vocabulary/names.js';
import { BRAKED_RETRY_MS, DeletionCheck, GRACE_PERIOD_MS } from '../deletions.js';
import { applyFields, CONFLICT_RETRY_MS } from '../fields.js';
import type { OptionalControllers } from '../controller.js';
import type { Nothing } from '../placement/scope.js';
import { createFollower, notCurrent, type FollowerOptions, type FollowerScope } from './follower.js';

/** A count costs the size of the fleet, and most of it can need one at once. */
const COUNT_VALID_MS = 1_000;

export function clusterProfileCacheOptions(namespace: string): CacheOptions<ClusterProfile> {
  return { type: ClusterProfiles, namespace, watchList: true };
}

/** `client` is guarded by `clusterProfileRights`. */
export interface ClusterProfileOptions extends FollowerOptions {
  /** Created with `clusterProfileCacheOptions`, not started yet. */
  readonly profiles: Cache<ClusterProfile>;
  /** That of the profiles. */
  readonly namespace: string;
}

/** The controller that publishes the clusters as ClusterProfiles of SIG Multicluster, while their API is served. */
export function createClusterProfileControllers(options: ClusterProfileOptions): OptionalControllers {
  const { caches, profiles: objects, namespace, client, clock } = options;
  const { clusters } = caches;
  const keyIn = (name: string): string => keyOf({ namespace, name });
  const mutations = new MutationCache<ClusterProfile>(clock);
  const deletions = new DeletionCheck(client, clock, [ManagedClusters]);
  clusters.onChange(({ after }) => {
    if (after === undefined) deletions.noteDeletion();
  });
  clusters.onState(() => deletions.noteDeletion());
  const memory = { missingSince: new Map<string, number>(), taken: new Set<string>() };
  const isMostMissing = mostMissing(options);
  return createFollower(options, {
    name: 'clusterprofile',
    kind: ClusterProfiles.kind,
    // The first profiles of a fleet are thousands of requests: one after the other, so that decisions need not wait for them.
    workers: 1,
    objects,
    mutations,
    reconcile: (scope) => reconcile({ ...scope, ...memory, clock, deletions, isMostMissing }),
    keys: () => new Set([...[...clusters.store.keys()].map(keyIn), ...objects.store.keys()]),
    keysOfCluster: (cluster) => [keyIn(cluster)],
    keysOfObject: ({ metadata }) => [keyOf(metadata)],
  });
}

/** Whether so many clusters of the profiles are missing that a mistake is more likely than a decision; counted once a second at most. */
function mostMissing({ caches: { clusters }, profiles, clock, log }: ClusterProfileOptions): () => boolean {
  let counted = { at: -Infinity, braked: false };
  return () => {
    const now = clock.monotonic();
    if (now - counted.at < COUNT_VALID_MS) return counted.braked;
    const own = [...profiles.store.values()].filter(isOwnProfile);
    const { length: missing } = own.filter(({ metadata }) => clusters.store.get(metadata.name) === undefined);
    counted = { at: now, braked: isBraked(missing, { clusters: own.length }) };
    if (counted.braked)
      log.warn({ clusters: own.length, missing }, 'most clusters of the ClusterProfiles are gone: none is deleted');
    return counted.braked;
  };
}

/** What one pass over one profile, the key, works with. */
interface Scope extends FollowerScope<ClusterProfile> {
  readonly clock: Clock;
  /** For the definition of ManagedClusters. */
  readonly deletions: DeletionCheck;
  /** Key of a profile → the monotonic ms since when its cluster is missing. */
  readonly missingSince: Map<string, number>;
  /** Keys of the profiles that were reported as made by others. */
  readonly taken: Set<string>;
  readonly isMostMissing: () => boolean;
}

/** What a pass decides from, or its result when there is nothing to decide. */
type Gathered = Nothing | ({ readonly kind: 'gathered' } & ProfileInput);

/** Makes the profile of one cluster say what its hub knows. A profile that others made is left alone. */
async function reconcile(scope: Scope): Promise<Result> {
  const gathered = gather(scope);
  if (gathered.kind === 'nothing') return gathered.result;
  const change = decide(gathered);
  try {
    const result = await apply(change, scope);
    report(change, scope);
    return result;
  } catch (error) {
    if (isFailure(error, 'Conflict', 'AlreadyExists'))
      return { ending: 'wait', reason: 'the profile was changed meanwhile', afterMs: CONFLICT_RETRY_MS };
    throw error;
  }
}

function gather(scope: Scope): Gathered {
  const { caches, objects, mutations, key } = scope;
  const nothing = notCurrent(scope, [caches.clusters]);
  if (nothing !== undefined) return nothing;
  const name = nameOf(key);
  const cluster = caches.clusters.store.get(name.name);
  return { kind: 'gathered', name, cluster, stored: mutations.newest(key, objects.store.get(key)) };
}

function decide(gathered: ProfileInput): ProfileChange {
  return profileChange(gathered);
}

async function apply(change: ProfileChange, scope: Scope): Promise<Result> {
  const { client, mutations, missingSince, key, pass } = scope;
  const { signal } = pass;
  const options = { client, mutations, fieldManager: PLACEMENT_FIELD_MANAGER, signal };
  if (change.kind !== 'remove') missingSince.delete(key);
  switch (change.kind) {
    case 'none':
      return DONE;
    case 'foreign':
      return { ending: 'stalled', reason: 'the ClusterProfile of this name is not made from the ManagedCluster' };
    case 'remove':
      return remove(change.stored, scope);
    case 'apply':
      await applyFields(ClusterProfiles, change.stored, change.changed, options);
      return DONE;
    case 'create': {
      // An apply would also change a profile that somebody has created since the cache was read.
      const created = await client.create<ClusterProfile>(ClusterProfiles, change.base, options);
      mutations.mutated(key, created);
      await applyFields(ClusterProfiles, created, change.changed, options);
      return DONE;
    }
  }
}

/** Deletes the profile once its cluster is gone for certain, and unless most of the fleet is. */
async function remove({ metadata }: ClusterProfile, scope: Scope): Promise<Result> {
  const { client, clock, deletions, mutations, missingSince, isMostMissing, key, pass } = scope;
  const now = clock.monotonic();
  const since = missingSince.get(key) ?? now;
  missingSince.set(key, since);
  if (now - since < GRACE_PERIOD_MS)
    return { ending: 'wait', reason: 'the cluster has just gone', afterMs: since + GRACE_PERIOD_MS - now };
  const checked = await deletions.check(false);
  if (checked.kind !== 'confirmed') return { ending: 'wait', reason: checked.reason, afterMs: checked.afterMs };
  if (isMostMissing())
    return { ending: 'wait', reason: 'most clusters of the profiles are gone', afterMs: BRAKED_RETRY_MS };
  const { uid = '', resourceVersion = '' } = metadata;
  const preconditions = { uid, resourceVersion };
  const deletion = await client.delete(ClusterProfiles, metadata, { preconditions, signal: pass.signal });
  if (deletion === 'gone') mutations.deleted(key, uid);
  missingSince.delete(key);
  pass.log.info({}, 'ClusterProfile deleted: its cluster is gone');
  return DONE;
}

function report({ kind }: ProfileChange, { taken, key, pass: { log } }: Scope): void {
  if (kind === 'create') log.info({}, 'cluster published as a ClusterProfile');
  if (kind !== 'foreign') taken.delete(key);
  else if (!taken.has(key)) log.warn({}, 'a ClusterProfile of the name of the cluster is made by others: not written');
  if (kind === 'foreign') taken.add(key);
}
