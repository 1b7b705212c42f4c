import { spawnSync } from 'node:child_process';

const LIST_MS = 2_000;

/**
 * Ends a process and all that it has started, at once: one that hangs may not listen to SIGTERM. Blocks while the processes are
 * listed; without the program `ps` only the process itself is ended.
 */
export function endTree(pid: number): void {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', timeout: LIST_MS });
  const pairs = String(stdout)
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const all = [pid];
  // It grows while it is read. A parent is ended before its children, so that it starts no other ones.
  for (const one of all) {
    all.push(...pairs.flatMap(([child, parent]) => (child !== undefined && parent === one ? [child] : [])));
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
