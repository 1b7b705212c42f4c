import type { KubeObject, ObjectName, ResourceType } from '../vocabulary/meta.js';

/**
 * The Kubernetes API for controllers. Objects are raw JSON: no field is dropped or renamed.
 * Every call has a deadline and throws an `ApiError` (src/runtime/errors.ts).
 */
export interface ReadClient {
  /** Reads one object from the server; undefined when it does not exist. Throws `ResourceMissing` when the type is not served. */
  get<T extends KubeObject>(type: ResourceType, name: ObjectName, options?: ReadOptions): Promise<T | undefined>;
  /** Lists a whole collection, in pages. `namespace` undefined: all namespaces, or a cluster-scoped type. */
  list<T extends KubeObject>(type: ResourceType, namespace: string | undefined, options?: ListOptions): Promise<T[]>;
}

export interface ReadOptions {
  /** Request `PartialObjectMetadata`: the result has apiVersion, kind and metadata only. */
  readonly metadataOnly?: boolean;
  readonly signal?: AbortSignal;
}

export interface ListOptions extends ReadOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Runs after each page, with the number of objects read so far. */
  readonly onPage?: (objects: number) => void;
}

/** What the stored object must match; otherwise the server responds with 409. */
interface Preconditions {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Options of every write. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Runs immediately before each attempt, retries included. An ApiError that it throws ends the call; nothing is sent. */
  readonly beforeAttempt?: () => void;
}

export interface ApplyOptions extends CallOptions {
  readonly fieldManager: string;
  /** Request only the metadata in the response. */
  readonly metadataOnly?: boolean;
  /** Take over fields of other managers; `metadata.uid` must be set then, so that only the known object is changed. */
  readonly force: boolean;
  /** Only check whether the server would accept it; nothing is stored. */
  readonly dryRun?: boolean;
  /**
   * The version of the object that the caller has read. With it an apply can take away the last item of a list, or the last
   * field of an object, that another manager owns too: a merge patch removes the list first, at this version only.
   */
  readonly resourceVersion?: string | undefined;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager: string;
}

export interface DeleteOptions extends CallOptions {
  readonly preconditions: Preconditions;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  /** For a Pod: absent means its own grace period, 0 deletes it at once. */
  readonly gracePeriodSeconds?: number;
}

export interface WriteClient {
  create<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T>;
  /** PUT; `metadata.resourceVersion` must be set. */
  update<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T>;
  /** PUT on the status subresource; `metadata.resourceVersion` must be set. */
  updateStatus<T extends KubeObject>(type: ResourceType, object: T, options: WriteOptions): Promise<T>;
  /** Server-side apply (PATCH, creates when missing). */
  apply<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T>;
  /** Server-side apply on the status subresource. `metadata.uid` must be set when it takes over fields. */
  applyStatus<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T>;
  /** JSON merge patch of `metadata` only; `metadata.resourceVersion` must be set. */
  patchMetadata<T extends KubeObject>(
    type: ResourceType,
    name: ObjectName,
    metadata: MetadataPatch,
    options: WriteOptions,
  ): Promise<T>;
  /** `gone`: the object does not exist (any more); `deleting`: it waits for finalizers or its dependents. */
  delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<'gone' | 'deleting'>;
  /** SelfSubjectAccessReview: whether this client has the permission. */
  allowed(access: AccessAttributes, signal?: AbortSignal): Promise<boolean>;
}

export interface MetadataPatch {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string | null>>;
  /** The complete new list. */
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
