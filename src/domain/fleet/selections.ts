import { field } from '../../runtime/vocabulary/json.js';
import { placementKeys } from '../placement/stored/decision.js';
import { explain } from '../placement/explain/explain.js';
import type { ClusterExplanation, Explanation } from '../placement/explain/verdict.js';
import type { Candidate, MatchedClusters } from '../placement/select/rank.js';
import { schedule, selectedClusters } from '../placement/select/schedule.js';
import type { ClusterView, PlacementSnapshot } from '../placement/select/snapshot.js';
import { isList } from '../selectors.js';
import { setsOf } from './clustertable.js';
import { WorldInputs, type PlacementInput, type RawObject, type World } from './world.js';

/** A Placement whose decision names a cluster. */
export interface Selection {
  readonly namespace: string;
  readonly placement: string;
  /** The decision objects that hold the cluster, sorted. */
  readonly objects: readonly string[];
  /** Undefined where the Placement could not be read. */
  readonly explained: ExplainedSelection | undefined;
}

export interface ExplainedSelection {
  readonly explanation: Explanation;
  readonly cluster: ClusterExplanation;
  /** Undefined where clusters, sets or bindings could not be read. */
  readonly without: Without | undefined;
}

/** What a Placement selects when the cluster does not exist. */
export interface Without {
  /** Clusters that it then selects and now does not: those that would leave as surplus, then new ones, highest rank first. */
  readonly added: readonly string[];
  /** How many are selected then. */
  readonly selected: number;
  /** Undefined: all that match. */
  readonly wanted: number | undefined;
}

/**
 * The Placements whose decisions name the cluster, by namespace and name. A decision of a Placement that is not in the world
 * counts only where Placements could not be read: otherwise it waits for garbage collection.
 */
export function selectionsOf(world: World, cluster: string): readonly Selection[] {
  const unreadable = world.withheld.some(({ resource }) => resource === 'placements');
  const inputs = new WorldInputs(world);
  return [...holdersOf(world, cluster)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, holding]): readonly Selection[] => {
      const [namespace = '', placement = ''] = key.split('/');
      const input = inputs.input({ namespace, name: placement });
      if (input !== undefined) return selectionIn(input, cluster, inputs.cluster(cluster));
      return unreadable ? [{ namespace, placement, objects: holding.sort(), explained: undefined }] : [];
    });
}

/** The names of the decision objects that hold the cluster, by the key of their Placement. */
export function holdersOf({ objects }: World, cluster: string): ReadonlyMap<string, string[]> {
  const byPlacement = new Map<string, string[]>();
  for (const object of objects.placementdecisions) {
    if (!holds(object, cluster)) continue;
    for (const key of placementKeys(object))
      byPlacement.set(key, [...(byPlacement.get(key) ?? []), object.metadata.name]);
  }
  return byPlacement;
}

function holds({ status }: RawObject, cluster: string): boolean {
  const listed = field(status, 'decisions');
  return isList(listed) && listed.some((one) => field(one, 'clusterName') === cluster);
}

function selectionIn(input: PlacementInput, name: string, view: ClusterView | undefined): readonly Selection[] {
  const { snapshot, selectors } = input;
  const sets = view === undefined ? [] : setsOf(view, selectors);
  const members = view === undefined || sets.length === 0 ? [] : [{ cluster: view, sets }];
  const explanation = explain({ ...input, members });
  const cluster = explanation.clusters.find((one) => one.name === name);
  if (cluster?.inDecision !== true) return [];
  const { namespace, name: placement } = snapshot.placement;
  const objects = snapshot.stored.filter(({ clusters }) => clusters.includes(name)).map((one) => one.name);
  const without = explanation.schedule === undefined ? undefined : withoutCluster(snapshot, name);
  return [{ namespace, placement, objects: objects.sort(), explained: { explanation, cluster, without } }];
}

function withoutCluster(snapshot: PlacementSnapshot, name: string): Without {
  const before = new Set(selectedClusters(schedule(snapshot)));
  const after = schedule(snapshotWithout(snapshot, name));
  const chosen = selectedClusters(after);
  return { added: chosen.filter((one) => !before.has(one)), selected: chosen.length, wanted: after.wanted };
}

/** The snapshot after the ManagedCluster was deleted, and released from what would hold it. */
function snapshotWithout(snapshot: PlacementSnapshot, name: string): PlacementSnapshot {
  const { candidates, selected, placement } = snapshot;
  return {
    ...snapshot,
    placement: { ...placement, release: { until: Infinity, clusters: new Set([name]), isDigested: false, id: '' } },
    selected: new Map([...selected].filter(([one]) => one !== name)),
    candidates: {
      count: candidates.count - (candidates.has(name) ? 1 : 0),
      has: (one) => one !== name && candidates.has(one),
      matched: matchedWithout(candidates.matched, name),
      tainted: new Map([...candidates.tainted].filter(([one]) => one !== name)),
      view: (one) => (one === name ? undefined : candidates.view(one)),
      // No message is computed from this snapshot.
      unmatched: [],
    },
  };
}

/** A view: the hashes of the clusters are not computed again. */
function matchedWithout(matched: MatchedClusters, name: string): MatchedClusters {
  const others = function* (): Generator<Candidate> {
    for (const one of matched) if (one.name !== name) yield one;
  };
  return {
    size: matched.size - (matched.has(name) ? 1 : 0),
    has: (one) => one !== name && matched.has(one),
    [Symbol.iterator]: others,
  };
}
