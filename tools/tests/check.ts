import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

import { ImportGraph } from './importgraph.js';
import { selectTests, targetOf, type Target } from './target.js';

const USAGE =
  'usage: make check T=path[:name], for example T=test/runtime/backoff.test.ts:jitter or T=src/runtime/backoff.ts';
const REPORT = '.run/check.json';

/** What Jest reports of a run, as far as it is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

/** Runs the tests of one argument of `make check`, in the root folder; returns the exit code. */
function check(argument: string): number {
  const target = targetOf(argument, existsSync);
  if (target.kind === 'invalid') return fail(`${target.problem}\n${USAGE}`);
  const selected = selectTests(target, ImportGraph.read('.'));
  if (selected.files.length === 0) return fail(`no test imports ${argument}`);
  if (selected.further > 0)
    process.stdout.write(`${selected.further} more test files reach it over other modules; make test runs them\n`);
  return run(selected.files, target);
}

function run(files: readonly string[], target: Target): number {
  mkdirSync(path.dirname(REPORT), { recursive: true });
  rmSync(REPORT, { force: true });
  const name =
    target.name === undefined ? [] : ['--testNamePattern', target.name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')];
  const nightly = files.some((file) => file.includes('.nightly.')) ? { NIGHTLY: 'true' } : {};
  const { status } = spawnSync(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      '--json',
      `--outputFile=${REPORT}`,
      ...name,
      '--runTestsByPath',
      ...files,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { CONTROL_PLANE: 'embedded', ...process.env, ...nightly } },
  );
  if (!existsSync(REPORT)) return fail('Jest did not run');
  const { numPassedTests, numFailedTests }: Report = JSON.parse(readFileSync(REPORT, 'utf8'));
  process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed\n`);
  if (numPassedTests + numFailedTests === 0) return fail('no test ran: no name matches, or what they need is missing');
  return status ?? 1;
}

function fail(problem: string): number {
  process.stderr.write(`check: ${problem}\n`);
  return 2;
}

process.exitCode = check(process.argv[2] ?? '');
