import { isFailure } from '../../../src/runtime/errors.js';

const TRIES = 10;

/** Reads and writes again when somebody else wrote in between, as a user does who repeats a command. */
export async function againOnConflict(work: () => Promise<void>): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !isFailure(error, 'Conflict')) throw error;
    }
  }
}
