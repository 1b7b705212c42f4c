import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../resource.js';
import { timestamp } from '@multicluster-engine/values/time';
import { withMeta } from '@multicluster-engine/values/object';
import type { DeleteOptions } from '../options.js';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Kinds without garbage collection. */
function isCollected({ collection }: Resource): boolean {
  return collection !== 'events';
}

/**
 * The finalizers of an object that is to be deleted: those of the garbage collector follow the request (or else the
 * object), all others stay. The same list where nothing changes.
 */
export function deletionFinalizers(resource: Resource, object: KubeObject, options: DeleteOptions): readonly string[] {
  const now = object.metadata.finalizers ?? [];
  const kept = now.filter((one) => one !== ORPHAN && one !== FOREGROUND);
  const wanted = isCollected(resource) ? wantedBy(options, now) : undefined;
  const next = wanted === undefined ? kept : [...kept, wanted];
  return next.length === now.length && next.every((one) => now.includes(one)) ? now : next;
}

function wantedBy({ orphanDependents, propagationPolicy }: DeleteOptions, now: readonly string[]): string | undefined {
  if (orphanDependents !== undefined) return orphanDependents ? ORPHAN : undefined;
  if (propagationPolicy === 'Orphan') return ORPHAN;
  if (propagationPolicy === 'Foreground') return FOREGROUND;
  if (propagationPolicy === 'Background') return undefined;
  return now.find((one) => one === ORPHAN || one === FOREGROUND);
}

/** An object that waits for its finalizers: marked once, with its generation increased where it has one. */
export function marked(object: KubeObject, finalizers: readonly string[], now: number): KubeObject {
  const { deletionTimestamp, generation } = object.metadata;
  const first = deletionTimestamp === undefined;
  return withMeta(object, {
    finalizers,
    generation: first && generation !== undefined && generation > 0 ? generation + 1 : generation,
    deletionTimestamp: deletionTimestamp ?? timestamp(now),
    deletionGracePeriodSeconds: 0,
  });
}
