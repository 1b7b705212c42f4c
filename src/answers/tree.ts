import { keyOf } from '../runtime/vocabulary/names.js';
import { field, recordsIn, textField } from '../runtime/vocabulary/json.js';
import { selects } from '../domain/clusters/selector.js';
import { emptyGroupsText } from '../domain/placement/report/groups.js';
import { activeReleases, type ActiveRelease } from '../domain/placement/report/releases.js';
import type { ClusterView } from '../domain/placement/spec/cluster.js';
import { domainOf, type TopologyKey } from '../domain/placement/spec/spread.js';
import { distinctOwnClusters, isOwn } from '../domain/placement/stored/decision.js';
import { WorldInputs, type PlacementInput, type World } from './world/world.js';

/** The published decision of a Placement by cluster set. */
export interface PlacementTree {
  readonly namespace: string;
  readonly name: string;
  /** As its status has it; `Pending` without one. */
  readonly phase: string;
  /** How many clusters the decision holds. */
  readonly selected: number;
  /** numberOfClusters; undefined for all that match. */
  readonly wanted: number | undefined;
  /** The eligible sets with their clusters of the decision, sorted. A cluster of several sets is in each of them. */
  readonly sets: readonly Branch[];
  /** By another key than sets: its values, sorted, with their clusters of the decision. */
  readonly by: (TopologyKey & { readonly domains: readonly Branch[] }) | undefined;
  /** All clusters of the decision, sorted. */
  readonly all: readonly string[];
  /** Clusters of the decision that are in no eligible set, or of which that is not known; sorted. */
  readonly others: readonly string[];
  /** The pieces of groups with their clusters, in their order; empty without groups. */
  readonly pieces: readonly PieceBranch[];
  /** What is said of groups without a cluster; undefined for none. */
  readonly emptyGroups: string | undefined;
  /** What annotations let leave or come in. */
  readonly releases: readonly ActiveRelease[];
  /** The message of the condition Paused or ChangesWaiting in its status; undefined where neither is True. */
  readonly waiting: string | undefined;
  /** The message of RemovalsHeld or AdditionsHeld, likewise. */
  readonly held: string | undefined;
}

/** `clusters` are sorted. */
export interface PieceBranch {
  readonly index: number;
  readonly group: string;
  readonly clusters: readonly string[];
}

export interface Branch {
  readonly name: string;
  readonly clusters: readonly string[];
}

/** The trees of all Placements of the world, by namespace and name. `by`: the key whose values are the branches. */
export function placementTrees(world: World, by?: TopologyKey): readonly PlacementTree[] {
  const inputs = new WorldInputs(world);
  return world.objects.placements
    .map((placement) => {
      const { namespace = '', name } = placement.metadata;
      const releases = activeReleases(placement, world.at);
      const phase = textField(placement.status, 'phase') || 'Pending';
      const waiting = stateIn(placement.status, ['Paused', 'ChangesWaiting']);
      const held = stateIn(placement.status, ['RemovalsHeld', 'AdditionsHeld']);
      return treeOf({ namespace, name, phase, releases, waiting, held }, inputs, by);
    })
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function treeOf(
  of: Pick<PlacementTree, 'namespace' | 'name' | 'phase' | 'releases' | 'waiting' | 'held'>,
  inputs: WorldInputs,
  by: TopologyKey | undefined,
): PlacementTree {
  const input = inputs.input(of);
  const published = input === undefined ? [] : distinctOwnClusters(input.snapshot.stored);
  const clusters = published.flatMap((one) => inputs.cluster(one) ?? []);
  const branches = [...(input?.selectors ?? [])].map(([name, selector]): Branch => {
    const members = clusters.filter(({ labels }) => selects(name, selector, labels));
    return { name, clusters: members.map((one) => one.name) };
  });
  const known = new Set(branches.flatMap((one) => one.clusters));
  const pieces = input === undefined ? [] : piecesIn(input);
  const filled = pieces.filter((piece) => piece.clusters.length > 0);
  return {
    ...of,
    selected: published.length,
    wanted: input?.snapshot.placement.rules.wanted,
    sets: branches.sort((a, b) => (a.name < b.name ? -1 : 1)),
    by: by && { ...by, domains: domainsOf(clusters, by) },
    all: published,
    others: published.filter((one) => !known.has(one)),
    pieces,
    emptyGroups: emptyGroupsText(input?.snapshot.placement.rules.groups, filled),
  };
}

/** The pieces that the Placement's own objects belong to, as stored. */
function piecesIn({ snapshot }: PlacementInput): readonly PieceBranch[] {
  const pieces = new Map<string, { index: number; group: string; clusters: Set<string> }>();
  for (const { piece, clusters } of snapshot.stored.filter(isOwn)) {
    if (piece === undefined) continue;
    const key = `${piece.index} ${piece.group}`;
    const known = pieces.get(key) ?? { index: piece.index, group: piece.group, clusters: new Set() };
    for (const name of clusters) known.clusters.add(name);
    pieces.set(key, known);
  }
  return [...pieces.values()]
    .map(({ clusters, ...piece }) => ({ ...piece, clusters: [...clusters].sort() }))
    .sort((a, b) => a.index - b.index);
}

/** `since 2026-11-27T10:00:00Z, spec.paused is true: …`. */
function stateIn(status: unknown, types: readonly string[]): string | undefined {
  const texts = recordsIn(field(status, 'conditions'))
    .filter(({ type, status: state }) => state === 'True' && types.includes(textField({ type }, 'type')))
    .map((one) => `since ${textField(one, 'lastTransitionTime')}, ${textField(one, 'message')}`);
  return texts.length === 0 ? undefined : texts.join('; ');
}

function domainsOf(clusters: readonly ClusterView[], by: TopologyKey): readonly Branch[] {
  const domains = new Map<string, string[]>();
  for (const one of clusters) {
    const value = domainOf(by, one);
    if (value !== undefined) domains.set(value, [...(domains.get(value) ?? []), one.name]);
  }
  return [...domains].map(([name, names]) => ({ name, clusters: names })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
