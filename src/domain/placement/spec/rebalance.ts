import { quote, readObject, readWhole, reject } from '../../selectors.js';

/** `spec.rebalance`: when a selected cluster makes room for a better one. */
export interface Rebalance {
  /** By how much the score of the one that comes in has to be higher; 0 or more. */
  readonly scoreMargin: number;
  /** How long a cluster stays selected at least; 0 to 31536000. */
  readonly minSelectedSeconds: number;
  /** How often scores are compared; 1 to 86400. */
  readonly intervalSeconds: number;
}

const LARGEST_MARGIN = 2 ** 31 - 1;
const DEFAULT_STAY = 3600;
const LONGEST_STAY = 31_536_000;
const DEFAULT_INTERVAL = 60;
const LONGEST_INTERVAL = 86_400;

/** The moves that a spec asks for, inside a `parse`; undefined without them. */
export function readRebalance(value: unknown, path: string): Rebalance | undefined {
  if (value === undefined || value === null) return undefined;
  const fields = readObject(value, path);
  const seconds = (field: string, least: number, most: number): number | undefined =>
    readWhole(fields[field], `${path}.${field}`, least, most);
  return {
    scoreMargin: readMargin(fields['scoreMargin'], `${path}.scoreMargin`),
    minSelectedSeconds: seconds('minSelectedSeconds', 0, LONGEST_STAY) ?? DEFAULT_STAY,
    intervalSeconds: seconds('intervalSeconds', 1, LONGEST_INTERVAL) ?? DEFAULT_INTERVAL,
  };
}

function readMargin(value: unknown, path: string): number {
  const rule = `a number from 0 to ${LARGEST_MARGIN}`;
  if (value === undefined || value === null) return reject(path, `is missing: ${rule} is required`);
  if (typeof value === 'number' && value >= 0 && value <= LARGEST_MARGIN) return value;
  return reject(path, `${quote(value)} is not ${rule}`);
}
