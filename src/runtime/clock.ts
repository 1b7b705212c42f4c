import { asError } from './errors.js';

/** The source of time for all other code, so that tests can use a manual clock. */
export interface Clock {
  /** Wall clock, ms since the epoch: for time stamps and what is compared with them, such as the expiry of a certificate. */
  now(): number;
  /** Ms from an arbitrary start, never set back, also counting while the process is suspended: for leases, backoff, deadlines. */
  monotonic(): number;
  /** Calls `run` once after `ms` (clamped to 0..2^31-1), unless cancelled. An armed timer does not keep the process alive. */
  after(ms: number, run: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** What a wait uses of an AbortSignal. Every AbortSignal is one. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Uniform in [0, 1): the source of jitter. */
export type Random = () => number;

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = armed(ms, run);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** The system's clock for a command that waits and does nothing else meanwhile: its timers keep the process alive. */
export const waitingClock: Clock = {
  ...systemClock,
  after(ms, run) {
    const timer = armed(ms, run);
    return { cancel: () => clearTimeout(timer) };
  },
};

function armed(ms: number, run: () => void): NodeJS.Timeout {
  return setTimeout(run, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
}

/** Blocks the process for `ms`: where nothing else is left to be done. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

export const systemRandom: Random = () => Math.random();

/** Resolves after `ms`; rejects with the signal's reason when it fires first. */
export function delay(clock: Clock, ms: number, signal?: AbortSignalLike): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(asError(signal.reason));
      return;
    }
    const stop = (): void => {
      timer.cancel();
      reject(asError(signal?.reason));
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Resolves when `signal` has fired. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Whether `work` has succeeded within `ms`, and before `signal` has fired. It never rejects, and `work` goes on. */
export async function within(
  clock: Clock,
  ms: number,
  work: Promise<unknown> | undefined,
  signal?: AbortSignal,
): Promise<boolean> {
  const over = new AbortController();
  const end = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const late = delay(clock, ms, end).then(
    () => false,
    () => false,
  );
  const done = Promise.resolve(work).then(
    () => true,
    () => false,
  );
  const result = await Promise.race([done, late]);
  over.abort();
  return result;
}

/** Those that wait for the event loop, the first one to continue first. */
const waiting: (() => void)[] = [];

/**
 * Resolves after other work that is ready in the event loop has run. Of several that wait, one continues in each iteration
 * of the loop, in their order: immediates of their own would all run in the same iteration, and block it for the sum of their times.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(continueNext);
  });
}

function continueNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(continueNext);
}
