import type { KubeObject, ObjectName, ResourceType } from '../vocabulary/meta.js';
import { ApiError, isFailure, type FailedCall } from '../errors.js';
import type { ApiResponse, Bucket, Call } from '../transport/call.js';
import type {
  AccessAttributes,
  ApplyOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  MetadataPatch,
  ReadOptions,
  CallOptions,
  WriteOptions,
} from './client.js';
import { malformed } from '../transport/apierror.js';
import { removalOf, bodyOf, objectOf, withoutManagedFields } from './object.js';
import { field, textField } from '../vocabulary/json.js';
import { pagesOf } from './list.js';
import { isAllowed } from './reviews.js';
import { acceptOf, collectionPath, objectPath, resourceOf, type Collection } from './path.js';
import type { Transport } from '../transport/transport.js';

interface ClientOptions {
  /** Which rate limit its calls fall under; default `default`. */
  readonly bucket?: Bucket;
  /** Longest time for a call, in ms; default that of the transport. */
  readonly deadlineMs?: number;
  /** At most this many attempts for a call; default that of the transport. */
  readonly attempts?: number;
}

/** A client over a transport. It performs every write; controllers use it through `guardClient` only. */
export function createClient(transport: Pick<Transport, 'call'>, options: ClientOptions = {}): KubeClient {
  return new RestClient(transport, options);
}

/** A list whose continue token expires is started again this often. */
const LIST_RESTARTS = 2;

type Send = Omit<Call, 'path' | 'target'>;

/** The target of a call: one object, or for create the collection. */
interface Target {
  readonly verb: string;
  readonly type: ResourceType;
  readonly name: ObjectName;
  readonly subresource?: 'status';
  /** Whether the response has only metadata. */
  readonly metadataOnly?: boolean | undefined;
}

class RestClient implements KubeClient {
  readonly #transport: Pick<Transport, 'call'>;
  readonly #options: ClientOptions;

