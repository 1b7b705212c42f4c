import { ALLOW_DELETION_ANNOTATION } from '../../../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  Placements,
} from '../../../../src/api/resources.js';
import { apiVersionOf } from '../../../../src/runtime/vocabulary/kinds.js';
import type { ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import type { ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import {
  parts,
  type Cluster,
  type ClusterSet,
  type LabelSelector,
  type Placement,
  type World,
  type Write,
} from './world.js';

/** What holds a cluster that is being deleted. */
export const HOLD = 'script.test/hold';

const TYPES = {
  cluster: ManagedClusters,
  set: ManagedClusterSets,
  binding: ManagedClusterSetBindings,
  placement: Placements,
} as const;

/** The path of a collection, or of one object in it. */
export function pathOf(type: ResourceType, namespace?: string, name?: string): string {
  const base = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = namespace === undefined || namespace === '' ? '' : `/namespaces/${namespace}`;
  return `${base}${scope}/${type.plural}${name === undefined ? '' : `/${name}`}`;
}

/** The requests that carry out a write, to be sent one after the other. Only the last of them changes what may be selected. */
export function requestsFor(world: World, write: Write): ApiRequest[] {
  const type = TYPES[write.kind];
  const { namespace, name } = type.namespaced ? parts(write.name) : { namespace: '', name: write.name };
  const path = pathOf(type, namespace, name);
  if (write.kind === 'cluster') return clusterRequests(path, write.name, world.clusters.get(write.name), write.to);
  if (write.to === undefined && write.kind === 'set')
    return [patch(path, '/metadata/annotations', { [ALLOW_DELETION_ANNOTATION]: 'true' }), { method: 'DELETE', path }];
  if (write.to === undefined) return [{ method: 'DELETE', path }];
  const spec = specOf(write);
  if (exists(world, write)) return [patch(path, '/spec', spec)];
  const metadata = namespace === '' ? { name } : { name, namespace };
  const body = { apiVersion: apiVersionOf(type), kind: type.kind, metadata, spec };
  return [{ method: 'POST', path: pathOf(type, namespace), body }];
}

function exists(world: World, { kind, name }: Write): boolean {
  return { cluster: world.clusters, set: world.sets, binding: world.bindings, placement: world.placements }[kind].has(
    name,
  );
}

function clusterRequests(path: string, name: string, now: Cluster | undefined, to: Cluster | undefined): ApiRequest[] {
  if (to === undefined) {
    return now?.deleting === true ? [patch(path, '/metadata/finalizers', [])] : [{ method: 'DELETE', path }];
  }
  if (now === undefined) {
    const body = {
      apiVersion: apiVersionOf(ManagedClusters),
      kind: 'ManagedCluster',
      metadata: { name, labels: to.labels },
      spec: {},
    };
    const made: ApiRequest = { method: 'POST', path: pathOf(ManagedClusters), body };
    return Object.keys(to.claims).length === 0 ? [made] : [made, patch(`${path}/status`, '/status', statusOf(to))];
  }
  const requests: ApiRequest[] = [];
  if (differ(now.labels, to.labels)) requests.push(patch(path, '/metadata/labels', to.labels));
  if (differ(now.claims, to.claims) || now.heartbeat !== to.heartbeat)
    requests.push(patch(`${path}/status`, '/status', statusOf(to)));
  if (to.deleting && !now.deleting)
    requests.push(patch(path, '/metadata/finalizers', [HOLD]), { method: 'DELETE', path });
  return requests;
}

function patch(path: string, field: string, value: unknown): ApiRequest {
  return {
    method: 'PATCH',
    path,
    contentType: 'application/json-patch+json',
    body: [{ op: 'add', path: field, value }],
  };
}

function differ(a: object, b: object): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}

function statusOf({ claims, heartbeat }: Cluster): object {
  const clusterClaims = Object.entries(claims).map(([name, value]) => ({ name, value }));
  return { clusterClaims, capacity: { pods: heartbeat }, version: { kubernetes: 'v1.36.3' } };
}

function specOf(write: Exclude<Write, { readonly kind: 'cluster' }>): object {
  if (write.kind === 'binding') return { clusterSet: write.to };
  if (write.kind === 'set') return setSpec(write.to ?? {});
  return placementSpec(write.to ?? { sets: [], predicates: [] });
}

function setSpec({ selector }: ClusterSet): object {
  return selector === undefined ? {} : { clusterSelector: { selectorType: 'LabelSelector', labelSelector: selector } };
}

function placementSpec({ sets, count, predicates }: Placement): object {
  const written = predicates.map(({ labelSelector, claims }) => {
    const required: { labelSelector?: LabelSelector; claimSelector?: object } = {};
    if (labelSelector !== undefined) required.labelSelector = labelSelector;
    if (claims !== undefined) required.claimSelector = { matchExpressions: claims };
    return { requiredClusterSelector: required };
  });
  return {
    ...(sets.length === 0 ? {} : { ClusterSets: sets }),
    ...(count === undefined ? {} : { numberOfClusters: count }),
    predicates: written,
  };
}
