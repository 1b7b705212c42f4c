import type { KubeObject, ObjectName, ResourceType } from '../../api/meta.js';

/**
 * The Kubernetes API as controllers see it. Objects are raw JSON: nothing is dropped, nothing is renamed.
 * Every call has a deadline and throws an `ApiError` (src/runtime/errors.ts).
 */
export interface ReadClient {
  /** Reads one object from the server, not from a cache; undefined when it does not exist. A type that is not served throws `ResourceMissing`. */
  get<T extends KubeObject>(type: ResourceType, name: ObjectName, options?: ReadOptions): Promise<T | undefined>;
  /** Reads a whole collection, in pages; namespaced types need a namespace, or undefined for all namespaces. */
  list<T extends KubeObject>(type: ResourceType, namespace: string | undefined, options?: ListOptions): Promise<T[]>;
}

export interface ReadOptions {
  /** Ask for metadata only (`PartialObjectMetadata`): the answer holds apiVersion, kind and metadata alone. */
  readonly metadataOnly?: boolean;
  readonly signal?: AbortSignal;
}

export interface ListOptions extends ReadOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** What must be true of the stored object, or the server answers 409. */
export interface Preconditions {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Of every write. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Runs immediately before every try, repeats included; the ApiError that it throws ends the call, and nothing is sent. */
  readonly beforeAttempt?: () => void;
}

export interface ApplyOptions extends CallOptions {
  readonly fieldManager: string;
  /** Ask for no more than the metadata in the answer: what was written need not come back. */
  readonly metadataOnly?: boolean;
  /** Take fields over from other managers: only for an object that is ours already. Then `metadata.uid` of the object must be set. */
  readonly force: boolean;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager: string;
}

export interface DeleteOptions extends CallOptions {
  readonly preconditions: Preconditions;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
}

export interface WriteClient {
  create<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T>;
  /** PUT; `metadata.resourceVersion` must be set. */
  update<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T>;
  /** PUT on the status subresource; `metadata.resourceVersion` must be set. */
  updateStatus<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T>;
  /** Server-side apply (PATCH, creates when missing). */
  apply<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T>;
  /** JSON merge patch of `metadata` and nothing else; `metadata.resourceVersion` must be in it. */
  patchMetadata<T extends KubeObject>(
    type: ResourceType,
    name: ObjectName,
    metadata: MetadataPatch,
    options: WriteOptions,
  ): Promise<T>;
  /** Whether the object is `gone` (or was not there), or `deleting` (finalizers, foreground). */
  delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<'gone' | 'deleting'>;
  /** SelfSubjectAccessReview: whether this client may do that. */
  allowed(access: AccessAttributes, signal?: AbortSignal): Promise<boolean>;
}

export interface MetadataPatch {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string | null>>;
  /** All of them: who owns which field from now on. */
  readonly managedFields?: readonly object[];
}

export interface AccessAttributes {
  readonly verb: string;
  readonly type: ResourceType;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface KubeClient extends ReadClient, WriteClient {}
