import { explainPlacement } from '../../cli/explain/command.js';
import { readPlacementWorld, worldOfObjects } from '../../cli/sources.js';
import type { ExplainConfig } from '../../config/explain.js';
import { DEFAULT_NAMESPACE } from '../../api/names.js';
import { WORLD_RESOURCES, type World } from '../../domain/fleet/world.js';
import { readFleetWorld } from '../../cli/fleetsource.js';
import { answer, isColored, readFiles } from './answer.js';

/** Prints the explanation; returns the exit code: 1, and one line on standard error, when there is none. */
export function runExplain(config: ExplainConfig): Promise<number> {
  return answer('explain', async () => {
    const { world, namespace } = await read(config);
    const { placement, cluster, nearest, output } = config;
    const within = config.allNamespaces ? undefined : namespace;
    const request = { namespace: within, placement, cluster, nearest, output, colored: isColored(config) };
    return { text: explainPlacement(world, request), exitCode: 0 };
  });
}

const RESOURCES = WORLD_RESOURCES.filter((one) => one !== 'multiclusterengines');

/** Loads the client of the API server only where it is needed: most of a start is spent on it. */
async function read(config: ExplainConfig): Promise<{ readonly world: World; readonly namespace: string }> {
  const { source } = config;
  if (source.kind === 'api') {
    const { withHub } = await import('./hub.js');
    return withHub(config, source, async ({ client, namespace }) => {
      if (config.allNamespaces) {
        const scope = { namespace: undefined, fallback: namespace, resources: RESOURCES };
        return { world: (await readFleetWorld(client, scope)).world, namespace };
      }
      return { world: await readPlacementWorld(client, { namespace, name: config.placement }), namespace };
    });
  }
  const namespace = config.namespace ?? DEFAULT_NAMESPACE;
  return { world: worldOfObjects(readFiles(source.path), namespace), namespace };
}
