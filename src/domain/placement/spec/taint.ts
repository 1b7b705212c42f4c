import { isHealthTaint } from '../../health/taints.js';
import { quote, readList, readObject, reject, isList } from '../../selectors.js';
import { isRecord, recordsIn } from '../../../runtime/vocabulary/json.js';
import { TAINTS } from '../../../api/names.js';
import type { ClusterSpecFields, ClusterStatusFields } from '../../clusters/fields.js';
import { taintsOf } from '../../clusters/maintenance.js';
import { saysJoined } from '../../health/conditions.js';

/**
 * What a taint does to a Placement that does not tolerate it. `NoSelect`: the cluster is not selected, and leaves decisions;
 * `NoSelectIfNew`: it is not newly selected; `PreferNoSelect`: others are selected before it.
 */
export type TaintEffect = 'NoSelect' | 'PreferNoSelect' | 'NoSelectIfNew';

export const TAINT_EFFECTS: readonly TaintEffect[] = ['NoSelect', 'PreferNoSelect', 'NoSelectIfNew'];

/** A taint of a cluster. `since`: when it was added, in ms since the epoch; undefined while no time is stored. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: TaintEffect;
  readonly since: number | undefined;
}

/** Shared by all clusters without a taint. */
export const NO_TAINTS: readonly Taint[] = [];

/** Shared by all clusters that have never joined, and whose taint the hub has not written yet. */
const NEVER_JOINED: Taint = { key: TAINTS.unreachable, value: '', effect: 'NoSelectIfNew', since: undefined };

/**
 * The taints of a ManagedCluster: those of `spec.taints`, that of `spec.maintenance`, and those of the hub that are in
 * `status.taintTimes` alone: somebody has replaced the list, and the hub is about to add them again. The time of one is its
 * `timeAdded`, else that of its key, effect and value in `status.taintTimes`. What admission should have refused is left out.
 */
export function readTaints(spec: ClusterSpecFields, status: ClusterStatusFields): readonly Taint[] {
  const times = status?.taintTimes;
  const [listed, remembered] = [taintsOf(spec), isList(times) ? times : []];
  if (listed.length === 0 && remembered.length === 0) return NO_TAINTS;
  const taints = listed.flatMap((one): Taint[] => {
    const fields = readFields(one);
    if (fields === undefined || !isRecord(one)) return [];
    return [{ ...fields, since: timeOf(one['timeAdded']) ?? storedTime(fields, times) }];
  });
  // The hub gives a cluster one taint at most.
  if (taints.some(isHealthTaint)) return taints;
  for (const one of remembered) {
    const fields = readFields(one);
    if (fields !== undefined && isRecord(one) && isHealthTaint(fields))
      taints.push({ ...fields, since: timeOf(one['since']) });
  }
  return taints.length === 0 ? NO_TAINTS : taints;
}

/**
 * The taints of a ManagedCluster of a hub: those of {@link readTaints}, and the one that the hub is about to add to a cluster
 * with an agent that has never joined. Without it such a cluster could be selected in the moment before.
 */
export function readHubTaints(spec: ClusterSpecFields, status: ClusterStatusFields): readonly Taint[] {
  const taints = readTaints(spec, status);
  if (typeof spec?.hubAcceptsClient !== 'boolean' || taints.some(isHealthTaint)) return taints;
  const joined = recordsIn(status?.conditions).some(saysJoined);
  return joined ? taints : [...taints, NEVER_JOINED];
}

/** Whether both lists hold the same taints with the same times, in the same order. */
export function sameTaints(a: readonly Taint[], b: readonly Taint[]): boolean {
  if (a === b) return true;
  return a.length === b.length && a.every((one, index) => isSame(one, b[index]) && one.since === b[index]?.since);
}

type Fields = Omit<Taint, 'since'>;

function readFields(value: unknown): Fields | undefined {
  if (!isRecord(value)) return undefined;
  const { key, value: text = '' } = value;
  const effect = TAINT_EFFECTS.find((one) => one === value['effect']);
  if (typeof key !== 'string' || key === '' || typeof text !== 'string' || effect === undefined) return undefined;
  return { key, value: text, effect };
}

function storedTime(taint: Fields, times: unknown): number | undefined {
  for (const one of isList(times) ? times : [])
    if (isRecord(one) && isSame(taint, readFields(one))) return timeOf(one['since']);
  return undefined;
}

function isSame(a: Fields, b: Fields | undefined): boolean {
  return a.key === b?.key && a.effect === b.effect && a.value === b.value;
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

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
  /** Whether the spec does not have it: after its time, the cluster leaves only when another can take its place. */
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
