import { CLI_FIELD_MANAGER } from '../../api/names.js';
import { ManagedClusterSetBindings, ManagedClusterSets } from '../../api/resources.js';
import type { ReadClient, WriteClient } from '../../kube/client/client.js';
import { isFailure } from '../../runtime/errors.js';

export interface BindRequest {
  readonly clusterSet: string;
  readonly namespace: string;
}

/**
 * Applies the binding that lets the Placements of a namespace select from a set. Returns the lines of the output: a second
 * one where the set does not exist.
 * @throws ApiError, Forbidden also for a caller who may create bindings but not bind this set
 */
export async function bindClusterSet(
  client: Pick<ReadClient, 'get'> & Pick<WriteClient, 'apply'>,
  { clusterSet, namespace }: BindRequest,
): Promise<readonly string[]> {
  const binding = { metadata: { name: clusterSet, namespace }, spec: { clusterSet } };
  await client.apply(ManagedClusterSetBindings, binding, { fieldManager: CLI_FIELD_MANAGER, force: false });
  const bound = `cluster set ${clusterSet} is bound to namespace ${namespace}`;
  return (await mayExist(client, clusterSet)) ? [bound] : [bound, `there is no ManagedClusterSet ${clusterSet} yet`];
}

/** False only for a set that is known to be missing: who may bind a set may be unable to read it. */
async function mayExist(client: Pick<ReadClient, 'get'>, name: string): Promise<boolean> {
  try {
    return (await client.get(ManagedClusterSets, { name }, { metadataOnly: true })) !== undefined;
  } catch (error) {
    if (!isFailure(error, 'Forbidden')) throw error;
    return true;
  }
}
