import type { PlacementStatus } from '../../../api/generated/placement.js';
import { nameList } from '../../conditions.js';
import { pieceText } from '../explain/choicetext.js';
import type { PublishedSlice } from '../publish/slices.js';
import type { GroupStrategy } from '../spec/groups.js';
import type { Piece } from '../stored/items.js';

/** The pieces that the objects belong to, in their order. Others may have edited the objects: one index with two groups. */
export function piecesIn(objects: readonly Pick<PublishedSlice, 'name' | 'clusters' | 'piece'>[]) {
  const pieces = new Map<string, { index: number; group: string; names: string[]; clusters: Set<string> }>();
  for (const { name, clusters, piece } of objects) {
    if (piece === undefined) continue;
    const { index, group } = piece;
    const key = `${index} ${group}`;
    const known = pieces.get(key) ?? { index, group, names: [], clusters: new Set() };
    known.names.push(name);
    for (const cluster of clusters) known.clusters.add(cluster);
    pieces.set(key, known);
  }
  return [...pieces.values()].sort((a, b) => a.index - b.index);
}

/** `status.decisionGroups`: the pieces that are stored; undefined where no object belongs to one. */
export function decisionGroups(slices: readonly PublishedSlice[]): PlacementStatus['decisionGroups'] {
  const groups = piecesIn(slices).map(({ index, group, names, clusters }) => {
    return { decisionGroupIndex: index, decisionGroupName: group, decisions: names, clusterCount: clusters.size };
  });
  return groups.length === 0 ? undefined : groups;
}

/**
 * The groups of the spec in which no cluster is selected, and the first wave that has one: a rollout that is to begin with an empty
 * group begins there instead. Undefined where no group is empty, and where no cluster is selected. `pieces`: those of the selected
 * clusters.
 */
export function emptyGroupsText(
  strategy: GroupStrategy | undefined,
  pieces: Iterable<Pick<Piece, 'group' | 'index'>>,
): string | undefined {
  const sorted = [...pieces].sort((a, b) => a.index - b.index);
  const [first] = sorted;
  if (first === undefined || strategy === undefined) return undefined;
  const filled = new Set(sorted.map(({ group }) => group));
  const empty = strategy.groups.map(({ name }) => name).filter((name) => !filled.has(name));
  if (empty.length === 0) return undefined;
  return `no selected cluster is in group ${nameList(empty)}; the first wave is ${pieceText(first)}`;
}
