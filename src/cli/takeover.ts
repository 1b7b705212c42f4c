import { field } from '../runtime/vocabulary/json.js';
import { EARLIER_FIELD_MANAGERS } from '../api/names.js';
import { ManagedClusters } from '../api/resources.js';
import { renamedManagers } from '../domain/fieldmanagers.js';
import type { RawObject } from '../domain/fleet/world.js';
import type { WriteClient } from '../runtime/client/client.js';

/**
 * The cluster with what earlier versions of the commands have written as their own: GitOps tools remove what managers of those
 * names have written. Writes nothing where there is nothing of them. @throws ApiError, a conflict when it has changed since.
 */
export async function takeOver(client: Pick<WriteClient, 'patchMetadata'>, cluster: RawObject): Promise<RawObject> {
  const { name, uid = '', resourceVersion = '' } = cluster.metadata;
  const managedFields = renamedManagers(field(cluster.metadata, 'managedFields'), EARLIER_FIELD_MANAGERS);
  if (managedFields === undefined) return cluster;
  const [fieldManager = ''] = EARLIER_FIELD_MANAGERS.values();
  const metadata = { uid, resourceVersion, managedFields };
  return client.patchMetadata<RawObject>(ManagedClusters, { name }, metadata, { fieldManager });
}
