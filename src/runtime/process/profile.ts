import path from 'node:path';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { standardError } from '../log/standardoutput.js';
import { systemClock, type Clock, type Timer } from '../clock.js';
import { fileFault } from '../errors.js';
import type { Host } from './lifecycle.js';

/** Longest profile, ms: each sample of a profile takes memory until it is written. */
const LONGEST_MS = 60_000;
/** Bytes of allocation between two samples of the heap, on average. */
const HEAP_INTERVAL = 64 * 1024;

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
 * of the process, end it: it is written before the process goes on or ends, as `COMMAND-PID-1.cpuprofile`,
 * `COMMAND-PID-1.heapprofile`, … in the folder, which is created. Returns false, and prints why, when the folder cannot be used.
 *
 * Both hold names and positions of functions, with times and sizes, and no values: neither a string nor a field of any object. A
 * heap snapshot would hold each of them, Secrets and tokens included, so there is none. The heap is sampled from the start of the
 * process on, so that a heap profile shows what is in use and who has allocated it, not only what was allocated lately.
 */
export function profile({ program, command, profileDir }: ProfiledCommand, deps: ProfilingDeps = defaults()): boolean {
  const { host, pid, clock } = deps;
  const print = (line: string): void => deps.print(`${program} ${command}: ${line}\n`);
  try {
    makeFolder(profileDir);
  } catch (error) {
    print(`--profile-dir=${profileDir} cannot be used: ${fileFault(error, 'no folder can be made there')}`);
    return false;
  }
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('HeapProfiler.startSampling', { samplingInterval: HEAP_INTERVAL });
  let written = 0;
  /** Ends the profile that is being recorded; undefined while none is. */
  let timer: Timer | undefined;
  const stop = (): void => {
    if (timer === undefined) return;
    timer.cancel();
    timer = undefined;
    written += 1;
    const file = path.join(profileDir, `${command}-${pid}-${written}`);
    try {
      // These callbacks run before `post` returns: the session is one of this thread.
      let [cpu, heap]: (object | undefined)[] = [];
      session.post('Profiler.stop', (_, result) => (cpu = result?.profile));
      session.post('HeapProfiler.getSamplingProfile', (_, result) => (heap = result?.profile));
      save(`${file}.cpuprofile`, cpu);
      save(`${file}.heapprofile`, heap);
      print(`profile written: ${file}.cpuprofile, ${file}.heapprofile`);
    } catch (error) {
      print(`the profile cannot be written: ${fileFault(error)}`);
    }
  };
  const start = (): void => {
    session.post('Profiler.start');
    timer = clock.after(LONGEST_MS, stop);
  };
  host.on('SIGUSR2', () => (timer === undefined ? start() : stop()));
  host.on('exit', () => {
    stop();
    session.disconnect();
  });
  start();
  return true;
}

function defaults(): ProfilingDeps {
  return { host: process, pid: process.pid, clock: systemClock, print: (line) => standardError().write(line) };
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
