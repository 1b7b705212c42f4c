import { isObject } from '@multicluster-engine/values/json';
import type { Timer } from '../clock.js';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Subscription } from '../store/store.js';
import { Client, targetOf, ignoreCodes } from './client.js';
import type { ControllerOptions } from './options.js';
import { WorkQueue } from './workqueue.js';

const EVENTS = 'events';
const TTL_MS = 60 * 60_000;
/** Events that expire within this time are deleted together. */
const BATCH_MS = 1_000;

/** Deletes events an hour after their last write. One timer runs, for the event that expires first. */
export function startEventExpiry(options: ControllerOptions): { end(): Promise<void> } {
  const expiry = new EventExpiry(options);
  return { end: () => expiry.end() };
}

class EventExpiry {
  readonly #options: ControllerOptions;
  readonly #client: Client;
  readonly #subscription: Subscription;
  readonly #queue: WorkQueue;
  /** When each event expires, by the monotonic clock. In order, since the time to live is the same for all. */
  readonly #deadlines = new Map<string, number>();
  #timer: Timer | undefined;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#client = new Client(options.verbs, 'event-expiry');
    const { clock, store, onError } = options;
    this.#queue = new WorkQueue({ clock, workers: 16, reconcile: (key) => this.#remove(key), onError });
    const from = store.revision;
    const left = store
      .list(EVENTS, '')
      .map(({ key, object }) => ({ key, due: clock.monotonic() + remainingTtl(object, clock.now()) }));
    for (const { key, due } of left.sort((a, b) => a.due - b.due)) this.#deadlines.set(key, due);
    this.#subscription = store.watch(EVENTS, from, ({ type, entry: { key } }) => {
      this.#deadlines.delete(key);
      if (type === 'put') this.#deadlines.set(key, clock.monotonic() + TTL_MS);
      this.#arm();
    });
    this.#arm();
  }

  end(): Promise<void> {
    this.#subscription.end();
    this.#timer?.cancel();
    return this.#queue.end();
  }

  #arm(): void {
    const [first] = this.#deadlines.values();
    if (first === undefined || this.#timer !== undefined) return;
    this.#timer = this.#options.clock.after(first - this.#options.clock.monotonic() + BATCH_MS, () => {
      this.#timer = undefined;
      this.#expire();
      this.#arm();
    });
  }

  #expire(): void {
    const now = this.#options.clock.monotonic();
    for (const [key, due] of this.#deadlines) {
      if (due > now) return;
      this.#deadlines.delete(key);
      this.#queue.add(key);
    }
  }

  /** Deletes an event, unless it was written again. */
  async #remove(key: string): Promise<void> {
    const object = this.#options.store.get(EVENTS, key)?.object;
    if (object === undefined || this.#deadlines.has(key)) return;
    const { namespace = '', name = '' } = object.metadata;
    const target = targetOf(this.#options.registry, { group: '', plural: EVENTS, namespace, name });
    await ignoreCodes([404, 409], this.#client.delete(target, object, 'Background'));
  }
}

/** The remaining time to live, by the latest time in the event. */
function remainingTtl(event: KubeObject, now: number): number {
  const series = event['series'];
  const observed = isObject(series) ? series['lastObservedTime'] : undefined;
  const times = [event.metadata.creationTimestamp, event['lastTimestamp'], event['eventTime'], observed];
  const writeTimes = times
    .map((time) => (typeof time === 'string' ? Date.parse(time) : Number.NaN))
    .filter((time) => !Number.isNaN(time));
  return Math.min(Math.max(Math.max(...writeTimes, now - TTL_MS) + TTL_MS - now, 0), TTL_MS);
}
