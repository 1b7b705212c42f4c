import { writeFileSync } from 'node:fs';

import type { Usage } from '../config/config.js';
import { standardError } from '../observability/standardoutput.js';

/** Prints a help text, or the error of a command line. An output that cannot be written does not change the exit code. */
export function printUsage({ text, exitCode }: Usage): void {
  if (exitCode === 0) printAnswer(text);
  else standardError().write(text);
}

/** Waits for a slow reader, because the text is all that the user has asked for. */
export function printAnswer(text: string): void {
  try {
    writeFileSync(1, text);
  } catch {
    // The disk is full, or the reader is gone.
  }
}
