import path from 'node:path';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { standardError } from '../log/standardoutput.js';
import { systemClock, type Clock, type Timer } from '../clock.js';
import { fileFault } from '../errors.js';
import type { Host } from './lifecycle.js';

/** Longest profile, ms: each sample of a profile takes memory until it is written. */
const LONGEST_MS = 60_000;

interface ProfiledCommand {
  readonly program: string;
  readonly command: string;
  /** Folder of the profiles. */
  readonly profileDir: string;
}

/** What the profiles of a process depend on. */
export interface ProfilingDeps {
  readonly host: Pick<Host, 'on'>;
  readonly pid: number;
  readonly clock: Clock;
  readonly print: (line: string) => void;
}

/**
 * Profiles this process for its first minute, and for a minute after each SIGUSR2. A SIGUSR2 during a profile, and the end
 * of the process, end it. Returns false, and prints why, when the folder cannot be used.
 */
export function profile({ program, command, profileDir }: ProfiledCommand, deps: ProfilingDeps = defaults()): boolean {
  const { host, pid, clock } = deps;
  const print = (line: string): void => deps.print(`${program} ${command}: ${line}\n`);
  let profiler: Profiler;
  try {
    profiler = new Profiler(profileDir, `${command}-${pid}`, {
      written: (files) => print(`profile written: ${files.join(', ')}`),
      failed: (error) => print(`the profile cannot be written: ${fileFault(error)}`),
    });
  } catch (error) {
    const fault = fileFault(error, 'no folder can be made there');
    print(`--profile-dir=${profileDir} cannot be used: ${fault}`);
    return false;
  }
  let timer: Timer | undefined;
  const stop = (): void => {
    timer?.cancel();
    profiler.stop();
  };
  const start = (): void => {
    profiler.start();
    timer = clock.after(LONGEST_MS, stop);
  };
  host.on('SIGUSR2', () => (profiler.running ? stop() : start()));
  host.on('exit', stop);
  start();
  return true;
}

function defaults(): ProfilingDeps {
  return { host: process, pid: process.pid, clock: systemClock, print: (line) => standardError().write(line) };
}

interface ProfilerSink {
  readonly written: (files: readonly string[]) => void;
  readonly failed: (error: unknown) => void;
}

/** Bytes of allocation between two samples of the heap, on average. */
const HEAP_INTERVAL = 64 * 1024;

/**
 * Writes CPU profiles and heap profiles of this process. Both hold names and positions of functions, with times and sizes,
 * and no values: neither a string nor a field of any object. A heap snapshot would hold each of them, Secrets and tokens
 * included, so there is none.
 *
 * The heap is sampled from the constructor on, so that a heap profile shows what is in use and who has allocated it, not
 * only what was allocated lately. A profile ends, and is written, before `stop` returns: an exiting process can call it.
 */
export class Profiler {
  readonly #folder: string;
  readonly #name: string;
  readonly #sink: ProfilerSink;
  readonly #session = new Session();
  #running = false;
  #written = 0;

  /** Files are named `NAME-1.cpuprofile`, `NAME-1.heapprofile`, … in `folder`, which is created. @throws Error if it cannot be. */
  constructor(folder: string, name: string, sink: ProfilerSink) {
    makeFolder(folder);
    this.#folder = folder;
    this.#name = name;
    this.#sink = sink;
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('HeapProfiler.startSampling', { samplingInterval: HEAP_INTERVAL });
  }

  get running(): boolean {
    return this.#running;
  }

  /** Starts a CPU profile. A second call does nothing. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#session.post('Profiler.start');
  }

  /** Ends the CPU profile and writes both files; does nothing when none is running. Never throws. */
  stop(): void {
    if (!this.#running) return;
    this.#running = false;
    this.#written += 1;
    const file = path.join(this.#folder, `${this.#name}-${this.#written}`);
    const files = [`${file}.cpuprofile`, `${file}.heapprofile`];
    try {
      // These callbacks run before `post` returns: the session is one of this thread.
      let cpu: object | undefined;
      let heap: object | undefined;
      this.#session.post('Profiler.stop', (_, result) => (cpu = result?.profile));
      this.#session.post('HeapProfiler.getSamplingProfile', (_, result) => (heap = result?.profile));
      save(`${file}.cpuprofile`, cpu);
      save(`${file}.heapprofile`, heap);
      this.#sink.written(files);
    } catch (error) {
      this.#sink.failed(error);
    }
  }

  /** Ends all sampling. */
  close(): void {
    this.stop();
    this.#session.disconnect();
  }
}

/** One by one: Node's recursive mkdir never ends where the parent exists and accepts no folder (/proc). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder);
}

function save(file: string, content: object | undefined): void {
  if (content === undefined) throw new Error(`V8 has returned no profile for ${file}`);
  writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
}
