import { isObject } from '../json.js';
import type { Timer } from '../clock.js';
import type { KubeObject } from '../object.js';
import type { Subscription } from '../store/store.js';
import { Client, targetOf, ignoreCodes } from './client.js';
import type { ControllerOptions } from './options.js';
import { WorkQueue } from './workqueue.js';

const EVENTS = 'events';
const TTL_MS = 60 * 60_000;
/** Those that fall due together go together. */
const BATCH_MS = 1_000;

/** Removes events an hour after they were last written. One timer, for the oldest. */
export function startEventExpiry(options: ControllerOptions): { end(): Promise<void> } {
  const expiry = new EventExpiry(options);
  return { end: () => expiry.end() };
}

class EventExpiry {
  readonly #options: ControllerOptions;
  readonly #client: Client;
  readonly #subscription: Subscription;
  readonly #worklist: WorkQueue;
  /** When each falls due by the monotonic clock, soonest first: all live equally long. */
  readonly #due = new Map<string, number>();
  #timer: Timer | undefined;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#client = new Client(options.verbs, 'event-expiry');
    const { clock, store, onError } = options;
    this.#worklist = new WorkQueue({ clock, workers: 16, reconcile: (key) => this.#remove(key), onError });
    const from = store.revision;
    const left = store
      .list(EVENTS, '')
      .map(({ key, object }) => ({ key, due: clock.monotonic() + remainingTtl(object, clock.now()) }));
    for (const { key, due } of left.sort((a, b) => a.due - b.due)) this.#due.set(key, due);
    this.#subscription = store.watch(EVENTS, from, ({ type, entry: { key } }) => {
      this.#due.delete(key);
      if (type === 'put') this.#due.set(key, clock.monotonic() + TTL_MS);
      this.#arm();
    });
    this.#arm();
  }

  end(): Promise<void> {
    this.#subscription.end();
    this.#timer?.cancel();
    return this.#worklist.end();
  }

  #arm(): void {
    const [first] = this.#due.values();
    if (first === undefined || this.#timer !== undefined) return;
    this.#timer = this.#options.clock.after(first - this.#options.clock.monotonic() + BATCH_MS, () => {
      this.#timer = undefined;
      this.#expire();
      this.#arm();
    });
  }

  #expire(): void {
    const now = this.#options.clock.monotonic();
    for (const [key, due] of this.#due) {
      if (due > now) return;
      this.#due.delete(key);
      this.#worklist.add(key);
    }
  }

  /** Unless it was written again meanwhile. */
  async #remove(key: string): Promise<void> {
    const object = this.#options.store.get(EVENTS, key)?.object;
    if (object === undefined || this.#due.has(key)) return;
    const { namespace = '', name = '' } = object.metadata;
    const target = targetOf(this.#options.registry, { group: '', plural: EVENTS, namespace, name });
    await ignoreCodes([404, 409], this.#client.delete(target, object, 'Background'));
  }
}

/** What is left of an event's hour, as far as the event tells when it was written. */
function remainingTtl(event: KubeObject, now: number): number {
  const series = event['series'];
  const observed = isObject(series) ? series['lastObservedTime'] : undefined;
  const times = [event.metadata.creationTimestamp, event['lastTimestamp'], event['eventTime'], observed];
  const written = times
    .map((time) => (typeof time === 'string' ? Date.parse(time) : Number.NaN))
    .filter((time) => !Number.isNaN(time));
  return Math.min(Math.max(Math.max(...written, now - TTL_MS) + TTL_MS - now, 0), TTL_MS);
}
