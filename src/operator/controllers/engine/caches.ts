import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import type { KubeObject, RawObject, ResourceType } from '../../../runtime/vocabulary/meta.js';
import { INSTALLER_ROLE, ENGINE_LABEL } from '../../../api/names.js';
import { MultiClusterEngines } from '../../../api/resources.js';
import {
  AdmissionPolicies,
  AdmissionPolicyBindings,
  Namespaces,
  RoleBindings,
  Secrets,
} from '../../../runtime/vocabulary/kinds.js';
import { BINDINGS, type NamedObject } from '../../../domain/engine/catalogue.js';
import { missingPolicies } from '../../../domain/engine/policies.js';
import type { PolicyFindings } from '../../../domain/engine/status/input.js';
import type { StoredObject } from '../../../domain/engine/steps/steps.js';
import type { Cache, OpenCache, CacheOptions } from '../../../runtime/cache/cache.js';
import type { EngineIdentity } from '../../../domain/engine/manifest/desired.js';
import { resourceText, titleOf } from '../../../domain/engine/manifest/manifest.js';
import { ApiError, isFailure } from '../../../runtime/errors.js';

/**
 * The caches that gate the start: engines; namespaces (metadata only) and the bindings, each by its fixed name, unless
 * the operator runs with `--namespace`.
 */
export interface EngineCaches {
  readonly engines: Cache<MultiClusterEngine>;
  /** Absent with `--namespace`. */
  readonly namespaces?: Cache<KubeObject>;
  readonly bindings: readonly Cache<KubeObject>[];
  /** What the status alone needs: nothing waits for them. */
  readonly admission: { readonly policies: Cache<KubeObject>; readonly bindings: Cache<RawObject> };
}

/** Makes the caches and does not start them. `onlyNamespace`: set with `--namespace`. */
export function openEngineCaches(openCache: OpenCache, onlyNamespace: string | undefined): EngineCaches {
  const engines = openCache<MultiClusterEngine>({ type: MultiClusterEngines });
  const admission = {
    policies: openCache<KubeObject>({ type: AdmissionPolicies, metadataOnly: true }),
    bindings: openCache<RawObject>({ type: AdmissionPolicyBindings }),
  };
  if (onlyNamespace !== undefined) return { engines, bindings: [], admission };
  const namespaces = openCache<KubeObject>({ type: Namespaces, metadataOnly: true });
  const bindings = BINDINGS.map(({ type, name }) =>
    openCache<KubeObject>({ type, fieldSelector: `metadata.name=${name}` }),
  );
  return { engines, namespaces, bindings, admission };
}

export function allCaches(
  caches: EngineCaches,
): readonly Pick<Cache<KubeObject>, 'start' | 'stop' | 'whenSynced' | 'current' | 'type'>[] {
  return [caches.engines, ...(caches.namespaces === undefined ? [] : [caches.namespaces]), ...caches.bindings];
}

export function storedBindings(caches: EngineCaches): readonly StoredObject[] {
  return contentsOf(caches.bindings);
}

/** Whether the operator has its rights in `namespace`. */
export function isBoundIn(caches: EngineCaches, namespace: string): boolean {
  if (caches.namespaces === undefined) return true;
  return storedBindings(caches).some(
    ({ type, object: { metadata } }) =>
      type === RoleBindings && metadata.name === INSTALLER_ROLE && metadata.namespace === namespace,
  );
}

/** Which admission policies are in force, or why that is not known; undefined while they are being read. */
export function policyFindings({ admission, namespaces }: EngineCaches): PolicyFindings | undefined {
  const { policies, bindings } = admission;
  const unread = [policies, bindings].find((cache) => !cache.current());
  if (unread !== undefined) return unread.failure() && { kind: 'Unknown', resource: unread.type.plural };
  const stored = { policies: [...policies.store.values()], bindings: [...bindings.store.values()] };
  return { kind: 'Known', ...missingPolicies(stored, namespaces !== undefined) };
}

/** Whether a Secret exists; unknown where the operator has no right to read it. */
type SecretPresence = 'present' | 'absent' | 'unknown';

export interface TargetContents {
  /** The objects that carry the engine's label. */
  readonly stored: readonly StoredObject[];
  /** The objects that are watched by name, whoever made them. */
  readonly named: readonly StoredObject[];
  readonly pullSecret: SecretPresence;
  /** The uid of the pull secret; undefined while it does not exist. */
  readonly pullSecretUid?: string | undefined;
}

export interface UnsyncedCache {
  readonly kind: 'notSynced';
  readonly type: ResourceType;
  /** Why the list or watch of `type` failed; undefined while the first list is under way. */
  readonly failure: Error | undefined;
}

type TargetView = { readonly kind: 'synced'; readonly contents: TargetContents } | UnsyncedCache;

export const NO_CONTENTS: TargetContents = { stored: [], named: [], pullSecret: 'unknown' };

interface CacheSet {
  readonly uid: string;
  readonly namespace: string;
  readonly objects: readonly Cache<KubeObject>[];
  /** By kind and name. */
  readonly named: Map<string, Cache<KubeObject>>;
}

interface TargetCacheOptions {
  readonly openCache: OpenCache;
  /** The kinds that live in a target namespace. */
  readonly types: readonly ResourceType[];
  /** Requests a pass over an engine: a cache of its target namespace has changed, failed or synced. */
  readonly enqueue: (engine: string) => void;
}

