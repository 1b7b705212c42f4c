import { quote, readObject, readWhole, reject } from '../../selectors.js';

/** `spec.disruptionBudget`: how many clusters may leave or come in within a window. One of the two limits is there. */
export interface DisruptionBudget {
  /** How many may be removed because they fail a rule; undefined: any number. */
  readonly maxRemovals: Limit | undefined;
  /** How many may come in beyond what fills up an unchanged numberOfClusters; undefined: any number. */
  readonly maxAdditions: Limit | undefined;
  /** From 60 to 604800. */
  readonly windowSeconds: number;
}

export interface Limit {
  readonly unit: 'clusters' | 'percent';
  readonly value: number;
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
  const maxRemovals = readLimit(fields['maxRemovals'], `${path}.maxRemovals`);
  const maxAdditions = readLimit(fields['maxAdditions'], `${path}.maxAdditions`);
  if (maxRemovals === undefined && maxAdditions === undefined)
    return reject(path, `${quote(value)} bounds nothing: maxRemovals or maxAdditions is required`);
  const windowSeconds = readWhole(fields['windowSeconds'], `${path}.windowSeconds`, SHORTEST_WINDOW, LONGEST_WINDOW);
  return { maxRemovals, maxAdditions, windowSeconds: windowSeconds ?? DEFAULT_WINDOW };
}

function readLimit(value: unknown, path: string): Limit | undefined {
  if (value === undefined || value === null) return undefined;
  return limitIn(value, 0) ?? reject(path, `${quote(value)} is not ${limitRule(0)}`);
}

/** A number of clusters or a percentage, of at least `least`; undefined for any other value. */
export function limitIn(value: unknown, least: 0 | 1): Limit | undefined {
  const isPercentage = typeof value === 'string' && PERCENTAGE.test(value);
  const count = isPercentage ? Number.parseInt(value, 10) : value;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < least || count > LARGEST_NUMBER)
    return undefined;
  return { unit: isPercentage ? 'percent' : 'clusters', value: count };
}

/** What {@link limitIn} takes. */
export function limitRule(least: 0 | 1): string {
  return `a whole number from ${least} to ${LARGEST_NUMBER} without quotes, or a percentage from ${least}% to 100%`;
}

/** How many of `base` clusters the limit allows; a percentage is rounded up, as in a PodDisruptionBudget. */
export function allowed({ unit, value }: Limit, base: number): number {
  return unit === 'percent' ? Math.ceil((base * value) / 100) : value;
}

/** What {@link allowed} leaves after `used`; nothing where that is not known. */
export function leftOf(limit: Limit, base: number, used: number | undefined): number {
  return used === undefined ? 0 : allowed(limit, base) - used;
}

/** The limit as in the spec: 3, 10%. */
export function limitValue({ unit, value }: Limit): number | string {
  return unit === 'percent' ? `${value}%` : value;
}
