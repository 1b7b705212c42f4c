import { keyOf } from '../../runtime/vocabulary/names.js';
import type { KubeObject, ObjectName } from '../../runtime/vocabulary/meta.js';
import { meantText } from '../../runtime/vocabulary/nearestword.js';
import {
  MissingObjectError,
  namespaceDeletions,
  overlay,
  replacedBy,
  type Change,
} from '../../answers/world/overlay.js';
import type { World, WorldResource } from '../../answers/world/world.js';
import { Placements } from '../../api/resources.js';
import { type FleetReading, TYPES, worldOfObjects } from '../../answers/world/worlds.js';
import {
  documentText,
  INCOMPLETE,
  linesText,
  NotFoundError,
  resourceName,
  type OutputFormat,
} from '../../answers/output.js';
import { meantAmong } from '../../answers/meant.js';
import {
  appliedManifests,
  ChangeTextError,
  deletion,
  labelChange,
  namespaceDeleted,
} from '../../answers/plan/changes.js';
import { planDocument } from '../../answers/plan/document.js';
import { lostBy } from '../../answers/plan/lose.js';
import { loseEach } from '../../answers/plan/loseeach.js';
import {
  isChange,
  lossReport,
  planReport,
  type Changed,
  type ChangeLimits,
  type PlanReport,
} from '../../answers/plan/report.js';
import { excessText, MORE_MOVES, planLines } from '../../answers/plan/text.js';

