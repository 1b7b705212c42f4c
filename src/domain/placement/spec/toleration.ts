import { isHealthTaint } from '../../health/taints.js';
import { quote, readList, readObject, reject } from '../../selectors.js';
import { TAINT_EFFECTS, type Taint, type TaintEffect } from './taint.js';

/** One item of `spec.tolerations`. An empty key: every key; no effect: every effect; no `seconds`: for ever. */
export interface Toleration {
  readonly key: string;
  readonly operator: 'Exists' | 'Equal';
  readonly value: string;
  readonly effect: TaintEffect | undefined;
  readonly seconds: number | undefined;
}

/** How long after a taint was added a Placement tolerates it. */
export interface Tolerance {
  readonly seconds: number;
  /** Not written in the spec: after the time, the cluster leaves only when another can take its place. */
  readonly isImplied: boolean;
}

const MOST_TOLERATIONS = 64;
const MOST_SECONDS = 2 ** 53;
const IMPLIED: Tolerance = { seconds: 300, isImplied: true };

/** The tolerations of a spec, inside a `parse`. */
export function readTolerations(value: unknown, path: string): readonly Toleration[] {
  return readList(value, path, MOST_TOLERATIONS).map((item, index) => readToleration(item, `${path}[${index}]`));
}

function readToleration(item: unknown, path: string): Toleration {
  const fields = readObject(item, path);
  const key = readText(fields['key'], `${path}.key`);
  const value = readText(fields['value'], `${path}.value`);
  const operator = readChoice(fields['operator'], ['Exists', 'Equal'], `${path}.operator`) ?? 'Equal';
  if (key === '' && operator !== 'Exists') reject(`${path}.key`, 'is empty: an empty key needs operator Exists');
  if (value !== '' && operator === 'Exists')
    reject(`${path}.value`, `is ${quote(value)}: value must be empty with operator Exists`);
  return {
    key,
    operator,
    value,
    effect: readChoice(fields['effect'], TAINT_EFFECTS, `${path}.effect`),
    seconds: readSeconds(fields['tolerationSeconds'], `${path}.tolerationSeconds`),
  };
}

/** The empty string for an absent value. */
function readText(value: unknown, path: string): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : reject(path, `${quote(value)} is not a string`);
}

/** Undefined for an absent or empty value. */
function readChoice<T extends string>(value: unknown, choices: readonly T[], path: string): T | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const known = choices.find((one) => one === value);
  return known ?? reject(path, `${quote(value)} is not one of ${choices.join(', ')}`);
}

function readSeconds(value: unknown, path: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MOST_SECONDS) return value;
  return reject(path, `${quote(value)} is not a whole number from -2^53 to 2^53`);
}

/**
 * The longest time for which one of `tolerations` tolerates the taint, or for ever; undefined when none does. Where none of them has its
 * key or an empty one, the taints of the hub are tolerated for 300 seconds.
 */
export function toleranceOf(taint: Taint, tolerations: readonly Toleration[]): Tolerance | 'forever' | undefined {
  let longest: number | undefined;
  let isForEver = false;
  let isNamed = false;
  for (const one of tolerations) {
    if (one.key !== '' && one.key !== taint.key) continue;
    isNamed = true;
    if (!tolerates(one, taint)) continue;
    if (one.seconds === undefined) isForEver = true;
    else longest = Math.max(longest ?? one.seconds, one.seconds);
  }
  if (!isNamed) return isHealthTaint(taint) ? IMPLIED : undefined;
  if (isForEver) return 'forever';
  return longest === undefined ? undefined : { seconds: longest, isImplied: false };
}

/** The index of the first of `tolerations` that tolerates the taint for ever; undefined when none does. */
export function toleratedForEverBy(taint: Taint, tolerations: readonly Toleration[]): number | undefined {
  const index = tolerations.findIndex(
    (one) => one.seconds === undefined && (one.key === '' || one.key === taint.key) && tolerates(one, taint),
  );
  return index < 0 ? undefined : index;
}

/** Whether a toleration with the key of the taint, or every key, has its effect and value. */
function tolerates({ operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  return operator === 'Exists' || value === taint.value;
}
