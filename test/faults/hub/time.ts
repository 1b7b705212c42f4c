import type { Clock, Timer } from '../../../src/runtime/clock.js';
import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';

interface Armed {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
  armed: boolean;
}

/** What is active in a process in which nothing goes on: its own pipes, and timers of the test runner. */
const AT_REST: ReadonlySet<string> = new Set(['PipeWrap', 'TTYWrap', 'Timeout', 'MessagePort', 'TCPSocketWrap']);

/**
 * The time and the network of one simulated world. Work that is ready (a request that arrives, a response, an event of a
 * watch) waits in one list, from which the dice take; time passes only while nothing is ready. So a seed names one order of events.
 */
export class Simulation implements Clock {
  readonly #start: number;
  /** Monotonic ms at which the wall time was the start. */
  #zero = 0;
  readonly #ready: (() => unknown)[] = [];
  /** Sorted by due time, then by order. */
  #timers: Armed[] = [];
  #elapsed = 0;
  #order = 0;
  #dice = new Dice(1);
  /** The share of turns in which another than the oldest ready work is taken. */
  #disorder = 0;

  constructor(startMs: number) {
    this.#start = startMs;
  }

  now(): number {
    return this.#start + this.#elapsed - this.#zero;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, run: () => void): Timer {
    const one: Armed = { due: this.#elapsed + Math.max(ms, 0), order: this.#order++, run, armed: true };
    this.#timers.splice(this.#place(one.due), 0, one);
    return {
      cancel: () => {
        one.armed = false;
      },
    };
  }

  /** The dice of this run, and how often they take another than the oldest ready work, 0 to 1. */
  reseed(seed: number, disorder: number): void {
    this.#dice = new Dice(seed);
    this.#disorder = disorder;
  }

  /** Uniform in [0, 1), of the same dice. */
  readonly random = (): number => this.#dice.next();

  /** Adds work that is ready. */
  post(work: () => unknown): void {
    this.#ready.push(work);
  }

  /** Lets `ms` pass. */
  async pass(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await this.#work();
    for (let due = this.#due(end); due !== undefined; due = this.#due(end)) {
      this.#elapsed = Math.max(this.#elapsed, due.due);
      due.run();
      await this.#work();
    }
    this.#elapsed = end;
  }

  /** Lets `ms` pass at once, as for a machine that was suspended: whatever is due then comes once, in its order, at the end. */
  async leap(ms: number): Promise<void> {
    await this.#work();
    this.#elapsed += ms;
    await this.pass(0);
  }

  /** Sets the wall time to `ms` after the start, for the next run. Whatever waits goes on waiting. */
  rewind(ms: number): void {
    // The clock of a process counts parts of a millisecond, too; the same ones in each run, so that runs before it change nothing.
    this.#elapsed = Math.ceil(this.#elapsed) + 0.75;
    this.#zero = this.#elapsed - ms;
  }

  /** Wall time since the start. */
  get sinceStart(): number {
    return this.#elapsed - this.#zero;
  }

  /** All that is ready, one after the other, until nothing is. */
  async #work(): Promise<void> {
    await drained();
    while (this.#ready.length > 0) {
      const isOther = this.#ready.length > 1 && this.#disorder > 0 && this.#dice.next() < this.#disorder;
      const [work] = this.#ready.splice(isOther ? Math.floor(this.#dice.next() * this.#ready.length) : 0, 1);
      work?.();
      await drained();
    }
  }

  #due(end: number): Armed | undefined {
    for (;;) {
      const [first] = this.#timers;
      if (first === undefined || (first.armed && first.due > end)) return undefined;
      this.#timers.shift();
      if (first.armed) return first;
    }
  }

  #place(due: number): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#timers[middle]?.due ?? Infinity) <= due) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Runs all promises and immediates that are ready, and those that come of them. */
async function drained(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (process.getActiveResourcesInfo().some((kind) => !AT_REST.has(kind)));
}

/** The clock of one process, which can be killed, stopped for a while, or have a wrong wall time. */
export class ProcessClock implements Clock {
  readonly #simulation: Simulation;
  readonly #held: (() => void)[] = [];
  readonly #timers = new Set<Timer>();
  #state: 'running' | 'stopped' | 'dead' = 'running';
  /** Ms by which the wall time of this machine is ahead. */
  aheadMs = 0;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  get dead(): boolean {
    return this.#state === 'dead';
  }

  /** How many timers wait. */
  get armed(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#simulation.now() + this.aheadMs;
  }

  monotonic(): number {
    return this.#simulation.monotonic();
  }

  after(ms: number, run: () => void): Timer {
    let isCancelled = false;
    const timer = this.#simulation.after(ms, () => {
      this.#timers.delete(timer);
      this.does(() => {
        if (!isCancelled) run();
      });
    });
    this.#timers.add(timer);
    return {
      cancel: () => {
        isCancelled = true;
        this.#timers.delete(timer);
        timer.cancel();
      },
    };
  }

  /** Posts work of this process: it is not done once the process is dead, and later while it is stopped. */
  post(work: () => unknown): void {
    if (this.#state !== 'dead') this.#simulation.post(() => this.does(work));
  }

  /** Does `work` now, or when the process runs again. */
  does(work: () => unknown): void {
    if (this.#state === 'running') work();
    else if (this.#state === 'stopped') this.#held.push(() => work());
  }

  kill(): void {
    this.#state = 'dead';
    this.#held.length = 0;
    for (const timer of this.#timers) timer.cancel();
  }

  /** SIGSTOP, and SIGCONT after `ms`. */
  stop(ms: number): void {
    if (this.#state !== 'running') return;
    this.#state = 'stopped';
    this.#simulation.after(ms, () => {
      if (this.#state !== 'stopped') return;
      this.#state = 'running';
      for (const work of this.#held.splice(0)) this.post(work);
    });
  }
}
