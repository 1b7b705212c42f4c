import type { ManagedCluster } from '../../../api/generated/managedcluster.js';
import { INVENTORIES_FIELD_MANAGER } from '../../../api/names.js';
import { ManagedClusters } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import type { Result } from '../../../runtime/controller/result.js';
import type { Decision } from './decide.js';
import { CONFLICT_RETRY_MS, remove } from './remove.js';
import type { Scope } from './scope.js';

const HEAD = { apiVersion: apiVersionOf(ManagedClusters), kind: ManagedClusters.kind };

/** Makes the ManagedCluster as its inventory describes it. Throws what is retried. */
export async function apply(decision: Decision, scope: Scope): Promise<Result> {
  switch (decision.kind) {
    case 'nothing':
      return decision.result;
    case 'apply':
      return applyFields(decision, scope);
    case 'remove':
      return remove(decision.stored, decision.inventory, scope);
  }
}

async function applyFields(
  { source, stored, wanted, changed: { object, status }, result }: Extract<Decision, { kind: 'apply' }>,
  scope: Scope,
): Promise<Result> {
  const { client, mutations, name, pass } = scope;
  const { signal, log } = pass;
  if (object === undefined && status === undefined) return result;
  const options = { fieldManager: INVENTORIES_FIELD_MANAGER, signal };
  let current = stored;
  if (current === undefined) {
    // An apply would also change a ManagedCluster that somebody has created since the cache was read.
    const found = await client.get<ManagedCluster>(ManagedClusters, { name }, { signal });
    if (found !== undefined) return { ending: 'wait', reason: 'the cache is behind', afterMs: CONFLICT_RETRY_MS };
    const created = { ...HEAD, ...wanted.object };
    current = await client.apply<ManagedCluster>(ManagedClusters, created, { ...options, force: false });
    mutations.mutated(name, current);
    log.info({ source }, 'cluster added');
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
    const next = { ...HEAD, ...object, metadata: { ...object.metadata, ...metadata } };
    const { resourceVersion } = current.metadata;
    const forced = { ...options, force: true, resourceVersion };
    mutations.mutated(name, await client.apply<ManagedCluster>(ManagedClusters, next, forced));
  }
  return result;
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
