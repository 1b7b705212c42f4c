import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { DEFAULT_NAMESPACE } from '../../../api/names.js';
import {
  DECISION_RESOURCES,
  readAt,
  readFleetWorld,
  type FleetReading,
  worldOfObjects,
} from '../../../answers/world/worlds.js';
import { fromOcm } from './fromocm.js';
import { planChange } from './plan.js';
import type { PlanConfig } from '../../rows/plan.js';
import { systemClock } from '../../../runtime/clock.js';
import { absentInFiles } from '../../../answers/world/withheld.js';
import { answer, isColored } from '../../terminal/answer.js';
import { readAppliedFiles, readFiles, type AppliedFiles } from '../../../answers/files/files.js';
import { StandardInput } from '../../../answers/files/standardinput.js';
import { progressLine, type ProgressLine } from '../../terminal/progressline.js';

/** The line is written again after so many Placements. */
const PROGRESS_STEP = 25;

interface Before {
  readonly reading: FleetReading;
  /** Of objects that name none. */
  readonly namespace: string;
  /** Notes for standard error. */
  readonly errors: readonly string[];
}

interface Manifests extends Partial<Pick<AppliedFiles, 'check' | 'stored'>> {
  readonly objects: readonly KubeObject[] | undefined;
}

/** Prints what the change does; returns the exit code: 0 without changes, 2 with changes, 1 for errors, 3 when not all could be read. */
export function runPlan(config: PlanConfig): Promise<number> {
  if (config.isFromOcm) return runFromOcm(config);
  const progress = progressLine();
  return answer('plan', async () => {
    try {
      const input = new StandardInput();
      const { objects: manifests, ...applied } = await manifestsOf(config, input);
      const { reading, namespace, errors } = await read(config, { progress, input });
      progress.show(`comparing ${reading.world.objects.placements.length} Placements`);
      const complete = config.source.kind === 'files';
      const onProgress = (done: number, all: number): void => {
        if (done % PROGRESS_STEP === 0) progress.show(`decided ${done} of ${all} Placements without each value`);
      };
      const colored = isColored(config);
      const output = planChange(reading, {
        ...config,
        ...applied,
        namespace,
        manifests,
        complete,
        colored,
        onProgress,
      });
      const after = manifests === undefined ? reading.world : worldOfObjects(manifests, namespace);
      const absent = complete ? absentInFiles(after) : undefined;
      return { ...output, errors: [...errors, ...output.errors, ...(absent === undefined ? [] : [absent])] };
    } finally {
      progress.clear();
    }
  });
}

/** Sends no request. */
function runFromOcm({ files, recursive, output }: PlanConfig): Promise<number> {
  return answer('plan', async () => {
    const { text, notes, exitCode } = await fromOcm(await readFiles(files, { recursive }), output);
    return { text, exitCode, errors: notes };
  });
}

/** Files that are all objects after the change are whole; others are merged into what is on the hub, and then judged. */
async function manifestsOf(
  { source, files, recursive, namespace }: PlanConfig,
  input: StandardInput,
): Promise<Manifests> {
  if (files.length === 0) return { objects: undefined };
  if (source.kind === 'api') return readAppliedFiles(files, { recursive, namespace, input });
  return { objects: await readFiles(files, { recursive, namespace, input }) };
}

/** Loads the client of the API server only where it is needed: most of a start is spent on it. */
async function read(
  config: PlanConfig,
  { progress, input }: { readonly progress: ProgressLine; readonly input: StandardInput },
): Promise<Before> {
  const { source, recursive } = config;
  if (source.kind === 'api') {
    const { absentNamespace, withHub } = await import('../../hub.js');
    return withHub(config, source, async ({ client, namespace: fallback, now }) => {
      const namespace = fallback();
      const onProgress = (resource: string, objects: number): void => progress.count(resource, objects);
      const scope = { namespace: undefined, fallback, resources: DECISION_RESOURCES, onProgress };
      const reading = await readFleetWorld(client, scope);
      const objects = Object.values(reading.world.objects).flat();
      const isEmpty = objects.every(({ metadata }) => metadata.namespace !== namespace);
      const absent = isEmpty ? await absentNamespace(config, client) : undefined;
      const errors = absent === undefined ? [] : [absent];
      return { reading: await readAt(reading, now), namespace, errors };
    });
  }
  const namespace = config.namespace ?? DEFAULT_NAMESPACE;
  const objects = source.base === undefined ? [] : await readFiles([source.base], { recursive, input });
  return {
    reading: {
      world: { ...worldOfObjects(objects, namespace), at: systemClock.now() },
      namespace: undefined,
      refused: [],
    },
    namespace,
    errors: [],
  };
}
