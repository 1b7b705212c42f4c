import type { RawObject } from '../runtime/vocabulary/meta.js';
import { field } from '../runtime/vocabulary/json.js';
import type { VerdictWord } from '../api/verdicts.js';
import { meantText } from '@multicluster-engine/values/nearestword';
import { placementKeys } from '../domain/placement/stored/decision.js';
import { notNeededText } from '../domain/placement/explain/choicetext.js';
import { explain } from '../domain/placement/explain/explain.js';
import { ranksOf } from '../domain/placement/explain/ranking.js';
import { wordText } from '../domain/placement/explain/requirementtext.js';
import {
  isWaiting,
  matchedPredicate,
  verdictWord,
  type ClusterExplanation,
  type Explanation,
  type Verdict,
} from '../domain/placement/explain/verdict.js';
import { selectedClusters } from '../domain/placement/select/decision.js';
import { schedule } from '../domain/placement/select/schedule.js';
import type { PlacementSnapshot } from '../domain/placement/select/snapshot.js';
import { isList } from '../domain/selectors.js';
import { namesOf } from './meant.js';
import { CLI_API_VERSION, NotFoundError, someNames } from './output.js';
import { reasonText, taintClause } from './reasons.js';
import { setsOf } from './world/clustertable.js';
import { grouped, inputsOf, WorldInputs, type PlacementInput, type World } from './world/world.js';
import { isWithheld, limitsOf, type Limits, type FleetReading } from './world/worlds.js';

/** Which Placements select a cluster: kind ClusterSelections (docs/reference/cli/clusterselections.schema.json). */
export interface ClusterSelections extends Limits {
  readonly apiVersion: string;
  readonly kind: 'ClusterSelections';
  readonly metadata: { readonly name: string };
  readonly selections: readonly Selection[];
}

/** A Placement whose decision names a cluster. */
export interface Selection {
  readonly namespace: string;
  readonly placement: string;
  /** The decision objects that hold the cluster, sorted. */
  readonly objects: readonly string[];
  /** This and the optional fields below are absent where the Placement could not be read. */
  readonly verdict?: Verdict;
  /** Why the Placement selects the cluster, or why it leaves. */
  readonly why: string;
  /** The eligible sets that the cluster is in. */
  readonly clusterSets?: readonly string[];
  /** The index of the first predicate that the cluster matches. */
  readonly predicate?: number;
  /** Also absent where clusters, sets or bindings could not be read. */
  readonly without?: Without;
}

/** What a Placement selects once the ManagedCluster is deleted. */
export interface Without {
  /** The clusters that it selects then and would not select now: those that would leave as surplus, then new ones by rank. */
  readonly added: readonly string[];
  /** How many clusters are selected then. */
  readonly selected: number;
  /** How many clusters are wanted; absent: all that match. */
  readonly wanted?: number;
}

/** The most clusters that are named as those which come in. */
const MOST_NAMES = 3;

/** Answers which Placements select the cluster. @throws NotFoundError for one that neither exists nor is in a decision */
export function clusterSelections(reading: FleetReading, cluster: string): ClusterSelections {
  const { world } = reading;
  const selections = selectionsOf(world, cluster);
  const names = namesOf(world.objects.managedclusters);
  if (selections.length === 0 && !names.includes(cluster) && world.withheld.length === 0)
    throw new NotFoundError(
      `ManagedCluster ${wordText(cluster)} was not found, and no decision holds it${meantText(cluster, names)}`,
    );
  const metadata = { name: cluster };
  return { apiVersion: CLI_API_VERSION, kind: 'ClusterSelections', metadata, selections, ...limitsOf(reading) };
}

/**
 * The Placements whose decisions name the cluster, by namespace and name. A decision of a Placement that is not in the world
 * counts only where Placements could not be read: otherwise it waits for garbage collection.
 */
export function selectionsOf(world: World, cluster: string): readonly Selection[] {
  return judgedSelectionsOf(world, cluster).map(({ word: _word, ...one }) => one);
}

/** As {@link selectionsOf}, with the word that `explain` has for the cluster where the Placement could be read. */
export function judgedSelectionsOf(
  world: World,
  cluster: string,
): readonly (Selection & { readonly word?: VerdictWord })[] {
  const unreadable = isWithheld({ world }, 'placements');
  const inputs = inputsOf(world);
  const managedclusters = world.objects.managedclusters.filter(({ metadata }) => metadata.name !== cluster);
  const after = new WorldInputs({ ...world, objects: { ...world.objects, managedclusters } }, inputs);
  return [...holdersOf(world, cluster)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, holding]): readonly Selection[] => {
      const [namespace = '', placement = ''] = key.split('/');
      const input = inputs.input({ namespace, name: placement });
      if (input !== undefined) return selectionIn(input, cluster, { inputs, after });
      return unreadable ? [{ namespace, placement, objects: [...holding].sort(), why: 'not readable' }] : [];
    });
}

