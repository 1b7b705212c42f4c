import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../resource.js';
import { timestamp } from '@multicluster-engine/values/time';
import { withMeta } from '@multicluster-engine/values/object';
import type { DeleteOptions } from '../options.js';

/** What a DELETE does with an object of a kind that is deleted gracefully. */
export type GracefulDeletion =
  /** The grace period begins, or becomes shorter: the object is stored so. */
  | { readonly kind: 'marked'; readonly object: KubeObject }
  /** The object is being deleted, and the request does not shorten its grace period. */
  | { readonly kind: 'pending' }
  /** No grace period is left: the object in its last state. */
  | { readonly kind: 'now'; readonly object: KubeObject };

/** As BeforeDelete of kube-apiserver. `now` in ms since the epoch. */
export function gracefulDeletion(
  { strategy }: Resource,
  object: KubeObject,
  options: DeleteOptions,
  now: number,
): GracefulDeletion {
  if (strategy.gracePeriod === undefined) return { kind: 'now', object };
  const { deletionTimestamp, deletionGracePeriodSeconds: left = 0, generation } = object.metadata;
  if (deletionTimestamp === undefined) {
    const period = strategy.gracePeriod(object, options.gracePeriodSeconds);
    const next = generation === undefined || generation === 0 ? generation : generation + 1;
    return until(withMeta(object, { generation: next }), now + period * 1000, period);
  }
  const period = options.gracePeriodSeconds;
  if (period === undefined || period >= left) return { kind: 'pending' };
  const shorter = Math.max(period, 0);
  return until(object, Date.parse(deletionTimestamp) + (shorter - left) * 1000, shorter);
}

function until(object: KubeObject, at: number, period: number): GracefulDeletion {
  const next = withMeta(object, { deletionTimestamp: timestamp(at), deletionGracePeriodSeconds: period });
  return { kind: period === 0 ? 'now' : 'marked', object: next };
}
