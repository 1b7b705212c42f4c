import { openSync, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/**
 * A file for its owner alone that lines are added to, one write each. What cannot be written later (a disk that is full) is
 * lost, and nothing else: whoever logs goes on.
 * @throws Error of the file system when the file cannot be opened.
 */
export function openLogFile(file: string): DestinationStream {
  const descriptor = openSync(file, 'a', 0o600);
  let torn = false;
  return {
    write(line) {
      const bytes = Buffer.from(torn ? `\n${line}` : line);
      try {
        torn = writeSync(descriptor, bytes) < bytes.length;
      } catch {
        // The lines before it stand.
      }
    },
  };
}
