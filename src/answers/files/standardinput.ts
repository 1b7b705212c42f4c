import { readSync } from 'node:fs';
import { block } from '../../runtime/clock.js';
import { codeOf } from '../../runtime/errors.js';

const STANDARD_INPUT = 0;
const CHUNK_BYTES = 65_536;
const WAIT_MS = 5;

/** Standard input, which can be read once. */
export class StandardInput {
  #isRead = false;

  /**
   * The bytes of standard input, up to its end. Waits for a slow writer, also where another process has set O_NONBLOCK of the
   * pipe, which is an error for `readFileSync`. @throws Error of the system, and for a second read.
   */
  read(): Uint8Array {
    // As kubectl says it: nothing is left for a second `-`.
    if (this.#isRead) throw new Error('standard input cannot be used for multiple arguments');
    this.#isRead = true;
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const count = readSome(chunk);
      if (count === 0) return Buffer.concat(chunks);
      if (count === undefined) block(WAIT_MS);
      else chunks.push(chunk.subarray(0, count));
    }
  }
}

/** How many bytes were read, 0 at the end; undefined while the writer has none. */
function readSome(chunk: Buffer): number | undefined {
  try {
    return readSync(STANDARD_INPUT, chunk);
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return undefined;
    throw error;
  }
}
