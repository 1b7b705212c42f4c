import { ManagedClusters } from '../../api/resources.js';
import type { World } from '../../domain/fleet/world.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import type { ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import { documentText, linesText, NotFoundError, resourceName, type OutputFormat } from '../output.js';
import { clusterLines } from './clustertext.js';
import { explanationDocument } from './document.js';
import { clusterIn, explainReport, type ExplainReport } from './report.js';
import { explanationLines } from './text.js';
import { setsText } from './texts.js';

export interface ExplainRequest {
  /** Undefined: the Placements of that name in all namespaces. */
  readonly namespace: string | undefined;
  readonly placement: string;
  /** The only cluster to explain; undefined: all. */
  readonly cluster: string | undefined;
  readonly nearest: number;
  readonly output: OutputFormat;
  readonly colored: boolean;
}

interface Explained {
  readonly report: ExplainReport;
  /** The only cluster to explain. */
  readonly one: ClusterExplanation | undefined;
}

/** The output of `explain placement`. @throws NotFoundError without such a Placement or cluster. */
export function explainPlacement(world: World, request: ExplainRequest): string {
  const explained = namespacesOf(world, request).map((namespace) => explainedIn(world, namespace, request));
  switch (request.output) {
    case 'text':
    case 'wide':
      return explained.map((one) => linesText(linesOf(one, request))).join('\n');
    case 'name':
      return linesText(selectedNames(explained));
    default:
      return documentText(documentOf(explained, request), request.output);
  }
}

function namespacesOf({ objects }: World, { namespace, placement }: ExplainRequest): readonly string[] {
  if (namespace !== undefined) return [namespace];
  const found = objects.placements.filter(({ metadata }) => metadata.name === placement);
  if (found.length === 0) throw new NotFoundError(`Placement ${wordText(placement)} was not found in any namespace`);
  return found.map(({ metadata }) => metadata.namespace ?? '').sort();
}

function explainedIn(world: World, namespace: string, { placement, cluster }: ExplainRequest): Explained {
  const report = explainReport(world, namespace, placement);
  if (report === undefined) throw new NotFoundError(`Placement ${namespace}/${placement} was not found`);
  const one = cluster === undefined ? undefined : clusterIn(report, world, cluster);
  if (cluster !== undefined && one === undefined) throw new NotFoundError(unknownCluster(cluster, report));
  return { report, one };
}

function linesOf(
  { report, one }: Explained,
  { nearest, colored, output, namespace }: ExplainRequest,
): readonly string[] {
  if (one === undefined) return explanationLines(report, { nearest, colored, wide: output === 'wide' });
  const { placement } = report.explanation;
  const headline = namespace === undefined ? [`${placement.namespace}/${placement.name}`] : [];
  return [...headline, ...clusterLines(one, report)];
}

/** One document; those of all namespaces as a List, as kubectl prints them. */
function documentOf(explained: readonly Explained[], { nearest, namespace }: ExplainRequest): object {
  const documents = explained.map(({ report, one }) => {
    const clusters = one === undefined ? report.explanation.clusters : [one];
    return explanationDocument(report, { clusters, nearest: one === undefined ? nearest : 0 });
  });
  const [first] = documents;
  return namespace === undefined || first === undefined ? { apiVersion: 'v1', kind: 'List', items: documents } : first;
}

/** The clusters that are selected or, where that cannot be computed, those of the decision. */
function selectedNames(explained: readonly Explained[]): readonly string[] {
  const names = explained.flatMap(({ report, one }) =>
    (one === undefined ? report.explanation.clusters : [one])
      .filter(({ verdict, inDecision }) => verdict === 'Selected' || (verdict === 'Unknown' && inDecision))
      .map(({ name }) => name),
  );
  return [...new Set(names)].sort().map((name) => resourceName(ManagedClusters, name));
}

function unknownCluster(name: string, { explanation, withheld }: ExplainReport): string {
  const word = wordText(name);
  if (explanation.schedule === undefined) {
    const unread = withheld.map(({ resource }) => resource).join(', ');
    return `cluster ${word} is not in the decision; more is not known, since ${unread} could not be read`;
  }
  const { eligible } = explanation.schedule.eligibility;
  const sets = eligible.length === 0 ? 'no cluster set is eligible' : `it is not in ${setsText(eligible)}`;
  return `ManagedCluster ${word} was not found: ${sets}`;
}
