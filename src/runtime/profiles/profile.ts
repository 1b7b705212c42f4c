import { Profiler } from './profiler.js';
import { standardError } from '../log/standardoutput.js';
import { systemClock, type Clock, type Timer } from '../clock.js';
import { fileFault } from '../errors.js';
import type { Host } from '../process/lifecycle.js';

/** Longest profile, ms: each sample of a profile takes memory until it is written. */
const LONGEST_MS = 60_000;

export interface ProfiledCommand {
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
