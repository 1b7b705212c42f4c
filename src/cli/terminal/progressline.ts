import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { processEnvironment } from '../../runtime/kubeconfig/environment.js';
import { isDumb } from '../flags.js';

const STANDARD_ERROR = 2;

/** Where the line is written: standard error. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const CLEAR = '\r\u001b[K';

/** One line on a terminal that says how far a command is, and that is gone when it ends; nothing anywhere else. */
export class ProgressLine {
  readonly #output: ProgressOutput;
  readonly #counts = new Map<string, number>();

  constructor(output: ProgressOutput) {
    this.#output = output;
  }

  /** Shows how much of something has been read. */
  count(what: string, number: number): void {
    this.#counts.set(what, number);
    const counts = [...this.#counts].map(([name, count]) => `${count} ${name}`);
    this.show(`reading: ${counts.join(', ')}`);
  }

  show(text: string): void {
    if (this.#output.isTTY === true) this.#output.write(`${CLEAR}${text}`);
  }

  clear(): void {
    this.show('');
  }
}

/** A progress line on standard error, if that is a terminal. It is not part of the output: one that has gone is no error. */
export function progressLine(): ProgressLine {
  return new ProgressLine({
    isTTY: isatty(STANDARD_ERROR) && !isDumb(processEnvironment()),
    write(text) {
      try {
        writeSync(STANDARD_ERROR, text);
      } catch {
        // The terminal is closed.
      }
    },
  });
}
