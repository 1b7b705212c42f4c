import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

export interface WaitOptions {
  /**
   * Time limit in ms; defaults to 60,000, far more than needed on a busy machine. Time limits that the product promises
   * are multiplied by three.
   */
  readonly deadlineMs?: number;
  /** Interval in ms; defaults to 50. */
  readonly everyMs?: number;
}

/**
 * Polls `probe` until it returns a value other than undefined and false, and returns that. An error of `probe` counts
 * as "not yet".
 * @throws Error after the time limit, with the description and the last value that `seen` received (or the last error
 * of `probe`)
 */
export async function waitFor<T>(description: string, probe: Probe<T>, options: WaitOptions = {}): Promise<T> {
  const { deadlineMs = 60_000, everyMs = 50 } = options;
  const end = performance.now() + deadlineMs;
  let last: unknown = 'nothing';
  const seen = (value: unknown): void => void (last = value);
  for (;;) {
    try {
      const value = await probe(seen);
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      last = error instanceof Error ? error.message : error;
    }
    if (performance.now() >= end) break;
    await sleep(everyMs);
  }
  const shown = typeof last === 'string' ? last : inspect(last, { depth: 8, breakLength: 120 });
  throw new Error(`timed out after ${deadlineMs} ms waiting for: ${description}\nlast seen: ${shown}`);
}

/**
 * One poll: returns the awaited value, or undefined (or false) for "not yet"; `seen` receives what a failure should
 * show.
 */
export type Probe<T> = (seen: (value: unknown) => void) => Promise<T | undefined | false> | T | undefined | false;

/** Whether `condition` becomes true within the time limit. */
export function becomesTrue(condition: Probe<boolean>, options: WaitOptions): Promise<boolean> {
  return waitFor('the condition to become true', condition, options).then(
    () => true,
    () => false,
  );
}

const PATIENCE_MS = 60_000;
const LATER = 429;

/**
 * Repeats a request for up to a minute while it gets 429, as kube-apiserver responds shortly after it began to serve a
 * kind.
 */
export async function retryTooManyRequests<T>(ask: () => Promise<T>, codeOf: (answer: T) => number): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (codeOf(answer) !== LATER || performance.now() >= end) return answer;
    await sleep(50);
  }
}

/** Waits `ms`, for a test that asserts that nothing happens. The only timer that tests may use. */
export async function quietWindow(ms: number): Promise<void> {
  await sleep(ms);
}
