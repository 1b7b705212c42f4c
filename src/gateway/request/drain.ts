import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../runtime/clock.js';

/** How much of one rejected body is read, and for how long. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_MS = 1_000;
/** How much of all rejected bodies together is read within one interval: reading costs time of the event loop. */
const INTERVAL_MS = 50;
const INTERVAL_BYTES = 400 * 1024;

/**
 * Reads on for a moment what a client still writes of a body that is rejected: it would otherwise see a reset connection,
 * not the response. Nothing is kept. At most 8 MiB a second are read, whoever sends how much.
 */
export class Drain {
  readonly #clock: Clock;
  #intervalEnd = 0;
  #left = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves at the end of the body, when the client leaves, or after 2 MiB or 1 s. */
  read(message: IncomingMessage): Promise<void> {
    return new Promise((resolve) => {
      let read = 0;
      const done = (): void => {
        timer.cancel();
        message.off('data', onData).off('end', done).off('close', done);
        resolve();
      };
      const onData = (chunk: Buffer): void => {
        read += chunk.length;
        if (read > MAX_BYTES) done();
        else this.#pace(message, chunk.length);
      };
      const timer = this.#clock.after(MAX_MS, done);
      message.on('data', onData).once('end', done).once('close', done);
      message.resume();
    });
  }

  /** Pauses the message until the next interval when the bytes of this one are used up. */
  #pace(message: IncomingMessage, bytes: number): void {
    const now = this.#clock.monotonic();
    if (now >= this.#intervalEnd) {
      this.#intervalEnd = now + INTERVAL_MS;
      this.#left = INTERVAL_BYTES;
    }
    this.#left -= bytes;
    if (this.#left > 0) return;
    message.pause();
    this.#clock.after(this.#intervalEnd - now, () => message.resume());
  }
}