/**
 * The caches of the engines' target namespaces: the objects with the engine's label and, by name, the objects of serving
 * certificates and the pull secret. Of Secrets they hold metadata only.
 *
 * Guarantees: at most one set per engine; a set is closed when its engine is gone, is created again or has another
 * namespace, and all of them when the leadership term ends. No set can be opened outside a term.
 */
export class TargetCaches {
  readonly #options: TargetCacheOptions;
  readonly #sets = new Map<string, CacheSet>();
  readonly #closing = new Set<Promise<void>>();
  #isLeader = false;

  constructor(options: TargetCacheOptions) {
    this.#options = options;
  }

  /** A leadership term starts; it ends when `end` fires. */
  startTerm(end: AbortSignal): void {
    if (end.aborted) return;
    this.#isLeader = true;
    end.addEventListener('abort', () => this.#endTerm(), { once: true });
  }

  /** Closes everything; resolves when every cache has stopped. */
  async stop(): Promise<void> {
    this.#endTerm();
    await Promise.all(this.#closing);
  }

  isOpen(engine: EngineIdentity): boolean {
    return this.#sets.get(engine.name)?.uid === engine.uid;
  }

  /**
   * Opens the engine's caches unless they are open. `named`: the objects to watch by name; the caches of others are closed.
   * Errors: Fenced, outside a leadership term.
   */
  open(engine: EngineIdentity, namespace: string, named: readonly NamedObject[]): void {
    const existing = this.#sets.get(engine.name);
    if (existing?.uid === engine.uid && existing.namespace === namespace)
      return this.#watchNamed(engine.name, existing, named);
    this.close(engine.name);
    this.#requireLeadership();
    const { types, openCache } = this.#options;
    const labelSelector = `${ENGINE_LABEL}=${engine.name}`;
    const objects = types.map((type) =>
      this.#start(engine.name, openCache<KubeObject>({ type, namespace, labelSelector })),
    );
    const set: CacheSet = { uid: engine.uid, namespace, objects, named: new Map() };
    this.#sets.set(engine.name, set);
    this.#watchNamed(engine.name, set, named);
  }

  /** What the engine's open caches hold. `pullSecret`: the name that the spec has, if any. Throws when none are open. */
  view(engine: EngineIdentity, pullSecret: string | undefined): TargetView {
    const set = this.#sets.get(engine.name);
    if (set === undefined) throw new Error(`view of engine ${engine.name} before its caches were opened`);
    const secret = pullSecret === undefined ? undefined : set.named.get(titleOf(Secrets, { name: pullSecret }));
    const unsynced = [...set.objects, ...set.named.values()].find(
      (cache) => !cache.current() && !(cache === secret && isFailure(cache.failure(), 'Forbidden')),
    );
    if (unsynced !== undefined) return { kind: 'notSynced', type: unsynced.type, failure: unsynced.failure() };
    const contents = { stored: contentsOf(set.objects), named: contentsOf([...set.named.values()]) };
    if (secret?.current() !== true) return { kind: 'synced', contents: { ...contents, pullSecret: 'unknown' } };
    const [uid] = [...secret.store.values()].map(({ metadata }) => metadata.uid);
    const presence = uid === undefined ? 'absent' : 'present';
    return { kind: 'synced', contents: { ...contents, pullSecret: presence, pullSecretUid: uid } };
  }

  /** Closes the caches of an engine, if any are open. */
  close(name: string): void {
    const set = this.#sets.get(name);
    if (set === undefined) return;
    this.#sets.delete(name);
    for (const cache of [...set.objects, ...set.named.values()]) this.#stop(cache);
  }

  #watchNamed(engine: string, set: CacheSet, wanted: readonly NamedObject[]): void {
    const ids = new Map(wanted.map((one) => [titleOf(one.type, one), one]));
    for (const [id, cache] of set.named) {
      if (ids.has(id)) continue;
      this.#stop(cache);
      set.named.delete(id);
    }
    for (const [id, { type, name }] of ids) {
      if (set.named.has(id)) continue;
      this.#requireLeadership();
      const cache = this.#options.openCache<KubeObject>(byName(type, set.namespace, name));
      set.named.set(id, this.#start(engine, cache));
    }
  }

  #start(engine: string, cache: Cache<KubeObject>): Cache<KubeObject> {
    cache.onChange(() => this.#options.enqueue(engine));
    cache.onState(() => this.#options.enqueue(engine));
    cache.start();
    return cache;
  }

  #stop(cache: Cache<KubeObject>): void {
    // Nothing can be done about a cache that fails to stop.
    const closing = cache
      .stop()
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #endTerm(): void {
    this.#isLeader = false;
    for (const name of this.#sets.keys()) this.close(name);
  }

  #requireLeadership(): void {
    if (this.#isLeader) return;
    const message = 'the caches of a target namespace are opened by the leader alone';
    const call = { verb: 'watch', resource: resourceText(MultiClusterEngines) };
    throw new ApiError({ kind: 'Fenced', message, call });
  }
}

/** The options for one object. Managed fields show who wrote the content of a Secret, which is never read. */
function byName(type: ResourceType, namespace: string, name: string): CacheOptions<KubeObject> {
  const options = { type, namespace, fieldSelector: `metadata.name=${name}` };
  return type === Secrets ? { ...options, metadataOnly: true, managedFields: true } : options;
}

function contentsOf(caches: readonly Cache<KubeObject>[]): readonly StoredObject[] {
  return caches.flatMap((cache) => [...cache.store.values()].map((object) => ({ type: cache.type, object })));
}
