import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../repository/root.js';

/** Runs the program to its end; returns its exit code and all that it printed. */
export type Run = (...args: readonly string[]) => { readonly code: number | null; readonly output: string };

/** A suite that runs a program of build.sh. Where it cannot be built, it is skipped with a line on stderr; with CI=true it fails. */
export function describeWithReleaseTool(name: string, body: (run: Run) => void): void {
  const script = path.join(root, 'test', 'support', 'releasetools', 'build.sh');
  const built = spawnSync('bash', [script, name], { encoding: 'utf8' });
  const program = built.stdout.trim().split('\n').at(-1) ?? '';
  if (built.status === 0) {
    describe(name, () => {
      body((...args) => {
        const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
        return { code: status, output: stdout + stderr };
      });
    });
    return;
  }
  const missing = built.stderr.trim();
  process.stderr.write(`not run: ${name}: ${missing}\n`);
  const test = process.env['CI'] === 'true' ? it : it.skip;
  test(`${name} is built`, () => expect(missing).toBe(''));
}
