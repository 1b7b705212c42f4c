import { systemClock } from '../runtime/clock.js';

/** One line for people, to standard output. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Says what is waited for while it is waited for, and how long it took. */
export async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = systemClock.monotonic();
  process.stdout.write(`${what} ... `);
  const result = await work();
  say(`${((systemClock.monotonic() - start) / 1000).toFixed(1)} s`);
  return result;
}
