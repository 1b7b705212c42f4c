import {
  HUB_ACCEPTED_CONDITION,
  HUB_WRITE_REFUSED_CONDITION,
  AVAILABLE_CONDITION,
  JOINED_CONDITION,
  ClusterEvents,
  type ClusterEventReason,
} from '../../api/clusterreasons.js';
import {
  healthConditions,
  sameConditions,
  storedHealthConditions,
  type ConditionInput,
  type HealthCondition,
} from './conditions.js';
import type { StoredCondition } from '../conditions.js';
import type { HealthTaint } from './judge.js';
import {
  differsFrom,
  isHealthTaint,
  sameTaintTimes,
  timedTaint,
  wantedTaintTimes,
  type StoredTaints,
  type Taint,
  type TaintTime,
  type TimedHealthTaint,
} from './taints.js';

/** What the health judge writes of one cluster. */

export interface StoredHealth extends StoredTaints {
  readonly conditions: readonly StoredCondition[];
}

/**
 * The judgement of a cluster. none: it has no agent. unobserved: the observation of the Leases is stale, or the cluster is
 * not in the cache yet, so that what is stored stays.
 */
export type Judgement =
  | { readonly kind: 'none' }
  | { readonly kind: 'unobserved' }
  | { readonly kind: 'judged'; readonly conditions: ConditionInput; readonly taint: HealthTaint | undefined };

/** The fields of the status that the judge owns. */
export interface HealthStatus {
  readonly conditions: readonly HealthCondition[];
  readonly taintTimes: readonly TaintTime[];
}

/** The writes that a cluster needs; undefined: none. */
export interface HealthWrites {
  readonly status: HealthStatus | undefined;
  /** The taints of the judge to apply: one, or an empty list that takes away what is there. */
  readonly taints: readonly TimedHealthTaint[] | undefined;
}

const NO_WRITES: HealthWrites = Object.freeze({ status: undefined, taints: undefined });

/** `now` is RFC 3339. */
export function healthWrites(stored: StoredHealth, judgement: Judgement, now: string): HealthWrites {
  switch (judgement.kind) {
    case 'judged':
      return judgedWrites(stored, judgement, now);
    case 'unobserved':
      return unobservedWrites(stored, now);
    case 'none':
      return agentlessWrites(stored, now);
  }
}

function judgedWrites(
  stored: StoredHealth,
  { conditions: input, taint }: Extract<Judgement, { kind: 'judged' }>,
  now: string,
): HealthWrites {
  const own = taint && timedTaint(taint, stored, now);
  const conditions = healthConditions(stored.conditions, input, now);
  const taintTimes = wantedTaintTimes(othersOf(stored), stored.taintTimes, own, now);
  const isSame = sameConditions(conditions, stored.conditions) && sameTaintTimes(taintTimes, stored.taintTimes);
  return {
    status: isSame ? undefined : { conditions, taintTimes },
    taints: differsFrom(own, stored.taints) ? (own === undefined ? [] : [own]) : undefined,
  };
}

/** The taints of people get their times; what the judge wrote before stays. */
function unobservedWrites(stored: StoredHealth, now: string): HealthWrites {
  const own = stored.taintTimes.filter(isHealthTaint);
  const taintTimes = [...wantedTaintTimes(othersOf(stored), stored.taintTimes, undefined, now), ...own];
  if (sameTaintTimes(taintTimes, stored.taintTimes)) return NO_WRITES;
  return { status: { conditions: storedHealthConditions(stored.conditions), taintTimes }, taints: undefined };
}

/** A cluster that has no agent any more loses what the judge wrote, and one that never had one keeps what others wrote. */
function agentlessWrites(stored: StoredHealth, now: string): HealthWrites {
  const has = (type: string): boolean => stored.conditions.some((one) => one.type === type);
  const hadAgent = has(HUB_ACCEPTED_CONDITION);
  const taints = hadAgent ? othersOf(stored) : stored.taints;
  const taintTimes = wantedTaintTimes(taints, stored.taintTimes, undefined, now);
  const isDone = !hadAgent && !has(HUB_WRITE_REFUSED_CONDITION);
  if (isDone && sameTaintTimes(taintTimes, stored.taintTimes)) return NO_WRITES;
  return { status: { conditions: [], taintTimes }, taints: hadAgent ? [] : undefined };
}

function othersOf({ taints }: StoredHealth): readonly Taint[] {
  return taints.filter((one) => !isHealthTaint(one));
}

/** An event about a cluster, as the writes that cause it say. */
interface ClusterEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: ClusterEventReason;
  readonly note: string;
}

/** The events of what is written. While the brake is on for the cluster, the event FleetSilent stands for those of its clusters. */
export function clusterEvents(
  stored: StoredHealth,
  judgement: Judgement,
  { status, taints }: Partial<HealthWrites>,
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
