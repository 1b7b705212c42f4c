import { isatty } from 'node:tty';
import path from 'node:path';
import { isWildcard } from '@multicluster-engine/kube-apiserver';
import type { LineWriter } from '../runtime/log/linewriter.js';
import { standardError, standardOutput } from '../runtime/log/standardoutput.js';
import { systemClock, type Clock } from '../runtime/clock.js';
import { fileFault } from '../runtime/errors.js';
import { shellWord } from '../domain/shellword.js';
import { packageRoot } from '../runtime/process/build.js';
import { addressOf } from '../runtime/flags/flags.js';
import type { StandaloneConfig } from './flags.js';
import { logFile } from './preflight.js';

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

/** On a terminal: the time between two reports. */
const TERMINAL_MS = 1_000;
/** In a log: how much more is done at the next report. */
const LOG_EVERY = 1_000;

/** Prints lines and the progress of long steps for the user. */
export class Progress {
  readonly #outputs: Outputs;
  readonly #clock: Clock;
  /** Whether the last line printed is that of a step, without a line break at its end. */
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

  /** On a terminal it rewrites the same line each second; otherwise it prints a line for every thousand that are done. */
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

/** A stream of this process. `onFailed` is told of the first error of writing to it. */
function outputOf(descriptor: number, open: () => LineWriter, onFailed?: (error: unknown) => void): Output {
  let isHandlerSet = false;
  return {
    get isTTY() {
      return isatty(descriptor);
    },
    write(text) {
      const writer = open();
      if (onFailed !== undefined && !isHandlerSet) writer.onFailed(onFailed);
      isHandlerSet = true;
      writer.onRecovered((dropped) => writer.write(`\n(${dropped} messages could not be printed)\n`));
      writer.write(text);
    },
  };
}

interface NextSteps {
  readonly kubeconfig: string;
  readonly config: StandaloneConfig;
  /** Whether an earlier run has left an engine. */
  readonly installed: boolean;
  /** The link to the console; undefined without a console. */
  readonly link: string | undefined;
}

/** What is printed once the hub is up. */
export function nextSteps({ kubeconfig, config, installed, link }: NextSteps): string {
  const { listen, gatewayListen, dataDir, ephemeral } = config;
  const gateway = isWildcard(gatewayListen.host) ? { ...gatewayListen, host: '127.0.0.1' } : gatewayListen;
  return [
    '',
    'The hub is up. Next, in another terminal:',
    '',
    `  export KUBECONFIG=${shellWord(kubeconfig)}`,
    ...(installed ? [] : [`  kubectl apply -f ${shown(path.join(packageRoot(), 'examples', 'engine.yaml'))}`]),
    '  kubectl get mce -w',
    '',
    ...(link === undefined
      ? []
      : ['The fleet in a browser (the link opens once; kubectl mce console prints another one):', '', `  ${link}`, '']),
    `Once the engine is Available, the HTTPS interface answers on https://${addressOf(gateway)}. Logs: ${shown(path.dirname(logFile(dataDir)))}`,
    ...(isWildcard(listen.host)
      ? ['The API listens on every address of this machine: a token of the kubeconfig gives full access.']
      : []),
    ephemeral
      ? 'Ctrl-C stops it, and its objects are gone.'
      : 'Ctrl-C stops it; the next start continues with its data.',
    '',
  ].join('\n');
}

/** A path as a shell reads it: relative to the working directory where it is below it. */
function shown(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return shellWord(/^\.\.(?:\/|$)/.test(relative) ? file : relative || '.');
}
