import type { Clock, Timer } from '../clock.js';

/** One named check of /livez or /readyz. */
export interface HealthCheck {
  /** Lower case, digits and dashes. */
  readonly name: string;
  /** Why the check fails; undefined when it passes. Must not throw or block. */
  check(): string | undefined;
}

/** The period in which stalls count. */
const WINDOW_MS = 30_000;
/** How long the stalls in it may be together. */
const ALLOWED_MS = 20_000;
const TICK_MS = 500;
/** A timer that is later than this counts as a stall. */
const LATE_MS = 500;

/**
 * Detects an event loop that is blocked most of the time. A single long stall is detected by the probe's own timeout; this
 * check is for a process that stalls repeatedly and responds to probes in between.
 */
export class StallDetector implements HealthCheck {
  readonly name = 'event-loop';
  readonly #clock: Clock;
  #stalls: { readonly from: number; readonly to: number }[] = [];
  #last = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
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
    return stalled > ALLOWED_MS ? `stalled for ${stalled} ms of the last ${WINDOW_MS} ms` : undefined;
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    if (now - this.#last > TICK_MS + LATE_MS) this.#stalls.push({ from: this.#last + TICK_MS, to: now });
    this.#stalls = this.#stalls.filter((stall) => stall.to > now - WINDOW_MS);
    this.#last = now;
    this.#timer = this.#clock.after(TICK_MS, () => this.#tick());
  }

  #stalledMs(): number {
    const begin = this.#clock.monotonic() - WINDOW_MS;
    let sum = 0;
    for (const stall of this.#stalls) sum += Math.max(0, stall.to - Math.max(stall.from, begin));
    return sum;
  }
}
