import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { transform } from 'esbuild';

import { root } from '../../support/repository/root.js';
import { argumentsOf, integerOf, NOTHING_TO_RUN, REFUSED } from '../arguments.js';
import { MISTAKES } from './list.js';
import { MISTAKEN, type Mistaken } from './mistaken.js';
import { mistakenText, OF_SPECS, type Mistake } from './mistake.js';

const USAGE = `npm run faults:mistakes: loads the product with each mistake, and runs plans until one breaks a rule.
  --only TEXT    only the mistakes whose names or files contain it
  --seconds N    at most so long for each; default 600
  --workers N    so many mistakes at a time; default 2
Prints a line for each mistake, and by which rules they were found. The exit code is 0 when 95 % are found.`;
const options = { only: { type: 'string' }, seconds: { type: 'string' }, workers: { type: 'string' } } as const;

const { chosen, seconds, workers } = argumentsOf('faults:mistakes', USAGE, options, (values) => {
  const { only = '' } = values;
  const named = MISTAKES.filter(({ name, file }) => `${name} ${file}`.includes(only));
  if (named.length === 0) throw new Error(`--only: no mistake has ${JSON.stringify(only)} in its name or file`);
  return {
    chosen: named,
    seconds: integerOf('seconds', values.seconds ?? '600', 1),
    workers: integerOf('workers', values.workers ?? '2', 1),
  };
});
const LEAST_SHARE = 0.95;
const DIST = path.join(root, 'dist');
const PRELOADED = pathToFileURL(path.join(DIST, 'test/faults/mistakes/mistaken.js')).href;
const [PLANS, SPECS] = ['main.js', 'specs/main.js'].map((file) => path.join(DIST, 'test/faults', file)) as [
  string,
  string,
];
/** The plans that most mistakes need come first. */
const ROUNDS = [
  ['--found', '--plans=60', '--seed=1'],
  ['--exhaustive=crashes'],
  ['--plans=300', '--seed=2'],
  ['--exhaustive=events'],
  ['--exhaustive=requests'],
];
/** Before these, where clients send requests. */
const BYTES = ['--exhaustive=bytes'];
/** Instead of all: what is recorded would find most mistakes, and leave the other checks without a proof. */
const RECORDED = ['--plans=1'];

const waiting = [...chosen];
const byRule = new Map<string, number>();
await Promise.all(Array.from({ length: workers }, work));
for (const [rule, count] of [...byRule].sort(([, a], [, b]) => b - a)) console.log(`${count} by ${rule}`);
const found = [...byRule.values()].reduce((sum, count) => sum + count, 0);
console.log(`${found} of ${chosen.length} mistakes found`);
process.exitCode = found >= chosen.length * LEAST_SHARE ? 0 : 1;

async function work(): Promise<void> {
  for (let mistake = waiting.shift(); mistake !== undefined; mistake = waiting.shift()) {
    const began = Date.now();
    const violation = await firstViolation(mistake);
    const took = Math.round((Date.now() - began) / 1_000);
    const [, rule] = /^(?:step \d+: )?([^:]+): /.exec(violation ?? '') ?? [];
    if (rule !== undefined) byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
    const { name, notFound = 'no plan breaks a rule' } = mistake;
    console.log(
      rule === undefined
        ? `NOT FOUND in ${took} s: ${name} (${notFound})`
        : `found in ${took} s: ${name} (${violation})`,
    );
  }
}

/** The first rule that is broken, as it is printed; undefined when none is. */
async function firstViolation(mistake: Mistake): Promise<string | undefined> {
  const end = Date.now() + seconds * 1_000;
  const text = mistakenText(mistake, readFileSync(path.join(root, 'src', mistake.file), 'utf8'));
  const { code } = await transform(text, { loader: 'ts', format: 'esm', target: 'es2023' });
  const url = pathToFileURL(path.join(DIST, 'src', mistake.file.replace(/\.ts$/, '.js'))).href;
  const env = { ...process.env, [MISTAKEN]: JSON.stringify({ url, source: code } satisfies Mistaken) };
  for (const program of programsOf(mistake)) {
    const timeout = end - Date.now();
    if (timeout <= 0) return undefined;
    try {
      await promisify(execFile)(process.execPath, ['--import', PRELOADED, ...program], { timeout, env, cwd: root });
    } catch (error) {
      const {
        stdout = '',
        stderr = '',
        code: exitCode,
        killed,
      } = error as Partial<Record<'stdout' | 'stderr', string>> & {
        readonly code?: number;
        readonly killed?: boolean;
      };
      const [, violation] =
        /^.*?((?:step \d+|touched|refusal|emptied|back|fresh|silent): .*)/m.exec(stdout + stderr) ?? [];
      if (violation !== undefined) return violation.slice(0, 180);
      const isEmpty = exitCode === REFUSED && stderr.includes(NOTHING_TO_RUN);
      if (killed !== true && !isEmpty) throw error;
    }
  }
  return undefined;
}

/** What runs on the product with the mistake, one after the other. */
function programsOf({ scenarios, isRecorded = false }: Mistake): readonly (readonly string[])[] {
  if (scenarios.startsWith(OF_SPECS)) return [[SPECS, '--exhaustive', `--subject=${scenarios.slice(OF_SPECS.length)}`]];
  const some = [PLANS, `--scenario=${scenarios}`, '--first', '--workers=1'];
  if (isRecorded) return [[...some, ...RECORDED]];
  const rounds = scenarios.startsWith('gateway/') ? [BYTES, ...ROUNDS] : ROUNDS;
  return rounds.map((round) => [...some, '--unrecorded', ...round]);
}
