import { createWriteStream } from 'node:fs';

/** A file to which lines are appended. */
export interface AuditFile {
  write(line: string): void;
  /** Waits until all lines are written. */
  close(): Promise<void>;
}

/**
 * Opens a log file for appending, readable by its owner only. A later write failure is ignored: a response never waits
 * for the log.
 */
export async function openAuditFile(file: string): Promise<AuditFile> {
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve()).once('error', reject);
  });
  stream.on('error', () => undefined);
  return {
    write: (line) => void stream.write(`${line}\n`),
    close: () => new Promise((resolve) => void stream.end(resolve)),
  };
}
