import type { Clock, Timer } from './clock.js';
import type { HealthCheck } from './health.js';

export interface StallOptions {
  /** The stretch of time that is looked at, ms. */
  readonly windowMs: number;
  /** How much of it may be lost to stalls, ms. */
  readonly allowedMs: number;
}

const TICK_MS = 500;
/** A tick this much late is a stall; less is an ordinary busy moment. */
const LATE_MS = 500;

/**
 * Notices an event loop that hardly turns. One long stall is seen by a probe's own time-out and is over when the loop
 * turns again; this one is for a process that is half alive: stalled again and again, answering probes in between.
 */
export class StallDetector implements HealthCheck {
  readonly name = 'event-loop';
  readonly #clock: Clock;
  readonly #options: StallOptions;
  #stalls: { readonly from: number; readonly to: number }[] = [];
  #last = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, options: StallOptions = { windowMs: 30_000, allowedMs: 20_000 }) {
    this.#clock = clock;
    this.#options = options;
  }

  start(): void {
    this.#last = this.#clock.monotonic();
    this.#timer = this.#clock.after(TICK_MS, () => this.#tick());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  check(): string | undefined {
    const stalled = Math.round(this.#stalledMs());
    const { windowMs, allowedMs } = this.#options;
    return stalled > allowedMs ? `stalled for ${stalled} ms of the last ${windowMs} ms` : undefined;
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    if (now - this.#last > TICK_MS + LATE_MS) this.#stalls.push({ from: this.#last + TICK_MS, to: now });
    this.#stalls = this.#stalls.filter((stall) => stall.to > now - this.#options.windowMs);
    this.#last = now;
    this.#timer = this.#clock.after(TICK_MS, () => this.#tick());
  }

  #stalledMs(): number {
    const begin = this.#clock.monotonic() - this.#options.windowMs;
    let sum = 0;
    for (const stall of this.#stalls) sum += Math.max(0, stall.to - Math.max(stall.from, begin));
    return sum;
  }
}
