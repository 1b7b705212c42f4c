import { apiVersionOf } from '../../apiversion.js';
import { equal } from '@multicluster-engine/values/json';
import type { KubeObject, OwnerReference } from '@multicluster-engine/values/object';
import type { Resource } from '../../resource.js';
import type { Target } from '../../verbs/verbs.js';
import { Client, ignoreCodes, type Propagation } from '../client.js';
import { InvalidNamespaceReporter } from './invalidnamespace.js';
import type { ControllerOptions } from '../options.js';
import { OwnerIndex, blocks } from './owners.js';

export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';
/** At most this many references are removed concurrently, so that the event loop is not blocked. */
const MAX_CONCURRENT_PATCHES = 100;
/** At most this many deleted owners are remembered, for dependents whose owner's kind was deleted too. */
const MAX_ABSENT_OWNERS = 10_000;

interface StoredObject {
  readonly target: Target;
  readonly object: KubeObject;
}

interface Classified {
  /** References to owners that exist. */
  readonly solid: readonly OwnerReference[];
  /** References to owners that do not exist. */
  readonly dangling: readonly OwnerReference[];
  /** References to owners that wait for the deletion of this object. */
  readonly waiting: readonly OwnerReference[];
}

/** The queue key of an object: its collection and its key in the store. */
export function idOf(collection: string, key: string): string {
  return `${collection} ${key}`;
}

function partsOf(id: string): { readonly collection: string; readonly key: string } {
  const at = id.indexOf(' ');
  return { collection: id.slice(0, at), key: id.slice(at + 1) };
}

/** Keeps the graph of owners and dependents, and reconciles one object at a time. */
export class Collector {
  readonly #options: ControllerOptions;
  readonly #client: Client;
  readonly #enqueue: (id: string) => void;
  readonly #index = new OwnerIndex();
  readonly #invalidNamespaces: InvalidNamespaceReporter;
  /** Ids of the objects that are deleted in the foreground, by uid. */
  readonly #foreground = new Map<string, string>();
  readonly #absentOwners = new Set<string>();
  /** Objects with an owner of a kind that is not served. They are reconciled again when resources change. */
  readonly #unresolved = new Set<string>();

  constructor(options: ControllerOptions, enqueue: (id: string) => void) {
    this.#options = options;
    this.#client = new Client(options.verbs, 'generic-garbage-collector');
    this.#invalidNamespaces = new InvalidNamespaceReporter(options, this.#client);
    this.#enqueue = enqueue;
  }

  has(id: string): boolean {
    return this.#index.get(id) !== undefined;
  }

