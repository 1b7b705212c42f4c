import type { Change } from '../cache/store.js';
import type { Clock } from '../clock.js';
import { isFailure } from '../errors.js';
import { isOlder, type KubeObject } from '../vocabulary/meta.js';

interface Mutation<T> {
  /** Undefined: the object with this uid was deleted. */
  readonly object: T | undefined;
  readonly uid: string;
  /** Monotonic ms. */
  readonly at: number;
}

/** After this long the watch cache is used again: it would have delivered the mutation. */
const TTL_MS = 60_000;

/**
 * Read-your-writes layer above a watch cache (client-go has one of the same name): it holds the answers to writes and
 * uncached reads until the watch cache has caught up, so that no reconcile is based on an object that it has itself
 * replaced. Entries expire after 60 s.
 */
export class MutationCache<T extends KubeObject> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #mutations = new Map<string, Mutation<T>>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The API server returned `object` as its current state. */
  mutated(key: string, object: T): void {
    this.#mutations.set(key, { object, uid: object.metadata.uid ?? '', at: this.#clock.monotonic() });
  }

  /** The API server has no object with this uid any more. */
  deleted(key: string, uid: string): void {
    this.#mutations.set(key, { object: undefined, uid, at: this.#clock.monotonic() });
  }

  /**
   * Keeps the answer to `write`. After a conflict the watch cache is behind: keeps what `read` finds, so that the next reconcile
   * begins with that. Throws what `write` throws.
   */
  async write<O extends T>(key: string, write: () => Promise<O>, read: () => Promise<T | undefined>): Promise<O> {
    try {
      const stored = await write();
      this.mutated(key, stored);
      return stored;
    } catch (error) {
      const found = isFailure(error, 'Conflict', 'AlreadyExists') ? await read() : undefined;
      if (found !== undefined) this.mutated(key, found);
      throw error;
    }
  }

  /**
   * The newer of the mutation held for `key` and `cached`, the object in the watch cache; undefined when deleted. A mutation that
   * `cached` includes is still held: it may have been read from the API server, and the watch cache be behind.
   */
  newest(key: string, cached: T | undefined): T | undefined {
    const mutation = this.#mutations.get(key);
    if (mutation === undefined) return cached;
    if (this.#clock.monotonic() - mutation.at > TTL_MS) {
      this.#mutations.delete(key);
      return cached;
    }
    return isCaughtUp(mutation, cached) ? cached : mutation.object;
  }

  /**
   * Drops the mutation when a change of the watch cache includes it. Every change has to be passed in. Returns false for
   * the event of an own write and for older ones, and true for a change by others.
   */
  observe({ key, before, after }: Change<T>): boolean {
    const mutation = this.#mutations.get(key);
    if (mutation === undefined) return true;
    const isDelivered = after === undefined ? before?.metadata.uid === mutation.uid : isCaughtUp(mutation, after);
    if (!isDelivered) return false;
    this.#mutations.delete(key);
    return after?.metadata.resourceVersion !== mutation.object?.metadata.resourceVersion;
  }

  /** The last answer for `key` that no change has delivered yet. */
  held(key: string): T | undefined {
    return this.#mutations.get(key)?.object;
  }

  clear(): void {
    this.#mutations.clear();
  }

  /** How many mutations the watch cache has not delivered yet. */
  get size(): number {
    return this.#mutations.size;
  }
}

/**
 * Distinguishes the events of own writes from changes by others: only the latter need a reconcile. An event may be delivered
 * before the answer to the write that caused it. So the changes of an object that is being reconciled are deferred, in
 * their order, until the reconcile ends and all answers are in the mutation caches.
 */
export class ChangeFilter {
  /** Key of each object that is being reconciled → its changes since; each returns the keys that it affects. */
  readonly #deferred = new Map<string, (() => readonly string[])[]>();

  /** Begins to defer the changes that concern `key`. */
  begin(key: string): void {
    this.#deferred.set(key, []);
  }

  /** Ends it; returns the keys that deferred changes by others affect. */
  end(key: string): ReadonlySet<string> {
    const affected = new Set((this.#deferred.get(key) ?? []).flatMap((observe) => observe()));
    this.#deferred.delete(key);
    return affected;
  }

  /**
   * Passes a change that concerns `keys` to its mutation cache; returns them if it is by others and is not deferred. `byOthers`: is
   * told of such a change, now or later, with the object as it was before.
   */
  affected<T extends KubeObject>(
    mutations: MutationCache<T>,
    change: Change<T>,
    keys: readonly string[],
    byOthers?: (before: T | undefined) => void,
  ): readonly string[] {
    const observe = (): readonly string[] => {
      const before = mutations.held(change.key) ?? change.before;
      if (!mutations.observe(change)) return [];
      byOthers?.(before);
      return keys;
    };
    const reconciling = keys.find((key) => this.#deferred.has(key));
    if (reconciling === undefined) return observe();
    this.#deferred.get(reconciling)?.push(observe);
    return [];
  }
}

function isCaughtUp<T extends KubeObject>(mutation: Mutation<T>, cached: T | undefined): boolean {
  if (mutation.object === undefined) return cached?.metadata.uid !== mutation.uid;
  return cached !== undefined && !isOlder(cached.metadata.resourceVersion, mutation.object.metadata.resourceVersion);
}
