import type { KubeObject, ResourceType } from '../../api/meta.js';
import { ENGINE_LABEL } from '../../api/names.js';
import { MultiClusterEngines, Secrets } from '../../api/resources.js';
import { CERTIFICATE_OBJECTS } from '../../domain/engine/catalogue.js';
import type { EngineIdentity } from '../../domain/engine/manifest/desired.js';
import { resourceText } from '../../domain/engine/manifest/manifest.js';
import type { StoredObject } from '../../domain/engine/plan/plan.js';
import type { Cache, CacheOptions } from '../../kube/cache/reflector.js';
import { ApiError, isFailure } from '../../runtime/errors.js';

/** Makes a cache, not started. Given by whoever constructs everything. */
export type OpenCache = <T extends KubeObject>(options: CacheOptions<T>) => Cache<T>;

/** Whether a Secret exists; unknown where the operator may not ask. */
export type SecretPresence = 'present' | 'absent' | 'unknown';

/** What can be decided on now: `stored` is what carries our label, `named` what certificates consist of, whoever made it. */
export type View =
  | {
      readonly known: true;
      readonly stored: readonly StoredObject[];
      readonly named: readonly StoredObject[];
      readonly pullSecret: SecretPresence;
    }
  /** `failure` belongs to `type`: its list or watch has failed, or has not been read yet. */
  | { readonly known: false; readonly type: ResourceType; readonly failure: Error | undefined };

interface Open {
  readonly uid: string;
  readonly namespace: string;
  readonly objects: readonly Cache<KubeObject>[];
  readonly named: readonly Cache<KubeObject>[];
  secret: { readonly name: string; readonly cache: Cache<KubeObject> } | undefined;
}

export interface TargetCacheOptions {
  readonly openCache: OpenCache;
  /** The kinds that live in a target namespace. */
  readonly types: readonly ResourceType[];
  /** Called with an engine's name whenever something in its target namespace, or what is known of it, may have changed. */
  readonly wake: (engine: string) => void;
}

/**
 * The caches of the engines' target namespaces: what carries the engine's label there; by name, what certificates consist
 * of, and the pull secret. Of Secrets the metadata alone is asked for.
 *
 * Guarantees: at most one set an engine; a set is closed when its engine goes, is made anew or moves, and all of them
 * when the tenure ends. Outside a tenure none can be opened.
 */
export class TargetCaches {
  readonly #options: TargetCacheOptions;
  readonly #open = new Map<string, Open>();
  readonly #closing = new Set<Promise<void>>();
  #tenure = false;

  constructor(options: TargetCacheOptions) {
    this.#options = options;
  }

  /** The lease is held from now on, until `end` fires. */
  begin(end: AbortSignal): void {
    if (end.aborted) return;
    this.#tenure = true;
    end.addEventListener('abort', () => this.#endTenure(), { once: true });
  }

  /** Closes everything; resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.#endTenure();
    await Promise.all(this.#closing);
  }

  /** Whether the caches of this engine are open. */
  isOpen(engine: EngineIdentity): boolean {
    return this.#open.get(engine.name)?.uid === engine.uid;
  }

  /** Opens the engine's caches where they are not. Errors: Fenced, outside a tenure. */
  open(engine: EngineIdentity, namespace: string): void {
    const there = this.#open.get(engine.name);
    if (there?.uid === engine.uid && there.namespace === namespace) return;
    this.close(engine.name);
    this.#mustHold();
    const { types, openCache } = this.#options;
    const labelSelector = `${ENGINE_LABEL}=${engine.name}`;
    const objects = types.map((type) =>
      this.#follow(engine.name, openCache<KubeObject>({ type, namespace, labelSelector })),
    );
    const named = CERTIFICATE_OBJECTS.map((one) =>
      this.#follow(engine.name, openCache<KubeObject>(byName(one.type, namespace, one.name))),
    );
    this.#open.set(engine.name, { uid: engine.uid, namespace, objects, named, secret: undefined });
  }

  /** What is known of the engine's namespace, its caches being open; `pullSecret` is the name that the spec wants, if any. */
  view(engine: EngineIdentity, pullSecret: string | undefined): View {
    const open = this.#open.get(engine.name);
    if (open === undefined) throw new Error(`view of engine ${engine.name} before its caches were opened`);
    this.#followSecret(engine.name, open, pullSecret);
    const blind = [...open.objects, ...open.named].find((cache) => !cache.current());
    if (blind !== undefined) return { known: false, type: blind.type, failure: blind.failure() };
    const presence = presenceIn(open.secret?.cache, open.namespace, pullSecret);
    if (presence === undefined) return { known: false, type: Secrets, failure: open.secret?.cache.failure() };
    return { known: true, stored: contentOf(open.objects), named: contentOf(open.named), pullSecret: presence };
  }

  /** Closes the caches of an engine, if there are any. */
  close(name: string): void {
    const open = this.#open.get(name);
    if (open === undefined) return;
    this.#open.delete(name);
    for (const cache of [...open.objects, ...open.named]) this.#stop(cache);
    if (open.secret !== undefined) this.#stop(open.secret.cache);
  }

  #followSecret(engine: string, open: Open, name: string | undefined): void {
    if (open.secret?.name === name) return;
    if (open.secret !== undefined) this.#stop(open.secret.cache);
    open.secret = undefined;
    if (name === undefined) return;
    this.#mustHold();
    const { namespace } = open;
    const cache = this.#options.openCache<KubeObject>(byName(Secrets, namespace, name));
    open.secret = { name, cache: this.#follow(engine, cache) };
  }

  #follow(engine: string, cache: Cache<KubeObject>): Cache<KubeObject> {
    cache.onChange(() => this.#options.wake(engine));
    cache.onState(() => this.#options.wake(engine));
    cache.start();
    return cache;
  }

  #stop(cache: Cache<KubeObject>): void {
    // A cache that cannot stop has nothing left that could be waited for.
    const closing = cache
      .stop()
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #endTenure(): void {
    this.#tenure = false;
    for (const name of this.#open.keys()) this.close(name);
  }

  #mustHold(): void {
    if (this.#tenure) return;
    const call = { verb: 'watch', resource: resourceText(MultiClusterEngines) };
    throw new ApiError({
      kind: 'Fenced',
      message: 'the caches of a target namespace are opened by the leader alone',
      call,
    });
  }
}

/** One object. Managed fields tell of a Secret what its content, which is not asked for, would. */
function byName(type: ResourceType, namespace: string, name: string): CacheOptions<KubeObject> {
  const options = { type, namespace, fieldSelector: `metadata.name=${name}` };
  return type === Secrets ? { ...options, metadataOnly: true, managedFields: true } : options;
}

function contentOf(caches: readonly Cache<KubeObject>[]): readonly StoredObject[] {
  return caches.flatMap((cache) => [...cache.store.values()].map((object) => ({ type: cache.type, object })));
}

/** undefined: not known yet. A right that was taken away is no reason to wait: then nothing is said of the Secret. */
function presenceIn(
  cache: Cache<KubeObject> | undefined,
  namespace: string,
  name: string | undefined,
): SecretPresence | undefined {
  if (cache === undefined || name === undefined) return 'unknown';
  if (cache.current()) return cache.store.get(`${namespace}/${name}`) === undefined ? 'absent' : 'present';
  return isFailure(cache.failure(), 'Forbidden') ? 'unknown' : undefined;
}
