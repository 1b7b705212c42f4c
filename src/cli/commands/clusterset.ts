import { CLI_FIELD_MANAGER } from '../../api/names.js';
import { ManagedClusterSetBindings } from '../../api/resources.js';
import type { ReadClient, WriteClient } from '../../runtime/client/client.js';
import { changeHub, done, type ChangeConfig } from '../hub.js';
import { absentSetNote } from '../../answers/meant.js';

/** Binds a cluster set to a namespace; returns the exit code. */
export function runClusterSet(config: ChangeConfig & { readonly clusterSet: string }): Promise<number> {
  return changeHub(config, async ({ client, namespace }) =>
    done(...(await bindClusterSet(client, { clusterSet: config.clusterSet, namespace: namespace() }))),
  );
}

/**
 * Applies the binding that lets the Placements of a namespace select from a set. Returns the lines of the output: a second
 * one where the set does not exist.
 * @throws ApiError, Forbidden also for a caller who may create bindings but not bind this set
 */
export async function bindClusterSet(
  client: Pick<ReadClient, 'get' | 'list'> & Pick<WriteClient, 'apply'>,
  { clusterSet, namespace }: { readonly clusterSet: string; readonly namespace: string },
): Promise<readonly string[]> {
  const binding = { metadata: { name: clusterSet, namespace }, spec: { clusterSet } };
  await client.apply(ManagedClusterSetBindings, binding, { fieldManager: CLI_FIELD_MANAGER, force: false });
  const bound = `cluster set ${clusterSet} is bound to namespace ${namespace}`;
  const note = await absentSetNote(client, clusterSet);
  return note === undefined ? [bound] : [bound, note];
}
