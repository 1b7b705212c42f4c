import { closeSync, writeSync, openSync } from 'node:fs';
import { block, type Clock, type Timer } from '../clock.js';
import { codeOf } from '../errors.js';

interface LineWriterOptions {
  readonly clock: Clock;
  /** Writes `bytes` from `offset` on and returns how many were written, as `writeSync`; replaced in tests. */
  readonly writeBytes?: (descriptor: number, bytes: Buffer, offset: number) => number;
  /** Blocks the process for that many ms; replaced in tests. */
  readonly sleep?: (ms: number) => void;
}

/** Bytes of lines that wait for a descriptor that takes none: thousands of log lines. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** A pipe holds 64 KiB: at this interval a reader gets several MB/s. */
const FIRST_RETRY_MS = 10;
const MAX_RETRY_MS = 1_000;
const FLUSH_STEP_MS = 10;
/** A reader that is slow gets this many times as long as one that takes nothing. */
const LONGEST_FLUSH = 10;

/**
 * Writes lines to a file descriptor. Never throws and never waits: neither a full disk nor a reader that is slow or gone has an
 * effect on the caller.
 *
 * Flow: a line is written before `write` returns, so that a crash loses none. When the descriptor takes no more (EAGAIN) or fails
 * (EPIPE, ENOSPC, EIO, …), lines wait, up to 1 MiB, and are tried again after 10 ms, later after up to 1 s. Further lines are
 * dropped and counted until all waiting ones are written; then the number is reported, once.
 * Guarantees: order; lines are dropped as a whole.
 * Assumption: the descriptor does not block, see `standardOutput`. That of a regular file blocks for as long as its disk does.
 *
 * pino's destination (sonic-boom 4.2) keeps the order and loses no line at an exit, but waits without a limit. With
 * `sync: true` a write blocks the process while the reader of its pipe takes nothing; with `sync: false` the exit does, also
 * on a full disk. The process then has to be killed, which loses all lines that `sync: false` has not written yet, also where
 * the pipe has room.
 */
export class LineWriter {
  readonly #descriptor: number;
  readonly #clock: Clock;
  readonly #writeBytes: (descriptor: number, bytes: Buffer, offset: number) => number;
  readonly #sleep: (ms: number) => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** Bytes of the first waiting line that are written already. */
  #offset = 0;
  #retry: Timer | undefined;
  #retryMs = FIRST_RETRY_MS;
  /** Bytes that the descriptor has taken so far. */
  #written = 0;
  #dropped = 0;
  #unreported = 0;
  #report: (lines: number) => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;

  constructor(descriptor: number, { clock, writeBytes = writeSync, sleep = block }: LineWriterOptions) {
    this.#descriptor = descriptor;
    this.#clock = clock;
    this.#writeBytes = writeBytes;
    this.#sleep = sleep;
  }

  /** Number of lines that were dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Sets the function that reports dropped lines. It is called when lines can be written again, and may write. */
  onRecovered(report: (lines: number) => void): void {
    this.#report = report;
  }

  /** Sets the function that is told of the first error, apart from a reader that is slow or gone: a full disk. */
  onFailed(fail: (error: unknown) => void): void {
    this.#fail = fail;
  }

  /** Writes one line, which ends with a line break. */
  write(line: string | Uint8Array): void {
    const bytes = Buffer.from(line);
    const full = this.#waiting.length > 0 && this.#waitingBytes + bytes.length > MAX_WAITING_BYTES;
    if (full || this.#unreported > 0) {
      this.#dropped += 1;
      this.#unreported += 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#retry === undefined) this.#drain();
  }

  /**
   * Writes the waiting lines now; returns whether every line was written, or reported as dropped. Blocks the process while the
   * reader takes none, for `ms` at most, and for ten times as long while it goes on to take some: for the end of a process, when
   * nothing else is left to be done.
   */
  flush(ms: number): boolean {
    let code = this.#drain();
    let left = ms;
    for (let waited = 0; code === 'EAGAIN' && left > 0 && waited < ms * LONGEST_FLUSH; waited += FLUSH_STEP_MS) {
      const before = this.#written;
      this.#sleep(FLUSH_STEP_MS);
      code = this.#drain();
      left = this.#written > before ? ms : left - FLUSH_STEP_MS;
    }
    return this.#waiting.length === 0 && this.#unreported === 0;
  }

  /** Tries to write the waiting lines once more and closes the descriptor. */
  close(): void {
    this.#drain();
    this.#retry?.cancel();
    closeSync(this.#descriptor);
  }

  /** Writes the waiting lines; returns the code of the error that kept it from writing all. */
  #drain(): string | undefined {
    this.#retry?.cancel();
    this.#retry = undefined;
    const code = this.#writeWaiting();
    if (code !== undefined) {
      this.#retry = this.#clock.after(this.#retryMs, () => this.#drain());
      this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
    } else if (this.#unreported > 0) {
      const lines = this.#unreported;
      this.#unreported = 0;
      this.#report(lines);
    }
    return code;
  }

  #writeWaiting(): string | undefined {
    let written = 0;
    try {
      for (const line of this.#waiting) {
        this.#writeLine(line);
        this.#waitingBytes -= line.length;
        written += 1;
      }
      return undefined;
    } catch (error) {
      const code = codeOf(error);
      // The next reader of the pipe must not begin in the middle of a line.
      if (code === 'EPIPE') this.#offset = 0;
      else if (code !== 'EAGAIN') this.#tellOnce(error);
      return code;
    } finally {
      this.#waiting.splice(0, written);
    }
  }

  #tellOnce(error: unknown): void {
    const fail = this.#fail;
    this.#fail = () => undefined;
    fail(error);
  }

  /** Line by line, because the kernel does not mix up to 4 KiB in one write with the lines of other processes. */
  #writeLine(line: Buffer): void {
    while (this.#offset < line.length) {
      const count = this.#writeBytes(this.#descriptor, line, this.#offset);
      this.#offset += count;
      this.#written += count;
      this.#retryMs = FIRST_RETRY_MS;
    }
    this.#offset = 0;
  }
}

/**
 * A log file with mode 0600. Lines are written at its end; those that cannot be written (disk full) wait or are dropped, as
 * `LineWriter` does it.
 * @throws Error of the file system when the file cannot be opened.
 */
export function openLogFile(file: string, clock: Clock): LineWriter {
  return new LineWriter(openSync(file, 'a', 0o600), { clock });
}
