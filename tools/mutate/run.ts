// Changes the compiled product in one place at a time and runs the tests that reach the changed file: `make nightly`.
//
//   node dist/tools/mutate/run.js [--sample N] [--seed S] [--least PERCENT] [--workers N] [--only PATH]
//
// Prints each mutant that no test noticed with the place in the sources, then the share that was noticed. Ends with 1 below
// --least (90), and with 2 when the tests fail without any change. Neither the sources nor dist are written to.
import { readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';

import { ImportGraph } from '../tests/importgraph.js';
import { isFast } from '../tests/target.js';
import { mutantsOf, mutated, type Mutant } from './mutants.js';
import { Workspace } from './workspace.js';

const LAYERS = ['domain', 'answers', 'operator/index', 'operator/controllers', 'runtime'];
/** Tests of files as a whole, such as their sizes, notice nothing of what these do; some ask git, which is not here. */
const STATIC = /^dist\/test\/(architecture|capabilities|docs|deploy|field\/published)\.test\.js$/;
/** The nearest test files notice most mutants; the next ones run when these did not, and those further away than the last never. */
const STEPS: readonly number[] = [4, 20, 80];
const TIMEOUT_MS = 180_000;

interface Candidate extends Mutant {
  readonly file: string;
}

interface Result {
  readonly mutant: Candidate;
  readonly kind: 'killed' | 'survived';
}

interface Options {
  readonly sample: number | undefined;
  readonly seed: number;
  readonly least: number;
  readonly workers: number;
  readonly only: string;
}

function optionsFrom(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      least: { type: 'string', default: '90' },
      workers: { type: 'string', default: String(availableParallelism()) },
      only: { type: 'string', default: '' },
    },
  });
  const number = (name: string, text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= 0) return value;
    throw new Error(`--${name}: ${JSON.stringify(text)} is no whole number`);
  };
  return {
    sample: values.sample === undefined ? undefined : number('sample', values.sample),
    seed: number('seed', values.seed),
    least: number('least', values.least),
    workers: Math.max(1, number('workers', values.workers)),
    only: values.only,
  };
}

/** The mutants of all layers, or a sample of them. */
function candidates({ sample, seed, only }: Options): Candidate[] {
  const files = LAYERS.flatMap((layer) =>
    readdirSync(path.join('dist/src', layer), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => path.posix.join('dist/src', layer, name)),
  );
  const all = files
    .filter((file) => file.includes(only))
    .sort()
    .flatMap((file) => mutantsOf(readFileSync(file, 'utf8')).map((mutant) => ({ ...mutant, file })));
  return sample === undefined ? all : new Dice(seed).some(all, sample);
}

/** What every test with a server imports: here, nothing starts one. */
const WITH_SERVER = 'packages/kube-apiserver/dist/testing/controlplane/suite.js';

/** The test files that may notice a change of `file`, nearest first. */
function testsOf(graph: ImportGraph, file: string): string[] {
  const served = new Set(graph.testsOf(WITH_SERVER).map((test) => test.file));
  const related = graph.testsOf(file).map((test) => test.file);
  return related
    .filter((test) => test.startsWith('dist/test/') && isFast(test) && !served.has(test) && !STATIC.test(test))
    .slice(0, STEPS.at(-1));
}

async function verdictOn(mutant: Candidate, tests: readonly string[], workspace: Workspace): Promise<Result> {
  const text = mutated(readFileSync(mutant.file, 'utf8'), mutant);
  return workspace.with(mutant.file, text, async () => {
    for (const [index, end] of STEPS.entries()) {
      const files = tests.slice(STEPS[index - 1] ?? 0, end);
      if (files.length === 0) break;
      const { kind } = await workspace.run(files, TIMEOUT_MS);
      if (kind !== 'passed') return { mutant, kind: 'killed' };
    }
    return { mutant, kind: 'survived' };
  });
}

/** `path:line` in the TypeScript sources. */
function placeOf({ file, line, column }: Candidate): string {
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  const entry = map.findEntry(line - 1, column);
  if (!('originalSource' in entry)) return `${file}:${line}`;
  return `${path.posix.join(path.posix.dirname(file), entry.originalSource)}:${entry.originalLine + 1}`;
}

async function main(): Promise<number> {
  const options = optionsFrom(process.argv.slice(2));
  const graph = ImportGraph.read('.');
  const mutants = candidates(options);
  const related = new Map(mutants.map(({ file }) => [file, testsOf(graph, file)]));
  const folders = Array.from({ length: options.workers }, (_, n) => path.resolve('.run/mutants', String(n)));
  const workspaces = folders.map((folder) => Workspace.create(process.cwd(), folder));
  try {
    const tests = [...new Set([...related.values()].flat())];
    process.stdout.write(`${mutants.length} mutants of ${related.size} files; ${tests.length} test files reach them\n`);
    const unchanged = await workspaces[0]?.run(tests, TIMEOUT_MS * 10);
    if (unchanged?.kind !== 'passed') {
      const what = unchanged?.kind === 'failed' ? `\n${unchanged.output}` : '';
      process.stderr.write(`the tests fail without any change${what}\n`);
      return 2;
    }
    return report(await judgeAll(mutants, related, workspaces), options.least);
  } finally {
    for (const workspace of workspaces) workspace.remove();
  }
}

async function judgeAll(
  mutants: readonly Candidate[],
  related: ReadonlyMap<string, readonly string[]>,
  workspaces: readonly Workspace[],
): Promise<Result[]> {
  const queue = [...mutants];
  const results: Result[] = [];
  const work = async (workspace: Workspace): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const result = await verdictOn(mutant, related.get(mutant.file) ?? [], workspace);
      results.push(result);
      process.stdout.write(`${result.kind} ${placeOf(mutant)} ${mutant.change}\n`);
    }
  };
  await Promise.all(workspaces.map(work));
  return results;
}

function report(results: readonly Result[], least: number): number {
  const survived = results.filter(({ kind }) => kind === 'survived').map(({ mutant }) => mutant);
  const killed = results.length - survived.length;
  const share = results.length === 0 ? 0 : (100 * killed) / results.length;
  for (const mutant of survived) process.stdout.write(`not noticed: ${placeOf(mutant)} ${mutant.change}\n`);
  process.stdout.write(`${killed} of ${results.length} mutants noticed: ${share.toFixed(1)} %, at least ${least} %\n`);
  return share < least ? 1 : 0;
}

process.exitCode = await main();
