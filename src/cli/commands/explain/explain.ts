import { ManagedClusters } from '../../../api/resources.js';
import { eventLines } from '../../../answers/explain/events.js';
import {
  explained,
  explanationOf,
  unknownCluster,
  zoneDataOf,
  type Explained,
  type ExplainQuestion,
} from '../../../answers/explain/explain.js';
import { clusterLines, explanationLines } from '../../../answers/explain/text.js';
import { resourceName } from '../../../answers/output.js';
import { refusedLine } from '../../../answers/world/withheld.js';
import type { World } from '../../../answers/world/world.js';
import { shownAnswer, type ShownOptions, type TextOptions } from '../../terminal/shown.js';

export interface ExplainRequest extends ExplainQuestion, ShownOptions {
  /** Show what each score is the sum of; JSON always has it. */
  readonly scores?: boolean;
}

/** The output of `explain placement`. @throws NotFoundError without such a Placement or cluster. */
export function explainPlacement(world: World, request: ExplainRequest): string {
  const found = explained(world, request);
  return shownAnswer(() => explanationOf(found, request), request, {
    lines: (how) => {
      const note = request.beyond === undefined ? undefined : refusedLine(request.beyond);
      const texts = found.map((one) => linesOf(one, request, how));
      // A blank line between Placements.
      const lines = [...(note === undefined ? [] : [[note]]), ...texts];
      return lines.flatMap((one, index) => (index === 0 ? one : ['', ...one]));
    },
    names: () => selectedNames(found),
  });
}

function linesOf(
  { report, clusters }: Explained,
  request: ExplainRequest,
  { wide, colored }: TextOptions,
): readonly string[] {
  const { nearest, namespace, cluster, leaving, scores = false } = request;
  const events = leaving === undefined ? [] : eventLines(leaving, cluster);
  const zones = zoneDataOf(report, request);
  if (cluster === undefined)
    return [
      ...explanationLines(report, { nearest, colored, wide, scores }),
      ...(zones === undefined ? [] : [`change windows are computed with time zone data ${zones}`]),
      ...events,
    ];
  const { placement } = report.explanation;
  const headline = namespace === undefined ? [`${placement.namespace}/${placement.name}`] : [];
  const lines = clusters.flatMap((one) => clusterLines(one, report));
  return [...headline, ...(lines.length === 0 ? [unknownCluster(cluster, report)] : lines), ...events];
}

/** The clusters that are selected or, where that cannot be computed, those of the decision. */
function selectedNames(found: readonly Explained[]): readonly string[] {
  const names = found.flatMap(({ clusters }) =>
    clusters
      .filter(({ verdict, inDecision }) => verdict === 'Selected' || (verdict === 'Unknown' && inDecision))
      .map(({ name }) => name),
  );
  return [...new Set(names)].sort().map((name) => resourceName(ManagedClusters, name));
}
