import type { RawObject } from '../runtime/vocabulary/meta.js';
import { keyOf } from '../runtime/vocabulary/names.js';
import { meantText } from '@multicluster-engine/values/nearestword';
import { field, recordsIn, textField } from '../runtime/vocabulary/json.js';
import { selects } from '../domain/clusters/selector.js';
import { wordText } from '../domain/placement/explain/requirementtext.js';
import { emptyGroupsText, piecesIn } from '../domain/placement/report/groups.js';
import { activeReleases } from '../domain/placement/report/releases.js';
import type { ClusterView } from '../domain/placement/spec/cluster.js';
import { domainOf, type TopologyKey } from '../domain/placement/spec/spread.js';
import { distinctOwnClusters, isOwn } from '../domain/placement/stored/decision.js';
import { meantAmong, namesOf } from './meant.js';
import { CLI_API_VERSION, NotFoundError } from './output.js';
import { valuesOf } from './plan/lose.js';
import { releasesField, type Release } from './reasons.js';
import { isWithheld, limitsOf, type Limits, type FleetReading } from './world/worlds.js';
import { grouped, WorldInputs, type World } from './world/world.js';

/** The published decisions by cluster set: kind FleetTree (docs/reference/cli/fleettree.schema.json). */
export interface FleetTree extends Limits {
  readonly apiVersion: string;
  readonly kind: 'FleetTree';
  /** By namespace and name. */
  readonly placements: readonly PlacementTree[];
}

/** The published decision of a Placement by cluster set. Lists of clusters are sorted. */
export interface PlacementTree {
  readonly namespace: string;
  readonly name: string;
  /** As its status has it; `Pending` without one. */
  readonly phase: string;
  /** How many clusters the decision holds. */
  readonly selected: number;
  /** numberOfClusters; absent for all that match. */
  readonly wanted?: number;
  /** The eligible sets with their clusters of the decision, sorted. A cluster of several sets is in each of them. */
  readonly clusterSets: readonly Branch[];
  /** Clusters of the decision that are in no eligible set, or of which that is not known. */
  readonly others: readonly string[];
  /** The pieces of groups with their clusters, in their order; absent without groups. */
  readonly pieces?: readonly PieceBranch[];
  /** What is said of groups without a cluster; absent for none. */
  readonly emptyGroups?: string;
  /** The message of the condition Paused or ChangesWaiting in its status; absent where neither is True. */
  readonly waiting?: string;
  /** The message of RemovalsHeld or AdditionsHeld, likewise. */
  readonly held?: string;
  /** By another key than sets: its values, sorted, with their clusters of the decision. */
  readonly topology?: TopologyKey & { readonly domains: readonly Branch[] };
  /** What annotations let leave or come in; absent for nothing. */
  readonly releases?: readonly Release[];
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

/** What to show: one Placement alone, and the key whose values are the branches. */
export interface TreeQuestion {
  readonly name?: string | undefined;
  readonly by?: TopologyKey | undefined;
}

/** The trees of all Placements, or of those with this name. @throws NotFoundError for a name or a key that nothing has */
export function fleetTree(reading: FleetReading, { name, by }: TreeQuestion = {}): FleetTree {
  const { world } = reading;
  const wanted = world.objects.placements.filter(({ metadata }) => name === undefined || metadata.name === name);
  if (name !== undefined && wanted.length === 0 && !isWithheld(reading, 'placements'))
    throw new NotFoundError(absentPlacement(reading, name));
  if (by !== undefined) valuesOf(world, by);
  const placements = placementTrees({ ...world, objects: { ...world.objects, placements: wanted } }, by);
  return { apiVersion: CLI_API_VERSION, kind: 'FleetTree', placements, ...limitsOf(reading) };
}

function absentPlacement({ namespace, world: { objects } }: FleetReading, name: string): string {
  return namespace === undefined
    ? `Placement ${wordText(name)} was not found in any namespace${meantText(name, namesOf(objects.placements))}`
    : `Placement ${namespace}/${name} was not found${meantAmong(objects.placements, namespace, name)}`;
}

/** The trees of all Placements of the world, by namespace and name. `by`: the key whose values are the branches. */
export function placementTrees(world: World, by?: TopologyKey): readonly PlacementTree[] {
  const inputs = new WorldInputs(world);
  return world.objects.placements
    .map((placement) => treeOf(placement, inputs, { by, at: world.at }))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function treeOf(
  placement: RawObject,
  inputs: WorldInputs,
  { by, at }: { readonly by: TopologyKey | undefined; readonly at: number },
): PlacementTree {
  const { metadata, status } = placement;
  const { namespace = '', name } = metadata;
  const input = inputs.input({ namespace, name });
  const wanted = input?.snapshot.placement.rules.wanted;
  const published = input === undefined ? [] : distinctOwnClusters(input.snapshot.stored);
  const clusters = published.flatMap((one) => inputs.cluster(one) ?? []);
  const branches = [...(input?.selectors ?? [])].map(([set, selector]): Branch => {
    const members = clusters.filter(({ labels }) => selects(set, selector, labels));
    return { name: set, clusters: members.map((one) => one.name) };
  });
  const known = new Set(branches.flatMap((one) => one.clusters));
  const own = input === undefined ? [] : input.snapshot.stored.filter(isOwn);
  const pieces = piecesIn(own).map(({ index, group, clusters: all }) => ({ index, group, clusters: [...all].sort() }));
  const filled = pieces.filter((piece) => piece.clusters.length > 0);
  const emptyGroups = emptyGroupsText(input?.snapshot.placement.rules.groups, filled);
  const waiting = stateIn(status, ['Paused', 'ChangesWaiting']);
  const held = stateIn(status, ['RemovalsHeld', 'AdditionsHeld']);
  return {
    namespace,
    name,
    phase: textField(status, 'phase') || 'Pending',
    selected: published.length,
    ...(wanted === undefined ? {} : { wanted }),
    clusterSets: branches.sort((a, b) => (a.name < b.name ? -1 : 1)),
    others: published.filter((one) => !known.has(one)),
    ...(pieces.length === 0 ? {} : { pieces }),
    ...(emptyGroups === undefined ? {} : { emptyGroups }),
    ...(waiting === undefined ? {} : { waiting }),
    ...(held === undefined ? {} : { held }),
    ...(by === undefined ? {} : { topology: { source: by.source, key: by.key, domains: domainsOf(clusters, by) } }),
    ...releasesField(activeReleases(placement, at), { namespace, name }),
  };
}

/** `since 2026-11-27T10:00:00Z, spec.paused is true: …`. */
function stateIn(status: unknown, types: readonly string[]): string | undefined {
  const texts = recordsIn(field(status, 'conditions'))
    .filter(({ type, status: state }) => state === 'True' && types.includes(textField({ type }, 'type')))
    .map((one) => `since ${textField(one, 'lastTransitionTime')}, ${textField(one, 'message')}`);
  return texts.length === 0 ? undefined : texts.join('; ');
}

function domainsOf(clusters: readonly ClusterView[], by: TopologyKey): readonly Branch[] {
  const domains = grouped(
    clusters,
    (one) => [domainOf(by, one)].filter((value) => value !== undefined),
    ({ name }) => name,
  );
  return [...domains].map(([name, names]) => ({ name, clusters: names })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
