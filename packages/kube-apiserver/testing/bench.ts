import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import path from 'node:path';

/** A measure with one value per run. */
export interface Figure {
  /** ID of the target, such as P12. */
  readonly id: string;
  /** Names the measure for programs that read the results; absent where none does. */
  readonly key?: string;
  readonly measure: string;
  readonly unit: string;
  readonly values: readonly number[];
  /** Upper limit of the median. */
  readonly atMost?: number;
  /** Lower limit of the median. */
  readonly atLeast?: number;
}

export interface Summary extends Figure {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** The amount by which the median misses the target; undefined where it meets it, or there is none. */
  readonly missedBy?: number;
}

export function summaryOf(figure: Figure): Summary {
  const sorted = [...figure.values].sort((a, b) => a - b);
  const median = round(quantile(sorted, 0.5));
  const missedBy = Math.max(median - (figure.atMost ?? Infinity), (figure.atLeast ?? -Infinity) - median);
  return {
    ...figure,
    values: figure.values.map(round),
    median,
    min: round(sorted[0] ?? Number.NaN),
    max: round(sorted.at(-1) ?? Number.NaN),
    ...(missedBy > 0 && { missedBy: round(missedBy) }),
  };
}

/** The quantile of sorted values. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Runs the named benches, or all where `names` is empty: prints a table for each, and writes `bench/results/NAME.json`
 * below `root` with the commit, the version of Node and the machine's data. A missed target is reported in its row and
 * is not an error.
 * @throws Error for an unknown name
 */
export async function runBenches(
  root: string,
  benches: Readonly<Record<string, () => Promise<readonly Figure[]>>>,
  names: readonly string[],
): Promise<void> {
  for (const name of names.length === 0 ? Object.keys(benches) : names) {
    const bench = benches[name];
    if (bench === undefined)
      throw new Error(`bench: ${JSON.stringify(name)} is none of ${Object.keys(benches).join(', ')}`);
    const before = cpuUse();
    const figures = (await bench()).map(summaryOf);
    const others = othersSince(before);
    const folder = path.join(root, 'bench', 'results');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      path.join(folder, `${name}.json`),
      `${JSON.stringify({ ...circumstances(root), others, figures }, undefined, 2)}\n`,
    );
    process.stdout.write(`${table(figures)}\n`);
  }
}

interface CpuUse {
  /** Seconds of CPU time of the machine, and of this process with its ended children. */
  readonly machine: number;
  readonly own: number;
  /** performance.now(), s. */
  readonly at: number;
}

/** By /proc: on other systems than Linux the use of this process is not known, and counts as that of others. */
function cpuUse(): CpuUse {
  const machine = cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1000;
  const fields = existsSync('/proc/self/stat')
    ? readFileSync('/proc/self/stat', 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
    : [];
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  return { machine, own, at: performance.now() / 1000 };
}

/** How many CPUs other processes have used on average since `before`. */
function othersSince(before: CpuUse): number {
  const after = cpuUse();
  const used = after.machine - before.machine - (after.own - before.own);
  return round(Math.max(used, 0) / (after.at - before.at));
}

/** The environment of a result. */
function circumstances(root: string): object {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root }).toString().trim();
  const [cpu] = cpus();
  return {
    commit: git('rev-parse', 'HEAD'),
    changed: git('status', '--porcelain', '--', 'src', 'bench', ':!bench/results') !== '',
    version: (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly version: string })
      .version,
    node: process.version,
    machine: {
      cpus: cpus().length,
      model: cpu?.model ?? '',
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      system: `${platform()} ${release()}`,
    },
    // Load average of the minute before the last figure: well above the number of CPUs, other processes were busy.
    load: loadavg()[0],
    at: new Date().toISOString(),
  };
}

/** One line for each figure. */
function table(figures: readonly Summary[]): string {
  const rows = figures.map(({ id, measure, unit, median, min, max, values, missedBy, ...figure }) => [
    id,
    measure,
    `${median} ${unit}`,
    `${min} to ${max}`,
    String(values.length),
    targetOf(figure),
    missedBy === undefined ? '' : `misses it by ${missedBy} ${unit}`,
  ]);
  const all = [['', 'measure', 'median', 'min to max', 'runs', 'target', ''], ...rows];
  const widths = (all[0] ?? []).map((_cell, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function targetOf({ atMost, atLeast }: Pick<Figure, 'atMost' | 'atLeast'>): string {
  if (atMost !== undefined) return `<= ${atMost}`;
  return atLeast === undefined ? '' : `>= ${atLeast}`;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
