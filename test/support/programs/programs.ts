import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { describe, it } from '@jest/globals';

import { root } from '../repository/root.js';

const run = promisify(execFile);
/** A program that hangs is killed after this time. */
const DEADLINE_MS = 180_000;

/** What build.sh builds. */
export type Program = 'helm' | 'kustomize';

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/**
 * Runs a program of build.sh to its end and returns its standard output.
 * @throws Error with the arguments and what it printed, for an exit code other than 0.
 */
export async function runProgram(
  program: Program,
  args: readonly string[],
  { env = {}, cwd = root }: ProgramOptions = {},
): Promise<string> {
  try {
    const { stdout } = await run(pathOf(program), args, {
      cwd,
      env: { ...process.env, ...env },
      timeout: DEADLINE_MS,
      maxBuffer: 1 << 26,
    });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = Object(error);
    throw new Error(`${program} ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error });
  }
}

/** A suite that runs these programs. Without them it is skipped with a line on stderr; with CI=true it fails. */
export function describeWithPrograms(title: string, programs: readonly Program[], body: () => void): void {
  const missing = missingPrograms(programs);
  if (missing === undefined) {
    describe(title, () => {
      body();
    });
    return;
  }
  describe(title, () => {
    if (process.env['CI'] === 'true')
      it('has the programs that it needs', () => {
        throw new Error(missing);
      });
    else it.skip('needs programs', () => undefined);
  });
  process.stderr.write(`not run: ${title}: ${missing}\n`);
}

/** undefined where the programs are built; otherwise one line with what is missing and the remedy. */
export function missingPrograms(programs: readonly Program[]): string | undefined {
  const missing = programs.filter((program) => !existsSync(pathOf(program)));
  if (missing.length === 0) return undefined;
  return `${missing.join(', ')} not found in ${path.join(root, '.bin')}: run \`make programs\` (needs Go 1.26)`;
}

function pathOf(program: Program): string {
  return path.join(root, '.bin', program);
}
