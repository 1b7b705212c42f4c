import { openSync } from 'node:fs';
import type { Clock } from '../clock.js';
import { LineWriter } from './linewriter.js';

/**
 * A log file with mode 0600. Lines are written at its end; those that cannot be written (disk full) wait or are dropped, as
 * `LineWriter` does it.
 * @throws Error of the file system when the file cannot be opened.
 */
export function openLogFile(file: string, clock: Clock): LineWriter {
  return new LineWriter(openSync(file, 'a', 0o600), { clock });
}
