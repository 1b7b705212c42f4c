import { DEFAULT_NAMESPACE } from '../../api/names.js';
import { systemClock } from '../../runtime/clock.js';
import type { WorldResource } from '../../domain/fleet/world.js';
import { readFiles } from '../files/files.js';
import type { CliConfig, OutputFormat } from '../flags.js';
import { answer, isColored } from '../terminal/answer.js';
import { INCOMPLETE } from '../terminal/output.js';
import { readFleetWorld, worldIn, type FleetReading, worldOfObjects } from './worlds.js';
import { isComplete } from './withheld.js';

export interface InspectOptions {
  readonly output: OutputFormat;
  readonly colored: boolean;
}

/** A command that shows what the objects of a hub, or of files, say. */
export interface Inspection {
  /** What is listed. Nothing else is needed to run the command. */
  readonly resources: readonly WorldResource[];
  /** The namespace whose objects are read, by that of the flags, of the kubeconfig or `default`; undefined: all. */
  readonly namespaceOf: (own: () => string) => string | undefined;
  readonly textOf: (reading: FleetReading, options: InspectOptions) => string;
}

type InspectConfig = CliConfig & { readonly command: string };

interface Read {
  readonly reading: FleetReading;
  /** Notes for standard error. */
  readonly errors: readonly string[];
}

/** Prints what the command shows; returns the exit code: 1, and one line on standard error, when there is nothing; 3 when not everything could be read. */
export function inspect(config: InspectConfig, inspection: Inspection): Promise<number> {
  return answer(config.command, async () => {
    const { reading, errors } = await read(config, inspection);
    const now = { ...reading, world: { ...reading.world, at: systemClock.now() } };
    const text = inspection.textOf(now, { output: config.output, colored: isColored(config) });
    return { text, exitCode: isComplete(reading) ? 0 : INCOMPLETE, errors };
  });
}

/** Loads the client of the API server only where it is needed: most of a start is spent on it. */
async function read(config: InspectConfig, { resources, namespaceOf }: Inspection): Promise<Read> {
  const { source } = config;
  if (source.kind === 'api') {
    const { absentNamespace, withHub } = await import('../hub.js');
    return withHub(config, source, async ({ client, namespace }) => {
      const reading = await readFleetWorld(client, {
        namespace: namespaceOf(namespace),
        fallback: namespace,
        resources,
      });
      const isEmpty = reading.world.objects.placements.length === 0;
      const absent = isEmpty ? await absentNamespace(config, client) : undefined;
      return { reading, errors: absent === undefined ? [] : [absent] };
    });
  }
  const own = config.namespace ?? DEFAULT_NAMESPACE;
  const namespace = namespaceOf(() => own);
  const world = worldIn(worldOfObjects(await readFiles([source.path]), own), namespace);
  return { reading: { world, namespace, refused: [] }, errors: [] };
}
