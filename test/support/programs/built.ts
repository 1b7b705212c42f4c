import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../repository/root.js';

/** Runs the program to its end with `input` on standard input; returns its exit code and what it printed. */
export type BuiltProgram = (
  args: readonly string[],
  input?: string,
) => { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/**
 * A suite that runs a Go program which the `build.sh` of a folder of `test/support` builds, and whose path that script
 * prints last. Where it cannot be built, the suite is skipped with a line on stderr; with CI=true it fails.
 * `args`: of the script, such as the name of the program.
 */
export function describeWithBuiltProgram(
  title: string,
  { folder, args = [] }: { readonly folder: string; readonly args?: readonly string[] },
  body: (run: BuiltProgram) => void,
): void {
  const script = path.join(root, 'test', 'support', folder, 'build.sh');
  const built = spawnSync('bash', [script, ...args], { encoding: 'utf8' });
  const program = built.stdout.trim().split('\n').at(-1) ?? '';
  if (built.status === 0) {
    describe(title, () => {
      body((programArgs, input = '') => {
        const options = { cwd: root, encoding: 'utf8', input, maxBuffer: 1 << 26 } as const;
        const { status, stdout, stderr } = spawnSync(program, programArgs, options);
        return { code: status, stdout, stderr };
      });
    });
    return;
  }
  const missing = built.stderr.trim();
  process.stderr.write(`not run: ${title}: ${missing}\n`);
  const test = process.env['CI'] === 'true' ? it : it.skip;
  test(`the program for ${title} is built`, () => expect(missing).toBe(''));
}
