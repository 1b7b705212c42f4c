/** Time for the server and its tests. A program can pass its own implementation. */
export interface Clock {
  /** Wall clock, ms since the epoch: for time stamps and the expiry of tokens. */
  now(): number;
  /** Ms from an arbitrary start, monotonic: for deadlines. */
  monotonic(): number;
  /** Calls `run` once after `ms`, unless cancelled. An armed timer does not keep the process alive. */
  after(ms: number, run: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** Uniform in [0, 1). */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Resolves after `ms`. */
export function delay(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
