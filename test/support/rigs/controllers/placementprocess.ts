import { Expressions } from '../../../../src/domain/placement/spec/expression.js';
import { placementCacheOptions } from '../../../../src/operator/controllers/placement/caches.js';
import { DeletionCheck } from '../../../../src/operator/controllers/deletions.js';
import { PlacementReconciler } from '../../../../src/operator/controllers/placement/reconcile.js';
import { type PlacementContext, ExplanationLimit } from '../../../../src/operator/controllers/placement/scope.js';
import { watchCaches } from '../../../../src/operator/controllers/placement/watches.js';
import { PlacementIndex } from '../../../../src/operator/index/placementindex.js';
import type { KubeClient } from '../../../../src/runtime/client/client.js';
import type { EventNote } from '../../../../src/runtime/events/recorder.js';
import type { Clock } from '../../../../src/runtime/clock.js';
import { ChangeFilter, MutationCache } from '../../../../src/runtime/controller/mutationcache.js';
import type { FakeApi } from '../../fakes/api.js';
import { RecordingLog } from '../../fakes/log.js';

const MOST_PASSES = 20;

/** Thrown by each write of a process that has ended. */
export class Killed extends Error {}

/** When a process ends: at its n-th write, before the API has it or after it was stored and before the answer. */
export interface Death {
  readonly write: number;
  readonly phase: 'before' | 'after';
}

export interface ProcessOptions {
  readonly api: FakeApi;
  readonly clock: Clock;
  readonly death: Death | undefined;
}

/** The reconcile of Placements as one process runs it, without its queue: passes follow each other until nothing is enqueued. */
export class PlacementProcess {
  readonly events: EventNote[] = [];
  /** The writes that were begun. */
  writes = 0;
  readonly #reconciler: PlacementReconciler;
  readonly #enqueued = new Set<string>();
  readonly #keys: () => Iterable<string>;

  constructor({ api, clock, death }: ProcessOptions) {
    const caches = {
      placements: api.cache(placementCacheOptions.placements),
      decisions: api.cache(placementCacheOptions.decisions),
      clusters: api.cache(placementCacheOptions.clusters),
      sets: api.cache(placementCacheOptions.sets),
      bindings: api.cache(placementCacheOptions.bindings),
    };
    const client = this.#mortal(api, death);
    const index = new PlacementIndex();
    const context: PlacementContext = {
      client,
      clock,
      caches,
      index,
      mutations: { placements: new MutationCache(clock), decisions: new MutationCache(clock) },
      changeFilter: new ChangeFilter(),
      expressions: new Expressions(),
      states: new Map(),
      earlier: new Map(),
      collectionWindow: { quietMs: 0, mostMs: 0 },
      deletions: new DeletionCheck(client, clock),
      triggers: new Map(),
      postponed: new Set(),
      explanations: new ExplanationLimit(clock, 0),
      recorder: { record: (event) => void this.events.push(event), flush: () => Promise.resolve() },
      enqueue: (key) => void this.#enqueued.add(key),
      enqueueAfter: () => undefined,
    };
    watchCaches(context, () => {});
    for (const cache of Object.values(caches)) cache.start();
    index.tracking = true;
    this.#keys = () => index.keys();
    this.#reconciler = new PlacementReconciler(context);
  }

  /** Reconciles every Placement, and again while changes ask for it. @throws Killed when the process ends. */
  async run(): Promise<void> {
    for (const key of this.#keys()) this.#enqueued.add(key);
    for (let passes = 0; passes < MOST_PASSES; passes++) {
      const [key] = this.#enqueued;
      if (key === undefined) return;
      this.#enqueued.delete(key);
      const { signal } = new AbortController();
      const pass = { reconcileId: 'id', log: new RecordingLog(), signal, enqueuedAt: 0 };
      const result = await this.#reconciler.reconcile(key, pass);
      if (result.ending === 'wait') throw new Error(`the pass waits: ${result.reason}`);
      if (result.ending === 'done' && result.requeueAfterMs === 0) this.#enqueued.add(key);
    }
    throw new Error('the passes do not come to an end');
  }

  #mortal(client: KubeClient, death: Death | undefined): KubeClient {
    const write = async (send: () => Promise<unknown>): Promise<unknown> => {
      this.writes += 1;
      const isLast = death !== undefined && this.writes >= death.write;
      if (isLast && (death.phase === 'before' || this.writes > death.write)) throw new Killed();
      const answer = await send();
      if (isLast) throw new Killed();
      return answer;
    };
    const verbs: readonly (string | symbol)[] = ['create', 'update', 'updateStatus', 'delete'];
    return new Proxy(client, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return verbs.includes(key)
          ? (...args: unknown[]) => write(() => value.apply(target, args))
          : value.bind(target);
      },
    });
  }
}
