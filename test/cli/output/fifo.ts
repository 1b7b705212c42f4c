import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';

import { codeOf } from '@multicluster-engine/kube-apiserver';

const { O_RDONLY, O_RDWR, O_WRONLY, O_NONBLOCK } = constants;

/** A named pipe. A process that writes it has no reader while the test has closed its end. */
export class Fifo {
  readonly #path: string;
  #reader: number | undefined;

  constructor(path: string) {
    this.#path = path;
    execFileSync('mkfifo', [path]);
    this.open();
  }

  /** Opens the reading end. */
  open(): void {
    this.#reader ??= openSync(this.#path, O_RDONLY | O_NONBLOCK);
  }

  /** Closes the reading end, which discards what is in the pipe. */
  close(): void {
    if (this.#reader !== undefined) closeSync(this.#reader);
    this.#reader = undefined;
  }

  /** A descriptor for writing that blocks while the pipe is full, as a shell opens it for a process. */
  writingEnd(): number {
    return openSync(this.#path, O_WRONLY);
  }

  /** Writes until no byte fits in. */
  fill(): void {
    const descriptor = openSync(this.#path, O_RDWR | O_NONBLOCK);
    for (const size of [4096, 1]) while (write(descriptor, Buffer.alloc(size, '\n')) !== undefined);
    closeSync(descriptor);
  }

  /** Reads what is in the pipe now. */
  read(): string {
    const chunks: Buffer[] = [];
    for (let chunk = this.#readChunk(); chunk.length > 0; chunk = this.#readChunk()) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  #readChunk(): Buffer {
    const buffer = Buffer.alloc(65_536);
    const length = unlessAgain(() => readSync(this.#reader ?? -1, buffer));
    return buffer.subarray(0, length ?? 0);
  }
}

function write(descriptor: number, bytes: Buffer): number | undefined {
  return unlessAgain(() => writeSync(descriptor, bytes));
}

/** The result of `action`; undefined when the pipe is full or empty. */
function unlessAgain(action: () => number): number | undefined {
  try {
    return action();
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return undefined;
    throw error;
  }
}
