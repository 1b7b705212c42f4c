import { field } from '../../api/json.js';
import { placementKeys } from '../placement/decision.js';
import { explain } from '../placement/explain/explain.js';
import type { ClusterExplanation, Explanation, ExplainInput } from '../placement/explain/verdict.js';
import { matchedClusters } from '../placement/rank.js';
import { schedule, selected } from '../placement/schedule.js';
import type { PlacementSnapshot } from '../placement/snapshot.js';
import { isList } from '../selectors.js';
import { explainInputOf, type RawObject, type World } from './world.js';

/** A Placement whose decision holds a cluster. */
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
 * The Placements whose decisions hold the cluster, by namespace and name. A decision of a Placement that is not in the world
 * counts only where Placements could not be read: otherwise it waits for garbage collection.
 */
export function selectionsOf(world: World, cluster: string): readonly Selection[] {
  const unreadable = world.withheld.some(({ resource }) => resource === 'placements');
  return [...holdersOf(world, cluster)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, holders]): readonly Selection[] => {
      const [namespace = '', placement = ''] = key.split('/');
      const input = explainInputOf(ofPlacement(world, namespace, placement, holders.all), namespace, placement);
      if (input !== undefined) return selectionIn(input, cluster);
      const objects = holders.holding.map(({ metadata }) => metadata.name).sort();
      return unreadable ? [{ namespace, placement, objects, explained: undefined }] : [];
    });
}

interface Holders {
  /** All decision objects of the Placement. */
  readonly all: RawObject[];
  readonly holding: RawObject[];
}

/** The decision objects of each Placement, by its key, of those with an object that holds the cluster. */
function holdersOf({ objects }: World, cluster: string): ReadonlyMap<string, Holders> {
  const byPlacement = new Map<string, Holders>();
  for (const object of objects.placementdecisions) {
    for (const key of placementKeys(object)) {
      const holders = byPlacement.get(key) ?? { all: [], holding: [] };
      byPlacement.set(key, holders);
      holders.all.push(object);
      if (holds(object, cluster)) holders.holding.push(object);
    }
  }
  return new Map([...byPlacement].filter(([, { holding }]) => holding.length > 0));
}

function holds({ status }: RawObject, cluster: string): boolean {
  const listed = field(status, 'decisions');
  return isList(listed) && listed.some((one) => field(one, 'clusterName') === cluster);
}

/** The world without the other Placements and decisions, which the explanation of this one does not need. */
function ofPlacement(world: World, namespace: string, name: string, decisions: readonly RawObject[]): World {
  const placements = world.objects.placements.filter(
    ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
  );
  return { ...world, objects: { ...world.objects, placements, placementdecisions: decisions } };
}

function selectionIn(input: ExplainInput, name: string): readonly Selection[] {
  const { snapshot, members } = input;
  const explanation = explain({ ...input, members: members.filter((one) => one.cluster.name === name) });
  const cluster = explanation.clusters.find((one) => one.name === name);
  if (cluster?.inDecision !== true) return [];
  const { namespace, name: placement } = snapshot.placement;
  const objects = snapshot.stored.filter(({ clusters }) => clusters.includes(name)).map((one) => one.name);
  const without = explanation.schedule === undefined ? undefined : withoutCluster(snapshot, name);
  return [{ namespace, placement, objects: objects.sort(), explained: { explanation, cluster, without } }];
}

function withoutCluster(snapshot: PlacementSnapshot, name: string): Without {
  const before = new Set(selected(schedule(snapshot)));
  const after = schedule(snapshotWithout(snapshot, name));
  const chosen = selected(after);
  return { added: chosen.filter((one) => !before.has(one)), selected: chosen.length, wanted: after.wanted };
}

/** The snapshot after the ManagedCluster was deleted. */
function snapshotWithout(snapshot: PlacementSnapshot, name: string): PlacementSnapshot {
  const { candidates, held } = snapshot;
  const matched = [...candidates.matched].map((one) => one.name).filter((one) => one !== name);
  return {
    ...snapshot,
    held: new Map([...held].filter(([one]) => one !== name)),
    candidates: {
      count: candidates.count - (candidates.has(name) ? 1 : 0),
      has: (one) => one !== name && candidates.has(one),
      matched: matchedClusters(matched),
      // No message is computed from this snapshot.
      unmatched: [],
    },
  };
}
