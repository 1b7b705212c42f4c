import type { PlacementStatus } from '../../../api/generated/placement.js';
import type { PublishedSlice } from '../publish/slices.js';

/** `status.decisionGroups`: the pieces that are stored, in their order; undefined where no object belongs to one. */
export function decisionGroups(slices: readonly PublishedSlice[]): PlacementStatus['decisionGroups'] {
  const pieces = new Map<string, { index: number; group: string; names: string[]; clusters: Set<string> }>();
  for (const { name, clusters, piece } of slices) {
    if (piece === undefined) continue;
    const { index, group } = piece;
    const key = `${index} ${group}`;
    const known = pieces.get(key) ?? { index, group, names: [], clusters: new Set() };
    known.names.push(name);
    for (const cluster of clusters) known.clusters.add(cluster);
    pieces.set(key, known);
  }
  if (pieces.size === 0) return undefined;
  return [...pieces.values()]
    .sort((a, b) => a.index - b.index)
    .map(({ index, group, names, clusters }) => ({
      decisionGroupIndex: index,
      decisionGroupName: group,
      decisions: names,
      clusterCount: clusters.size,
    }));
}