  /** Records the new state of an object. @param waited whether its old state waited for dependents already */
  observe(id: string, object: KubeObject, waited: boolean): void {
    const { uid = '', ownerReferences = [], deletionTimestamp, finalizers = [] } = object.metadata;
    const before = this.#index.get(id)?.owners ?? [];
    this.#index.set(id, object);
    if (ownerReferences.length > 0 && !equal(before, ownerReferences)) this.#enqueue(id);
    for (const owner of before) this.#enqueueWaitingOwner(owner.uid);
    const foreground = deletionTimestamp !== undefined && finalizers.includes(FOREGROUND_FINALIZER);
    if (!foreground) this.#foreground.delete(uid);
    if (deletionTimestamp === undefined || (!foreground && !finalizers.includes(ORPHAN_FINALIZER))) return;
    if (foreground) this.#foreground.set(uid, id);
    this.#enqueue(id);
    if (!foreground || waited) return;
    for (const dependent of this.#index.dependentsOf(uid)) this.#enqueue(dependent.id);
  }

  /** Records the deletion of an object. @param object its last state */
  observeDeletion(id: string, object: KubeObject): void {
    const { uid = '', namespace = '', name = '' } = object.metadata;
    const before = this.#index.get(id)?.owners ?? [];
    this.#index.delete(id);
    this.#unresolved.delete(id);
    this.#foreground.delete(uid);
    if (this.#index.hasDependents(uid))
      this.#rememberAbsent(ownerKey({ ...this.#preferredType(id, object), name, uid }, namespace));
    for (const dependent of this.#index.dependentsOf(uid)) this.#enqueue(dependent.id);
    for (const owner of before) this.#enqueueWaitingOwner(owner.uid);
  }

  retryUnresolved(): void {
    for (const id of this.#unresolved) this.#enqueue(id);
    this.#unresolved.clear();
  }

  async reconcile(id: string): Promise<void> {
    const stored = this.#find(id);
    if (stored === undefined) return;
    const { deletionTimestamp, finalizers = [], ownerReferences = [] } = stored.object.metadata;
    if (deletionTimestamp === undefined) {
      if (ownerReferences.length > 0) await ignoreCodes([404], this.#collect(id, stored));
    } else if (finalizers.includes(ORPHAN_FINALIZER)) await this.#orphan(stored);
    else if (finalizers.includes(FOREGROUND_FINALIZER)) await this.#finishForegroundDeletion(stored);
  }

  #enqueueWaitingOwner(uid: string): void {
    const id = this.#foreground.get(uid);
    if (id !== undefined) this.#enqueue(id);
  }

  #rememberAbsent(key: string): void {
    this.#absentOwners.add(key);
    for (const oldest of this.#absentOwners) {
      if (this.#absentOwners.size <= MAX_ABSENT_OWNERS) return;
      this.#absentOwners.delete(oldest);
    }
  }

  /** The type by which discovery lists the resource first. */
  #preferredType(id: string, { apiVersion, kind }: KubeObject): Pick<OwnerReference, 'apiVersion' | 'kind'> {
    const { collection } = partsOf(id);
    const resource = this.#options.registry.all().find((one) => one.collection === collection);
    return resource === undefined ? { apiVersion, kind } : { apiVersion: apiVersionOf(resource), kind: resource.kind };
  }

  #find(id: string): StoredObject | undefined {
    const { collection, key } = partsOf(id);
    const object = this.#options.store.get(collection, key)?.object;
    const resource = this.#options.registry
      .all()
      .find((one) => one.collection === collection && one.verbs.includes('delete'));
    if (object === undefined || resource === undefined) return undefined;
    const { namespace = '', name = '' } = object.metadata;
    return { target: { resource, namespace, name, subresource: '' }, object };
  }

  /** Deletes an object whose owners are all absent; else removes the references to absent and waiting owners. */
  async #collect(id: string, { target, object }: StoredObject): Promise<void> {
    const classified = this.#classify(id, object);
    if (classified === undefined) return;
    const { solid, dangling, waiting } = classified;
    if (solid.length > 0) {
      if (dangling.length + waiting.length > 0)
        await this.#client.patchMeta(target, object, { ownerReferences: solid });
      return;
    }
    const dependents = this.#index.dependentsOf(object.metadata.uid ?? '');
    if (waiting.length === 0 || dependents.length === 0) return this.#client.delete(target, object, policyOf(object));
    const cycle = dependents.some((dependent) => this.#foreground.has(dependent.uid));
    if (!cycle) return this.#client.delete(target, object, 'Foreground');
    await this.#unblock(target, object);
  }

  /** Breaks a cycle of owners that wait for each other. The changed references enqueue the object again for deletion. */
  async #unblock(target: Target, object: KubeObject): Promise<void> {
    const { ownerReferences = [] } = object.metadata;
    const unblocked = ownerReferences.map((owner) =>
      owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner,
    );
    if (equal(unblocked, ownerReferences)) return this.#client.delete(target, object, 'Foreground');
    await this.#client.patchMeta(target, object, { ownerReferences: unblocked });
  }

  /** undefined where the kind of an owner is not served, so that its existence is unknown. */
  #classify(id: string, object: KubeObject): Classified | undefined {
    const solid: OwnerReference[] = [];
    const dangling: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const reference of object.metadata.ownerReferences ?? []) {
      const owner = this.#owner(reference, object);
      if (owner === 'unknown') {
        this.#unresolved.add(id);
        return undefined;
      }
      if (owner === 'absent') dangling.push(reference);
      else if (this.#foreground.has(reference.uid)) waiting.push(reference);
      else solid.push(reference);
    }
    return { solid, dangling, waiting };
  }

