import { Placements } from '../../../api/resources.js';
import type { Change } from '../../../answers/world/overlay.js';
import { isComplete } from '../../../answers/world/withheld.js';
import { type FleetReading, TYPES } from '../../../answers/world/worlds.js';
import { documentText, INCOMPLETE, linesText, resourceName, type OutputFormat } from '../../../answers/output.js';
import { changedBy, type ChangeRequest } from '../../../answers/plan/changed.js';
import { isChange, type PlanDocument } from '../../../answers/plan/document.js';
import { lostBy } from '../../../answers/plan/lose.js';
import { loseEach } from '../../../answers/plan/loseeach.js';
import { lossReport, planReport, type ChangeLimits, type PlanReport } from '../../../answers/plan/report.js';
import { MORE_MOVES, planLines } from '../../../answers/plan/text.js';

export interface PlanRequest extends ChangeLimits, ChangeRequest {
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
  return { text: textOf(reading, document, request), errors, exitCode };
}

/** Whether all Placements that the changes can reach were read: what has no namespace reaches those of all namespaces. */
function isKnown({ world, refused }: FleetReading, changes: readonly Change[]): boolean {
  return (
    world.withheld.length === 0 && (refused.length === 0 || changes.every(({ resource }) => TYPES[resource].namespaced))
  );
}

function textOf(reading: FleetReading, document: PlanDocument, { output, colored }: PlanRequest): string {
  switch (output) {
    case 'text':
    case 'wide':
      return linesText(planLines(document, reading, { colored, wide: output === 'wide' }));
    case 'name':
      return linesText(document.placements.filter(isChange).map(({ name }) => resourceName(Placements, name)));
    default:
      return documentText(document, output);
  }
}
