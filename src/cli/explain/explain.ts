import { meantText } from '../../runtime/vocabulary/nearestword.js';
import { ManagedClusters } from '../../api/resources.js';
import type { World } from '../../answers/world/world.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import type { ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import { documentText, linesText, NotFoundError, resourceName, type OutputFormat } from '../../answers/output.js';
import type { FleetReading } from '../../answers/world/worlds.js';
import { meantAmong, namesOf } from '../../answers/meant.js';
import { refusedLine, unreadableLine } from '../../answers/world/withheld.js';
import { explanationDocument } from '../../answers/explain/document.js';
import { eventLines, eventsOf, type LeavingEvents } from '../../answers/explain/events.js';
import { LABEL_RIGHTS, proposalsOf, type Rights } from '../../answers/explain/proposals.js';
import type { Denied } from '../../answers/explain/rights.js';
import { clusterIn, explainReport, setsText, type ExplainReport } from '../../answers/explain/report.js';
import { clusterLines, explanationLines } from '../../answers/explain/text.js';

export interface ExplainRequest {
  /** Undefined: the Placements of that name in all namespaces. */
  readonly namespace: string | undefined;
  readonly placement: string;
  /** The only cluster to explain; undefined: all. */
  readonly cluster: string | undefined;
  readonly nearest: number;
  /** Show what each score is the sum of; JSON always has it. */
  readonly scores?: boolean;
  readonly output: OutputFormat;
  readonly colored: boolean;
  /** By which change windows are computed here. */
  readonly timeZoneData?: string | undefined;
  /** Events about the Placement; undefined where none were looked for. */
  readonly leaving?: LeavingEvents | undefined;
  /** The Placements of all namespaces, as far as they could be read; undefined: those of the world that is explained. */
  readonly others?: Pick<FleetReading, 'world' | 'refused'> | undefined;
  /** What of the rights that {@link rightsWanted} names the caller does not have. */
  readonly denied?: Denied | undefined;
  /** What of other namespaces could not be read. */
  readonly beyond?: Pick<FleetReading, 'refused' | 'namespace'>;
}

interface Explained {
  readonly report: ExplainReport;
  /** The clusters to show; all of them when no cluster was named. */
  readonly clusters: readonly ClusterExplanation[];
}

/** The output of `explain placement`. @throws NotFoundError without such a Placement or cluster. */
export function explainPlacement(world: World, request: ExplainRequest): string {
  const explained = namespacesOf(world, request).map((namespace) => explainedIn(world, namespace, request));
  switch (request.output) {
    case 'text':
    case 'wide':
      return textOf(explained, request);
    case 'name':
      return linesText(selectedNames(explained));
    default:
      return documentText(documentOf(explained, request), request.output);
  }
}

/** The rights that the proposals of the explanation need. @throws NotFoundError without such a Placement or cluster. */
export function rightsWanted(world: World, request: ExplainRequest): Rights {
  const labels = request.cluster === undefined ? [] : LABEL_RIGHTS;
  const needed = namespacesOf(world, request).flatMap((namespace) => {
    const { report } = explainedIn(world, namespace, request);
    return proposalsOf(report).flatMap((one) => ('rights' in one ? one.rights : []));
  });
  return [...needed, ...labels];
}

function textOf(explained: readonly Explained[], request: ExplainRequest): string {
  const { beyond } = request;
  const note = beyond === undefined ? undefined : refusedLine(beyond);
  const texts = explained.map((one) => linesText(linesOf(one, request)));
  return [...(note === undefined ? [] : [`${note}\n`]), ...texts].join('\n');
}

function namespacesOf(world: World, { namespace, placement, beyond }: ExplainRequest): readonly string[] {
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

function explainedIn(world: World, namespace: string, request: ExplainRequest): Explained {
  const { placement, cluster, leaving, beyond, denied } = request;
  const others = request.others ?? { world, refused: beyond?.refused ?? [] };
  const report = explainReport(world, namespace, placement, { others, denied });
  if (report === undefined) {
    const meant = meantAmong(others.world.objects.placements, namespace, placement);
    throw new NotFoundError(`Placement ${namespace}/${placement} was not found${meant}`);
  }
  if (cluster === undefined) return { report, clusters: report.explanation.clusters };
  const one = clusterIn(report, world, cluster);
  const isRemembered = eventsOf(leaving?.events ?? [], cluster).length > 0;
  if (one === undefined && !isRemembered) throw new NotFoundError(unknownCluster(cluster, report));
  return { report, clusters: one === undefined ? [] : [one] };
}

function linesOf({ report, clusters }: Explained, request: ExplainRequest): readonly string[] {
  const { nearest, colored, output, namespace, cluster, leaving, scores = false } = request;
  const events = leaving === undefined ? [] : eventLines(leaving, cluster);
  const zones = zoneDataOf(report, request);
  if (cluster === undefined)
    return [
      ...explanationLines(report, { nearest, colored, wide: output === 'wide', scores }),
      ...(zones === undefined ? [] : [`change windows are computed with time zone data ${zones}`]),
      ...events,
    ];
  const { placement } = report.explanation;
  const headline = namespace === undefined ? [`${placement.namespace}/${placement.name}`] : [];
  const lines = clusters.flatMap((one) => clusterLines(one, report));
  return [...headline, ...(lines.length === 0 ? [unknownCluster(cluster, report)] : lines), ...events];
}

/** The time zone data of what is explained; undefined without a change window. */
function zoneDataOf({ explanation }: ExplainReport, { timeZoneData }: ExplainRequest): string | undefined {
  return explanation.placement.rules.changeWindows.length === 0 ? undefined : timeZoneData;
}

/** One document; those of all namespaces as a List, as kubectl prints them. */
function documentOf(explained: readonly Explained[], request: ExplainRequest): object {
  const { nearest, namespace, cluster, leaving, beyond } = request;
  const events = cluster === undefined ? leaving?.events : leaving && eventsOf(leaving.events, cluster);
  const unread = [...(beyond?.refused ?? []), ...(leaving?.withheld === undefined ? [] : [leaving.withheld])];
  const documents = explained.map(({ report, clusters }) =>
    explanationDocument(report, {
      clusters,
      nearest: cluster === undefined ? nearest : 0,
      events,
      unread,
      timeZoneData: zoneDataOf(report, request),
    }),
  );
  const [first] = documents;
  return namespace === undefined || first === undefined ? { apiVersion: 'v1', kind: 'List', items: documents } : first;
}

/** The clusters that are selected or, where that cannot be computed, those of the decision. */
function selectedNames(explained: readonly Explained[]): readonly string[] {
  const names = explained.flatMap(({ clusters }) =>
    clusters
      .filter(({ verdict, inDecision }) => verdict === 'Selected' || (verdict === 'Unknown' && inDecision))
      .map(({ name }) => name),
  );
  return [...new Set(names)].sort().map((name) => resourceName(ManagedClusters, name));
}

function unknownCluster(name: string, { explanation, withheld, world }: ExplainReport): string {
  const word = wordText(name);
  if (explanation.schedule === undefined) {
    const unread = withheld.map(({ resource }) => resource).join(', ');
    return `cluster ${word} is not in the decision; more is not known, since ${unread} could not be read`;
  }
  const { eligible } = explanation.schedule.eligibility;
  const sets = eligible.length === 0 ? 'no cluster set is eligible' : `it is not in ${setsText(eligible)}`;
  return `ManagedCluster ${word} was not found: ${sets}${meantText(name, namesOf(world.objects.managedclusters))}`;
}
