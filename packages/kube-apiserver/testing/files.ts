import { execFileSync } from 'node:child_process';

/** Files, connections too, that a process may have open here at the utmost: node takes whatever the hard limit gives. */
export function mostFiles(): number {
  const limit = execFileSync('/bin/sh', ['-c', 'ulimit -Hn']).toString().trim();
  return limit === 'unlimited' ? Infinity : Number(limit);
}

/** `wanted` connections, or as many as a process may have here besides what else it has open; says so where they are fewer. */
export function connections(wanted: number, file: string): number {
  const most = Math.max(mostFiles() - 500, 100);
  if (most < wanted)
    process.stderr.write(
      `${file}: a process may open ${mostFiles()} files only: ${most} connections are tried instead of ${wanted}\n`,
    );
  return Math.min(wanted, most);
}
