import { DEFAULT_NAMESPACE } from '../../api/names.js';
import { ManagedClusters } from '../../api/resources.js';
import { eventLines, eventsAbout, readLeavingEvents } from '../../answers/explain/events.js';
import {
  explained,
  explanationOf,
  unknownCluster,
  zoneDataOf,
  type Explained,
  type ExplainQuestion,
} from '../../answers/explain/explain.js';
import { clusterLines, explanationLines } from '../../answers/explain/text.js';
import { readFiles } from '../../answers/files/files.js';
import { INCOMPLETE, resourceName, shownAnswer, type ShownOptions, type TextOptions } from '../../answers/output.js';
import {
  absentInFiles,
  isComplete,
  refusedLine,
  DECISION_RESOURCES,
  readFleetWorld,
  readPlacementWorld,
  worldOfObjects,
} from '../../answers/world/worlds.js';
import type { World } from '../../answers/world/world.js';
import { timeZoneData } from '../../domain/placement/spec/changewindows.js';
import { systemClock } from '../../runtime/clock.js';
import type { Hub } from '../hub.js';
import type { InspectConfig } from '../inspect.js';
import { answer, isColored } from '../terminal/answer.js';

export type ExplainConfig = InspectConfig &
  Pick<ExplainQuestion, 'placement' | 'cluster' | 'nearest'> & { readonly scores: boolean };

export interface ExplainRequest extends ExplainQuestion, ShownOptions {
  /** Show what each score is the sum of; JSON always has it. */
  readonly scores?: boolean;
}

/** What says who else may lose a cluster. */
const OTHERS = ['placements', 'placementdecisions', 'managedclustersetbindings'] as const;

/** What was read, and where. */
interface Found extends Pick<ExplainQuestion, 'namespace' | 'leaving' | 'beyond' | 'others'> {
  readonly world: World;
}

/** Prints the explanation; returns the exit code: 1, and one line on standard error, when there is none; 3 when not everything could be read. */
export function runExplain(config: ExplainConfig): Promise<number> {
  return answer('explain', () =>
    read(config, ({ world, ...found }) => {
      const { beyond, leaving } = found;
      const isWhole = isComplete({ world, refused: beyond?.refused ?? [] }) && leaving?.withheld === undefined;
      const absent = config.source.kind === 'files' ? absentInFiles(world) : undefined;
      const text = explainPlacement(world, requestOf(config, found));
      return { text, exitCode: isWhole ? 0 : INCOMPLETE, errors: absent === undefined ? [] : [absent] };
    }),
  );
}

function requestOf(config: ExplainConfig, found: Omit<Found, 'world'>): ExplainRequest {
  const { placement, cluster, nearest, scores, output } = config;
  const question = { ...found, placement, cluster, nearest, timeZoneData: timeZoneData() };
  return { ...question, scores, output, colored: isColored(config) };
}

/**
 * Explains what was read, while the hub can still be asked whether a namespace exists. Loads the client of the API server only where
 * it is needed: most of a start is spent on it.
 */
async function read<T>(config: ExplainConfig, explain: (found: Found) => T): Promise<T> {
  const { source } = config;
  if (source.kind === 'api') {
    const { withHub } = await import('../hub.js');
    return withHub(config, source, async (hub) => explain(await readHub(config, hub)));
  }
  const namespace = config.namespace ?? DEFAULT_NAMESPACE;
  const world = { ...worldOfObjects(await readFiles(source.paths), namespace), at: systemClock.now() };
  return explain({ world, namespace: config.allNamespaces ? undefined : namespace });
}

async function readHub(config: ExplainConfig, { client, namespace: fallback, now }: Hub): Promise<Found> {
  if (config.allNamespaces) {
    const beyond = await readFleetWorld(client, { namespace: undefined, fallback, resources: DECISION_RESOURCES });
    return { world: { ...beyond.world, at: await now() }, namespace: undefined, beyond };
  }
  const [namespace, name] = [fallback(), config.placement];
  const [world, events, others] = await Promise.all([
    readPlacementWorld(client, { namespace, name }),
    readLeavingEvents(client, { namespace, name }),
    readFleetWorld(client, { namespace: undefined, fallback, resources: OTHERS }),
  ]);
  const at = await now();
  const leaving = eventsAbout(events, world.objects.placements[0]?.metadata.uid, at);
  return { world: { ...world, at }, namespace, leaving, others };
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
