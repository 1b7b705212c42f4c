import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../repository/root.js';

const PROGRAM = path.join(root, 'dist', 'src', 'main.js');

/**
 * Writes programs into `folder`, which is created: `multicluster-engine` is the one of this tree, and `npx` runs it in place of
 * the package. Returns a PATH that begins with them.
 */
export function installPrograms(folder: string, others: Readonly<Record<string, string>> = {}): string {
  mkdirSync(folder, { recursive: true });
  const run = `exec '${process.execPath}' '${PROGRAM}' "$@"`;
  const programs = { 'multicluster-engine': run, npx: `shift 3\n${run}`, ...others };
  for (const [name, script] of Object.entries(programs)) {
    const file = path.join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }
  return `${folder}:${process.env['PATH'] ?? ''}`;
}
