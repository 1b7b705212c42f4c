import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { ProgressLine } from './progressline.js';

const STANDARD_ERROR = 2;

/** A progress line on standard error, if that is a terminal. It is not part of the output: one that has gone is no error. */
export function progressLine(): ProgressLine {
  return new ProgressLine({
    isTTY: isatty(STANDARD_ERROR),
    write(text) {
      try {
        writeSync(STANDARD_ERROR, text);
      } catch {
        // The terminal is closed.
      }
    },
  });
}
