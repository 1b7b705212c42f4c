import type { ClusterTaint, ManagedCluster } from '../../api/generated/managedcluster.js';
import { AVAILABLE_CONDITION } from '../../api/clusterreasons.js';
import { isRecord } from '../../runtime/vocabulary/json.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { SOURCE_ANNOTATION, SOURCE_REVISION_ANNOTATION, TAINTS } from '../../api/names.js';
import { isHealthTaint, type Taint } from '../health/taints.js';
import { hash64, hex64 } from '../hash.js';
import type { Availability, SourcedCluster } from './source.js';

/** The ManagedCluster of a cluster of another inventory, and whether the stored one has what it should have. */

type WithStatus = KubeObject & { readonly status?: object };

/** An object that describes one of another kind. */
export interface WantedObject<T extends WithStatus> {
  /** Metadata without uid, with the annotation of the revision, and the spec. */
  readonly object: T;
  readonly status: NonNullable<T['status']>;
}

/** What has to be applied. Undefined parts of a stored object are as they should be. */
export interface FieldsToApply<T extends WithStatus> {
  readonly object: T | undefined;
  readonly status: NonNullable<T['status']> | undefined;
}

/**
 * Who a stored ManagedCluster belongs to: `sourced`, a controller made it from the object `source`; `own`: people, or an agent
 * that the hub accepts or refuses, which knows more than another inventory.
 */
export type Origin = { readonly kind: 'sourced'; readonly source: string } | { readonly kind: 'own' };

export function originOf({ metadata, spec }: ManagedCluster): Origin {
  const source = metadata.annotations?.[SOURCE_ANNOTATION];
  const hasAgent = (spec as ManagedCluster['spec'] | undefined)?.hubAcceptsClient !== undefined;
  return source === undefined || hasAgent ? { kind: 'own' } : { kind: 'sourced', source };
}

/** All fields that a cluster of an inventory gives its ManagedCluster. */
export function wantedCluster(cluster: SourcedCluster): WantedObject<ManagedCluster> {
  const { name, source, labels, claims, availability } = cluster;
  const taints = [...cluster.taints, ...availabilityTaint(availability)] as ClusterTaint[];
  const annotations = {
    [SOURCE_ANNOTATION]: source,
    [SOURCE_REVISION_ANNOTATION]: hex64(hash64(JSON.stringify(cluster))),
  };
  const { status, reason, message, since } = availability ?? {};
  const condition = status && {
    type: AVAILABLE_CONDITION,
    status,
    reason: reason ?? '',
    message: message ?? '',
    ...(since === undefined ? {} : { lastTransitionTime: since }),
  };
  return {
    object: {
      // Who applies an empty map owns it, and others could add no label to it.
      metadata: { name, ...(Object.keys(labels).length === 0 ? {} : { labels: { ...labels } }), annotations },
      spec: taints.length === 0 ? {} : { taints },
    },
    status: {
      ...(claims.length === 0 ? {} : { clusterClaims: [...claims] }),
      ...(condition === undefined ? {} : { conditions: [condition] }),
    },
  };
}

/**
 * The parts to apply. With another revision both: fields that are wanted no more go with an apply. With the wanted one, those
 * whose fields were changed or are missing; what others have added stays.
 */
export function fieldsToApply<T extends WithStatus>(wanted: WantedObject<T>, stored: T | undefined): FieldsToApply<T> {
  const { object, status } = wanted;
  if (stored === undefined || !isContained(object.metadata.annotations, stored.metadata.annotations))
    return { object, status };
  const { apiVersion: _version, kind: _kind, ...content } = object;
  return {
    object: isContained(content, stored) ? undefined : object,
    status: isContained(status, stored.status ?? {}) ? undefined : status,
  };
}

/**
 * The fields without the taint of the availability; undefined where the cluster has one already, or is to have none: while new
 * taints are kept back, one that is there stays, or becomes the other one.
 */
export function withoutNewTaint(
  fields: WantedObject<ManagedCluster>,
  stored: ManagedCluster | undefined,
): WantedObject<ManagedCluster> | undefined {
  const { taints = [] } = fields.object.spec;
  if (!taints.some(isHealthTaint) || stored?.spec.taints?.some(isHealthTaint) === true) return undefined;
  const others = taints.filter((one) => !isHealthTaint(one));
  return { ...fields, object: { ...fields.object, spec: others.length === 0 ? {} : { taints: others } } };
}

/** `since` is the time of the taint: the cluster was away for that long, whenever this hub has read it. */
function availabilityTaint(availability: Availability | undefined): readonly Taint[] {
  if (availability === undefined || availability.status === 'True') return [];
  const { status, since } = availability;
  const key = status === 'False' ? TAINTS.unavailable : TAINTS.unreachable;
  return since === undefined ? [{ key, effect: 'NoSelectIfNew' }] : [{ key, effect: 'NoSelect', timeAdded: since }];
}

/** Whether `stored` has all of `wanted`: each field of an object, and each item of a list, in any order. */
function isContained(wanted: unknown, stored: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(stored) && wanted.every((item) => stored.some((one) => isContained(item, one)));
  if (!isRecord(wanted)) return wanted === stored;
  return isRecord(stored) && Object.entries(wanted).every(([key, value]) => isContained(value, stored[key]));
}
