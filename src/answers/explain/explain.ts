import { meantText } from '@multicluster-engine/values/nearestword';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import type { ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import { meantAmong, namesOf } from '../meant.js';
import { NotFoundError } from '../output.js';
import { refusedLine, unreadableLine, type FleetReading } from '../world/worlds.js';
import type { World } from '../world/world.js';
import { explanationDocument } from './document.js';
import { eventsOf, type LeavingEvents } from './events.js';
import { setsText } from './lines.js';
import { clusterOf, explainReport, type ExplainReport } from './report.js';

/** Why Placements of a name select each cluster or not. */

export interface ExplainQuestion {
  /** Undefined: the Placements of that name in all namespaces. */
  readonly namespace: string | undefined;
  readonly placement: string;
  /** The only cluster to explain; undefined: all. */
  readonly cluster: string | undefined;
  /** How many clusters that match no predicate are shown. */
  readonly nearest: number;
  /** By which change windows are computed here. */
  readonly timeZoneData?: string | undefined;
  /** Events about the Placement; undefined where none were looked for. */
  readonly leaving?: LeavingEvents | undefined;
  /** The Placements of all namespaces, as far as they could be read; undefined: those of the world that is explained. */
  readonly others?: Pick<FleetReading, 'world' | 'refused'> | undefined;
  /** What of other namespaces could not be read. */
  readonly beyond?: Pick<FleetReading, 'refused' | 'namespace'>;
}

export interface Explained {
  readonly report: ExplainReport;
  /** The clusters to show; all of them when no cluster was named. */
  readonly clusters: readonly ClusterExplanation[];
}

/** By namespace. @throws NotFoundError without such a Placement or cluster. */
export function explained(world: World, question: ExplainQuestion): readonly Explained[] {
  return namespacesOf(world, question).map((namespace) => explainedIn(world, namespace, question));
}

function namespacesOf(world: World, { namespace, placement, beyond }: ExplainQuestion): readonly string[] {
  if (namespace !== undefined) return [namespace];
  const found = world.objects.placements.filter(({ metadata }) => metadata.name === placement);
  if (found.length > 0) return found.map(({ metadata }) => metadata.namespace ?? '').sort();
  const withheld = world.withheld.filter(({ resource }) => resource === 'placements');
  const unread = unreadableLine(withheld, `whether there is a Placement ${wordText(placement)} is not known`);
  const refused = beyond === undefined ? undefined : refusedLine(beyond);
  const where = refused === undefined ? 'any namespace' : `namespace ${beyond?.namespace}: ${refused}`;
  const meant = meantText(placement, namesOf(world.objects.placements));
  throw new NotFoundError(unread ?? `Placement ${wordText(placement)} was not found in ${where}${meant}`);
}

function explainedIn(world: World, namespace: string, question: ExplainQuestion): Explained {
  const { placement, cluster, leaving, beyond } = question;
  const others = question.others ?? { world, refused: beyond?.refused ?? [] };
  const report = explainReport(world, namespace, placement, others);
  if (report === undefined) {
    const meant = meantAmong(others.world.objects.placements, namespace, placement);
    throw new NotFoundError(`Placement ${namespace}/${placement} was not found${meant}`);
  }
  if (cluster === undefined) return { report, clusters: report.explanation.clusters };
  const one = clusterOf(report, cluster);
  const isRemembered = eventsOf(leaving?.events ?? [], cluster).length > 0;
  if (one === undefined && !isRemembered) throw new NotFoundError(unknownCluster(cluster, report));
  return { report, clusters: one === undefined ? [] : [one] };
}

/** The time zone data of what is explained; undefined without a change window. */
export function zoneDataOf({ input }: ExplainReport, { timeZoneData }: ExplainQuestion): string | undefined {
  const { placement, timedSets } = input.snapshot;
  const hasWindows =
    placement.rules.changeWindows.length > 0 || timedSets.some(({ times }) => (times?.windows.length ?? 0) > 0);
  return hasWindows ? timeZoneData : undefined;
}

/** Kind PlacementExplanation; those of all namespaces as a List, as kubectl prints them. */
export function explanationOf(found: readonly Explained[], question: ExplainQuestion): object {
  const { nearest, namespace, cluster, leaving, beyond } = question;
  const events = cluster === undefined ? leaving?.events : leaving && eventsOf(leaving.events, cluster);
  const unread = [...(beyond?.refused ?? []), ...(leaving?.withheld === undefined ? [] : [leaving.withheld])];
  const documents = found.map(({ report, clusters }) =>
    explanationDocument(report, {
      clusters,
      nearest: cluster === undefined ? nearest : 0,
      events,
      unread,
      timeZoneData: zoneDataOf(report, question),
    }),
  );
  const [first] = documents;
  return namespace === undefined || first === undefined ? { apiVersion: 'v1', kind: 'List', items: documents } : first;
}

export function unknownCluster(name: string, { explanation, world }: ExplainReport): string {
  const word = wordText(name);
  if (explanation.decision === undefined) {
    const unread = world.withheld.map(({ resource }) => resource).join(', ');
    return `cluster ${word} is not in the decision; more is not known, since ${unread} could not be read`;
  }
  const { eligible } = explanation.decision.eligibility;
  const sets = eligible.length === 0 ? 'no cluster set is eligible' : `it is not in ${setsText(eligible)}`;
  return `ManagedCluster ${word} was not found: ${sets}${meantText(name, namesOf(world.objects.managedclusters))}`;
}
