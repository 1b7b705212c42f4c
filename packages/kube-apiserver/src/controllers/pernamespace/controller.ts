import { isObject, type JsonObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { StatusError } from '../../status.js';
import { Client, targetOf } from '../client.js';
import type { ControllerOptions } from '../options.js';
import { WorkQueue } from '../workqueue.js';

/** One object that every namespace has. */
export interface RequiredObject {
  /** The ServiceAccount that makes it. */
  readonly account: string;
  readonly plural: string;
  readonly object: JsonObject & { readonly metadata: JsonObject & { readonly name: string } };
  /** The object as it should be; the same where it is. Without it, it only has to be there. */
  readonly repair?: (object: KubeObject) => KubeObject;
}

/** Sees to it that a core object is in every namespace that is not being deleted. */
export function startPerNamespaceController(
  options: ControllerOptions,
  fixture: RequiredObject,
): { end(): Promise<void> } {
  const {
    plural,
    object: {
      metadata: { name },
    },
  } = fixture;
  const client = new Client(options.verbs, fixture.account);
  const worklist = new WorkQueue({
    clock: options.clock,
    workers: 4,
    reconcile: (namespace) => ensure(options, fixture, { client, namespace }),
    onError: options.onError,
  });
  const namespaces = options.reader.watch('namespaces', ({ metadata }, type) => {
    if (type === 'put') worklist.add(metadata.name ?? '');
  });
  const objects = options.store.watch(plural, options.store.revision, ({ entry: { key } }) => {
    if (key.endsWith(`/${name}`)) worklist.add(key.slice(0, -name.length - 1));
  });
  return {
    end() {
      namespaces.end();
      objects.end();
      return worklist.end();
    },
  };
}

async function ensure(
  { reader, registry }: ControllerOptions,
  { plural, object, repair: mend }: RequiredObject,
  { client, namespace }: { client: Client; namespace: string },
): Promise<void> {
  const place = reader.get('namespaces', '', namespace);
  if (place === undefined || !isObject(place.status) || place.status.phase !== 'Active') return;
  const { name } = object.metadata;
  const target = targetOf(registry, { group: '', plural, namespace, name });
  const found = reader.get(plural, namespace, name);
  if (found !== undefined) {
    const mended = mend?.(found) ?? found;
    if (mended !== found) await client.update(target, mended);
    return;
  }
  try {
    await client.create(target, object);
  } catch (error) {
    if (!needsNoRetry(error)) throw error;
  }
}

/** Somebody made it, or the namespace is going: nothing is left to do. */
function needsNoRetry(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  if (error.code === 404 || error.reason === 'AlreadyExists') return true;
  return (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
}
