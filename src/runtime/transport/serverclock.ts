import type { Clock, Timer } from '../clock.js';

/** How many observations count: the median of them is not moved by a few slow responses, nor by one of several servers. */
const OBSERVATIONS = 9;
/** Ms between two observations, once there are enough. */
const INTERVAL_MS = 5_000;
/** A response that took longer says too little about when the server wrote its header. */
const SLOWEST_MS = 2_000;
/** A header has whole seconds: on average it is half a second old. */
const HEADER_AGE_MS = 500;

/**
 * A clock with the wall time of the API server, from the `Date` headers of its responses: times that processes on different
 * nodes store and compare come from one clock, and a wall clock of a node that is set back or forth changes none of them.
 * Within half a second; until the first response, `now` is that of the local clock.
 */
export class ServerClock implements Clock {
  readonly #local: Clock;
  /** Wall time of the server less monotonic time, in ms; the newest last. */
  readonly #observed: number[] = [];
  #observedAt = -Infinity;
  #offset: number | undefined;

  constructor(local: Clock) {
    this.#local = local;
  }

  now(): number {
    return this.#offset === undefined ? this.#local.now() : Math.round(this.#local.monotonic() + this.#offset);
  }

  /** How far the local clock is ahead of that of the server, in ms; negative: behind. Undefined until the first response. */
  get localAheadMs(): number | undefined {
    return this.#offset === undefined ? undefined : this.#local.now() - this.now();
  }

  monotonic(): number {
    return this.#local.monotonic();
  }

  after(ms: number, run: () => void): Timer {
    return this.#local.after(ms, run);
  }

  /** Takes the `Date` header of a response that has just arrived; `sentAt`: monotonic ms at which its request was sent. */
  observe(date: unknown, sentAt: number): void {
    const receivedAt = this.#local.monotonic();
    const isEnough = this.#observed.length >= OBSERVATIONS && receivedAt - this.#observedAt < INTERVAL_MS;
    if (isEnough || receivedAt - sentAt > SLOWEST_MS || typeof date !== 'string') return;
    const time = Date.parse(date);
    if (Number.isNaN(time)) return;
    this.#observedAt = receivedAt;
    this.#observed.push(time + HEADER_AGE_MS - (sentAt + receivedAt) / 2);
    if (this.#observed.length > OBSERVATIONS) this.#observed.shift();
    const sorted = [...this.#observed].sort((a, b) => a - b);
    this.#offset = sorted[sorted.length >> 1];
  }
}
