import { createWriteStream } from 'node:fs';

/** A file that lines are added to. */
export interface AuditFile {
  write(line: string): void;
  /** Waits for what was written. */
  close(): Promise<void>;
}

/** Opens a log for its owner alone, at its end. What cannot be written later is lost: an answer never waits for it. */
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
