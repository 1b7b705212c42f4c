import { apiVersionOf } from '../../apiversion.js';
import { equal } from '../../json.js';
import type { KubeObject, OwnerReference } from '../../object.js';
import type { Resource } from '../../resource.js';
import type { Target } from '../../verbs/verbs.js';
import { Client, ignoreCodes, type Propagation } from '../client.js';
import { InvalidNamespaceReporter } from './invalidnamespace.js';
import type { ControllerOptions } from '../options.js';
import { OwnerIndex, blocks } from './owners.js';

export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';
/** So many are let loose at once: the rest of the program has to go on. */
const MAX_CONCURRENT_PATCHES = 100;
/** So many owners that are gone are remembered, for dependents whose owner's kind went with it. */
const MAX_ABSENT_OWNERS = 10_000;

interface StoredObject {
  readonly target: Target;
  readonly object: KubeObject;
}

interface Classified {
  readonly solid: readonly OwnerReference[];
  readonly dangling: readonly OwnerReference[];
  /** Owners that wait for this object to go. */
  readonly waiting: readonly OwnerReference[];
}

/** Names an object of a collection by its key. */
export function idOf(collection: string, key: string): string {
  return `${collection} ${key}`;
}

function partsOf(id: string): { readonly collection: string; readonly key: string } {
  const at = id.indexOf(' ');
  return { collection: id.slice(0, at), key: id.slice(at + 1) };
}

/** Knows who depends on whom, and does to one object at a time what its owners, or its dependents, make necessary. */
export class Collector {
  readonly #options: ControllerOptions;
  readonly #client: Client;
  readonly #enqueue: (id: string) => void;
  readonly #index = new OwnerIndex();
  readonly #misplaced: InvalidNamespaceReporter;
  /** Objects that are deleted in the foreground: uid and id. */
  readonly #foreground = new Map<string, string>();
  readonly #gone = new Set<string>();
  /** Objects with an owner of a kind that is not served: it may be one day. */
  readonly #unresolved = new Set<string>();

  constructor(options: ControllerOptions, enqueue: (id: string) => void) {
    this.#options = options;
    this.#client = new Client(options.verbs, 'generic-garbage-collector');
    this.#misplaced = new InvalidNamespaceReporter(options, this.#client);
    this.#enqueue = enqueue;
  }

  has(id: string): boolean {
    return this.#index.get(id) !== undefined;
  }

