import type { ApiSource } from '../../runtime/flags/target.js';
import { DEFAULT_NAMESPACE } from '../../api/names.js';
import { Placements } from '../../api/resources.js';
import { readAppliedFiles, readFiles, type AppliedFiles, manifestFaults } from '../../answers/files/files.js';
import { StandardInput } from '../../answers/files/usermanifests.js';
import {
  INCOMPLETE,
  resourceName,
  shownAnswer,
  type ShownOptions,
  documentText,
  InputError,
  manifestsText,
  type OutputFormat,
} from '../../answers/output.js';
import { changedBy, type ChangeRequest } from '../../answers/plan/changed.js';
import { isChange } from '../../answers/plan/document.js';
import { lostBy } from '../../answers/plan/lose.js';
import { loseEach } from '../../answers/plan/loseeach.js';
import { lossReport, planReport, type ChangeLimits, type PlanReport } from '../../answers/plan/report.js';
import { MORE_MOVES, planLines } from '../../answers/plan/text.js';
import type { Change } from '../../answers/world/overlay.js';
import {
  absentInFiles,
  isComplete,
  DECISION_RESOURCES,
  TYPES,
  worldOfObjects,
  type FleetReading,
} from '../../answers/world/worlds.js';
import { systemClock } from '../../runtime/clock.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { readHub, type InspectConfig, type Read } from '../inspect.js';
import { answer, isColored } from '../terminal/answer.js';
import { progressLine, type ProgressLine } from '../terminal/progressline.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { problemText } from '../../domain/conditions.js';
import { carriedOver, type CarriedOver } from '../../domain/inventories/ocmpolicy.js';

/** The line is written again after so many Placements. */
const PROGRESS_STEP = 25;

export interface PlanConfig
  extends
    Omit<InspectConfig, 'source' | 'allNamespaces'>,
    Pick<PlanRequest, 'deletions' | 'labels' | 'lost' | 'loseEach' | keyof ChangeLimits> {
  /** Files and folders; `-` is standard input. */
  readonly files: readonly string[];
  readonly recursive: boolean;
  readonly isFromOcm: boolean;
  /**
   * Where the objects before the change come from: an API server, whose objects `files` change, or a file or folder, which
   * `files` replace as a whole. Without a `base` nothing exists before.
   */
  readonly source: ApiSource | { readonly kind: 'files'; readonly base: string | undefined };
}

interface Before extends Read {
  /** The namespace of objects that name none. */
  readonly namespace: string;
}

interface Manifests extends Partial<Pick<AppliedFiles, 'check' | 'withDefaults'>> {
  readonly objects: readonly KubeObject[] | undefined;
}

/** Prints what the change does; returns the exit code: 0 without changes, 2 with changes, 1 for errors, 3 when not all could be read. */
export function runPlan(config: PlanConfig): Promise<number> {
  const { isFromOcm, files, recursive, output: format } = config;
  // It sends no request.
  if (isFromOcm) return answer('plan', async () => fromOcm(await readFiles(files, { recursive }), format));
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
      const request = { ...config, ...applied, namespace, manifests, complete, colored, onProgress };
      const output = planChange(reading, request);
      const after = manifests === undefined ? reading.world : worldOfObjects(manifests, namespace);
      const absent = complete ? absentInFiles(after) : undefined;
      return { ...output, errors: [...errors, ...output.errors, ...(absent === undefined ? [] : [absent])] };
    } finally {
      progress.clear();
    }
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
    const { withHub } = await import('../hub.js');
    return withHub(config, source, async (hub) => {
      const onProgress = (resource: string, objects: number): void => progress.count(resource, objects);
      const scope = { namespace: undefined, resources: DECISION_RESOURCES, onProgress };
      return { ...(await readHub(config, scope, hub)), namespace: hub.namespace() };
    });
  }
  const namespace = config.namespace ?? DEFAULT_NAMESPACE;
  const objects = source.base === undefined ? [] : await readFiles([source.base], { recursive, input });
  const world = { ...worldOfObjects(objects, namespace), at: systemClock.now() };
  return { reading: { world, namespace: undefined, refused: [] }, namespace, errors: [] };
}

export interface PlanRequest extends ChangeLimits, ChangeRequest, ShownOptions {
  /** `claim/KEY=VALUE` or the like each: what is taken away once the changes are made. */
  readonly lost?: readonly string[] | undefined;
  /** `claim/KEY` or `label/KEY`: each of its values is taken away instead. */
  readonly loseEach?: string | undefined;
  /** Runs after each Placement that is decided without each value. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

export interface PlanOutput {
  readonly text: string;
  /** Lines for standard error: why the exit code is 1 or 3, and what a loss counts as made. */
  readonly errors: readonly string[];
  /**
   * 0: no Placement changes; 2: some do, or would be short without some value of a key; 1: a limit is exceeded; 3: what the
   * change does is not known for all Placements.
   */
  readonly exitCode: 0 | 1 | 2 | typeof INCOMPLETE;
}

