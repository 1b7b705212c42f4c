import type { PlacementSnapshot } from '../placement/select/snapshot.js';
import type { PlacementInput, WorldInputs } from './world.js';

/** Clusters that are gone for good. */
export interface LostClusters {
  readonly names: ReadonlySet<string>;
  /** Their rows in the table of clusters. */
  readonly rows: readonly number[];
}

export function lostClusters(inputs: WorldInputs, names: Iterable<string>): LostClusters {
  const unique = new Set(names);
  return { names: unique, rows: inputs.clusters.rowsOf(unique) };
}

/**
 * What the Placement selects from without these clusters. Nothing holds them in the decision: neither the disruption budget
 * nor the bound of deletions. A paused Placement loses them too, and no other cluster comes in.
 */
export function inputWithout(inputs: WorldInputs, input: PlacementInput, lost: LostClusters): PlacementInput {
  const { snapshot, selectors } = input;
  const { placement, selected } = snapshot;
  const release = { until: Infinity, clusters: lost.names, isDigested: false, id: '' };
  return {
    ...input,
    snapshot: {
      ...snapshot,
      ...(placement.rules.paused ? listsWithout(snapshot, lost) : {}),
      placement: { ...placement, release },
      candidates: inputs.clusters.candidates(selectors, placement.rules, lost.rows),
      selected: new Map([...selected].filter(([name]) => !lost.names.has(name))),
    },
  };
}

/** A paused Placement keeps all that its lists name. */
function listsWithout(
  { stored, remembered }: PlacementSnapshot,
  { names }: LostClusters,
): Pick<PlacementSnapshot, 'stored' | 'remembered'> {
  const left = (list: readonly string[]): readonly string[] => list.filter((name) => !names.has(name));
  return {
    stored: stored.map((one) => ({ ...one, clusters: left(one.clusters) })),
    remembered: remembered?.map(left),
  };
}
