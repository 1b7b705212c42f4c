import { systemClock, type Clock } from '../runtime/clock.js';

/** What progress is written to. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Outputs {
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Told how many of a long work are done. */
export type ReportProgress = (done: number, total: number) => void;

const TERMINAL_MS = 1_000;
const LOG_EVERY = 1_000;

/** What people are told while the process starts and runs. */
export class Progress {
  readonly #screens: Outputs;
  readonly #clock: Clock;
  #unfinished = false;

  constructor(screens: Outputs, clock: Clock) {
    this.#screens = screens;
    this.#clock = clock;
  }

  /** One line, to standard output; what a step that is under way has written so far ends with it. */
  printLine(line: string): void {
    this.#screens.stdout.write(`${this.#unfinished ? '\n' : ''}${line}\n`);
    this.#unfinished = false;
  }

  /** One line, to standard error; a step that is under way ends with it. */
  printError(line: string): void {
    this.#screens.stderr.write(`${this.#unfinished ? '\n' : ''}${line}\n`);
    this.#unfinished = false;
  }

  /** Says what is waited for while it is waited for, how much of it is done where it counts, and how long it took. */
  async step<T>(what: string, work: (count: ReportProgress) => Promise<T>): Promise<T> {
    const start = this.#clock.monotonic();
    this.#screens.stdout.write(`${what} ... `);
    this.#unfinished = true;
    const result = await work(this.#counter(what));
    if (this.#unfinished) this.#screens.stdout.write(`${((this.#clock.monotonic() - start) / 1000).toFixed(1)} s\n`);
    this.#unfinished = false;
    return result;
  }

  /** On a terminal the same line, each second; else a line for each thousand. */
  #counter(what: string): ReportProgress {
    const { stdout } = this.#screens;
    let [toldAt, told] = [this.#clock.monotonic(), 0];
    return (done, total) => {
      const now = this.#clock.monotonic();
      const isDue = stdout.isTTY === true ? now - toldAt >= TERMINAL_MS : done - told >= LOG_EVERY;
      if (!isDue || done >= total) return;
      [toldAt, told] = [now, done];
      this.#unfinished = true;
      stdout.write(`${stdout.isTTY === true ? `\r${what} ... ` : '\n  '}${done} of ${total} ... `);
    };
  }
}

const progress = new Progress(process, systemClock);

/** As {@link Progress.printLine}, of this process. */
export function printLine(line: string): void {
  progress.printLine(line);
}

/** As {@link Progress.printError}, of this process. */
export function printError(line: string): void {
  progress.printError(line);
}

/** As {@link Progress.step}, of this process. */
export function step<T>(what: string, work: (count: ReportProgress) => Promise<T>): Promise<T> {
  return progress.step(what, work);
}
