import { isObject, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { StatusError } from '../../status.js';
import { Client, targetOf } from '../client.js';
import type { ControllerOptions } from '../options.js';
import { WorkQueue } from '../workqueue.js';

/** An object that exists in every active namespace. */
export interface RequiredObject {
  /** The ServiceAccount of the controller. */
  readonly account: string;
  readonly plural: string;
  readonly object: JsonObject & { readonly metadata: JsonObject & { readonly name: string } };
  /** Restores the required content; returns the same object where it is correct. By default any content is accepted. */
  readonly repair?: (object: KubeObject) => KubeObject;
}

/** Creates a core object in every active namespace, and again when it is deleted or changed. */
export function startPerNamespaceController(
  options: ControllerOptions,
  required: RequiredObject,
): { end(): Promise<void> } {
  const {
    plural,
    object: {
      metadata: { name },
    },
  } = required;
  const client = new Client(options.verbs, required.account);
  const queue = new WorkQueue({
    clock: options.clock,
    workers: 4,
    reconcile: (namespace) => ensure(options, required, { client, namespace }),
    onError: options.onError,
  });
  const namespaces = options.reader.watch('namespaces', ({ metadata }, type) => {
    if (type === 'put') queue.add(metadata.name ?? '');
  });
  const objects = options.store.watch(plural, options.store.revision, ({ entry: { key } }) => {
    if (key.endsWith(`/${name}`)) queue.add(key.slice(0, -name.length - 1));
  });
  return {
    end() {
      namespaces.end();
      objects.end();
      return queue.end();
    },
  };
}

async function ensure(
  { reader, registry }: ControllerOptions,
  { plural, object, repair }: RequiredObject,
  { client, namespace }: { client: Client; namespace: string },
): Promise<void> {
  const parent = reader.get('namespaces', '', namespace);
  if (parent === undefined || !isObject(parent.status) || parent.status.phase !== 'Active') return;
  const { name } = object.metadata;
  const target = targetOf(registry, { group: '', plural, namespace, name });
  const existing = reader.get(plural, namespace, name);
  if (existing !== undefined) {
    const repaired = repair?.(existing) ?? existing;
    if (repaired !== existing) await client.update(target, repaired);
    return;
  }
  try {
    await client.create(target, object);
  } catch (error) {
    if (!needsNoRetry(error)) throw error;
  }
}

/** Whether a failed creation needs no retry: the object exists, or the namespace is gone or terminating. */
function needsNoRetry(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  if (error.code === 404 || error.reason === 'AlreadyExists') return true;
  return (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
}
