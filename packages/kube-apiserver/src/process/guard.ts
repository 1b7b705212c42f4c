import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * The guard reads lines `+PID` and `-PID`. When its input ends, it kills the process groups that are left. It is a Node
 * program, since images without a shell run this package too.
 */
const PROGRAM = `
const groups = new Set();
let rest = '';
process.stdin.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const pid = Number(line.slice(1));
    if (line[0] === '+') groups.add(pid);
    else groups.delete(pid);
  }
}).on('end', () => {
  for (const pid of groups) try { process.kill(-pid, 'SIGKILL'); } catch {}
});
`;

interface Guard {
  readonly groups: Set<number>;
  readonly input: Writable;
}

/** One guard for all children, while there are some: each is a Node process of about 40 MB. */
let guard: Guard | undefined;

/**
 * Kills the process group `pid` when this process ends, SIGKILL included: the guard reads a pipe whose other end only
 * this process holds. Ends when `exited` resolves.
 */
export function guardGroup(pid: number, exited: Promise<unknown>): void {
  guard ??= startGuard();
  const current = guard;
  current.groups.add(pid);
  current.input.write(`+${pid}\n`);
  void exited.then(() => release(current, pid));
}

function release(current: Guard, pid: number): void {
  current.groups.delete(pid);
  current.input.write(`-${pid}\n`);
  if (current.groups.size > 0) return;
  current.input.end();
  if (guard === current) guard = undefined;
}

function startGuard(): Guard {
  const child = spawn(process.execPath, ['--eval', PROGRAM], {
    // The folder of this process may be removed before the guard has started.
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const started: Guard = { groups: new Set(), input: child.stdin };
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  // Where the guard was killed, the next child starts another one.
  child.once('exit', () => {
    if (guard === started) guard = undefined;
  });
  child.unref();
  return started;
}
