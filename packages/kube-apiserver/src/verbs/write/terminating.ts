import { withCondition } from '../../conditions.js';
import { isObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../resource.js';
import { timestamp } from '@multicluster-engine/values/time';
import { withMeta } from '@multicluster-engine/values/object';
import type { DeleteOptions } from '../options.js';

/** Marks an object on its first DELETE whose content must be deleted before it. */
export type Marker = (object: KubeObject, options: DeleteOptions, now: number) => KubeObject;

/** The marker of a kind that a controller finalizes; undefined for all others. */
export function markerOf({ group, kind }: Resource): Marker | undefined {
  if (group === '' && kind === 'Namespace') return markNamespace;
  if (group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition') return markDefinition;
  return undefined;
}

function markNamespace(
  namespace: KubeObject,
  { orphanDependents, propagationPolicy }: DeleteOptions,
  now: number,
): KubeObject {
  const finalizers = namespace.metadata.finalizers ?? [];
  const policy = orphanDependents ?? propagationPolicy;
  const orphan = orphanDependents ?? propagationPolicy === 'Orphan';
  const foreground = orphanDependents === undefined ? propagationPolicy === 'Foreground' : !orphanDependents;
  const kept = finalizers.filter((one) => one !== 'orphan' && one !== 'foregroundDeletion');
  const next =
    policy === undefined
      ? finalizers
      : [...kept, ...(orphan ? ['orphan'] : []), ...(foreground ? ['foregroundDeletion'] : [])];
  const status = isObject(namespace.status) ? namespace.status : {};
  const marked = withMeta(namespace, {
    deletionTimestamp: timestamp(now),
    finalizers: next.length === 0 ? undefined : next,
  });
  return { ...marked, status: { ...status, phase: 'Terminating' } };
}

export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

function markDefinition(definition: KubeObject, _options: DeleteOptions, now: number): KubeObject {
  const finalizers = definition.metadata.finalizers ?? [];
  const next = finalizers.includes(CLEANUP) ? finalizers : [...finalizers, CLEANUP];
  const marked = withMeta(definition, { deletionTimestamp: timestamp(now), finalizers: next });
  return withCondition(
    marked,
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    now,
  );
}
