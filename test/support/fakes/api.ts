import { isDeepStrictEqual } from 'node:util';

import type { KubeObject, ObjectMeta, ObjectName, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { MultiClusterEngines, PlacementDecisions } from '../../../src/api/resources.js';
import { keyOf } from '../../../src/runtime/vocabulary/names.js';
import { apiVersionOf, Secrets } from '../../../src/runtime/vocabulary/kinds.js';
import type {
  AccessAttributes,
  ApplyOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  MetadataPatch,
  ReadOptions,
  WriteOptions,
} from '../../../src/runtime/client/client.js';
import type { CacheOptions } from '../../../src/runtime/cache/cache.js';
import type { WriteVerb } from '../../../src/runtime/client/guard.js';
import type { Clock } from '../../../src/runtime/clock.js';
import { ApiError, type FailureKind } from '../../../src/runtime/errors.js';
import { FakeCache, matchesSelector, selectableFields } from './cache.js';

/** One API call. */
export interface FakeCall {
  readonly verb: WriteVerb | 'get' | 'list' | 'allowed';
  readonly type: ResourceType;
  readonly name: ObjectName;
  readonly object?: KubeObject;
}

type Tree = Record<string, unknown>;

/**
 * The Kubernetes API in memory, for unit tests of controllers: resource versions, uids, generations, status subresource,
 * preconditions, finalizers, caches that may lag. It has no garbage collection, no schema, and managed fields only in Secrets.
 */
export class FakeApi implements KubeClient {
  /** Every call in order, including those that fail. */
  readonly calls: FakeCall[] = [];
  /** Runs before each call; the call fails with what it throws. */
  before: (call: FakeCall) => void | Promise<void> = () => {};
  /** Whether calls fail that request more of a Secret than its metadata. A `get` may request that of a Secret that others made. */
  rejectsSecretData = false;
  /** The Secrets whose content was requested, as `namespace/name`, in order. */
  readonly secretReads: string[] = [];
  /** The result of SelfSubjectAccessReview. */
  reviewAccess: (access: AccessAttributes) => boolean = () => true;
  readonly #clock: Clock;
  readonly #tables = new Map<string, Map<string, KubeObject>>();
  readonly #caches: FakeCache<KubeObject>[] = [];
  #version = 0;
  #uid = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The writes among the calls, as `verb key`. */
  get writes(): string[] {
    const reads = ['get', 'list', 'allowed'];
    return this.calls
      .filter((call) => !reads.includes(call.verb))
      .map((call) => `${call.verb} ${call.type.plural} ${keyOf(call.name)}`);
  }

  /** The stored object; not counted as a call. */
  peek<T extends KubeObject>(type: ResourceType, name: ObjectName): T | undefined {
    return this.#table(type).get(keyOf(name)) as T | undefined;
  }

  all<T extends KubeObject>(type: ResourceType): T[] {
    return [...this.#table(type).values()].sort((a, b) => (keyOf(a.metadata) < keyOf(b.metadata) ? -1 : 1)) as T[];
  }

  /** Stores an object with its status, as another client would; not counted as a call. */
  put<T extends KubeObject>(type: ResourceType, object: T): T {
    const stored = this.peek(type, object.metadata);
    const metadata = { ...this.#serverFields(), ...stored?.metadata, ...object.metadata };
    if (
      stored !== undefined &&
      !isDeepStrictEqual(Reflect.get(stored, 'spec'), structuredClone<unknown>(Reflect.get(object, 'spec')))
    ) {
      metadata.generation = (stored.metadata.generation ?? 1) + 1;
    }
    return this.#store(type, { ...object, metadata }, 'put');
  }

  /** Removes an object at once, as garbage collection would. */
  remove(type: ResourceType, name: ObjectName): void {
    const stored = this.#table(type).get(keyOf(name));
    if (stored === undefined) return;
    this.#table(type).delete(keyOf(name));
    for (const cache of this.#caches) if (cache.type === type) cache.receive(keyOf(name), undefined);
  }

  /** A cache of this server; it is updated at once unless it is paused. */
  cache<T extends KubeObject>(options: CacheOptions<T>): FakeCache<T> {
    this.#checkSecretRead(options.type, options.metadataOnly);
    const cache = new FakeCache<T>(options, () => this.all<T>(options.type));
    this.#caches.push(cache as unknown as FakeCache<KubeObject>);
    return cache;
  }

  async get<T extends KubeObject>(
    type: ResourceType,
    name: ObjectName,
    options: ReadOptions = {},
  ): Promise<T | undefined> {
    if (!isOfOthers(this.peek(type, name))) this.#checkSecretRead(type, options.metadataOnly);
    if (type === Secrets && options.metadataOnly !== true) this.secretReads.push(keyOf(name));
    await this.#call({ verb: 'get', type, name });
    const stored = this.peek<T>(type, name);
    return stored !== undefined && options.metadataOnly === true ? metadataOf(stored) : stored;
  }

  async list<T extends KubeObject>(
    type: ResourceType,
    namespace: string | undefined,
    options: ListOptions = {},
  ): Promise<T[]> {
    this.#checkSecretRead(type, options.metadataOnly);
    await this.#call({ verb: 'list', type, name: { name: '' } });
    const found = this.all<T>(type).filter(
      (one) =>
        (namespace === undefined || one.metadata.namespace === namespace) &&
        matchesSelector(one.metadata.labels ?? {}, options.labelSelector) &&
        matchesSelector(selectableFields(one), options.fieldSelector),
    );
    return options.metadataOnly === true ? found.map(metadataOf) : found;
  }

  async create<T extends KubeObject>(type: ResourceType, object: T, _options: WriteOptions): Promise<T> {
    await this.#call({ verb: 'create', type, name: object.metadata, object });
    if (this.peek(type, object.metadata) !== undefined) throw failure('AlreadyExists', 'create', type, object.metadata);
    const fresh: T = hasStatus(type) ? withoutField(object, 'status') : object;
    return this.#store(type, { ...fresh, metadata: { ...object.metadata, ...this.#serverFields() } }, 'create');
  }

  async update<T extends KubeObject>(type: ResourceType, object: T, _options: WriteOptions): Promise<T> {
    await this.#call({ verb: 'update', type, name: object.metadata, object });
    const stored = this.#expect(type, object.metadata, 'update', object.metadata);
    const next: T = hasStatus(type) ? withField(object, 'status', Reflect.get(stored, 'status')) : object;
    return this.#store(type, { ...next, metadata: withServerFields(stored.metadata, object.metadata) }, 'update');
  }

  async updateStatus<T extends KubeObject>(type: ResourceType, object: T, _options: WriteOptions): Promise<T> {
    await this.#call({ verb: 'updateStatus', type, name: object.metadata, object });
    const stored = this.#expect(type, object.metadata, 'updateStatus', object.metadata);
    return this.#store(type, withField(stored as T, 'status', Reflect.get(object, 'status')), 'updateStatus');
  }

  async apply<T extends KubeObject>(type: ResourceType, applied: T, options: ApplyOptions): Promise<T> {
    this.#checkSecretRead(type, options.metadataOnly);
    const object = type === Secrets ? withManagedFields(applied, options.fieldManager) : applied;
    const stored = await this.#apply(type, object, options);
    return options.metadataOnly === true ? metadataOf(stored) : stored;
  }

  async applyStatus<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T> {
    await this.#call({ verb: 'applyStatus', type, name: object.metadata, object });
    const stored = this.peek<T>(type, object.metadata);
    const asked = object.metadata.uid;
    if (stored === undefined || (asked !== undefined && asked !== stored.metadata.uid))
      throw failure(asked === undefined ? 'NotFound' : 'Conflict', 'applyStatus', type, object.metadata);
    if (options.force && asked === undefined) throw new Error('a forced apply without metadata.uid');
    const before = Reflect.get(stored, 'status') as Tree | undefined;
    const status = merge(before ?? {}, Reflect.get(object, 'status') ?? {});
    return this.#store(type, withField(stored, 'status', status), 'applyStatus');
  }

  async #apply<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T> {
    await this.#call({ verb: 'apply', type, name: object.metadata, object });
    const stored = this.peek<T>(type, object.metadata);
    if (stored === undefined) {
      if (object.metadata.uid !== undefined) throw failure('Conflict', 'apply', type, object.metadata);
      return this.#store(type, { ...object, metadata: { ...object.metadata, ...this.#serverFields() } }, 'apply');
    }
    const asked = object.metadata.uid;
    if (options.force && asked === undefined) throw new Error('a forced apply without metadata.uid');
    if (asked !== undefined && asked !== stored.metadata.uid) throw failure('Conflict', 'apply', type, object.metadata);
    const merged = merge(stored as unknown as Tree, object as unknown as Tree) as unknown as T;
    return this.#store(type, { ...merged, metadata: withServerFields(stored.metadata, merged.metadata) }, 'apply');
  }

  async patchMetadata<T extends KubeObject>(
    type: ResourceType,
    name: ObjectName,
    patch: MetadataPatch,
    _options: WriteOptions,
  ): Promise<T> {
    await this.#call({ verb: 'patchMetadata', type, name });
    const stored = this.#expect(type, name, 'patchMetadata', patch) as T;
    const metadata = { ...stored.metadata };
    if (patch.finalizers !== undefined) metadata.finalizers = [...patch.finalizers];
    if (patch.annotations !== undefined)
      metadata.annotations = merge(metadata.annotations ?? {}, patch.annotations) as Record<string, string>;
    const next = { ...stored, metadata };
    if (metadata.deletionTimestamp === undefined || (metadata.finalizers ?? []).length > 0)
      return this.#store(type, next, 'patchMetadata');
    this.remove(type, name);
    return next;
  }

  async delete(type: ResourceType, name: ObjectName, options: DeleteOptions): Promise<'gone' | 'deleting'> {
    await this.#call({ verb: 'delete', type, name });
    if (this.peek(type, name) === undefined) return 'gone';
    const stored = this.#expect(type, name, 'delete', options.preconditions);
    const finalizers = [...(stored.metadata.finalizers ?? [])];
    if (options.propagation === 'Foreground' && !finalizers.includes('foregroundDeletion'))
      finalizers.push('foregroundDeletion');
    if (finalizers.length === 0) {
      this.remove(type, name);
      return 'gone';
    }
    const deletionTimestamp = stored.metadata.deletionTimestamp ?? new Date(this.#clock.now()).toISOString();
    this.#store(type, { ...stored, metadata: { ...stored.metadata, finalizers, deletionTimestamp } }, 'delete');
    return 'deleting';
  }

  async allowed(access: AccessAttributes): Promise<boolean> {
    await this.#call({ verb: 'allowed', type: access.type, name: { name: access.name ?? '' } });
    return this.reviewAccess(access);
  }

  #checkSecretRead(type: ResourceType, metadataOnly: boolean | undefined): void {
    if (this.rejectsSecretData && type === Secrets && metadataOnly !== true)
      throw new Error('the data of a Secret was requested');
  }

  async #call(call: FakeCall): Promise<void> {
    this.calls.push(call);
    await Promise.resolve();
    await this.before(call);
  }

  #table(type: ResourceType): Map<string, KubeObject> {
    const key = `${type.plural}.${type.group}`;
    const table = this.#tables.get(key) ?? new Map<string, KubeObject>();
    this.#tables.set(key, table);
    return table;
  }

  #serverFields(): Pick<ObjectMeta, 'uid' | 'generation' | 'creationTimestamp'> {
    this.#uid += 1;
    return {
      uid: `uid-${this.#uid}`,
      generation: 1,
      creationTimestamp: `${new Date(this.#clock.now()).toISOString().slice(0, 19)}Z`,
    };
  }

  #expect(
    type: ResourceType,
    name: ObjectName,
    verb: WriteVerb,
    wanted: { uid?: string; resourceVersion?: string },
  ): KubeObject {
    const stored = this.peek(type, name);
    if (stored === undefined) throw failure('NotFound', verb, type, name);
    if (wanted.resourceVersion === undefined)
      throw new Error(`${verb} of ${type.plural} ${keyOf(name)} without resourceVersion`);
    const other = wanted.uid !== undefined && wanted.uid !== stored.metadata.uid;
    if (other || wanted.resourceVersion !== stored.metadata.resourceVersion)
      throw failure('Conflict', verb, type, name);
    return stored;
  }

  #store<T extends KubeObject>(type: ResourceType, object: T, verb: WriteVerb | 'put'): T {
    const stored = this.peek<T>(type, object.metadata);
    const spec = (one: KubeObject): Tree => ({ ...one, metadata: 0, ...(hasStatus(type) ? { status: 0 } : {}) });
    const next = structuredClone({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });
    if (stored !== undefined && verb !== 'put') {
      const changed = !isDeepStrictEqual(spec(stored), spec(next));
      next.metadata.generation = (stored.metadata.generation ?? 1) + (changed ? 1 : 0);
      next.metadata.resourceVersion = stored.metadata.resourceVersion ?? '';
      if (isDeepStrictEqual(stored, next)) return stored;
    }
    this.#version += 1;
    next.metadata.resourceVersion = String(this.#version);
    freeze(next);
    this.#table(type).set(keyOf(next.metadata), next);
    for (const cache of this.#caches) if (cache.type === type) cache.receive(keyOf(next.metadata), next);
    return next;
  }
}

