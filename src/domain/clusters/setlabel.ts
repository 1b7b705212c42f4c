import { field, recordsIn } from '../../runtime/vocabulary/json.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { CLUSTER_SET_MISSING_CONDITION, type ClusterReason } from '../../api/clusterreasons.js';
import { CLUSTER_SET_LABEL } from '../../api/names.js';
import { valueOf } from '../selectors.js';

/** The condition ClusterSetMissing of a ManagedCluster whose label names a set. */

/** A ManagedCluster, unchecked. */
export type LabelledObject = KubeObject & { readonly status?: unknown };

/** A condition as this controller writes it. */
export interface SetCondition {
  readonly type: typeof CLUSTER_SET_MISSING_CONDITION;
  readonly status: 'True';
  readonly reason: ClusterReason;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly lastUpdateTime: string;
}

/**
 * The conditions to write for a cluster: those that are stored, with ClusterSetMissing only while the label names a set
 * that does not exist. Undefined when the stored ones are these. `now` returns RFC 3339; it is called only when
 * there is something to write, since this runs for each event of a cluster.
 */
export function conditionsToWrite(
  cluster: LabelledObject,
  exists: (set: string) => boolean,
  now: () => string,
): readonly unknown[] | undefined {
  const stored = conditionsOf(cluster);
  const own = stored.filter(isOwn);
  const message = missingText(cluster, exists);
  if (message === undefined) return own.length === 0 ? undefined : stored.filter((one) => !isOwn(one));
  const [first] = own;
  const isSame = own.length === 1 && first?.['status'] === 'True' && first['message'] === message;
  if (isSame && first['reason'] === REASON) return undefined;
  const time = now();
  const since = first?.['status'] === 'True' ? first['lastTransitionTime'] : undefined;
  const condition: SetCondition = {
    type: CLUSTER_SET_MISSING_CONDITION,
    status: 'True',
    reason: REASON,
    message,
    lastTransitionTime: typeof since === 'string' ? since : time,
    lastUpdateTime: time,
  };
  return [...stored.filter((one) => !isOwn(one)), condition];
}

const REASON: ClusterReason = 'NoSuchClusterSet';

/** Why the cluster is in no set that selects by the label; undefined for one without the label and for one that is being deleted. */
function missingText({ metadata }: LabelledObject, exists: (set: string) => boolean): string | undefined {
  const set = valueOf(metadata.labels ?? {}, CLUSTER_SET_LABEL);
  if (set === undefined || metadata.deletionTimestamp !== undefined || exists(set)) return undefined;
  return `label ${CLUSTER_SET_LABEL}=${set}: there is no ManagedClusterSet ${set}`;
}

function conditionsOf({ status }: LabelledObject): readonly Record<string, unknown>[] {
  return recordsIn(field(status, 'conditions'));
}

function isOwn(one: Readonly<Record<string, unknown>>): boolean {
  return one['type'] === CLUSTER_SET_MISSING_CONDITION;
}
