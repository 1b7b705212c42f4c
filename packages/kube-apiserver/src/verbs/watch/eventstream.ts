import type { WatchEvent } from '../verbs.js';

/** Number of events that may wait for a reader before its watch ends. */
const MAX_EVENTS = 1000;
/** Limit of their JSON size in bytes, unless it is a single event. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Queued {
  readonly event: WatchEvent;
  readonly size: number;
}

/** The events for one reader: the initial ones, then those that are pushed. */
export class EventStream implements AsyncIterable<WatchEvent>, AsyncIterator<WatchEvent> {
  #initial: Iterator<WatchEvent> | undefined;
  #waiting: Queued[] = [];
  #bytes = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  readonly #onEnd: () => void;

  /**
   * @param initial evaluated lazily as the reader advances
   * @param onEnd called once, when no more events are accepted
   */
  constructor(initial: Iterable<WatchEvent>, onEnd: () => void) {
    this.#initial = initial[Symbol.iterator]();
    this.#onEnd = onEnd;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** @param size approximate JSON size in bytes; where too much waits, the watch ends after the waiting events */
  push(event: WatchEvent, size = 0): void {
    if (this.#ended) return;
    this.#waiting.push({ event, size });
    this.#bytes += size;
    if (this.#waiting.length > MAX_EVENTS || (this.#bytes > MAX_BYTES && this.#waiting.length > 1)) this.end();
    this.#wake?.();
  }

  /** Pushed events still reach the reader. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#wake?.();
  }

  /** No more events reach the reader. */
  abort(): void {
    this.#initial = undefined;
    this.#waiting = [];
    this.end();
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchEvent> {
    return this;
  }

  async next(): Promise<IteratorResult<WatchEvent>> {
    for (;;) {
      const event = this.#take();
      if (event !== undefined) return { done: false, value: event };
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  return(): Promise<IteratorResult<WatchEvent>> {
    this.abort();
    return Promise.resolve({ done: true, value: undefined });
  }

  #take(): WatchEvent | undefined {
    const first = this.#initial?.next();
    if (first !== undefined && first.done !== true) return first.value;
    this.#initial = undefined;
    const next = this.#waiting.shift();
    this.#bytes -= next?.size ?? 0;
    return next?.event;
  }
}
