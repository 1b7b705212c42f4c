import { textField } from '../../api/json.js';
import { placementKeys } from '../placement/decision.js';
import { explainInputOf, type RawObject, type World } from './world.js';

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
  readonly sets: readonly SetBranch[];
  /** Clusters of the decision that are in no eligible set, or of which that is not known; sorted. */
  readonly others: readonly string[];
}

export interface SetBranch {
  readonly name: string;
  readonly clusters: readonly string[];
}

/** The trees of all Placements of the world, by namespace and name. */
export function placementTrees(world: World): readonly PlacementTree[] {
  const decisions = new Map<string, RawObject[]>();
  for (const object of world.objects.placementdecisions)
    for (const key of placementKeys(object)) decisions.set(key, [...(decisions.get(key) ?? []), object]);
  const clusters = new Map(world.objects.managedclusters.map((one) => [one.metadata.name, one]));
  return world.objects.placements
    .map((placement) => {
      const { namespace = '', name } = placement.metadata;
      return treeOf(world, placement, decisions.get(`${namespace}/${name}`) ?? [], clusters);
    })
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keyOf({ namespace, name }: PlacementTree): string {
  return `${namespace}/${name}`;
}

/** Computed from the clusters of the decision alone: of no other it has to be known in which sets it is. */
function treeOf(
  world: World,
  placement: RawObject,
  decisions: readonly RawObject[],
  clusters: ReadonlyMap<string, RawObject>,
): PlacementTree {
  const { namespace = '', name } = placement.metadata;
  const objects = { ...world.objects, placements: [placement], placementdecisions: decisions };
  const published = publishedIn({ ...world, objects: { ...objects, managedclusters: [] } }, namespace, name);
  const managedclusters = published.flatMap((one) => clusters.get(one) ?? []);
  const input = explainInputOf({ ...world, objects: { ...objects, managedclusters } }, namespace, name);
  const sets = new Map<string, string[]>([...(input?.selectors.keys() ?? [])].map((set) => [set, []]));
  for (const member of input?.members ?? []) for (const set of member.sets) sets.get(set)?.push(member.cluster.name);
  const known = new Set([...sets.values()].flat());
  return {
    namespace,
    name,
    phase: textField(placement.status, 'phase') || 'Pending',
    selected: published.length,
    wanted: input?.snapshot.placement.rules.wanted,
    sets: [...sets]
      .map(([set, list]) => ({ name: set, clusters: list.sort() }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    others: published.filter((one) => !known.has(one)).sort(),
  };
}

/** The clusters that the Placement's own decision objects hold, each once. */
function publishedIn(world: World, namespace: string, name: string): readonly string[] {
  const stored = explainInputOf(world, namespace, name)?.snapshot.stored ?? [];
  const ours = stored.filter(({ ownership }) => ownership === 'ours' || ownership === 'adoptable');
  return [...new Set(ours.flatMap(({ clusters }) => clusters))];
}