  constructor(transport: Pick<Transport, 'call'>, options: ClientOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  async get<T extends KubeObject>(
    type: ResourceType,
    name: ObjectName,
    options: ReadOptions = {},
  ): Promise<T | undefined> {
    const target = { verb: 'get', type, name };
    const call = callOf(target);
    try {
      const response = await this.#send(target, {
        method: 'GET',
        idempotent: true,
        accept: acceptOf(options.metadataOnly),
        signal: options.signal,
      });
      const object = objectOf<T>(response.body, { type, metadataOnly: options.metadataOnly }, call);
      if (object.metadata.name !== name.name) throw malformed(call, `the object is named "${object.metadata.name}"`);
      return object;
    } catch (error) {
      if (isFailure(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async list<T extends KubeObject>(
    type: ResourceType,
    namespace: string | undefined,
    options: ListOptions = {},
  ): Promise<T[]> {
    const { signal, onPage, ...selection } = options;
    const collection: Collection = { type, namespace, ...selection };
    for (let restarts = 0; ; restarts++) {
      try {
        const items: T[] = [];
        for await (const page of pagesOf<T>(this.#transport, collection, { ...this.#options, signal })) {
          items.push(...page.items);
          onPage?.(items.length);
        }
        return items;
      } catch (error) {
        if (!isFailure(error, 'Gone') || restarts >= LIST_RESTARTS) throw error;
      }
    }
  }

  create<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T> {
    const target = { verb: 'create', type, name: object.metadata };
    // A repeated POST would fail with 409 although the first one created the object.
    return this.#write<T>(target, options, {
      method: 'POST',
      idempotent: false,
      body: bodyOf(object, type),
    });
  }

  update<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T> {
    return this.#put({ verb: 'update', type, name: object.metadata }, object, options);
  }

  updateStatus<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T> {
    return this.#put({ verb: 'update', type, name: object.metadata, subresource: 'status' }, object, options);
  }

  async #put<T extends KubeObject>(target: Target, object: T, options: WriteOptions): Promise<T> {
    required('metadata.resourceVersion', object.metadata.resourceVersion, target);
    return this.#write<T>(target, options, {
      method: 'PUT',
      idempotent: true,
      body: bodyOf(object, target.type),
    });
  }

  apply<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T> {
    return this.#apply({ verb: 'patch', type, name: object.metadata }, object, options);
  }

  applyStatus<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T> {
    return this.#apply({ verb: 'patch', type, name: object.metadata, subresource: 'status' }, object, options);
  }

  async #apply<T extends KubeObject>(target: Target, object: T, options: ApplyOptions): Promise<T> {
    const { force, metadataOnly, dryRun = false, resourceVersion } = options;
    const { uid } = object.metadata;
    if (force) required('metadata.uid', uid, target);
    const write = (send: Pick<Send, 'query' | 'contentType' | 'body'>): Promise<T> =>
      this.#write<T>({ ...target, metadataOnly }, options, {
        method: 'PATCH',
        idempotent: true,
        accept: acceptOf(metadataOnly),
        ...send,
      });
    const apply = (): Promise<T> =>
      write({
        query: { force: String(force), ...(dryRun ? { dryRun: 'All' } : {}) },
        contentType: 'application/apply-patch+yaml',
        body: bodyOf(withoutManagedFields(object), target.type),
      });
    try {
      return await apply();
    } catch (error) {
      const removal = dryRun || resourceVersion === undefined ? undefined : removalOf(error, object);
      if (removal === undefined) throw error;
      await write({
        contentType: 'application/merge-patch+json',
        body: JSON.stringify({ ...removal, metadata: { uid, resourceVersion } }),
      });
      return apply();
    }
  }

  async patchMetadata<T extends KubeObject>(
    type: ResourceType,
    name: ObjectName,
    metadata: MetadataPatch,
    options: WriteOptions,
  ): Promise<T> {
    const target = { verb: 'patch', type, name };
    required('metadata.uid', metadata.uid, target);
    required('metadata.resourceVersion', metadata.resourceVersion, target);
    return this.#write<T>(target, options, {
      method: 'PATCH',
      idempotent: true,
      contentType: 'application/merge-patch+json',
      body: JSON.stringify({ metadata }),
    });
  }

  async delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<'gone' | 'deleting'> {
    const { preconditions, propagation, gracePeriodSeconds } = options;
    const target = { verb: 'delete', type, name };
    required('preconditions.uid', preconditions.uid, target);
    required('preconditions.resourceVersion', preconditions.resourceVersion, target);
    const propagationPolicy = propagation === undefined ? {} : { propagationPolicy: propagation };
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions,
      ...propagationPolicy,
      gracePeriodSeconds,
    });
    try {
      const response = await this.#send(target, { method: 'DELETE', idempotent: true, body, ...tryOf(options) });
      return isDeleting(response) ? 'deleting' : 'gone';
    } catch (error) {
      if (isFailure(error, 'NotFound')) return 'gone';
      throw error;
    }
  }

  async allowed(access: AccessAttributes, signal?: AbortSignal): Promise<boolean> {
    const { type, verb, ...rest } = access;
    const resourceAttributes = { ...rest, verb, group: type.group, version: type.version, resource: type.plural };
    return isAllowed(this.#transport, { resourceAttributes }, { ...this.#options, signal });
  }

  async #write<T extends KubeObject>(target: Target, options: WriteOptions, send: Send): Promise<T> {
    const query = { fieldManager: options.fieldManager, ...send.query };
    const response = await this.#send(target, { ...send, ...tryOf(options), query });
    return objectOf<T>(response.body, target, callOf(target));
  }

  async #send(target: Target, send: Send): Promise<ApiResponse> {
    const call = callOf(target);
    try {
      return await this.#transport.call({ ...this.#options, ...send, path: pathOf(target), target: call });
    } catch (error) {
      if (error instanceof RangeError)
        throw new ApiError({ kind: 'Invalid', message: `${call.verb} ${call.resource}: ${error.message}`, call });
      throw error;
    }
  }
}

function pathOf(target: Target): string {
  const { verb, type, name, subresource } = target;
  if (verb !== 'create') return objectPath(type, name, subresource);
  if (type.namespaced && (name.namespace ?? '') === '')
    throw new RangeError(`metadata.namespace: "": a ${type.kind} needs one`);
  return collectionPath(type, name.namespace);
}

function callOf(target: Target): FailedCall {
  const { namespace, name } = target.name;
  return {
    verb: target.verb,
    resource: resourceOf(target.type, target.subresource),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === '' ? {} : { name }),
  };
}

function tryOf(options: CallOptions): Pick<Call, 'signal' | 'beforeAttempt'> {
  return { signal: options.signal, beforeAttempt: options.beforeAttempt };
}

function required(name: string, value: string | undefined, target: Target): void {
  if (value !== undefined && value !== '') return;
  const call = callOf(target);
  throw new ApiError({ kind: 'Invalid', message: `${call.verb} ${call.resource}: ${name}: "": must be set`, call });
}

/** The response to a deletion is a Status, or the object: its last state, or with a deletionTimestamp while it waits. */
function isDeleting(response: ApiResponse): boolean {
  if (textField(response.body, 'kind') === 'Status') return false;
  const metadata = field(response.body, 'metadata');
  const finalizers = field(metadata, 'finalizers');
  return textField(metadata, 'deletionTimestamp') !== '' || (Array.isArray(finalizers) && finalizers.length > 0);
}
