import { dump } from 'js-yaml';
import type { World } from '../../domain/fleet/world.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { clusterLines } from './clustertext.js';
import { explanationDocument } from './document.js';
import { clusterIn, explainReport, type ExplainReport } from './report.js';
import { explanationLines } from './text.js';
import { setsText } from './texts.js';

export interface ExplainRequest {
  readonly namespace: string;
  readonly placement: string;
  /** The only cluster to explain; undefined: all. */
  readonly cluster: string | undefined;
  readonly nearest: number;
  readonly output: 'text' | 'json' | 'yaml';
  readonly colored: boolean;
}

/** Something that the user asked for does not exist. The message is one line. */
export class NotFoundError extends Error {}

/** The output of `explain placement`. @throws NotFoundError without such a Placement or cluster. */
export function explainPlacement(world: World, request: ExplainRequest): string {
  const { namespace, placement, cluster, nearest, output, colored } = request;
  const report = explainReport(world, namespace, placement);
  if (report === undefined) throw new NotFoundError(`Placement ${namespace}/${placement} was not found`);
  const one = cluster === undefined ? undefined : clusterIn(report, world, cluster);
  if (cluster !== undefined && one === undefined) throw new NotFoundError(unknownCluster(cluster, report));
  if (output === 'text') {
    const lines = one === undefined ? explanationLines(report, { nearest, colored }) : clusterLines(one, report);
    return lines.map((line) => `${line}\n`).join('');
  }
  const clusters = one === undefined ? report.explanation.clusters : [one];
  const document = explanationDocument(report, { clusters, nearest: one === undefined ? nearest : 0 });
  return output === 'yaml' ? dump(document, { lineWidth: -1, noRefs: true }) : `${JSON.stringify(document, null, 2)}\n`;
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
