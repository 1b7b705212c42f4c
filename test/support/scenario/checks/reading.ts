import {
  ADDITIONS_ANNOTATION,
  DECISION_REVISION_ANNOTATION,
  HISTORY_ANNOTATION,
  REMOVALS_ANNOTATION,
} from '../../../../src/api/names.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import type { Kind, Seen } from './history.js';

/** Reads raw JSON of the API into the few fields that the checks use. */

export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value));
}

export function items(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** `namespace/name`, or the name of an object without namespace. */
export function keyOf(object: AnyObject): string {
  const { namespace, name = '' } = object.metadata ?? {};
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export function condition(object: AnyObject, type: string): Fields {
  return items(fields(object.status)['conditions']).find((one) => one['type'] === type) ?? {};
}

export function versionOf(object: AnyObject): number {
  return Number(object.metadata?.resourceVersion ?? 0);
}

export function read(kind: Kind, object: AnyObject): Seen {
  if (kind === 'ManagedCluster') return { kind, deleting: object.metadata?.deletionTimestamp !== undefined };
  return kind === 'Placement' ? readPlacement(object) : readDecision(object);
}

function readPlacement(object: AnyObject): Seen {
  const status = fields(object.status);
  const count = object.spec?.['numberOfClusters'];
  return {
    kind: 'Placement',
    uid: object.metadata?.uid ?? '',
    generation: object.metadata?.generation ?? 0,
    ...(typeof count === 'number' ? { count } : {}),
    observedGeneration: number(status['observedGeneration'], -1),
    published: condition(object, 'Ready')['status'] === 'True',
    selected: number(status['numberOfSelectedClusters'], 0),
    decisions: items(status['decisions']).map((one) => ({ name: text(one['name']), revision: text(one['revision']) })),
  };
}

function readDecision(object: AnyObject): Seen {
  const owner = items(object.metadata?.['ownerReferences']).find((one) => one['controller'] === true);
  const listed = fields(object.status)['decisions'];
  return {
    kind: 'PlacementDecision',
    owner: text(owner?.['uid']),
    revision: object.metadata?.annotations?.[DECISION_REVISION_ANNOTATION] ?? '',
    ...(Array.isArray(listed) ? { clusters: items(listed).map((one) => text(one['clusterName'])) } : {}),
  };
}

/** Their entries are times, and run out; a process that begins anew does not know what changed before it. */
export const RECORDS = [HISTORY_ANNOTATION, REMOVALS_ANNOTATION, ADDITIONS_ANNOTATION];

/** An object without what differs from run to run: times, uids, resourceVersions, and who wrote it when. */
export function comparable(object: AnyObject): Fields {
  const { name, namespace, labels, annotations: all = {} } = object.metadata ?? {};
  const annotations = Object.fromEntries(Object.entries(all).filter(([key]) => !RECORDS.includes(key)));
  const owners = items(object.metadata?.['ownerReferences']).map(({ kind, name: owner, controller }) => ({
    kind,
    owner,
    controller,
  }));
  return {
    kind: object.kind,
    name,
    namespace,
    labels,
    annotations,
    owners,
    spec: object.spec,
    status: withoutTimes(object.status),
  };
}

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'lastTransitionTime' && key !== 'lastUpdateTime');
  return Object.fromEntries(
    kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, withoutTimes(inner)]),
  );
}
