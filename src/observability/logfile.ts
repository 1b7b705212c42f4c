import { openSync, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/**
 * A log file with mode 0600. Each line is one write at the end of the file; a line that cannot be written (disk full) is
 * dropped without an error.
 * @throws Error of the file system when the file cannot be opened.
 */
export function openLogFile(file: string): DestinationStream {
  const descriptor = openSync(file, 'a', 0o600);
  let incomplete = false;
  return {
    write(line) {
      const bytes = Buffer.from(incomplete ? `\n${line}` : line);
      try {
        incomplete = writeSync(descriptor, bytes) < bytes.length;
      } catch {
        // The line is dropped.
      }
    },
  };
}
