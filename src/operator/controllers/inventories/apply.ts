import type { ManagedCluster } from '../../../api/generated/managedcluster.js';
import { INVENTORIES_FIELD_MANAGER } from '../../../api/names.js';
import { ManagedClusters } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { fieldsToApply, wantedCluster, withoutNewTaint } from '../../../domain/inventories/managedcluster.js';
import { isBraked } from '../../../domain/inventories/brake.js';
import { isAvailable } from '../../../domain/inventories/source.js';
import { DONE, type Result } from '../../../runtime/controller/result.js';
import type { Gathered } from './gather.js';
import { CONFLICT_RETRY_MS, GRACE_PERIOD_MS, remove } from './remove.js';
import type { Scope } from './scope.js';

const BRAKED_TAINT_RETRY_MS = 60_000;
const NOT_CURRENT_RETRY_MS = 5_000;
const LONGEST_WAIT_MS = 86_400_000;
const HEAD = { apiVersion: apiVersionOf(ManagedClusters), kind: ManagedClusters.kind };

type Known = Extract<Gathered, { kind: 'known' }>;

/** Makes the ManagedCluster as its inventory describes it. Throws what is retried. */
export async function apply(gathered: Gathered, scope: Scope): Promise<Result> {
  switch (gathered.kind) {
    case 'notCurrent':
      return { ending: 'wait', reason: 'clusters cannot be read', afterMs: NOT_CURRENT_RETRY_MS };
    case 'none':
      return DONE;
    case 'taken':
      return { ending: 'stalled', reason: 'the ManagedCluster of this name is not managed by the inventory' };
    case 'known':
      return applyFields(gathered, scope);
    case 'missing':
      return remove(gathered.stored, gathered.inventory, scope);
  }
}

async function applyFields(known: Known, scope: Scope): Promise<Result> {
  const { client, mutations, pass } = scope;
  const { signal, log } = pass;
  const { cluster, stored } = known;
  const { name } = cluster;
  const taintInMs = untilTaint(known, scope);
  const fields = wantedCluster(cluster);
  const wanted = (taintInMs > 0 ? withoutNewTaint(fields, stored) : undefined) ?? fields;
  const again = Math.min(wanted === fields ? Infinity : taintInMs, untilExpiry(known, scope));
  const done: Result = again === Infinity ? DONE : { ending: 'done', requeueAfterMs: again };
  const { object, status } = fieldsToApply(wanted, stored);
  if (object === undefined && status === undefined) return done;
  const options = { fieldManager: INVENTORIES_FIELD_MANAGER, signal };
  let current = stored;
  if (current === undefined) {
    // An apply would also change a ManagedCluster that somebody has created since the cache was read.
    const found = await client.get<ManagedCluster>(ManagedClusters, { name }, { signal });
    if (found !== undefined) return { ending: 'wait', reason: 'the cache is behind', afterMs: CONFLICT_RETRY_MS };
    const created = { ...HEAD, ...wanted.object };
    current = await client.apply<ManagedCluster>(ManagedClusters, created, { ...options, force: false });
    mutations.mutated(name, current);
    log.info({ source: cluster.source }, 'cluster added');
  }
  // The revision comes last: with it, all fields of the status are known to be applied.
  const metadata = { name, uid: current.metadata.uid ?? '' };
  if (status !== undefined) {
    // An empty status would stay owned by this manager, and become null when its last field goes.
    const isEmpty = Object.keys(status).length === 0;
    const described = { ...HEAD, metadata, spec: {}, ...(isEmpty ? {} : { status }) };
    if (!isEmpty || current.status !== undefined) current = await applyStatus(described, current, scope);
  }
  if (stored !== undefined && object !== undefined) {
    const changed = { ...HEAD, ...object, metadata: { ...object.metadata, ...metadata } };
    const { resourceVersion } = current.metadata;
    const forced = { ...options, force: true, resourceVersion };
    mutations.mutated(name, await client.apply<ManagedCluster>(ManagedClusters, changed, forced));
  }
  return done;
}

/** Ms until the cluster may get the taint of its availability, or is looked at again; 0: now, as a new cluster may at once. */
function untilTaint({ cluster, inventory, stored }: Known, { clock, memory, counts }: Scope): number {
  const now = clock.monotonic();
  if (stored === undefined || isAvailable(cluster)) return 0;
  const since = memory.unavailableSince.get(cluster.name) ?? now;
  memory.unavailableSince.set(cluster.name, since);
  const count = counts.of(inventory);
  return Math.max(since + GRACE_PERIOD_MS - now, isBraked(count.unavailable, count) ? BRAKED_TAINT_RETRY_MS : 0);
}

/** Ms until a score expires first; Infinity for never. Looked at again each day: the wall clock may be set meanwhile. */
function untilExpiry({ until }: Known, { clock }: Scope): number {
  return until === Infinity ? Infinity : Math.min(Math.max(until - clock.now(), 0), LONGEST_WAIT_MS);
}

/** `current`: the cluster as it was read or last written. */
async function applyStatus(
  object: ManagedCluster,
  current: ManagedCluster,
  { client, mutations, pass: { signal } }: Scope,
): Promise<ManagedCluster> {
  const { resourceVersion } = current.metadata;
  const options = { fieldManager: INVENTORIES_FIELD_MANAGER, force: true, resourceVersion, signal };
  const stored = await client.applyStatus<ManagedCluster>(ManagedClusters, object, options);
  mutations.mutated(object.metadata.name, stored);
  return stored;
}
