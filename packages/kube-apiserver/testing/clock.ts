import type { Clock, Timer } from '../src/clock.js';

interface Armed {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that a test advances. Wall time and monotonic time advance together. */
export class ManualClock implements Clock {
  #wall: number;
  #elapsed = 0;
  #order = 0;
  readonly #armed = new Set<Armed>();

  constructor(startMs = Date.parse('2026-01-01T00:00:00Z')) {
    this.#wall = startMs;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, run: () => void): Timer {
    const armed = { due: this.#elapsed + Math.max(ms, 0), order: this.#order++, run };
    this.#armed.add(armed);
    return { cancel: () => void this.#armed.delete(armed) };
  }

  /** The number of armed timers. */
  get pending(): number {
    return this.#armed.size;
  }

  /** Ms until the next timer; undefined when none is armed. */
  get nextIn(): number | undefined {
    let next: number | undefined;
    for (const one of this.#armed) next = Math.min(next ?? Infinity, one.due - this.#elapsed);
    return next;
  }

  /** Advances time by `ms` and runs due timers in order, with the promise queue drained after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await settle();
    for (let due = this.#first(end); due !== undefined; due = this.#first(end)) {
      this.#armed.delete(due);
      this.#move(due.due);
      due.run();
      await settle();
    }
    this.#move(end);
  }

  #first(end: number): Armed | undefined {
    const due = [...this.#armed].filter((one) => one.due <= end);
    return due.sort((a, b) => a.due - b.due || a.order - b.order)[0];
  }

  #move(to: number): void {
    this.#wall += to - this.#elapsed;
    this.#elapsed = to;
  }
}

/** More than the keys that a test makes ready at once: a work queue starts one in each iteration of the event loop. */
const ROUNDS = 64;
/** What is active in a process in which nothing goes on: the pipes of Jest's worker, and the timers of its tests. */
const AT_REST: ReadonlySet<string> = new Set(['PipeWrap', 'TTYWrap', 'Timeout']);

/** Beside hundreds of sockets the question what is active takes milliseconds, in which they go on: so many steps do not ask. */
const UNASKED = 100;
let unasked = 0;

/**
 * Runs all ready promises and immediates, at most {@link ROUNDS} iterations of the event loop deep. Beside a file or a socket
 * it takes all of these, since what comes of them cannot be foreseen.
 */
export async function settle(): Promise<void> {
  let isAlone = unasked === 0;
  unasked = Math.max(unasked - 1, 0);
  for (let round = 0; round < ROUNDS; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!isAlone) continue;
    const others = process.getActiveResourcesInfo().filter((kind) => !AT_REST.has(kind));
    if (others.length === 0) return;
    isAlone = others.every((kind) => kind === 'Immediate');
    if (!isAlone) unasked = UNASKED;
  }
}
