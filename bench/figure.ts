import { execFileSync } from 'node:child_process';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';

import { version } from '../src/config.js';
import { root } from '../test/support/root.js';

/** One measure: a value of each run. */
export interface Figure {
  /** Row of the targets, such as P12. */
  readonly id: string;
  readonly measure: string;
  readonly unit: string;
  readonly values: readonly number[];
  /** What the median should not be above. */
  readonly atMost?: number;
  /** What it should not be below. */
  readonly atLeast?: number;
}

export interface Summary extends Figure {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** By how much the median misses the target; absent where it does not, or there is none. */
  readonly missedBy?: number;
}

export function summaryOf(figure: Figure): Summary {
  const sorted = [...figure.values].sort((a, b) => a - b);
  const median = round(quantile(sorted, 0.5));
  const missedBy = Math.max(median - (figure.atMost ?? Infinity), (figure.atLeast ?? -Infinity) - median);
  return {
    ...figure, values: figure.values.map(round), median, min: round(sorted[0] ?? Number.NaN), max: round(sorted.at(-1) ?? Number.NaN),
    ...(missedBy > 0 && { missedBy: round(missedBy) }),
  };
}

/** The value below which that share of the sorted values lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** What a result depends on beside the code. */
export function circumstances(): object {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root }).toString().trim();
  const [cpu] = cpus();
  return {
    commit: git('rev-parse', 'HEAD'),
    changed: git('status', '--porcelain', '--', 'src', 'bench') !== '',
    version: version(),
    node: process.version,
    machine: { cpus: cpus().length, model: cpu?.model ?? '', memoryGiB: Math.round(totalmem() / 2 ** 30), system: `${platform()} ${release()}` },
    // Of the minute before the last figure: well above the number of CPUs, others were at work beside it.
    load: loadavg()[0],
    at: new Date().toISOString(),
  };
}

/** One line for each figure. */
export function table(figures: readonly Summary[]): string {
  const rows = figures.map(({ id, measure, unit, median, min, max, values, missedBy, ...figure }) => [
    id, measure, `${median} ${unit}`, `${min} to ${max}`, String(values.length), targetOf(figure), missedBy === undefined ? '' : `misses it by ${missedBy} ${unit}`,
  ]);
  const all = [['', 'measure', 'median', 'min to max', 'runs', 'target', ''], ...rows];
  const widths = (all[0] ?? []).map((_cell, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
}

function targetOf({ atMost, atLeast }: Pick<Figure, 'atMost' | 'atLeast'>): string {
  if (atMost !== undefined) return `<= ${atMost}`;
  return atLeast === undefined ? '' : `>= ${atLeast}`;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
