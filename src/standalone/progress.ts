import { isatty } from 'node:tty';

import type { LineWriter } from '../runtime/log/linewriter.js';
import { standardError, standardOutput } from '../runtime/log/standardoutput.js';
import { systemClock, type Clock } from '../runtime/clock.js';
import { fileFault } from '../runtime/errors.js';

/** An output stream of the process. */
interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

interface Outputs {
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Reports how much of a long step is done. */
export type ReportProgress = (done: number, total: number) => void;

const TERMINAL_MS = 1_000;
const LOG_EVERY = 1_000;

/** Prints the progress of start and run for the user. */
export class Progress {
  readonly #outputs: Outputs;
  readonly #clock: Clock;
  #stepOpen = false;

  constructor(outputs: Outputs, clock: Clock) {
    this.#outputs = outputs;
    this.#clock = clock;
  }

  /** Prints one line to standard output, after ending the line of a running step. */
  printLine(line: string): void {
    this.#outputs.stdout.write(`${this.#stepOpen ? '\n' : ''}${line}\n`);
    this.#stepOpen = false;
  }

  /** Prints one line to standard error, after ending the line of a running step. */
  printError(line: string): void {
    this.#outputs.stderr.write(`${this.#stepOpen ? '\n' : ''}${line}\n`);
    this.#stepOpen = false;
  }

  /** Runs `work` as a step: prints its name, the progress it reports, and its duration. */
  async step<T>(what: string, work: (report: ReportProgress) => Promise<T>): Promise<T> {
    const start = this.#clock.monotonic();
    this.#outputs.stdout.write(`${what} ... `);
    this.#stepOpen = true;
    const result = await work(this.#reporter(what));
    if (this.#stepOpen) this.#outputs.stdout.write(`${((this.#clock.monotonic() - start) / 1000).toFixed(1)} s\n`);
    this.#stepOpen = false;
    return result;
  }

  /** On a terminal the same line every second; else a line for every thousand. */
  #reporter(what: string): ReportProgress {
    const { stdout } = this.#outputs;
    let [reportedAt, reported] = [this.#clock.monotonic(), 0];
    return (done, total) => {
      const now = this.#clock.monotonic();
      const isDue = stdout.isTTY === true ? now - reportedAt >= TERMINAL_MS : done - reported >= LOG_EVERY;
      if (!isDue || done >= total) return;
      [reportedAt, reported] = [now, done];
      this.#stepOpen = true;
      stdout.write(`${stdout.isTTY === true ? `\r${what} ... ` : '\n  '}${done} of ${total} ... `);
    };
  }
}

/** Prints to the standard output and error of this process, which are opened by the first text. */
export const progress = new Progress(
  {
    stdout: outputOf(1, standardOutput, (error) =>
      standardError().write(`standard output cannot be written: ${fileFault(error)}; the exit code will not be 0\n`),
    ),
    stderr: outputOf(2, standardError),
  },
  systemClock,
);

function outputOf(descriptor: number, open: () => LineWriter, onFailed?: (error: unknown) => void): Output {
  let isTold = false;
  return {
    get isTTY() {
      return isatty(descriptor);
    },
    write(text) {
      const writer = open();
      if (onFailed !== undefined && !isTold) writer.onFailed(onFailed);
      isTold = true;
      writer.onRecovered((dropped) => writer.write(`\n(${dropped} messages could not be printed)\n`));
      writer.write(text);
    },
  };
}
