import { timestamp, type KubeObject, type ResourceType } from '../../../runtime/vocabulary/meta.js';
import { CLUSTERS_FIELD_MANAGER } from '../../../api/names.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import type { Cache } from '../../../runtime/cache/cache.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import type { Clock } from '../../../runtime/clock.js';
import { isFailure } from '../../../runtime/errors.js';
import { MutationCache } from '../../../runtime/controller/mutationcache.js';
import { DONE, type Pass, type Reconciler, type Result } from '../../../runtime/controller/result.js';
import { cachesNotCurrent, waitForCaches } from './caches.js';

/** An object whose whole status is written by this controller. */
export interface ObjectWithStatus extends KubeObject {
  status?: object;
}

/** One kind of such objects. */
export interface StatusKind<T extends ObjectWithStatus> {
  readonly type: ResourceType;
  readonly cache: Cache<T>;
  /** Caches that the status is computed from, beside that of the kind. */
  readonly inputs: readonly Cache<KubeObject>[];
  /** The object with its wanted status; undefined when it has it already. `now` is RFC 3339. */
  readonly withWantedStatus: (object: T, now: string) => T | undefined;
}

/** The shortest time between two writes of one object. */
const WRITE_INTERVAL_MS = 1_000;
const NOT_CURRENT_RETRY_MS = 5_000;

/** Writes the status of every object of a kind, those that are being deleted included: once when it changes, at most 1/s. */
export class StatusReconciler<T extends ObjectWithStatus> implements Reconciler {
  readonly #kind: StatusKind<T>;
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #mutations: MutationCache<T>;
  /** Key → monotonic ms of the last write. */
  readonly #writtenAt = new Map<string, number>();

  constructor(kind: StatusKind<T>, client: KubeClient, clock: Clock) {
    this.#kind = kind;
    this.#client = client;
    this.#clock = clock;
    this.#mutations = new MutationCache(clock);
    kind.cache.onChange((change) => this.#mutations.observe(change));
  }

  /** Drops what is known of earlier writes: another process may have written since. */
  clear(): void {
    this.#mutations.clear();
    this.#writtenAt.clear();
  }

  /** Whether the object has another status than wanted. It has not after the events of own writes. */
  isOutdated(object: T): boolean {
    return this.#kind.withWantedStatus(object, this.#now()) !== undefined;
  }

  async reconcile(key: string, pass: Pass): Promise<Result> {
    const { cache, inputs, withWantedStatus } = this.#kind;
    const notCurrent = cachesNotCurrent([cache, ...inputs]);
    if (notCurrent.length > 0) return waitForCaches(notCurrent, NOT_CURRENT_RETRY_MS);
    const cached = cache.store.get(key);
    const newest = this.#mutations.newest(key, cached);
    if (cached === undefined || newest === undefined || cached.metadata.uid !== newest.metadata.uid) {
      this.#writtenAt.delete(key);
      return DONE;
    }
    const wanted = withWantedStatus(newest, this.#now());
    if (wanted === undefined) return DONE;
    const waitMs = this.#untilNextWrite(key);
    if (waitMs > 0) return { ending: 'done', requeueAfterMs: waitMs };
    return this.#apply(key, wanted, pass);
  }

  async #apply(key: string, wanted: T, { signal }: Pass): Promise<Result> {
    const { type } = this.#kind;
    this.#writtenAt.set(key, this.#clock.monotonic());
    try {
      const object = { ...wanted, apiVersion: apiVersionOf(type), kind: type.kind };
      const stored = await this.#client.updateStatus<T>(type, object, { fieldManager: CLUSTERS_FIELD_MANAGER, signal });
      this.#mutations.mutated(key, stored);
    } catch (error) {
      // Until the watch has delivered the stored object, another write would meet the same conflict.
      if (isFailure(error, 'Conflict'))
        return { ending: 'wait', reason: 'the cache is older than the stored object', afterMs: WRITE_INTERVAL_MS };
      if (isFailure(error, 'NotFound')) return DONE;
      throw error;
    }
    return DONE;
  }

  #untilNextWrite(key: string): number {
    const last = this.#writtenAt.get(key);
    return last === undefined ? 0 : last + WRITE_INTERVAL_MS - this.#clock.monotonic();
  }

  #now(): string {
    return timestamp(this.#clock.now());
  }
}
