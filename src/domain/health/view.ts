import { isRecord } from '../../runtime/vocabulary/json.js';
import { CONTROL_PLANE_HEALTHY_CONDITION } from '../../api/clusterreasons.js';
import { fieldsOf, type RawCluster } from '../clusters/fields.js';
import { taintsOf } from '../clusters/maintenance.js';
import { isList } from '../selectors.js';
import { saysJoined } from './conditions.js';
import type { StoredCondition } from '../conditions.js';
import type { HealthTaintKey } from './judge.js';
import type { StoredHealth } from './status.js';
import { isHealthTaint, type Taint, type TaintTime } from './taints.js';

/** The fields of a ManagedCluster that its health depends on. */
export interface HealthView {
  readonly name: string;
  readonly uid: string;
  /** spec.hubAcceptsClient; undefined: the cluster has no agent. */
  readonly accepts: boolean | undefined;
  /** The lease duration, ms. */
  readonly leaseDurationMs: number;
  /** The hub has seen an agent at some time. */
  readonly joined: boolean;
  /** What the agent says of an unhealthy control plane; undefined: it is healthy, or the agent says nothing. */
  readonly unhealthy: string | undefined;
  /** The key of the hub's taint NoSelect. */
  readonly tainted: HealthTaintKey | undefined;
  readonly stored: StoredHealth;
}

const DEFAULT_SECONDS = 60;
const SHORTEST_SECONDS = 10;
const LONGEST_SECONDS = 3_600;

/** The view of a ManagedCluster. Values that admission should have refused count as absent. */
export function healthView(cluster: RawCluster): HealthView {
  const { metadata, spec, status } = fieldsOf(cluster);
  const accepts = spec?.hubAcceptsClient;
  const conditions = recordsOf<StoredCondition>(status?.conditions, ['type', 'status']);
  const taints = recordsOf<Taint>(taintsOf(spec), ['key', 'effect']);
  const taintTimes = recordsOf<TaintTime>(status?.taintTimes, ['key', 'effect', 'since']);
  const agent = conditions.find(({ type }) => type === CONTROL_PLANE_HEALTHY_CONDITION);
  const own = taints.find((one) => isHealthTaint(one) && one.effect === 'NoSelect');
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    accepts: typeof accepts === 'boolean' ? accepts : undefined,
    leaseDurationMs: leaseDurationMs(spec?.leaseDurationSeconds),
    joined: conditions.some(saysJoined),
    unhealthy: agent?.status === 'False' ? (agent.message ?? '') : undefined,
    tainted: own?.key as HealthTaintKey | undefined,
    stored: { conditions, taints, taintTimes },
  };
}

/** A `leaseDurationSeconds` in ms, within the limits of the API; 60 s where there is none. */
export function leaseDurationMs(seconds: unknown): number {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return DEFAULT_SECONDS * 1_000;
  return Math.min(Math.max(seconds, SHORTEST_SECONDS), LONGEST_SECONDS) * 1_000;
}

/** The items of a list that are objects with these fields as text. */
function recordsOf<T>(value: unknown, fields: readonly string[]): readonly T[] {
  if (!isList(value)) return [];
  return value.filter(
    (one) => isRecord(one) && fields.every((field) => typeof one[field] === 'string'),
  ) as unknown as readonly T[];
}
