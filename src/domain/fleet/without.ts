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
 * nor the bound of deletions.
 */
export function inputWithout(inputs: WorldInputs, input: PlacementInput, lost: LostClusters): PlacementInput {
  const { snapshot, selectors } = input;
  const { placement, selected } = snapshot;
  const release = { until: Infinity, clusters: lost.names, isDigested: false, id: '' };
  return {
    ...input,
    snapshot: {
      ...snapshot,
      placement: { ...placement, release },
      candidates: inputs.clusters.candidates(selectors, placement.rules, lost.rows),
      selected: new Map([...selected].filter(([name]) => !lost.names.has(name))),
    },
  };
}
