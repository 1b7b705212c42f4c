import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../repository/root.js';

/** The programs that a suite builds if they are not there yet. */
export type BuiltProgram =
  | 'promtool'
  | 'actionlint'
  | 'operator-verify'
  | 'krew'
  | 'kstatus'
  | 'proxy'
  | 'oldestserver'
  | 'argocd'
  | 'kueue'
  | 'flux'
  | 'helm-controller'
  | 'ocm';

/**
 * Runs the program to its end in the root of the repository, with `input` on standard input; returns its exit code and what
 * it printed, `output` being both streams, one after the other.
 */
export type Run = (
  args: readonly string[],
  input?: string,
) => { readonly code: number | null; readonly stdout: string; readonly output: string };

/**
 * Builds a program of build.sh unless it is there.
 * @throws Error with what is missing.
 */
export function builtProgram(program: BuiltProgram): Run {
  return running(fileOf(program));
}

/** A suite that runs a program of build.sh, the executable `file`. Where it cannot be built, it is skipped with a line on stderr; with CI=true it fails. */
export function describeWithBuiltProgram(
  title: string,
  program: BuiltProgram,
  body: (run: Run, file: string) => void,
): void {
  let missing: string;
  try {
    const file = fileOf(program);
    describe(title, () => {
      body(running(file), file);
    });
    return;
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    missing = error.message;
  }
  process.stderr.write(`not run: ${title}: ${missing}\n`);
  const test = process.env['CI'] === 'true' ? it : it.skip;
  test(`${program} is built`, () => expect(missing).toBe(''));
}

class Missing extends Error {}

function fileOf(program: BuiltProgram): string {
  const script = path.join(root, 'test', 'support', 'programs', 'build.sh');
  const { status, stdout, stderr } = spawnSync('bash', [script, program], { encoding: 'utf8' });
  if (status !== 0) throw new Missing(stderr.trim() || `build.sh ${program} ended with ${status}`);
  return path.join(stdout.trim().split('\n').at(-1) ?? '', program);
}

function running(file: string): Run {
  return (args, input = '') => {
    const options = { cwd: root, encoding: 'utf8', input, maxBuffer: 1 << 26 } as const;
    const { status, stdout, stderr } = spawnSync(file, args, options);
    return { code: status, stdout, output: stdout + stderr };
  };
}
