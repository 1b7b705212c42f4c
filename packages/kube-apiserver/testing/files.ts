import { execFileSync } from 'node:child_process';

/** The limit of open files and connections of a process: Node raises its soft limit to the hard limit. */
export function maxOpenFiles(): number {
  const limit = execFileSync('/bin/sh', ['-c', 'ulimit -Hn']).toString().trim();
  return limit === 'unlimited' ? Infinity : Number(limit);
}

/** `wanted` connections, or as many as the limit of open files allows; prints a message where they are fewer. */
export function connectionLimit(wanted: number, file: string): number {
  const most = Math.max(maxOpenFiles() - 500, 100);
  if (most < wanted)
    process.stderr.write(
      `${file}: a process may open ${maxOpenFiles()} files only: ${most} connections are tried instead of ${wanted}\n`,
    );
  return Math.min(wanted, most);
}
