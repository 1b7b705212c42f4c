import type { FieldsToApply } from '../../domain/inventories/managedcluster.js';
import type { KubeClient } from '../../runtime/client/client.js';
import type { MutationCache } from '../../runtime/controller/mutationcache.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import type { KubeObject, ResourceType } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';

type WithStatus = KubeObject & { readonly status?: object };

/** The cache shows what others have written meanwhile. */
export const CONFLICT_RETRY_MS = 1_000;

interface ApplyScope<T extends WithStatus> {
  readonly client: KubeClient;
  /** Keeps the answers. */
  readonly mutations: MutationCache<T>;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/**
 * Applies fields of an object that describes one of another kind; what others have added stays. `current`: the object as it was read
 * or last written. The revision comes last: with it, all fields of the status are known to be applied. Throws what is retried.
 */
export async function applyFields<T extends WithStatus>(
  type: ResourceType,
  current: T,
  { object, status }: FieldsToApply<T>,
  { client, mutations, fieldManager, signal }: ApplyScope<T>,
): Promise<void> {
  const head = { apiVersion: apiVersionOf(type), kind: type.kind };
  const { name, namespace, uid = '' } = current.metadata;
  const metadata = { ...(namespace !== undefined && { namespace }), name, uid };
  const key = keyOf(metadata);
  const options = { fieldManager, force: true, signal };
  let { resourceVersion } = current.metadata;
  const keep = (stored: T): void => {
    mutations.mutated(key, stored);
    ({ resourceVersion } = stored.metadata);
  };
  if (status !== undefined) {
    // An empty status would stay owned by this manager, and become null when its last field goes.
    const isEmpty = Object.keys(status).length === 0;
    const described = { ...head, metadata, ...(isEmpty ? {} : { status }) } as unknown as T;
    if (!isEmpty || current.status !== undefined)
      keep(await client.applyStatus<T>(type, described, { ...options, resourceVersion }));
  }
  if (object !== undefined) {
    const next = { ...head, ...object, metadata: { ...object.metadata, ...metadata } };
    keep(await client.apply<T>(type, next, { ...options, resourceVersion }));
  }
}
