import type { Clock } from '../clock.js';

/** So long a text with the time is used again: whoever logs what has changed logs a fault that stays once in this time. */
const STEADY_MS = 3_600_000;
/** Above this many all are dropped. */
const MOST = 32;

/** Texts with the time of the machine, which stay the same for an hour while all but the time is the same. */
export class SteadyTexts {
  readonly #clock: Clock;
  readonly #made = new Map<string, { readonly text: string; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The text that `make` makes with the time. */
  of(make: (now: number) => string): string {
    const key = make(0);
    const at = this.#clock.monotonic();
    const made = this.#made.get(key);
    if (made !== undefined && at - made.at < STEADY_MS) return made.text;
    const text = make(this.#clock.now());
    if (this.#made.size >= MOST) this.#made.clear();
    this.#made.set(key, { text, at });
    return text;
  }
}
