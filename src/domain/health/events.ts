import { ClusterEvents, type ClusterEventReason } from '../../api/clusterevents.js';
import { AVAILABLE_CONDITION, JOINED_CONDITION } from '../../api/clusterreasons.js';
import type { HealthCondition } from './conditions.js';
import type { StoredCondition } from '../conditions.js';
import type { HealthWrites, Judgement, StoredHealth } from './status.js';
import { isHealthTaint } from './taints.js';

/** An event about a cluster, as the writes that cause it say. */
export interface ClusterEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: ClusterEventReason;
  readonly note: string;
}

/** The events of one write. While the brake is on for the cluster, the event FleetSilent stands for those of its clusters. */
export function clusterEvents(
  stored: StoredHealth,
  judgement: Judgement,
  { status, taints }: HealthWrites,
): readonly ClusterEvent[] {
  if (judgement.kind !== 'judged') return [];
  const isBraked = judgement.conditions.brake !== undefined;
  const joined = transitioned(JOINED_CONDITION, stored.conditions, status?.conditions);
  const available = transitioned(AVAILABLE_CONDITION, stored.conditions, status?.conditions);
  const events: ClusterEvent[] = [];
  if (joined?.status === 'True') events.push(eventOf('ClusterJoined', joined.message));
  if (available?.status === 'True' && stored.conditions.some(({ type }) => type === AVAILABLE_CONDITION))
    events.push(eventOf('ClusterRecovered', available.message));
  if (available?.status === 'Unknown' && !isBraked) events.push(eventOf('ClusterLost', available.message));
  if (available?.status === 'False' && !isBraked) events.push(eventOf('ClusterUnavailable', available.message));
  const [taint] = taints ?? [];
  const hadTaint = [...stored.taints, ...stored.taintTimes].some(
    (one) => isHealthTaint(one) && one.effect === 'NoSelect',
  );
  if (taint?.effect === 'NoSelect' && !hadTaint)
    events.push(eventOf('ClusterTainted', `tainted ${taint.key}:${taint.effect}`));
  return events;
}

/** The events of scopes that became silent, or recovered: `fleet` or `set NAME`. */
export function scopeEvent(scope: string, change: 'silent' | 'recovered'): ClusterEvent {
  const what = scope === 'fleet' ? 'the fleet' : scope;
  return change === 'silent'
    ? eventOf('FleetSilent', `most of ${what} is silent: ${NOT_TAINTED_TEXT}`)
    : eventOf('FleetRecovered', `${what} is no longer silent`);
}

function eventOf(reason: ClusterEventReason, note: string): ClusterEvent {
  return { type: ClusterEvents[reason].type, reason, note };
}

const NOT_TAINTED_TEXT = 'its clusters are not tainted for now, since the hub or its network may be the cause';

/** The wanted condition of this type, if its status differs from the stored one. */
function transitioned(
  type: string,
  stored: readonly StoredCondition[],
  wanted: readonly HealthCondition[] = [],
): HealthCondition | undefined {
  const next = wanted.find((one) => one.type === type);
  return next?.status === stored.find((one) => one.type === type)?.status ? undefined : next;
}
