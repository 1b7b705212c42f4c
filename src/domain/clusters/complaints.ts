import { field, recordsIn } from '../../runtime/vocabulary/json.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import {
  CLAIMS_IGNORED_CONDITION,
  CLUSTER_SET_MISSING_CONDITION,
  type ClusterReason,
} from '../../api/clusterreasons.js';
import { CLUSTER_SET_LABEL } from '../../api/names.js';
import { timedCondition, type StoredCondition } from '../conditions.js';
import { valueOf } from '../selectors.js';
import { isFactName } from './facts.js';

/** The conditions that say what of a ManagedCluster has no effect: its label that names no set, and claims with reserved names. */

/** A ManagedCluster, unchecked. */
type LabelledObject = KubeObject & { readonly status?: unknown };

/** A condition that is present only while it is True. `text`: why it is; undefined while it is not. */
interface Complaint {
  readonly type: typeof CLUSTER_SET_MISSING_CONDITION | typeof CLAIMS_IGNORED_CONDITION;
  readonly reason: ClusterReason;
  readonly text: (cluster: LabelledObject, exists: (set: string) => boolean) => string | undefined;
}

const COMPLAINTS: readonly Complaint[] = [
  { type: CLUSTER_SET_MISSING_CONDITION, reason: 'NoSuchClusterSet', text: missingText },
  { type: CLAIMS_IGNORED_CONDITION, reason: 'ReservedNames', text: ignoredText },
];
/** Most names of claims in a message. */
const MOST_NAMES = 8;

/**
 * The conditions to write for a cluster: those that are stored, with ClusterSetMissing only while the label names a set
 * that does not exist, and ClaimsIgnored only while there are such claims. Undefined when the stored ones are these. `now`
 * returns RFC 3339; it is called only when there is something to write, since this runs for each event of a cluster.
 */
export function conditionsToWrite(
  cluster: LabelledObject,
  exists: (set: string) => boolean,
  now: () => string,
): readonly unknown[] | undefined {
  const stored = recordsIn(field(cluster.status, 'conditions'));
  let next: readonly Readonly<Record<string, unknown>>[] = stored;
  for (const complaint of COMPLAINTS) next = withComplaint(next, complaint, complaint.text(cluster, exists), now);
  return next === stored ? undefined : next;
}

/** The same list when nothing changes. */
function withComplaint(
  stored: readonly Readonly<Record<string, unknown>>[],
  { type, reason }: Complaint,
  message: string | undefined,
  now: () => string,
): readonly Readonly<Record<string, unknown>>[] {
  // Most clusters have nothing to complain about.
  if (message === undefined && !stored.some((one) => one['type'] === type)) return stored;
  const others = stored.filter((one) => one['type'] !== type);
  const [first, ...more] = stored.filter((one) => one['type'] === type);
  if (message === undefined) return others;
  const isStored = first?.['status'] === 'True' && first['message'] === message && first['reason'] === reason;
  if (isStored && more.length === 0) return stored;
  const before = first as StoredCondition | undefined;
  return [...others, { ...timedCondition({ type, status: 'True', reason, message }, before, now()) }];
}

/** Why the cluster is in no set that selects by the label; undefined for one without the label and for one that is being deleted. */
function missingText({ metadata }: LabelledObject, exists: (set: string) => boolean): string | undefined {
  const set = valueOf(metadata.labels ?? {}, CLUSTER_SET_LABEL);
  if (set === undefined || metadata.deletionTimestamp !== undefined || exists(set)) return undefined;
  return `label ${CLUSTER_SET_LABEL}=${set}: there is no ManagedClusterSet ${set}`;
}

/** Which claims have no effect; undefined for a cluster without such claims and for one that is being deleted. */
function ignoredText({ metadata, status }: LabelledObject): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const names: string[] = [];
  for (const { name } of recordsIn(field(status, 'clusterClaims')))
    if (typeof name === 'string' && isFactName(name)) names.push(name);
  if (names.length === 0) return undefined;
  const listed = names.sort().slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ', …' : '');
  return `claims ${listed}: what is published under these names is ignored, they stand for facts of the cluster`;
}