  #owner(reference: OwnerReference, dependent: KubeObject): 'exists' | 'absent' | 'unknown' {
    const { apiVersion, kind, name, uid } = reference;
    const { namespace = '' } = dependent.metadata;
    const resource = this.#kind(apiVersion, kind);
    const isNamespaceMissing = resource?.namespaced === true && namespace === '';
    const key = resource?.namespaced === true ? `${namespace}/${name}` : name;
    // First what is stored: an object that was deleted may have been put back with its uid.
    if (resource !== undefined && !isNamespaceMissing && this.#uidOf(resource, key) === uid) return 'exists';
    if (this.#absentOwners.has(ownerKey(reference, '')) || this.#absentOwners.has(ownerKey(reference, namespace)))
      return 'absent';
    if (resource === undefined) return 'unknown';
    this.#invalidNamespaces.check(dependent, reference, resource);
    return isNamespaceMissing ? 'unknown' : 'absent';
  }

  #uidOf({ collection }: Resource, key: string): string | undefined {
    return this.#options.store.get(collection, key)?.object.metadata.uid;
  }

  #kind(apiVersion: string, kind: string): Resource | undefined {
    const parts = apiVersion.split('/');
    return this.#options.registry.findKind(parts.length > 1 ? (parts[0] ?? '') : '', parts.at(-1) ?? '', kind);
  }

  async #orphan({ target, object }: StoredObject): Promise<void> {
    const { uid = '' } = object.metadata;
    const dependents = this.#index.dependentsOf(uid);
    for (let at = 0; at < dependents.length; at += MAX_CONCURRENT_PATCHES) {
      await Promise.all(
        dependents
          .slice(at, at + MAX_CONCURRENT_PATCHES)
          .map((dependent) => this.#removeOwnerReference(dependent.id, uid)),
      );
    }
    await this.#removeFinalizer({ target, object }, ORPHAN_FINALIZER);
  }

  async #removeOwnerReference(id: string, ownerUid: string): Promise<void> {
    const stored = this.#find(id);
    if (stored === undefined) return;
    const { ownerReferences = [] } = stored.object.metadata;
    const remaining = ownerReferences.filter((owner) => owner.uid !== ownerUid);
    await ignoreCodes(
      [404],
      this.#client.patchMeta(stored.target, stored.object, {
        ownerReferences: remaining.length === 0 ? null : remaining,
      }),
    );
  }

  /** Removes the finalizer where no dependent blocks the deletion; else enqueues the blocking dependents. */
  async #finishForegroundDeletion(stored: StoredObject): Promise<void> {
    const { uid = '' } = stored.object.metadata;
    const blocking = this.#index.dependentsOf(uid).filter((dependent) => blocks(dependent, uid));
    if (blocking.length === 0) return this.#removeFinalizer(stored, FOREGROUND_FINALIZER);
    for (const dependent of blocking) if (!this.#foreground.has(dependent.uid)) this.#enqueue(dependent.id);
  }

  #removeFinalizer({ target, object }: StoredObject, finalizer: string): Promise<void> {
    const remaining = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    return ignoreCodes(
      [404],
      this.#client.patchMeta(target, object, { finalizers: remaining.length === 0 ? null : remaining }),
    );
  }
}

/** The key of an absent owner. References are compared with and without the namespace of the dependent. */
function ownerKey({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string {
  return [apiVersion, kind, name, uid, namespace].join(' ');
}

function policyOf({ metadata: { finalizers = [] } }: KubeObject): Propagation {
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}