/** Whether somebody else than a controller of this product made the object. */
function isOfOthers(object: KubeObject | undefined): boolean {
  const owners = object?.metadata.ownerReferences ?? [];
  return object !== undefined && !owners.some(({ kind }) => kind === MultiClusterEngines.kind);
}

/** The error of the API server for `verb` on `name`. */
export function failure(kind: FailureKind, verb: string, type: ResourceType, name: ObjectName): ApiError {
  const resource = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
  return new ApiError({
    kind,
    message: `${verb} ${resource} ${keyOf(name)}: ${kind}`,
    call: { verb, resource, ...name },
  });
}

/** The object with the managed fields of an apply that owns all its fields. */
function withManagedFields<T extends KubeObject>(object: T, manager: string): T {
  const fields = (value: unknown): Tree =>
    isTree(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [`f:${key}`, fields(inner)])) : {};
  return {
    ...object,
    metadata: { ...object.metadata, managedFields: [{ manager, operation: 'Apply', fieldsV1: fields(object) }] },
  };
}

function hasStatus(type: ResourceType): boolean {
  return type !== PlacementDecisions;
}

function metadataOf<T extends KubeObject>(object: T): T {
  return { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata } as T;
}

function withServerFields(stored: ObjectMeta, next: ObjectMeta): ObjectMeta {
  const { uid, creationTimestamp, deletionTimestamp } = stored;
  return {
    ...next,
    uid,
    creationTimestamp,
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  } as ObjectMeta;
}

function withoutField<T extends KubeObject>(object: T, field: string): T {
  const copy = { ...object };
  Reflect.deleteProperty(copy, field);
  return copy;
}

function withField<T extends KubeObject>(object: T, field: string, value: unknown): T {
  return value === undefined ? withoutField(object, field) : { ...object, [field]: value };
}

function merge(stored: Tree, patch: Tree): Tree {
  const merged: Tree = { ...stored };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else if (isTree(value) && isTree(merged[key])) merged[key] = merge(merged[key], value);
    else merged[key] = value;
  }
  return merged;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) freeze(child);
}
