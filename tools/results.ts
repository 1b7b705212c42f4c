import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What a bench has measured, as `npm run bench` writes it. */

export interface Figure {
  /** Absent where no program reads the figure. */
  readonly key?: string;
  readonly measure: string;
  readonly unit: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly values: readonly number[];
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface Results {
  readonly commit: string;
  readonly version: string;
  readonly node: string;
  readonly machine: { readonly cpus: number; readonly model: string; readonly memoryGiB: number };
  /** CPUs that other processes used, on average. */
  readonly others: number;
  /** An ISO time. */
  readonly at: string;
  readonly figures: readonly Figure[];
}

/** The results in a file below the folder `bench` of `root`. */
export function readResults(root: string, ...names: readonly string[]): Results {
  return JSON.parse(readFileSync(path.join(root, 'bench', ...names), 'utf8'));
}

/** @throws Error where the results have no figure of that key */
export function figureOf({ figures }: Results, key: string): Figure {
  const found = figures.find((figure) => figure.key === key);
  if (found === undefined) throw new Error(`bench: no figure ${key}`);
  return found;
}

/** Whether the median is beyond a limit. */
export function isMissed({ median, atMost = Infinity, atLeast = -Infinity }: Figure): boolean {
  return median > atMost || median < atLeast;
}
