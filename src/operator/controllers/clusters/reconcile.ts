import { timestamp, type KubeObject, type ResourceType } from '../../../runtime/vocabulary/meta.js';
import { CLUSTERS_FIELD_MANAGER } from '../../../api/names.js';
import { keyOf } from '../../../runtime/vocabulary/names.js';
import type { Cache } from '../../../runtime/cache/cache.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import { delay, type Clock } from '../../../runtime/clock.js';
import { isFailure } from '../../../runtime/errors.js';
import { MutationCache } from '../../../runtime/controller/mutationcache.js';
import { DONE, type Pass, type Reconciler, type Result } from '../../../runtime/controller/result.js';
import { cachesNotCurrent, waitForCaches } from '../controller.js';

/** An object whose whole status is written by this controller. */
export interface ObjectWithStatus extends KubeObject {
  status?: object;
}

export interface StatusKind<T extends ObjectWithStatus> {
  readonly type: ResourceType;
  readonly cache: Cache<T>;
  /** Caches that the status is computed from, beside that of the kind. */
  readonly inputs: readonly Cache<KubeObject>[];
  /** The cache holds a part of the object, so that the object is read before it is written. */
  readonly isPartial?: true;
  /**
   * The object with its wanted status; undefined when it has it already. `now` returns RFC 3339; it may be called only when there
   * is something to write, since this runs for each event.
   */
  readonly withWantedStatus: (object: T, now: () => string) => T | undefined;
}

/** The shortest time between two writes of one object. */
const WRITE_INTERVAL_MS = 1_000;
/** A watch that is silent delivers nothing for minutes. */
const BEHIND_MS = 30_000;
/** Before the read of an object that the cache holds a part of: many clusters can name one set, and nobody waits for them. */
const READ_INTERVAL_MS = 100;

/** What one pass over one object works with. */
interface Scope<T extends ObjectWithStatus> {
  readonly kind: StatusKind<T>;
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Own writes that the cache may not show yet. */
  readonly mutations: MutationCache<T>;
  /** Key → monotonic ms of the last write. */
  readonly writtenAt: Map<string, number>;
  readonly key: string;
  readonly pass: Pass;
}

/** The object as it was read or last written, or the result of the pass when there is nothing to decide. */
type Gathered<T> =
  | { readonly kind: 'nothing'; readonly result: Result }
  | { readonly kind: 'gathered'; readonly object: T };

const NOTHING = { kind: 'nothing', result: DONE } as const;

type Decision<T> =
  | { readonly kind: 'none' }
  /** The last write was less than {@link WRITE_INTERVAL_MS} ago. */
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'write'; readonly object: T };

/** `behind`: the stored object is another one than that which was read, or gone. */
type Written = 'nothing' | 'stored' | 'behind';

/** Writes the status that it has to say of every object of a kind, those that are being deleted included: once when it changes, at most 1/s. */
export class StatusReconciler<T extends ObjectWithStatus> implements Reconciler {
  readonly #context: Omit<Scope<T>, 'key' | 'pass'>;

  constructor(kind: StatusKind<T>, client: KubeClient, clock: Clock) {
    const mutations = new MutationCache<T>(clock);
    this.#context = { kind, client, clock, mutations, writtenAt: new Map() };
    kind.cache.onChange((change) => mutations.observe(change));
  }

  /** Drops what is known of earlier writes: another process may have written since. */
  clear(): void {
    this.#context.mutations.clear();
    this.#context.writtenAt.clear();
  }

  /** Whether the object has another status than wanted. It has not after the events of own writes. */
  isOutdated(object: T): boolean {
    return withWantedStatus(object, this.#context) !== undefined;
  }

  /** The keys of such objects, by the caches. */
  *outdated(): Generator<string, void, undefined> {
    for (const object of this.#context.kind.cache.store.values())
      if (this.isOutdated(object)) yield keyOf(object.metadata);
  }

  async reconcile(key: string, pass: Pass): Promise<Result> {
    const scope: Scope<T> = { ...this.#context, key, pass };
    const gathered = await gather(scope);
    if (gathered.kind === 'nothing') return gathered.result;
    const decision = decide(gathered.object, scope);
    return report(decision, await apply(decision, scope));
  }
}

async function gather<T extends ObjectWithStatus>(scope: Scope<T>): Promise<Gathered<T>> {
  const { kind, client, clock, mutations, writtenAt, key, pass } = scope;
  const { cache, inputs, type } = kind;
  const notCurrent = cachesNotCurrent([cache, ...inputs]);
  if (notCurrent.length > 0) return { kind: 'nothing', result: waitForCaches(notCurrent) };
  const cached = cache.store.get(key);
  const newest = mutations.newest(key, cached);
  if (cached === undefined || newest === undefined || cached.metadata.uid !== newest.metadata.uid) {
    writtenAt.delete(key);
    return NOTHING;
  }
  if (kind.isPartial !== true) return { kind: 'gathered', object: newest };
  if (withWantedStatus(newest, scope) === undefined) return NOTHING;
  await delay(clock, READ_INTERVAL_MS, pass.signal);
  const object = await client.get<T>(type, newest.metadata, { signal: pass.signal });
  return object === undefined ? NOTHING : { kind: 'gathered', object };
}

function decide<T extends ObjectWithStatus>(object: T, scope: Scope<T>): Decision<T> {
  const wanted = withWantedStatus(object, scope);
  if (wanted === undefined) return { kind: 'none' };
  const last = scope.writtenAt.get(scope.key);
  const forMs = last === undefined ? 0 : last + WRITE_INTERVAL_MS - scope.clock.monotonic();
  return forMs > 0 ? { kind: 'wait', forMs } : { kind: 'write', object: wanted };
}

async function apply<T extends ObjectWithStatus>(decision: Decision<T>, scope: Scope<T>): Promise<Written> {
  if (decision.kind !== 'write') return 'nothing';
  const { kind, client, clock, mutations, writtenAt, key, pass } = scope;
  const { type } = kind;
  writtenAt.set(key, clock.monotonic());
  try {
    const options = { fieldManager: CLUSTERS_FIELD_MANAGER, signal: pass.signal };
    mutations.mutated(key, await client.updateStatus<T>(type, decision.object, options));
    return 'stored';
  } catch (error) {
    if (isFailure(error, 'Conflict', 'NotFound')) return 'behind';
    throw error;
  }
}

/** The status is the report; what is left to say is when the next pass is due. */
function report(decision: Decision<unknown>, written: Written): Result {
  if (decision.kind === 'wait')
    return { ending: 'wait', reason: 'its status was written a moment ago', afterMs: decision.forMs };
  // Until the watch has delivered the stored object, which starts the next pass, another write would meet the same conflict.
  if (written === 'behind')
    return { ending: 'wait', reason: 'the cache is older than the stored object', afterMs: BEHIND_MS };
  return DONE;
}

function withWantedStatus<T extends ObjectWithStatus>(
  object: T,
  { kind, clock }: Pick<Scope<T>, 'kind' | 'clock'>,
): T | undefined {
  return kind.withWantedStatus(object, () => timestamp(clock.now()));
}