/** The names of the decision objects that hold the cluster, by the key of their Placement. */
export function holdersOf({ objects }: World, cluster: string): ReadonlyMap<string, readonly string[]> {
  const holding = objects.placementdecisions.filter((one) => holds(one, cluster));
  return grouped(holding, placementKeys, ({ metadata }) => metadata.name);
}

function holds({ status }: RawObject, cluster: string): boolean {
  const listed = field(status, 'decisions');
  return isList(listed) && listed.some((one) => field(one, 'clusterName') === cluster);
}

/** The selection of the cluster by one Placement; none if it is not in its decision. `after`: the hub without the cluster. */
function selectionIn(
  input: PlacementInput,
  name: string,
  { inputs, after }: { readonly inputs: WorldInputs; readonly after: WorldInputs },
): ReturnType<typeof judgedSelectionsOf> {
  const { snapshot, selectors } = input;
  const view = inputs.cluster(name);
  const sets = view === undefined ? [] : setsOf(view, selectors);
  const members = view === undefined || sets.length === 0 ? [] : [{ cluster: view, sets }];
  const explanation = explain({ ...input, members });
  const cluster = explanation.clusters.find((one) => one.name === name);
  if (cluster?.inDecision !== true) return [];
  const { namespace, name: placement } = snapshot.placement;
  const objects = snapshot.stored.filter(({ clusters }) => clusters.includes(name)).map((one) => one.name);
  const deleted = after.input({ namespace, name: placement })?.snapshot;
  const predicate = matchedPredicate(cluster);
  return [
    {
      namespace,
      placement,
      objects: objects.sort(),
      verdict: cluster.verdict,
      word: verdictWord(cluster, explanation),
      why: whySelected(cluster, explanation),
      clusterSets: cluster.sets,
      ...(predicate === undefined ? {} : { predicate }),
      ...(explanation.decision === undefined || deleted === undefined ? {} : { without: withoutOf(snapshot, deleted) }),
    },
  ];
}

/** `after`: the snapshot of the Placement on a hub without the cluster. */
function withoutOf(snapshot: PlacementSnapshot, after: PlacementSnapshot): Without {
  const before = new Set(selectedClusters(schedule(snapshot)));
  const then = schedule(after);
  const chosen = selectedClusters(then);
  const added = chosen.filter((one) => !before.has(one));
  return { added, selected: chosen.length, ...(then.wanted === undefined ? {} : { wanted: then.wanted }) };
}

/** Whether a selected cluster leaves with the next decision, or would leave and is held or waits. */
export function wouldLeave({ verdict }: Pick<Selection, 'verdict'>): boolean {
  return verdict !== undefined && verdict !== 'Selected' && verdict !== 'Unknown';
}

function whySelected(cluster: ClusterExplanation, explanation: Explanation): string {
  const reason = reasonText(cluster, explanation);
  if (!wouldLeave(cluster)) return `${reason}${taintClause(cluster, explanation)}`;
  if (cluster.verdict === 'Held') return `${isWaiting(cluster, explanation) ? 'waits' : 'held'}: ${reason}`;
  const isSurplus = cluster.verdict === 'NotNeeded';
  return `leaves: ${isSurplus ? notNeededText(cluster.cluster, explanation.placement.rules) : reason}`;
}

/** What the Placement selects instead. */
export function withoutText(without: Without | undefined): string {
  if (without === undefined) return 'not known';
  const { added, selected, wanted } = without;
  if (added.length > 0) return `${someNames(added, MOST_NAMES)} ${added.length === 1 ? 'comes' : 'come'} in`;
  return wanted === undefined || selected >= wanted
    ? 'no replacement'
    : `no replacement: ${selected} of ${wanted} wanted`;
}

/** The rank of each cluster that passes every rule of a Placement, as `explain` has it, from 1. */
export function ranksIn(
  input: Pick<PlacementInput, 'snapshot' | 'selectors' | 'readable'>,
): ReadonlyMap<string, number> {
  const decided = [...input.snapshot.selected.values()].map((cluster) => ({
    cluster,
    sets: setsOf(cluster, input.selectors),
  }));
  return ranksOf(input, explain({ ...input, members: decided.filter(({ sets }) => sets.length > 0) }));
}
