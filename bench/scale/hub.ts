import { CLUSTER_SET_LABEL } from '../../src/api/names.js';
import type { KubeObject } from '../../src/runtime/vocabulary/meta.js';
import { Placements } from '../../src/api/resources.js';
import { apiVersionOf } from '../../src/runtime/vocabulary/kinds.js';
import { groupLabel, placementSpec, storedCluster } from '../placement/fleet.js';

/** The objects of a hub that is larger than any server on one machine holds, as texts that a server would send. */

export interface HubSize {
  readonly clusters: number;
  readonly placements: number;
}

const CLUSTERS_OF_SET = 1_000;
const PLACEMENTS_OF_NAMESPACE = 100;
/** Of each namespace. */
const BOUND_SETS = 3;

export function setName(number: number): string {
  return `set-${number}`;
}

export function setCount({ clusters }: HubSize): number {
  return Math.ceil(clusters / CLUSTERS_OF_SET);
}

export function namespaceCount({ placements }: HubSize): number {
  return Math.ceil(placements / PLACEMENTS_OF_NAMESPACE);
}

/** The sets that namespace `number` is bound to: three of neighbouring numbers. */
export function boundSets(number: number, size: HubSize): readonly string[] {
  const sets = setCount(size);
  const bound = Array.from({ length: BOUND_SETS }, (_, offset) => setName((number * BOUND_SETS + offset) % sets));
  return [...new Set(bound)];
}

/** A watch event of cluster `index`: of one of the sets of a thousand clusters, with further `labels`. */
export function clusterEvent(index: number, beat: number, labels: Readonly<Record<string, string>> = {}): string {
  const stored = storedCluster(index, 1 + index + beat, beat);
  const set = setName(Math.floor(index / CLUSTERS_OF_SET));
  const metadata = { ...stored.metadata, labels: { ...stored.metadata.labels, [CLUSTER_SET_LABEL]: set, ...labels } };
  return JSON.stringify({ type: 'MODIFIED', object: { ...stored, metadata } });
}

/** The label that takes a cluster away from the Placements of the group of Placement `index`: one group has a hundred. */
export const takingLabel = groupLabel;

/** The number of the namespace of Placement `index`. */
export function namespaceOf(index: number, size: HubSize): number {
  return index % namespaceCount(size);
}

/** Placement `index`, which has not been decided yet. */
export function placementText(index: number, size: HubSize): string {
  const object: KubeObject & { readonly spec: object } = {
    apiVersion: apiVersionOf(Placements),
    kind: Placements.kind,
    metadata: {
      namespace: `team-${namespaceOf(index, size)}`,
      name: `web-${index}`,
      uid: `00000000-0000-4001-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: String(index + 1),
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: placementSpec(index, [takingLabel(index)]),
  };
  return JSON.stringify(object);
}
