import { quote, readObject, reject } from '../../selectors.js';

/** `spec.disruptionBudget`: how many clusters may be removed within a window because they fail a rule. */
export interface DisruptionBudget {
  readonly maxRemovals: { readonly unit: 'clusters' | 'percent'; readonly value: number };
  /** From 60 to 604800. */
  readonly windowSeconds: number;
}

const LARGEST_NUMBER = 2 ** 31 - 1;
const DEFAULT_WINDOW = 3600;
const SHORTEST_WINDOW = 60;
const LONGEST_WINDOW = 604_800;
const PERCENTAGE = /^([0-9]|[1-9][0-9]|100)%$/;

/** The budget of a spec, inside a `parse`; undefined without one. */
export function readBudget(value: unknown, path: string): DisruptionBudget | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = readObject(value, path);
  return {
    maxRemovals: readMaxRemovals(fields['maxRemovals'], `${path}.maxRemovals`),
    windowSeconds: readWindow(fields['windowSeconds'], `${path}.windowSeconds`),
  };
}

function readMaxRemovals(value: unknown, path: string): DisruptionBudget['maxRemovals'] {
  const rule = 'a whole number from 0 to 2147483647, or a percentage from 0% to 100%';
  if (value === undefined || value === null) return reject(path, `is missing: ${rule} is required`);
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LARGEST_NUMBER)
    return { unit: 'clusters', value };
  if (typeof value === 'string' && PERCENTAGE.test(value))
    return { unit: 'percent', value: Number.parseInt(value, 10) };
  return reject(path, `${quote(value)} is not ${rule}`);
}

function readWindow(value: unknown, path: string): number {
  if (value === undefined || value === null) return DEFAULT_WINDOW;
  const isWhole = typeof value === 'number' && Number.isInteger(value);
  if (isWhole && value >= SHORTEST_WINDOW && value <= LONGEST_WINDOW) return value;
  return reject(path, `${quote(value)} is not a whole number from ${SHORTEST_WINDOW} to ${LONGEST_WINDOW}`);
}

/** maxRemovals as in the spec: `3`, `10%`. */
export function maxRemovalsText({ maxRemovals: { unit, value } }: DisruptionBudget): string {
  return unit === 'percent' ? `${value}%` : String(value);
}
