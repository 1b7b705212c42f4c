import { DECISION_REVISION_ANNOTATION } from '../../../src/api/names.js';
import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { fields, items, number, text } from '../../support/scenario/checks/reading.js';

/** What a Placement says of its decision. */
export interface SeenPlacement {
  readonly uid: string;
  readonly generation: number;
  readonly observedGeneration: number;
  readonly selected: number;
  readonly decisions: readonly { readonly name: string; readonly revision: string }[];
}

export interface SeenDecision {
  /** Uid of the controller owner; empty when there is none. */
  readonly owner: string;
  readonly revision: string;
  /** Absent when the object has no list at all. */
  readonly clusters?: readonly string[];
}

export function readPlacement({ metadata, ...rest }: RawObject): SeenPlacement {
  const status = fields(rest.status);
  return {
    uid: metadata.uid ?? '',
    generation: metadata.generation ?? 0,
    observedGeneration: number(status['observedGeneration'], -1),
    selected: number(status['numberOfSelectedClusters'], 0),
    decisions: items(status['decisions']).map((one) => ({ name: text(one['name']), revision: text(one['revision']) })),
  };
}

export function readDecision({ metadata, status }: RawObject): SeenDecision {
  const listed = fields(status)['decisions'];
  return {
    owner: metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? '',
    revision: metadata.annotations?.[DECISION_REVISION_ANNOTATION] ?? '',
    ...(Array.isArray(listed) ? { clusters: items(listed).map((one) => text(one['clusterName'])) } : {}),
  };
}

/** The clusters in the objects of a decision, by key. */
export function unionOf(objects: ReadonlyMap<string, SeenDecision>): Set<string> {
  return new Set([...objects.values()].flatMap(({ clusters = [] }) => clusters));
}
