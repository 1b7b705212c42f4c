import type { KubeObject, ResourceType } from '../../api/meta.js';
import { CLUSTERS_FIELD_MANAGER } from '../../api/names.js';
import { apiVersionOf } from '../../api/resources.js';
import { timestamp } from '../../domain/conditions.js';
import type { KubeClient } from '../../kube/client/client.js';
import type { Cache } from '../../kube/cache/reflector.js';
import type { Clock } from '../../runtime/clock.js';
import { isFailure } from '../../runtime/errors.js';
import type { Pass, Reconciler, Result } from '../../runtime/result.js';
import { MutationCache } from '../../runtime/mutationcache.js';

/** An object whose whole status is ours. */
export interface Reported extends KubeObject {
  status?: object;
}

/** One kind of them. */
export interface ReportedKind<T extends Reported> {
  readonly type: ResourceType;
  readonly cache: Cache<T>;
  /** Caches that the status rests on, beside the object's own. */
  readonly inputs: readonly Cache<KubeObject>[];
  /** The object with the status that it should have; undefined when it has it. `now` is RFC 3339. */
  readonly settle: (object: T, now: string) => T | undefined;
}

/** At most one write per object in this time. */
const SPACING_MS = 1_000;
const LOOK_AGAIN_MS = 5_000;
const DONE: Result = { ending: 'done' };

/** Keeps the status of every object of a kind true, those being deleted included, with few writes. */
export class StatusReconciler<T extends Reported> implements Reconciler {
  readonly #kind: ReportedKind<T>;
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #latest: MutationCache<T>;
  /** Key → monotonic ms of the last write. */
  readonly #written = new Map<string, number>();

  constructor(kind: ReportedKind<T>, client: KubeClient, clock: Clock) {
    this.#kind = kind;
    this.#client = client;
    this.#clock = clock;
    this.#latest = new MutationCache(clock);
    kind.cache.onChange((change) => this.#latest.observe(change));
  }

  /** Forgets what was written: somebody else may have written since. */
  clear(): void {
    this.#latest.clear();
    this.#written.clear();
  }

  /** Whether the object's status is not what it should be: own writes are not due. */
  isDue(object: T): boolean {
    return this.#kind.settle(object, this.#now()) !== undefined;
  }

  async reconcile(key: string, pass: Pass): Promise<Result> {
    const { cache, inputs, settle } = this.#kind;
    const unknown = [cache, ...inputs].filter((one) => !one.current()).map((one) => one.type.plural);
    if (unknown.length > 0)
      return { ending: 'wait', reason: `not known: ${unknown.join(', ')}`, afterMs: LOOK_AGAIN_MS };
    const cached = cache.store.get(key);
    const newest = this.#latest.newest(key, cached);
    if (cached === undefined || newest === undefined || cached.metadata.uid !== newest.metadata.uid) {
      this.#written.delete(key);
      return DONE;
    }
    const wanted = settle(newest, this.#now());
    if (wanted === undefined) return DONE;
    const wait = this.#spacing(key);
    if (wait > 0) return { ending: 'done', requeueAfterMs: wait };
    return this.#write(key, wanted, pass);
  }

  async #write(key: string, wanted: T, { signal, log }: Pass): Promise<Result> {
    const { type } = this.#kind;
    this.#written.set(key, this.#clock.monotonic());
    try {
      const object = { ...wanted, apiVersion: apiVersionOf(type), kind: type.kind };
      this.#latest.mutated(
        key,
        await this.#client.updateStatus<T>(type, object, { fieldManager: CLUSTERS_FIELD_MANAGER, signal }),
      );
    } catch (error) {
      if (isFailure(error, 'NotFound')) return DONE;
      // The watch brings what was written instead; until then another try would meet the same conflict.
      if (isFailure(error, 'Conflict'))
        return { ending: 'wait', reason: 'the cache is behind what is stored', afterMs: SPACING_MS };
      if (!isFailure(error, 'Invalid')) throw error;
      // A spec that slipped past admission is refused with every write of the object, its status too: only its author can act.
      log.warn({ err: error }, 'status refused, the object itself is not valid');
      return { ending: 'stalled', reason: 'the object is not valid' };
    }
    return DONE;
  }

  #spacing(key: string): number {
    const last = this.#written.get(key);
    return last === undefined ? 0 : last + SPACING_MS - this.#clock.monotonic();
  }

  #now(): string {
    return timestamp(this.#clock.now());
  }
}
