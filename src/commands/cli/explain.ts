import { DEFAULT_NAMESPACE } from '../../api/names.js';
import { explainPlacement, type ExplainRequest } from '../../cli/explain/command.js';
import { readLeavingEvents } from '../../cli/explain/events.js';
import { readFleetWorld } from '../../cli/fleetsource.js';
import { DECISION_RESOURCES } from '../../cli/inspect/options.js';
import { INCOMPLETE } from '../../cli/output.js';
import { readOthers, readPlacementWorld, worldOfObjects } from '../../cli/sources.js';
import { isComplete } from '../../cli/withheld.js';
import type { ExplainConfig } from '../../config/explain.js';
import type { World } from '../../domain/fleet/world.js';
import { systemClock } from '../../runtime/clock.js';
import { answer, isColored } from './answer.js';
import { readFiles } from './files.js';
import type { Hub } from './hub.js';

type Read = Pick<ExplainRequest, 'namespace' | 'leaving' | 'beyond' | 'others'> & { readonly world: World };

/** Prints the explanation; returns the exit code: 1, and one line on standard error, when there is none; 3 when not everything could be read. */
export function runExplain(config: ExplainConfig): Promise<number> {
  return answer('explain', async () => {
    const { world, ...read } = await readFrom(config);
    const { placement, cluster, nearest, output } = config;
    const request = { ...read, placement, cluster, nearest, output, colored: isColored(config) };
    const isWhole = isComplete({ world, refused: read.beyond?.refused ?? [] }) && read.leaving?.withheld === undefined;
    const text = explainPlacement({ ...world, at: systemClock.now() }, request);
    return { text, exitCode: isWhole ? 0 : INCOMPLETE };
  });
}

/** Loads the client of the API server only where it is needed: most of a start is spent on it. */
async function readFrom(config: ExplainConfig): Promise<Read> {
  const { source } = config;
  if (source.kind === 'api') {
    const { withHub } = await import('./hub.js');
    return withHub(config, source, (hub) => readHub(config, hub));
  }
  const namespace = config.namespace ?? DEFAULT_NAMESPACE;
  const world = worldOfObjects(readFiles([source.path]), namespace);
  return { world, namespace: config.allNamespaces ? undefined : namespace };
}

async function readHub({ placement: name, allNamespaces }: ExplainConfig, { client, namespace }: Hub): Promise<Read> {
  if (allNamespaces) {
    const beyond = await readFleetWorld(client, {
      namespace: undefined,
      fallback: namespace,
      resources: DECISION_RESOURCES,
    });
    return { world: beyond.world, namespace: undefined, beyond };
  }
  const [world, leaving, others] = await Promise.all([
    readPlacementWorld(client, { namespace, name }),
    readLeavingEvents(client, { namespace, name }, systemClock.now()),
    readOthers(client),
  ]);
  return { world, namespace, leaving, others };
}
