import { DEFAULT_NAMESPACE } from '../api/names.js';
import { systemClock } from '../runtime/clock.js';
import type { WorldResource } from '../answers/world/world.js';
import { readFiles } from '../answers/files/files.js';
import type { CliConfig } from './flags.js';
import type { Hub } from './hub.js';
import { PROGRAM } from './program.js';
import { answer, isColored } from './terminal/answer.js';
import { INCOMPLETE, type ShownOptions } from '../answers/output.js';
import { printNote } from './terminal/print.js';
import {
  DECISION_RESOURCES,
  readFleetWorld,
  worldIn,
  type FleetReading,
  type FleetScope,
  worldOfObjects,
  absentInFiles,
  isComplete,
} from '../answers/world/worlds.js';
import { absentNamespaceNote } from '../answers/meant.js';

/** A command that shows what the objects of a hub, or of files, say. */
export interface Inspection {
  /** What is listed. Nothing else is needed to run the command. */
  readonly resources: readonly WorldResource[];
  /** The namespace whose objects are read, by that of the flags, of the kubeconfig or `default`; undefined: all. */
  readonly namespaceOf: (own: () => string) => string | undefined;
  readonly textOf: (reading: FleetReading, options: ShownOptions) => string;
}

/** Of a command that reads objects and shows something about them. */
export type InspectConfig = CliConfig & { readonly command: string };

export interface Read {
  readonly reading: FleetReading;
  /** Notes for standard error. */
  readonly errors: readonly string[];
}

/**
 * Prints what the command shows; returns the exit code: 1, and one line on standard error, when there is nothing; 3 when not
 * everything could be read.
 */
export function inspect(config: InspectConfig, inspection: Inspection): Promise<number> {
  return answer(config.command, async () => {
    const { reading, errors } = await read(config, inspection);
    const text = textOf(config, inspection, { reading, errors });
    return { text, exitCode: isComplete(reading) ? 0 : INCOMPLETE, errors };
  });
}

/** What is missing from the files is also said where nothing can be shown because of it. */
function textOf(config: InspectConfig, inspection: Inspection, { reading, errors }: Read): string {
  try {
    return inspection.textOf(reading, { output: config.output, colored: isColored(config) });
  } catch (error) {
    printNote(errors.map((line) => `${PROGRAM} ${config.command}: ${line}\n`).join(''));
    throw error;
  }
}

/** Loads the client of the API server only where it is needed: most of a start is spent on it. */
async function read(config: InspectConfig, inspection: Inspection): Promise<Read> {
  const { source } = config;
  if (source.kind === 'api') {
    const { withHub } = await import('./hub.js');
    return withHub(config, source, (hub) => readHub(config, scopeOf(inspection, hub), hub));
  }
  const own = config.namespace ?? DEFAULT_NAMESPACE;
  const namespace = inspection.namespaceOf(() => own);
  const all = worldOfObjects(await readFiles(source.paths), own);
  const absent = inspection.resources === DECISION_RESOURCES ? absentInFiles(all) : undefined;
  const errors = absent === undefined ? [] : [absent];
  const world = { ...worldIn(all, namespace), at: systemClock.now() };
  return { reading: { world, namespace, refused: [] }, errors };
}

function scopeOf({ resources, namespaceOf }: Inspection, hub: Hub): Omit<FleetScope, 'fallback'> {
  return { namespace: namespaceOf(hub.namespace), resources };
}

/** What the hub says of the scope, and that the namespace of the flags does not exist where that is so. */
export async function readHub(
  { namespace: named }: Pick<CliConfig, 'namespace'>,
  scope: Omit<FleetScope, 'fallback'>,
  { client, namespace: fallback, now }: Hub,
): Promise<Read> {
  const reading = await readFleetWorld(client, { ...scope, fallback });
  const isThere = reading.world.objects.placements.some(({ metadata }) => metadata.namespace === named);
  const absent = named === undefined || isThere ? undefined : await absentNamespaceNote(client, named);
  // By the clock of the hub.
  const world = { ...reading.world, at: await now() };
  return { reading: { ...reading, world }, errors: absent === undefined ? [] : [absent] };
}
