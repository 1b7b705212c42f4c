import type { WatchEvent } from './verbs.js';

/** How far a reader may fall behind before its watch ends. */
const MOST_WAITING = 1000;
/** And how many bytes of JSON its events may hold, unless it is one event. */
const MOST_BYTES = 64 * 1024 * 1024;

interface Queued {
  readonly event: WatchEvent;
  readonly size: number;
}

/** Events on their way to one reader: those that are there at the start, then what is pushed. */
export class EventStream implements AsyncIterable<WatchEvent>, AsyncIterator<WatchEvent> {
  #initial: Iterator<WatchEvent> | undefined;
  #waiting: Queued[] = [];
  #bytes = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  readonly #onEnd: () => void;

  /** @param initial read as the reader comes to them, however many there are; @param onEnd called once, when nothing more is to be pushed. */
  constructor(initial: Iterable<WatchEvent>, onEnd: () => void) {
    this.#initial = initial[Symbol.iterator]();
    this.#onEnd = onEnd;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** @param size bytes of its JSON, about; a reader that is too far behind is left with what waits, and its watch ends. */
  push(event: WatchEvent, size = 0): void {
    if (this.#ended) return;
    this.#waiting.push({ event, size });
    this.#bytes += size;
    if (this.#waiting.length > MOST_WAITING || (this.#bytes > MOST_BYTES && this.#waiting.length > 1)) this.end();
    this.#wake?.();
  }

  /** What was pushed still reaches the reader. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#wake?.();
  }

  /** Nothing more reaches the reader. */
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