/**
 * The output of `plan`. Files come first, then labels, then deletions, and then what is lost.
 * @throws ChangeTextError for a change that cannot be read, NotFoundError for one of an object that does not exist
 */
export function planChange(before: FleetReading, request: PlanRequest): PlanOutput {
  const changed = changedBy(before, request);
  const { after, writes } = changed;
  if ((request.lost ?? []).length > 0 || request.loseEach !== undefined)
    return planLosses({ ...before, world: after }, request, writes.length > 0 ? [CHANGES_MADE] : []);
  return outputOf(before, planReport(before, changed, request), { ...request, isKnown: isKnown(before, writes) });
}

const CHANGES_MADE = 'the changes of -f, --set and --delete count as made';

/** A loss reaches the Placements of all namespaces. `notes`: for standard error. */
function planLosses(after: FleetReading, request: PlanRequest, notes: readonly string[]): PlanOutput {
  const known = isComplete(after);
  if (request.loseEach === undefined) {
    const report = lossReport(after, lostBy(after.world, request.lost ?? []), request);
    const output = outputOf(after, report, { ...request, isKnown: known });
    return { ...output, errors: [...notes, ...output.errors] };
  }
  const { text, isShort } = loseEach(after, request.loseEach, request);
  if (!known) return { text, errors: [...notes, NOT_READ], exitCode: INCOMPLETE };
  return { text, errors: notes, exitCode: isShort ? 2 : 0 };
}

const NOT_READ = 'not everything could be read';
const NOT_COUNTED = `not all moves are counted for the limits: ${MORE_MOVES}`;

/** `isKnown`: whether all Placements were read. Without Placements none of them is unknown, and there may be some. */
function outputOf(
  reading: FleetReading,
  { document, isCounted }: PlanReport,
  request: PlanRequest & { readonly isKnown: boolean },
): PlanOutput {
  const { exceeded, summary } = document;
  const hasLimit = request.maxRemovals !== undefined || request.maxAdditions !== undefined;
  const errors = [
    ...exceeded.map(
      ({ additions, message }) => `--max-${additions === undefined ? 'removals' : 'additions'}: ${message}`,
    ),
    ...(hasLimit && !isCounted ? [NOT_COUNTED] : []),
    ...(request.isKnown ? [] : [NOT_READ]),
  ];
  const changed = summary.changed === 0 ? 0 : 2;
  const exitCode = exceeded.length > 0 ? 1 : errors.length > 0 ? INCOMPLETE : changed;
  const text = shownAnswer(document, request, {
    lines: (how) => planLines(document, reading, how),
    names: () => document.placements.filter(isChange).map(({ name }) => resourceName(Placements, name)),
  });
  return { text, errors, exitCode };
}

/** Whether all Placements that the changes can reach were read: what has no namespace reaches those of all namespaces. */
function isKnown({ world, refused }: FleetReading, changes: readonly Change[]): boolean {
  return (
    world.withheld.length === 0 && (refused.length === 0 || changes.every(({ resource }) => TYPES[resource].namespaced))
  );
}

const CARRIED = 'Placement, ManagedClusterSet or ManagedClusterSetBinding of Open Cluster Management';

/**
 * The objects of this project. One with fields that cannot be carried over, or that the definitions refuse, is left out and named.
 * `errors`: what differs, and what is not carried over; `exitCode`: 1 when something is not, as for kubectl apply with a file of
 * which one object is refused.
 * @throws InputError for files without an object of the kinds that are carried over.
 */
export async function fromOcm(manifests: readonly KubeObject[], output: OutputFormat) {
  const objects: KubeObject[] = [];
  const errors: string[] = [];
  let exitCode = 0;
  for (const manifest of manifests) {
    const name = `${manifest.kind ?? ''} ${keyOf(manifest.metadata)}`;
    const { object, differences, faults } = await carried(manifest);
    if (faults.length > 0) {
      errors.push(`${name} is not carried over: ${faults.join('; ')}`);
      exitCode = 1;
      continue;
    }
    for (const { field, text } of differences) errors.push(`${name}${field === '' ? '' : `: ${field}:`} ${text}`);
    if (object !== undefined) objects.push(object);
  }
  if (objects.length === 0 && exitCode === 0) throw new InputError(`no ${CARRIED} is there`);
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  return { text: output === 'json' ? documentText(list, 'json') : manifestsText(objects), errors, exitCode };
}

async function carried(manifest: KubeObject): Promise<CarriedOver & { readonly faults: readonly string[] }> {
  const result = carriedOver(manifest);
  if (result === undefined) {
    const text = `is left out: it is no ${CARRIED}`;
    return { object: undefined, differences: [{ field: '', text }], faults: [] };
  }
  if (!result.ok) return { object: undefined, differences: [], faults: result.problems.map(problemText) };
  const { object } = result.value;
  const faults = object === undefined ? [] : await manifestFaults(object);
  return { ...result.value, faults: faults.map((fault) => `as it would be here: ${fault}`) };
}
