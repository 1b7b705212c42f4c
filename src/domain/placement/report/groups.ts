import type { PlacementStatus } from '../../../api/generated/placement.js';
import { nameList } from '../../conditions.js';
import { pieceText } from '../explain/choicetext.js';
import type { PublishedSlice } from '../publish/slices.js';
import type { GroupStrategy } from '../spec/groups.js';
import type { Piece } from '../stored/items.js';

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

/**
 * What is said of groups of the spec without a cluster: a rollout that begins with one of them begins with what follows it.
 * Undefined for none, and where no cluster is selected at all. `pieces`: those of the selected clusters.
 */
export function emptyGroupsText(
  strategy: GroupStrategy | undefined,
  pieces: Iterable<Pick<Piece, 'group' | 'index'>>,
): string | undefined {
  const [first, ...others] = [...pieces].sort((a, b) => a.index - b.index);
  if (first === undefined || strategy === undefined) return undefined;
  const filled = new Set([first, ...others].map(({ group }) => group));
  const empty = strategy.groups.map(({ name }) => name).filter((name) => !filled.has(name));
  if (empty.length === 0) return undefined;
  return `no selected cluster is in group ${nameList(empty)}; the first wave is ${pieceText(first)}`;
}