  /** An object has this state now. @param waited whether it was waiting for its dependents before. */
  observe(id: string, object: KubeObject, waited: boolean): void {
    const { uid = '', ownerReferences = [], deletionTimestamp, finalizers = [] } = object.metadata;
    const before = this.#index.get(id)?.owners ?? [];
    this.#index.set(id, object);
    if (ownerReferences.length > 0 && !equal(before, ownerReferences)) this.#enqueue(id);
    for (const owner of before) this.#wakeOwner(owner.uid);
    const foreground = deletionTimestamp !== undefined && finalizers.includes(FOREGROUND_FINALIZER);
    if (!foreground) this.#foreground.delete(uid);
    if (deletionTimestamp === undefined || (!foreground && !finalizers.includes(ORPHAN_FINALIZER))) return;
    if (foreground) this.#foreground.set(uid, id);
    this.#enqueue(id);
    if (!foreground || waited) return;
    for (const dependent of this.#index.dependentsOf(uid)) this.#enqueue(dependent.id);
  }

  /** An object is gone; this was its last state. */
  observeDeletion(id: string, object: KubeObject): void {
    const { uid = '', namespace = '', name = '' } = object.metadata;
    const before = this.#index.get(id)?.owners ?? [];
    this.#index.delete(id);
    this.#unresolved.delete(id);
    this.#foreground.delete(uid);
    if (this.#index.hasDependents(uid)) this.#remember(ownerKey({ ...this.#typeOf(id, object), name, uid }, namespace));
    for (const dependent of this.#index.dependentsOf(uid)) this.#enqueue(dependent.id);
    for (const owner of before) this.#wakeOwner(owner.uid);
  }

  retryUnresolved(): void {
    for (const id of this.#unresolved) this.#enqueue(id);
    this.#unresolved.clear();
  }

  async reconcile(id: string): Promise<void> {
    const found = this.#find(id);
    if (found === undefined) return;
    const { deletionTimestamp, finalizers = [], ownerReferences = [] } = found.object.metadata;
    if (deletionTimestamp === undefined) {
      if (ownerReferences.length > 0) await ignoreCodes([404], this.#collect(id, found));
    } else if (finalizers.includes(ORPHAN_FINALIZER)) await this.#orphan(found);
    else if (finalizers.includes(FOREGROUND_FINALIZER)) await this.#finish(found);
  }

  #wakeOwner(uid: string): void {
    const id = this.#foreground.get(uid);
    if (id !== undefined) this.#enqueue(id);
  }

  #remember(place: string): void {
    this.#gone.add(place);
    for (const oldest of this.#gone) {
      if (this.#gone.size <= MAX_ABSENT_OWNERS) return;
      this.#gone.delete(oldest);
    }
  }

  /** The type by which the server offers an object first. */
  #typeOf(id: string, { apiVersion, kind }: KubeObject): Pick<OwnerReference, 'apiVersion' | 'kind'> {
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

  /** Deletes an object that has no owner left, or takes from it the references that lead nowhere. */
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

  /** Breaks a cycle of owners that wait for each other; the deletion follows, as the references have changed. */
  async #unblock(target: Target, object: KubeObject): Promise<void> {
    const { ownerReferences = [] } = object.metadata;
    const unblocked = ownerReferences.map((owner) =>
      owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner,
    );
    if (equal(unblocked, ownerReferences)) return this.#client.delete(target, object, 'Foreground');
    await this.#client.patchMeta(target, object, { ownerReferences: unblocked });
  }

  /** undefined when it cannot be told of every owner whether it exists. */
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

  #owner(reference: OwnerReference, dependent: KubeObject): 'there' | 'absent' | 'unknown' {
    const { apiVersion, kind, name, uid } = reference;
    const { namespace = '' } = dependent.metadata;
    if (this.#gone.has(ownerKey(reference, '')) || this.#gone.has(ownerKey(reference, namespace))) return 'absent';
    const resource = this.#kind(apiVersion, kind);
    if (resource === undefined) return 'unknown';
    const misplaced = resource.namespaced && namespace === '';
    const key = resource.namespaced ? `${namespace}/${name}` : name;
    if (!misplaced && this.#options.store.get(resource.collection, key)?.object.metadata.uid === uid) return 'there';
    this.#misplaced.check(dependent, reference, resource);
    return misplaced ? 'unknown' : 'absent';
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
        dependents.slice(at, at + MAX_CONCURRENT_PATCHES).map((dependent) => this.#release(dependent.id, uid)),
      );
    }
    await this.#removeFinalizer({ target, object }, ORPHAN_FINALIZER);
  }

  async #release(id: string, ownerUid: string): Promise<void> {
    const found = this.#find(id);
    if (found === undefined) return;
    const { ownerReferences = [] } = found.object.metadata;
    const left = ownerReferences.filter((owner) => owner.uid !== ownerUid);
    await ignoreCodes(
      [404],
      this.#client.patchMeta(found.target, found.object, { ownerReferences: left.length === 0 ? null : left }),
    );
  }

  /** Lets an owner go that no dependent blocks any more; else sees to it that those that do go. */
  async #finish(found: StoredObject): Promise<void> {
    const { uid = '' } = found.object.metadata;
    const blocking = this.#index.dependentsOf(uid).filter((dependent) => blocks(dependent, uid));
    if (blocking.length === 0) return this.#removeFinalizer(found, FOREGROUND_FINALIZER);
    for (const dependent of blocking) if (!this.#foreground.has(dependent.uid)) this.#enqueue(dependent.id);
  }

  #removeFinalizer({ target, object }: StoredObject, finalizer: string): Promise<void> {
    const left = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    return ignoreCodes([404], this.#client.patchMeta(target, object, { finalizers: left.length === 0 ? null : left }));
  }
}

/** An owner is looked for in no namespace, and in that of its dependent; by another version than it was known in it is not found. */
function ownerKey({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string {
  return [apiVersion, kind, name, uid, namespace].join(' ');
}

function policyOf({ metadata: { finalizers = [] } }: KubeObject): Propagation {
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}
