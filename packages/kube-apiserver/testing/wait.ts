import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

export interface WaitOptions {
  /** How long to wait at most, in ms; 60,000 when left out: many times what anything takes on a busy machine. A promise of the product is waited for three times as long. */
  readonly deadlineMs?: number;
  /** Pause between two looks, in ms; 50 when left out. */
  readonly everyMs?: number;
}

/**
 * Looks again and again until `probe` gives something (neither undefined nor false) and returns that.
 * A probe that throws is taken as "not yet". Errors: after the deadline, with the description, the last thing that
 * `seen` (or the probe, when it threw) showed.
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
  throw new Error(`waited ${deadlineMs} ms in vain for: ${description}\nlast seen: ${shown}`);
}

/** One look: what was waited for, or undefined (or false) for "not yet"; `seen` notes what a failure should show. */
export type Probe<T> = (seen: (value: unknown) => void) => Promise<T | undefined | false> | T | undefined | false;

const PATIENCE_MS = 60_000;
const LATER = 429;

/** Asks again, for up to a minute, while the answer is 429: so kube-apiserver puts off who asks for a kind that it has only just begun to serve. */
export async function patiently<T>(ask: () => Promise<T>, codeOf: (answer: T) => number): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (codeOf(answer) !== LATER || performance.now() >= end) return answer;
    await sleep(50);
  }
}

/** Lets `ms` go by, for a test that asserts that nothing happens meanwhile. The only timer that a test may use. */
export async function quietWindow(ms: number): Promise<void> {
  await sleep(ms);
}
