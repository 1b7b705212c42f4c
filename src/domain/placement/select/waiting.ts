import { field } from '../../../runtime/vocabulary/json.js';
import { readBasis } from '../stored/basis.js';
import { windowsAt } from '../spec/changewindows.js';
import type { HeldRemoval } from './budget.js';
import type { SelectedClusters } from './judge.js';
import type { FailedRule } from './rules.js';
import type { Dropped } from './turnover.js';
import type { PlacementSnapshot, PlacementView, Slots } from './snapshot.js';

/**
 * What waits for a time, or for a person, whatever a disruption budget allows. Of the two and of the holds of the budget each
 * counts by itself: a release ends a hold, and opens no window.
 *
 * Outside of `spec.changeWindows` the removals wait that somebody chose by a label, a claim, a set, a binding or a taint. A
 * cluster that is deleted leaves, since no workload is left there, and so does one with a taint of health. Nothing waits that an
 * edit of the Placement itself brings about. With `spec.paused` everything waits.
 */
export interface Waiting {
  readonly awaits: 'Resumed' | 'WindowOpens';
  /** Those that stay meanwhile, sorted by name; they are in `kept`, too. */
  readonly removals: readonly Dropped[];
  /** Those that wait for a window, also where a budget or a pause keeps them anyway; sorted by name. */
  readonly windowed: readonly Dropped[];
  /** Those that stay out meanwhile, highest rank first. */
  readonly additions: readonly string[];
  /** When the next window opens: ms since the epoch, and the window; undefined where none is `windowed`. */
  readonly opens: Opening | undefined;
}

/** Whether a pause keeps clusters out that would come in. */
export function isKeptOutByPause(waiting: Waiting | undefined): boolean {
  return waiting?.awaits === 'Resumed' && waiting.additions.length > 0;
}

export interface Opening {
  readonly at: number;
  /** `Mon 22:00 Europe/Berlin`. */
  readonly text: string;
}

/** Those of the clusters that fail a rule which wait for a window, whether or not a budget keeps them anyway. */
export function waitingRemovals(
  snapshot: PlacementSnapshot,
  { failing, failingByHub }: SelectedClusters,
): ReadonlyMap<string, FailedRule> {
  const elective = [...failing].filter(([name, cause]) => isElective(cause) && !failingByHub.has(name));
  return new Map(elective.length > 0 && nextOpening(snapshot) !== undefined ? elective : []);
}

function isElective(cause: FailedRule): boolean {
  return cause !== 'Gone' && cause !== 'Deleting';
}

/** The next window, while elective changes wait for it; undefined when they may be made now. */
export function nextOpening({ placement, now }: PlacementSnapshot): Opening | undefined {
  const { changeWindows } = placement.rules;
  if (changeWindows.length === 0 || isEdited(placement)) return undefined;
  const found = windowsAt(changeWindows, now);
  return found.kind === 'open' ? undefined : found;
}

/**
 * Whether the stored decision was made for another spec. To pause and to resume is no edit: what has waited meanwhile waits for
 * its window.
 */
function isEdited({ rules, status, generation }: PlacementView): boolean {
  const made = readBasis(status)?.specHash;
  return made === undefined ? field(status, 'observedGeneration') !== generation : made !== rules.specHash;
}

/** The hash to remember with a decision; `isStored`: the whole decision is. One that is not equals no hash. */
export function specHashToRemember({ rules, status }: PlacementView, isStored: boolean): string | undefined {
  const before = readBasis(status)?.specHash;
  if (rules.paused || rules.problem !== undefined) return before;
  if (rules.specHash === undefined || isStored) return rules.specHash;
  return before ?? '';
}

/** What of a schedule a pause changes; its fields as in `Schedule`. */
interface Changes extends HeldAndWaiting {
  readonly current: Slots;
  readonly kept: Slots;
  readonly added: readonly string[];
  readonly dropped: readonly Dropped[];
  readonly counted: ReadonlySet<string>;
  readonly uncounted: number;
  readonly countedAdditions: ReadonlySet<string>;
  readonly hasRoom: boolean;
}

/** What of a schedule stays as it is, and would change. */
interface HeldAndWaiting {
  readonly heldRemovals: readonly HeldRemoval[];
  readonly heldAdditions: readonly string[];
  readonly waiting: Waiting | undefined;
}

/** The schedule of a paused Placement: what it would change waits, and what was selected before stays. */
export function frozen<S extends Changes>(decided: S): S {
  const { current, dropped, added, heldAdditions, waiting } = decided;
  const removals = [...dropped, ...(waiting?.removals ?? [])].sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
  return {
    ...decided,
    kept: current,
    added: [],
    dropped: [],
    counted: new Set(),
    uncounted: 0,
    countedAdditions: new Set(),
    // A cluster that would come in may get a taint that keeps it out.
    hasRoom: decided.hasRoom || added.length + heldAdditions.length > 0,
    waiting: {
      awaits: 'Resumed',
      removals,
      windowed: waiting?.windowed ?? [],
      additions: added,
      opens: waiting?.opens,
    },
  };
}

/** The clusters that stay in the decision and would leave: those that are held, and those that wait. Sorted by name. */
export function stayingRemovals({ heldRemovals, waiting }: HeldAndWaiting): readonly (HeldRemoval | Dropped)[] {
  if (waiting === undefined || waiting.removals.length === 0) return heldRemovals;
  return [...heldRemovals, ...waiting.removals].sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
}

/** Those of {@link stayingRemovals} that are not selected any more: one that a move lets go still matches. */
export function stayingUnselected(of: HeldAndWaiting): readonly (HeldRemoval | Dropped)[] {
  return stayingRemovals(of).filter(({ cause }) => cause !== 'Moved');
}

/** The clusters that would come in and stay out: those that are held, and those that wait. */
export function stayingOut({ heldAdditions, waiting }: HeldAndWaiting): readonly string[] {
  return waiting === undefined ? heldAdditions : [...heldAdditions, ...waiting.additions];
}
