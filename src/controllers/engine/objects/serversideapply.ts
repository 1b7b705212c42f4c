import type { KubeObject, ResourceType } from '../../../api/meta.js';
import { ENGINE_FIELD_MANAGER } from '../../../api/names.js';
import { takeOverSpec } from '../../../domain/engine/plan/managedfields.js';
import type { KubeClient } from '../../../kube/client/client.js';
import { isFailure } from '../../../runtime/errors.js';

/** What is applied over what is there. */
export interface Replacement {
  readonly object: KubeObject;
  /** As just read; undefined where there is none yet. */
  readonly fresh: KubeObject | undefined;
  readonly metadataOnly: boolean;
  readonly signal: AbortSignal;
}

/**
 * Applies: ours with force and its uid, a new name without force. Server-side apply leaves alone what others have added, and an edit of
 * a Service's port or of a volume's type leaves both side by side, which the API refuses. Then the spec is taken over as a whole, so that
 * what is not wanted there goes.
 */
export async function serverSideApply(
  client: KubeClient,
  type: ResourceType,
  { object, fresh, metadataOnly, signal }: Replacement,
): Promise<KubeObject> {
  const { uid, resourceVersion = '' } = fresh?.metadata ?? {};
  const wanted = uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
  const options = { fieldManager: ENGINE_FIELD_MANAGER, force: uid !== undefined, signal, metadataOnly };
  try {
    return await client.apply(type, wanted, options);
  } catch (error) {
    const managedFields = isFailure(error, 'Invalid') ? takeOverSpec(fresh, ENGINE_FIELD_MANAGER) : undefined;
    if (uid === undefined || managedFields === undefined) throw error;
    await client.patchMetadata(type, object.metadata, { uid, resourceVersion, managedFields }, options);
    return client.apply(type, wanted, options);
  }
}
