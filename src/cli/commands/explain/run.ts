import { rightsWanted } from '../../../answers/explain/explain.js';
import { DEFAULT_NAMESPACE } from '../../../api/names.js';
import { explainPlacement, type ExplainRequest } from './explain.js';
import { eventsAbout, readLeavingEvents } from '../../../answers/explain/events.js';
import { deniedOf } from '../../../answers/explain/rights.js';
import { DECISION_RESOURCES, readFleetWorld, readPlacementWorld, worldOfObjects } from '../../../answers/world/worlds.js';
import { INCOMPLETE } from '../../../answers/output.js';
import { absentInFiles, isComplete } from '../../../answers/world/withheld.js';
import type { ExplainConfig } from '../../rows/reading.js';
import type { World } from '../../../answers/world/world.js';
import { timeZoneData } from '../../../domain/placement/spec/changewindows.js';
import { systemClock } from '../../../runtime/clock.js';
import { answer, isColored } from '../../terminal/answer.js';
import { readFiles } from '../../../answers/files/files.js';
import type { Hub } from '../../hub.js';

/** What says who else may lose a cluster. */
const OTHERS = ['placements', 'placementdecisions', 'managedclustersetbindings'] as const;

interface Read {
  readonly world: World;
  readonly request: ExplainRequest;
}

/** Prints the explanation; returns the exit code: 1, and one line on standard error, when there is none; 3 when not everything could be read. */
export function runExplain(config: ExplainConfig): Promise<number> {
  return answer('explain', async () => {
    const { world, request } = await readFrom(config);
    const { beyond, leaving } = request;
    const isWhole = isComplete({ world, refused: beyond?.refused ?? [] }) && leaving?.withheld === undefined;
    const absent = config.source.kind === 'files' ? absentInFiles(world) : undefined;
    const errors = absent === undefined ? [] : [absent];
    return { text: explainPlacement(world, request), exitCode: isWhole ? 0 : INCOMPLETE, errors };
  });
}

/** Loads the client of the API server only where it is needed: most of a start is spent on it. */
async function readFrom(config: ExplainConfig): Promise<Read> {
  const { source } = config;
  if (source.kind === 'api') {
    const { withHub } = await import('../../hub.js');
    return withHub(config, source, (hub) => readHub(config, hub));
  }
  const namespace = config.namespace ?? DEFAULT_NAMESPACE;
  const world = { ...worldOfObjects(await readFiles(source.paths), namespace), at: systemClock.now() };
  return readOf(config, world, { namespace: config.allNamespaces ? undefined : namespace });
}

function readOf(
  config: ExplainConfig,
  world: World,
  found: Pick<ExplainRequest, 'namespace' | 'leaving' | 'beyond' | 'others'>,
): Read {
  const { placement, cluster, nearest, scores, output } = config;
  const shown = { nearest, scores, output, colored: isColored(config), timeZoneData: timeZoneData() };
  const request = { ...found, placement, cluster, ...shown };
  return { world, request };
}

async function readHub(config: ExplainConfig, hub: Hub): Promise<Read> {
  const { world, request } = await readObjects(config, hub);
  // Names hold no proposals.
  if (config.output === 'name') return { world, request };
  const denied = await deniedOf(hub.client, rightsWanted(world, request));
  return { world, request: { ...request, denied } };
}

async function readObjects(config: ExplainConfig, { client, namespace: fallback, now }: Hub): Promise<Read> {
  const name = config.placement;
  if (config.allNamespaces) {
    const beyond = await readFleetWorld(client, {
      namespace: undefined,
      fallback,
      resources: DECISION_RESOURCES,
    });
    return readOf(config, { ...beyond.world, at: await now() }, { namespace: undefined, beyond });
  }
  const namespace = fallback();
  const [world, read, others] = await Promise.all([
    readPlacementWorld(client, { namespace, name }),
    readLeavingEvents(client, { namespace, name }),
    readFleetWorld(client, { namespace: undefined, fallback, resources: OTHERS }),
  ]);
  const [placement] = world.objects.placements;
  const at = await now();
  const leaving = eventsAbout(read, placement?.metadata.uid, at);
  return readOf(config, { ...world, at }, { namespace, leaving, others });
}
