import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { timestamp } from '@multicluster-engine/values/time';

/** A status condition without lastTransitionTime. */
export type Condition = {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
};

/** Sets a condition in the status. lastTransitionTime changes only with the condition's status. */
export function withCondition(object: KubeObject, condition: Condition, now: number): KubeObject {
  const status = isObject(object.status) ? object.status : {};
  const conditions = isArray(status.conditions) ? status.conditions : [];
  const old = conditions.find((one) => isObject(one) && one.type === condition.type);
  const same = isObject(old) && old.status === condition.status;
  const set: Json = { ...condition, lastTransitionTime: same ? (old.lastTransitionTime ?? null) : timestamp(now) };
  const next = old === undefined ? [...conditions, set] : conditions.map((one) => (one === old ? set : one));
  return { ...object, status: { ...status, conditions: next } };
}

/** The status of a condition; undefined where it is missing or Unknown. */
export function conditionOf(object: KubeObject, type: string): Condition['status'] | undefined {
  const conditions = isObject(object.status) && isArray(object.status.conditions) ? object.status.conditions : [];
  for (const one of conditions) {
    if (isObject(one) && one.type === type && (one.status === 'True' || one.status === 'False')) return one.status;
  }
  return undefined;
}
