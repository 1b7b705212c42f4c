import { CLI_FIELD_MANAGER } from '../../api/names.js';
import { ManagedClusterSetBindings, ManagedClusterSets } from '../../api/resources.js';
import type { ReadClient, WriteClient } from '../../kube/client/client.js';
import { isFailure } from '../../runtime/errors.js';

export interface BindRequest {
  readonly clusterSet: string;
  readonly namespace: string;
}

/**
 * Lets the Placements of a namespace select from a set: applies its binding. Returns one line, and a second one where the set
 * does not exist. @throws ApiError, without the right to bind the set too.
 */
export async function bindClusterSet(
  client: Pick<ReadClient, 'get'> & Pick<WriteClient, 'apply'>,
  { clusterSet, namespace }: BindRequest,
): Promise<readonly string[]> {
  const binding = { metadata: { name: clusterSet, namespace }, spec: { clusterSet } };
  await client.apply(ManagedClusterSetBindings, binding, { fieldManager: CLI_FIELD_MANAGER, force: false });
  const bound = `cluster set ${clusterSet} is bound to namespace ${namespace}`;
  return (await exists(client, clusterSet)) ? [bound] : [bound, `there is no ManagedClusterSet ${clusterSet} yet`];
}

/** True also where it is not known: who may bind a set need not be able to read it. */
async function exists(client: Pick<ReadClient, 'get'>, name: string): Promise<boolean> {
  try {
    return (await client.get(ManagedClusterSets, { name }, { metadataOnly: true })) !== undefined;
  } catch (error) {
    if (!isFailure(error, 'Forbidden')) throw error;
    return true;
  }
}
