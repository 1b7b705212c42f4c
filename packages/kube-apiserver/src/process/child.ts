import { spawn, type ChildProcess } from 'node:child_process';
import { PassThrough, type Readable } from 'node:stream';

import { systemClock, type Clock } from '../clock.js';
import { guardGroup } from './guard.js';

export interface ChildOptions {
  /** The program and its arguments; looked up in the PATH of `env`. */
  readonly command: readonly [string, ...string[]];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Target of stdout and stderr: an open file, or `pipe` for the stream {@link Child.output}, which must be read. */
  readonly output: number | 'pipe';
}

/** How a process ended: exactly one field is set. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that is killed when this process ends. */
export interface Child {
  readonly pid: number;
  /** stdout and stderr in order of arrival; empty where they go to a file. */
  readonly output: Readable;
  readonly exited: Promise<Exit>;
  /** Undefined while it runs. */
  exit(): Exit | undefined;
  /** Sends a signal; false when the process has ended. */
  kill(signal: NodeJS.Signals): boolean;
  /** SIGTERM, then SIGKILL after `graceMs` (10,000). */
  stop(graceMs?: number): Promise<Exit>;
}

const GRACE_MS = 10_000;

/**
 * Starts a process in a process group of its own, so that Ctrl-C in a terminal reaches only this process. The child is
 * killed however this process ends, SIGKILL included (guard.ts).
 * @throws Error where the program cannot be started
 */
export async function startChild(options: ChildOptions, clock: Clock = systemClock): Promise<Child> {
  const [program, ...args] = options.command;
  const sink = options.output;
  const env = { ...options.env };
  const child = spawn(program, args, { cwd: options.cwd, env, detached: true, stdio: ['ignore', sink, sink] });
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const pid = await started(child, program);
  guardGroup(pid, exited);
  return owned(pid, { child, exited, clock });
}

function started(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${program} cannot be started: ${error.message}`)));
    child.once('spawn', () => resolve(child.pid ?? 0));
  });
}

interface Owned {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly clock: Clock;
}

function owned(pid: number, { child, exited, clock }: Owned): Child {
  let exit: Exit | undefined;
  void exited.then((how) => (exit = how));
  const kill = (signal: NodeJS.Signals): boolean => exit === undefined && child.kill(signal);
  return {
    pid,
    output: merged(child),
    exited,
    exit: () => exit,
    kill,
    async stop(graceMs = GRACE_MS) {
      kill('SIGTERM');
      const timer = clock.after(graceMs, () => kill('SIGKILL'));
      const how = await exited;
      timer.cancel();
      return how;
    },
  };
}

function merged(child: ChildProcess): Readable {
  const output = new PassThrough();
  const sources = [child.stdout, child.stderr].filter((stream) => stream !== null);
  let open = sources.length;
  if (open === 0) output.end();
  for (const source of sources) {
    source.pipe(output, { end: false });
    source.once('close', () => {
      open -= 1;
      if (open === 0) output.end();
    });
  }
  return output;
}
