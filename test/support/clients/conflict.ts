import { isFailure } from '../../../src/runtime/errors.js';

const TRIES = 10;

/** Repeats a read and write that failed with a conflict, as a user repeats a command. */
export async function againOnConflict(work: () => Promise<void>): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !isFailure(error, 'Conflict')) throw error;
    }
  }
}
