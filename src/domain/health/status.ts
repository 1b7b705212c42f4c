import { HUB_ACCEPTED_CONDITION, HUB_WRITE_REFUSED_CONDITION } from '../../api/clusterreasons.js';
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
