import type { Steps } from '../../answers/plan/steps.js';
import type { Clock } from '../../runtime/clock.js';

/** Long computations beside which others are answered. */

/** Others wait for a computation for so long, and for the step that it has begun. */
const SLICE_MS = 10;

export interface Slices {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The time of all slices together, at most; absent: it may take any time. */
  readonly mostMs?: number;
}

/** It was given up. */
export class TooLong extends Error {}

/** Takes all steps, in slices between which the requests of others have their turn. @throws TooLong */
export async function inSlices<T>(steps: Steps<T>, { clock, mostMs = Infinity }: Slices): Promise<T> {
  for (let spent = 0; ;) {
    const since = clock.monotonic();
    let now = since;
    while (now - since < SLICE_MS) {
      const step = steps.next();
      if (step.done === true) return step.value;
      now = clock.monotonic();
    }
    spent += now - since;
    if (spent >= mostMs) throw new TooLong(`it takes longer than ${mostMs / 1_000} s`);
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}
