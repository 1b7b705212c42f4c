import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { transform } from 'esbuild';

import { Workspace } from '../../../tools/mutate/workspace.js';
import { root } from '../../support/repository/root.js';
import { MISTAKES, type Mistake } from './list.js';

/**
 * `npm run faults:mistakes`: makes each mistake in a copy of the compiled product, and runs plans until one breaks a rule.
 *   --only TEXT   only the mistakes whose names or files contain it
 *   --plans N     at most so many plans for each; default 2000
 * Prints a line for each mistake. The exit code is 0 when 95 % are found.
 */
const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, plans: { type: 'string', default: '2000' } },
});
const LEAST_SHARE = 0.95;
const LONGEST_MS = 600_000;

const chosen = MISTAKES.filter(({ name, file }) => `${name} ${file}`.includes(values.only));
const workspace = Workspace.create(root, path.join(root, '.run', 'mistakes'));
let found = 0;
try {
  for (const mistake of chosen) {
    const text = await compiled(mistake);
    const compiledFile = path.posix.join('dist/src', mistake.file.replace(/\.ts$/, '.js'));
    const why = await workspace.with(compiledFile, text, () => firstViolation(mistake));
    if (why !== undefined) found += 1;
    console.log(`${why === undefined ? 'NOT FOUND' : 'found'}: ${mistake.name}${why === undefined ? '' : ` (${why})`}`);
  }
} finally {
  workspace.remove();
}
console.log(`${found} of ${chosen.length} mistakes found`);
process.exitCode = found >= chosen.length * LEAST_SHARE ? 0 : 1;

/** @throws Error where the text does not stand once in the file */
async function compiled({ file, from, to, name }: Mistake): Promise<string> {
  const source = readFileSync(path.join(root, 'src', file), 'utf8');
  if (source.split(from).length !== 2)
    throw new Error(`${name}: ${JSON.stringify(from)} does not stand once in ${file}`);
  const { code } = await transform(
    source.replace(from, () => to),
    { loader: 'ts', format: 'esm', target: 'es2023' },
  );
  return code;
}

/** The first rule that is broken; undefined when none is. */
async function firstViolation({ scenarios }: Mistake): Promise<string | undefined> {
  const main = path.join(workspace.folder, 'dist/test/faults/main.js');
  const args = [
    main,
    `--scenario=${scenarios}`,
    '--exhaustive=crashes',
    ...(scenarios.startsWith('gateway/') ? ['--exhaustive=bytes'] : []),
    `--plans=${values.plans}`,
    '--first',
  ];
  try {
    await promisify(execFile)(process.execPath, args, { timeout: LONGEST_MS, cwd: workspace.folder });
    return undefined;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    return /step \d+: .*/.exec(stdout)?.[0].slice(0, 150) ?? stderr.split('\n').find((line) => line.includes('Error'));
  }
}
