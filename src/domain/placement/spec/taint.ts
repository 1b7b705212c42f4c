import { isRecord, recordsIn } from '../../../runtime/vocabulary/json.js';
import { TAINTS } from '../../../api/names.js';
import type { ClusterSpecFields, ClusterStatusFields } from '../../clusters/fields.js';
import { taintsOf } from '../../clusters/maintenance.js';
import { saysJoined } from '../../health/conditions.js';
import { isHealthTaint } from '../../health/taints.js';
import { isList } from '../../selectors.js';

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
