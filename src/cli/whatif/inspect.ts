import { DEFAULT_NAMESPACE } from '../../api/names.js';
import { readFleetWorld, worldIn, type FleetReading } from './fleetsource.js';
import { INSPECT_RESOURCES } from './resources.js';
import { status } from '../status/text.js';
import { tree } from '../tree/text.js';
import { whoSelects } from '../whoselects/text.js';
import { INCOMPLETE } from '../terminal/output.js';
import { worldOfObjects } from './worlds.js';
import { isComplete } from './withheld.js';
import { systemClock } from '../../runtime/clock.js';
import type { StatusConfig } from '../status/flags.js';
import type { TreeConfig } from '../tree/flags.js';
import type { WhoSelectsConfig } from '../whoselects/flags.js';
import { answer, isColored } from '../terminal/answer.js';
import { readFiles } from '../files/files.js';

interface Read {
  readonly reading: FleetReading;
  /** Notes for standard error. */
  readonly errors: readonly string[];
}

type InspectConfig = WhoSelectsConfig | TreeConfig | StatusConfig;

/** Prints what the command shows; returns the exit code: 1, and one line on standard error, when there is nothing; 3 when not everything could be read. */
export function runInspect(config: InspectConfig): Promise<number> {
  return answer(config.command, async () => {
    const { reading, errors } = await read(config);
    return { text: textOf(config, reading), exitCode: isComplete(reading) ? 0 : INCOMPLETE, errors };
  });
}

function textOf(config: InspectConfig, found: FleetReading): string {
  const reading = { ...found, world: { ...found.world, at: systemClock.now() } };
  const options = { output: config.output, colored: isColored(config) };
  switch (config.command) {
    case 'who-selects':
      return whoSelects(reading, config.cluster, options);
    case 'tree':
      return tree(reading, config.placement, options);
    case 'status':
      return status(reading, options);
  }
}

/** `tree` shows one namespace unless all are asked for; the others show all of them unless one is. */
function namespaceOf(config: InspectConfig, own: () => string): string | undefined {
  if (config.command === 'tree') return config.allNamespaces ? undefined : own();
  return config.namespace;
}

/** Loads the client of the API server only where it is needed: most of a start is spent on it. */
async function read(config: InspectConfig): Promise<Read> {
  const { source } = config;
  if (source.kind === 'api') {
    const { absentNamespace, withHub } = await import('../hub.js');
    return withHub(config, source, async ({ client, namespace }) => {
      const reading = await readFleetWorld(client, {
        namespace: namespaceOf(config, namespace),
        fallback: namespace,
        resources: INSPECT_RESOURCES[config.command],
      });
      const isEmpty = reading.world.objects.placements.length === 0;
      const absent = isEmpty ? await absentNamespace(config, client) : undefined;
      return { reading, errors: absent === undefined ? [] : [absent] };
    });
  }
  const own = config.namespace ?? DEFAULT_NAMESPACE;
  const namespace = namespaceOf(config, () => own);
  const world = worldIn(worldOfObjects(await readFiles([source.path]), own), namespace);
  return { reading: { world, namespace, refused: [] }, errors: [] };
}
