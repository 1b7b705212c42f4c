import { PLACEMENT_FIELD_MANAGER } from '../../../api/names.js';
import { Placements, SigPlacementDecisions } from '../../../api/resources.js';
import { keyOf } from '../../../runtime/vocabulary/names.js';
import { placementKeys, type DecisionOwner, type StoredDecision } from '../../../domain/placement/stored/decision.js';
import {
  sigChanges,
  type Profiles,
  type SigChanges,
  type SigDecision,
  type SigWrite,
} from '../../../domain/placement/publish/sigdecision.js';
import type { Cache, CacheOptions } from '../../../runtime/cache/cache.js';
import { MutationCache } from '../../../runtime/controller/mutationcache.js';
import { DONE, type Result } from '../../../runtime/controller/result.js';
import type { OptionalControllers } from '../controller.js';
import { BY_PLACEMENT, confirmedIn } from '../placement/caches.js';
import type { Nothing } from '../placement/scope.js';
import { createFollower, NOTHING, notCurrent, type FollowerOptions, type FollowerScope } from './follower.js';

export const sigDecisionCacheOptions: CacheOptions<SigDecision> = {
  type: SigPlacementDecisions,
  indexers: { [BY_PLACEMENT]: placementKeys },
};

/** `client` is guarded by `sigDecisionRights`. */
export interface SigDecisionOptions extends FollowerOptions {
  /** Created with `sigDecisionCacheOptions`, not started yet. */
  readonly published: Cache<SigDecision>;
  readonly workers: number;
  /** The namespace that the clusters have ClusterProfiles in; undefined: they are not published. */
  readonly namespace: string | undefined;
}

/** The controller that publishes decisions as PlacementDecisions of SIG Multicluster, while their API is served. */
export function createSigDecisionControllers(options: SigDecisionOptions): OptionalControllers {
  const { caches, published: objects, workers, namespace, clock } = options;
  const mutations = new MutationCache<SigDecision>(clock);
  return createFollower(options, {
    name: 'sigdecision',
    kind: Placements.kind,
    workers,
    objects,
    mutations,
    reconcile: (scope) => reconcile({ ...scope, namespace }),
    keys: () => caches.placements.store.keys(),
    keysOfPlacement: (placement) => [placement],
    keysOfObject: placementKeys,
  });
}

/** What one pass over one Placement, the key, works with. */
interface Scope extends FollowerScope<SigDecision>, Pick<SigDecisionOptions, 'namespace'> {}

/** What a pass decides from, or its result when there is nothing to decide. */
type Gathered =
  | Nothing
  | {
      readonly kind: 'gathered';
      readonly owner: DecisionOwner;
      /** The decision objects that the status of the Placement confirms. */
      readonly decided: readonly StoredDecision[];
      /** The objects of SIG Multicluster that may concern the Placement. */
      readonly stored: readonly SigDecision[];
      readonly profiles: Profiles;
    };

/** Publishes the stored decision of one Placement once its status confirms it. With the Placement, garbage collection removes it. */
async function reconcile(scope: Scope): Promise<Result> {
  const gathered = gather(scope);
  if (gathered.kind === 'nothing') return gathered.result;
  const changes = decide(gathered);
  await apply(changes, scope);
  return report(changes, scope);
}

function gather(scope: Scope): Gathered {
  const nothing = notCurrent(scope);
  if (nothing !== undefined) return nothing;
  const { caches, objects, mutations, namespace, key } = scope;
  const { placements, clusters } = caches;
  const placement = placements.store.get(key);
  if (placement === undefined || placement.metadata.deletionTimestamp !== undefined) return NOTHING;
  const confirmed = confirmedIn(caches, key, placement);
  if (confirmed === undefined) return NOTHING;
  const { owner, objects: decided } = confirmed;
  const names = [...decided, ...objects.store.byIndex(BY_PLACEMENT, key).map((one) => one.metadata)];
  const stored = [...new Set(names.map(({ name }) => keyOf({ namespace: owner.namespace, name })))].flatMap((at) => {
    return mutations.newest(at, objects.store.get(at)) ?? [];
  });
  const annotationsOf: Profiles['annotationsOf'] = (cluster) => clusters.store.get(cluster)?.metadata.annotations;
  return { kind: 'gathered', owner, decided, stored, profiles: { annotationsOf, namespace } };
}

function decide({ owner, decided, stored, profiles }: Extract<Gathered, { kind: 'gathered' }>): SigChanges {
  return sigChanges(owner, decided, { stored, ...profiles });
}

async function apply({ writes }: SigChanges, scope: Scope): Promise<void> {
  const versions = new Map<string, string>();
  for (const write of writes) await applyOne(write, versions, scope);
}

/** Sends one write. `versions`: the resourceVersions of the objects that this pass has written already. */
async function applyOne(
  write: SigWrite,
  versions: Map<string, string>,
  { client, mutations, pass: { signal } }: Scope,
): Promise<void> {
  const options = { fieldManager: PLACEMENT_FIELD_MANAGER, signal };
  const object = write.kind === 'delete' ? write.stored : write.object;
  const key = keyOf(object.metadata);
  const resourceVersion = versions.get(key) ?? object.metadata.resourceVersion;
  const metadata = { ...object.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
  if (write.kind === 'delete') {
    const { uid = '' } = metadata;
    const preconditions = { uid, resourceVersion: resourceVersion ?? '' };
    const deletion = await client.delete(SigPlacementDecisions, metadata, { preconditions, signal });
    if (deletion === 'gone') mutations.deleted(key, uid);
    return;
  }
  const written = { ...write.object, metadata };
  const stored = await mutations.write(
    key,
    () =>
      write.kind === 'create'
        ? client.create<SigDecision>(SigPlacementDecisions, written, options)
        : client.update<SigDecision>(SigPlacementDecisions, written, options),
    () => client.get<SigDecision>(SigPlacementDecisions, metadata, { signal }),
  );
  versions.set(key, stored.metadata.resourceVersion ?? '');
}

function report({ writes, foreign }: SigChanges, { pass: { log } }: Scope): Result {
  if (writes.length > 0) log.info({ writes: writes.length }, 'decision published for SIG Multicluster');
  if (foreign.length === 0) return DONE;
  log.warn({ objects: foreign }, 'objects with the names of decisions have other owners: not written');
  return { ending: 'stalled', reason: 'objects with the names of decisions have other owners' };
}
