import type { KubeObject } from '../../../api/meta.js';
import { ENGINE_FIELD_MANAGER } from '../../../api/names.js';
import type { DesiredObject } from '../../../domain/engine/manifest/desired.js';
import { takeOverSpec } from '../../../domain/engine/plan/managedfields.js';
import type { KubeClient } from '../../../kube/client/client.js';
import { isFailure } from '../../../runtime/errors.js';

/**
 * Applies: an object of ours with force and its uid, a new name without force. `fresh`: the stored object as just read.
 * Server-side apply keeps the fields of other managers; after an edit of a Service's port or a volume's type that leaves
 * both values, which the API server refuses. Then the operator becomes the owner of the whole spec, and applies again,
 * which removes what is not desired.
 */
export async function serverSideApply(
  client: KubeClient,
  { type, object }: DesiredObject,
  fresh: KubeObject | undefined,
  readOptions: { readonly metadataOnly: boolean; readonly signal: AbortSignal },
): Promise<KubeObject> {
  const { uid, resourceVersion = '' } = fresh?.metadata ?? {};
  const withUid = uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
  const options = { fieldManager: ENGINE_FIELD_MANAGER, force: uid !== undefined, ...readOptions };
  try {
    return await client.apply(type, withUid, options);
  } catch (error) {
    const managedFields = isFailure(error, 'Invalid') ? takeOverSpec(fresh, ENGINE_FIELD_MANAGER) : undefined;
    if (uid === undefined || managedFields === undefined) throw error;
    await client.patchMetadata(type, object.metadata, { uid, resourceVersion, managedFields }, options);
    return client.apply(type, withUid, options);
  }
}