export interface PlanRequest extends ChangeLimits {
  /** Of objects that name none. */
  readonly namespace: string;
  /** The objects of the files; undefined when no file is given. */
  readonly manifests: readonly KubeObject[] | undefined;
  /** Throws for an object of the manifests, as it is merged into the live one, that the API server refuses. */
  readonly check?: ((merged: KubeObject, live: KubeObject | undefined) => void) | undefined;
  /** Whether `manifests` are all objects after the change. Otherwise they are applied. */
  readonly complete: boolean;
  /** `KIND/NAME` each. */
  readonly deletions: readonly string[];
  /** `mcl/NAME:KEY=VALUE` or `mcl/NAME:KEY-` each. */
  readonly labels: readonly string[];
  /** `claim/KEY=VALUE` or the like each: what is taken away once the changes are made. */
  readonly lost?: readonly string[] | undefined;
  /** `claim/KEY` or `label/KEY`: each of its values is taken away instead. */
  readonly loseEach?: string | undefined;
  /** Runs after each Placement that is decided without each value. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
  readonly output: OutputFormat;
  readonly colored: boolean;
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
  const changes = changesOf(request);
  const outcome = changed(before, request, changes);
  checkApplied(before.world, outcome.after, changes, request);
  if ((request.lost ?? []).length > 0 || request.loseEach !== undefined) {
    const hasChanges = changes.length + request.deletions.length > 0;
    return planLosses({ ...before, world: outcome.after }, request, hasChanges ? [CHANGES_MADE] : []);
  }
  const report = planReport(before, outcome, request);
  return outputOf(report, request, isKnown(before, [...changes, ...deletionsOf(request)]));
}

const CHANGES_MADE = 'the changes of -f, --set and --delete count as made';

/** A loss reaches the Placements of all namespaces. `notes`: for standard error. */
function planLosses(after: FleetReading, request: PlanRequest, notes: readonly string[]): PlanOutput {
  const known = after.world.withheld.length + after.refused.length === 0;
  if (request.loseEach === undefined) {
    const output = outputOf(lossReport(after, lostBy(after.world, request.lost ?? []), request), request, known);
    return { ...output, errors: [...notes, ...output.errors] };
  }
  const { text, isShort } = loseEach(after, request.loseEach, request);
  if (!known) return { text, errors: [...notes, NOT_READ], exitCode: INCOMPLETE };
  return { text, errors: notes, exitCode: isShort ? 2 : 0 };
}

const NOT_READ = 'not everything could be read';
const NOT_COUNTED = `not all moves are counted for the limits: ${MORE_MOVES}`;

/** `known`: whether all Placements were read. Without Placements none of them is unknown, and there may be some. */
function outputOf(report: PlanReport, request: PlanRequest, known: boolean): PlanOutput {
  const exceeded = report.exceeded.map((one) => {
    return `--${one.additions === undefined ? 'max-removals' : 'max-additions'}: ${excessText(one)}`;
  });
  const hasLimit = request.maxRemovals !== undefined || request.maxAdditions !== undefined;
  const isUncounted = hasLimit && report.placements.some((one) => one.hasMoreMoves);
  const errors = [...exceeded, ...(isUncounted ? [NOT_COUNTED] : []), ...(known ? [] : [NOT_READ])];
  return { text: textOf(report, request), errors, exitCode: exitCodeOf(report, errors.length > 0) };
}

function exitCodeOf({ exceeded, totals }: PlanReport, isError: boolean): PlanOutput['exitCode'] {
  if (exceeded.length > 0) return 1;
  if (isError) return INCOMPLETE;
  return totals.changed === 0 ? 0 : 2;
}

/** Whether all Placements that the changes can reach were read: what has no namespace reaches those of all namespaces. */
function isKnown({ world, refused }: FleetReading, changes: readonly Change[]): boolean {
  return (
    world.withheld.length === 0 && (refused.length === 0 || changes.every(({ resource }) => TYPES[resource].namespaced))
  );
}

/** The changes before the deletions; none of files that are all objects after the change. */
function changesOf({ namespace, manifests = [], complete, labels }: PlanRequest): readonly Change[] {
  return [...(complete ? [] : appliedManifests(manifests, namespace)), ...labels.map(labelChange)];
}

/** The deletions of single objects: that of a namespace reaches no Placement outside of it. */
function deletionsOf({ deletions, namespace }: PlanRequest): readonly Change[] {
  return deletions.filter((text) => namespaceDeleted(text) === undefined).map((text) => deletion(text, namespace));
}

function textOf(report: PlanReport, { output, colored }: PlanRequest): string {
  switch (output) {
    case 'text':
    case 'wide':
      return linesText(planLines(report, { colored, wide: output === 'wide' }));
    case 'name':
      return linesText(report.placements.filter(isChange).map(({ name }) => resourceName(Placements, name)));
    default:
      return documentText(planDocument(report), output);
  }
}

/** What the changes lead to. All objects of files have no order. */
function changed(
  { world, namespace: only }: FleetReading,
  { namespace, manifests, complete, deletions }: PlanRequest,
  changes: readonly Change[],
): Changed {
  const base = complete && manifests !== undefined ? replacedBy(world, worldOfObjects(manifests, namespace)) : world;
  const made = (before: World, next: readonly Change[]): World => {
    if (only !== undefined) for (const change of next) checkNamespace(change, only);
    return overlay(before, next);
  };
  const writes = [...changes];
  try {
    const after = deletions.reduce(
      (now, text) => {
        const next = deleted(now, text, { namespace, only });
        writes.push(...next);
        return made(now, next);
      },
      made(base, changes),
    );
    return { after, writes: complete && manifests !== undefined ? [] : writes };
  } catch (error) {
    if (!(error instanceof MissingObjectError)) throw error;
    const { resource, object } = error;
    const meant = meantAmong(world.objects[resource], object.namespace, object.name);
    throw new NotFoundError(`${nameOf(resource, object)} was not found${meant}`, { cause: error });
  }
}

/** An object that may not be read cannot be judged, and the exit code says so; one that is deleted in the end need not. */
function checkApplied(before: World, after: World, changes: readonly Change[], { check }: PlanRequest): void {
  if (check === undefined) return;
  const applied = changes.filter((change) => change.kind === 'apply');
  for (const resource of new Set(applied.map((change) => change.resource))) {
    if (before.withheld.some((one) => one.resource === resource)) continue;
    const [live, merged] = [before, after].map(({ objects }) => {
      return new Map(objects[resource].map((one) => [nameOf(resource, one.metadata), one]));
    });
    for (const change of applied.filter((one) => one.resource === resource)) {
      const name = nameOf(resource, change.object.metadata);
      const object = merged?.get(name);
      if (object !== undefined) check(object, live?.get(name));
    }
  }
}

interface Deleting {
  readonly namespace: string;
  /** The only namespace that could be read; undefined: all. */
  readonly only: string | undefined;
}

/** What a deletion of the command line deletes. A misspelt namespace must not read as one without Placements. */
function deleted(world: World, text: string, { namespace, only }: Deleting): readonly Change[] {
  const doomed = namespaceDeleted(text);
  if (doomed === undefined) return [deletion(text, namespace)];
  if (doomed !== (only ?? doomed))
    throw new ChangeTextError(`Namespace ${doomed}: only namespace ${only ?? ''} could be read`);
  const changes = namespaceDeletions(world, doomed);
  if (changes.length === 0 && world.withheld.length === 0) {
    const known = Object.values(world.objects).flatMap((all) =>
      all.flatMap(({ metadata }) => metadata.namespace ?? []),
    );
    const what = `there is no Placement, decision or ManagedClusterSetBinding in namespace ${doomed}`;
    throw new NotFoundError(`${what}${meantText(doomed, known)}`);
  }
  return changes;
}

/** An object elsewhere may exist or not. @throws ChangeTextError. */
function checkNamespace(change: Change, only: string): void {
  const object = change.kind === 'apply' ? change.object.metadata : change.object;
  if ((object.namespace ?? only) !== only)
    throw new ChangeTextError(`${nameOf(change.resource, object)}: only namespace ${only} could be read`);
}

function nameOf(resource: WorldResource, object: ObjectName): string {
  return `${TYPES[resource].kind} ${keyOf(object)}`;
}
