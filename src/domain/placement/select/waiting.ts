import { field } from '../../../runtime/vocabulary/json.js';
import { readBasis } from '../stored/basis.js';
import { type Cause } from './decision.js';
import { orderedHolders, isHold, type Holder, type Holders } from './holders.js';
import type { Draft } from './draft.js';
import type { PlacementSnapshot, PlacementView } from './snapshot.js';
import { windowOf } from './timedsets.js';

/**
 * What waits for a time, or for a person, whatever a disruption budget allows.
 *
 * Outside of `spec.changeWindows` the removals wait that somebody chose by a label, a claim, a set, a binding or a taint. A
 * cluster that is deleted leaves, since no workload is left there, and so does one with a taint of health. Nothing waits that an
 * edit of the Placement itself brings about. With `spec.paused` everything waits.
 *
 * The pause and the windows of a ManagedClusterSet keep its clusters alike, whoever edits the Placement.
 */

/**
 * Keeps the clusters that fail a rule, or that a bound holds above the number of their predicate, and that have to wait for a change
 * window or a set besides.
 */
export function waitForWindow(draft: Draft): void {
  const { snapshot, timedSets, fates } = draft;
  const { paused } = snapshot.placement.rules;
  const failing = new Map<string, Cause>(draft.judged.failing);
  for (const [name, fate] of fates) if (fate.kind === 'held') failing.set(name, fate.cause);
  const elective = [...failing].filter(([name, cause]) => isElective(draft, name, cause));
  if (elective.length === 0) return;
  const keepers = keepersIn(draft);
  for (const [name, cause] of elective) {
    const fate = fates.get(name);
    const by = keepers(timedSets.holding(name, cause), fate?.kind === 'held' ? fate.by : []);
    if (by !== undefined) draft.keep(name, cause, by);
  }
  if (paused || elective.some(([name]) => draft.isHeld(name))) draft.lookAt(timedSets.until());
}

/** Whether the selected cluster leaves by what somebody chose: it is not deleted, and no taint of health makes it leave. */
export function isElective({ judged }: Draft, name: string, cause: Cause): boolean {
  return cause !== 'Gone' && cause !== 'Deleting' && !judged.failingByHub.has(name);
}

/**
 * Tells what keeps an elective change beside its sets, and a bound: the next window of the Placement; undefined when it may be made
 * now. What an edit of the Placement does not bring about at once, since something else keeps it, waits like any other change, but
 * for a pause of the Placement, at whose end it is made. The draft is looked at again when the window that is open ends.
 */
export function keepersIn(draft: Draft): (sets: readonly Holder[], bounds?: readonly Holder[]) => Holders | undefined {
  const { placement } = draft.snapshot;
  const { paused } = placement.rules;
  const isMade = isEdited(placement);
  const window = isMade && paused ? undefined : windowIn(draft.snapshot);
  return (sets, bounds = []) => {
    const isKept = bounds.length + sets.length > 0;
    // Then it waits for the next window, too, once an open one is closed.
    if (window?.kind === 'open' && (paused || isKept)) draft.lookAt(window.until);
    const closed = window?.kind === 'Window' && (isKept || !isMade) ? [window] : [];
    return orderedHolders(...bounds, ...closed, ...sets);
  };
}

/** The next window, or the one that is open; undefined where changes need none. */
function windowIn({ placement: { rules }, now }: PlacementSnapshot): ReturnType<typeof windowOf> | undefined {
  return rules.changeWindows.length === 0 ? undefined : windowOf(rules.changeWindows, now);
}

/**
 * Whether the stored decision was made for another spec. To pause and to resume is no edit: what has waited meanwhile waits for
 * its window.
 */
function isEdited({ rules, status, generation }: PlacementView): boolean {
  const made = readBasis(status)?.specHash;
  return made === undefined ? field(status, 'observedGeneration') !== generation : made !== rules.specHash;
}

/**
 * The hash to remember with a decision; `isStored`: the whole decision is. One that is not equals no hash, nor does that of a spec
 * which was edited during a pause: the end of the pause makes what the edit brings about.
 */
export function specHashToRemember(placement: PlacementView, isStored: boolean): string | undefined {
  const { rules, status } = placement;
  const before = readBasis(status)?.specHash;
  const isFirst = before === undefined && rules.specHash !== undefined;
  if (rules.paused || rules.problem !== undefined) return isFirst && isEdited(placement) ? '' : before;
  if (rules.specHash === undefined || isStored) return rules.specHash;
  return before ?? '';
}

const PAUSE: Holder = { kind: 'Pause' };

/** While the Placement is paused, nothing changes: clusters that would leave or come in wait, and all that were selected stay. */
export function pause(draft: Draft): void {
  if (!draft.snapshot.placement.rules.paused) return;
  for (const [name, fate] of draft.fates) {
    switch (fate.kind) {
      case 'leaves':
        draft.keep(name, fate.cause, [PAUSE]);
        break;
      case 'comesIn':
        draft.keepOut(name, [PAUSE]);
        // A cluster that would come in may get a taint that keeps it out.
        draft.hasRoom = true;
        break;
      case 'held':
        draft.fates.set(name, { ...fate, by: orderedHolders(PAUSE, ...fate.by) ?? fate.by });
        break;
      case 'keptOut':
        draft.keepOut(name, orderedHolders(PAUSE, ...fate.by) ?? fate.by);
        if (isHold(fate.by)) draft.hasRoom = true;
        break;
      case 'stays':
        break;
    }
  }
  draft.uncounted = 0;
}

/**
 * Changes that belong together come one after the other: `kubectl label` over many clusters writes one cluster at a time. Those
 * that count against a bound are therefore made once no other cluster has followed for a moment, so that of a change that is too
 * large nothing is made.
 */
export interface Collection {
  /** When the first of the changes was seen, and when the clusters changed last; monotonic ms. */
  readonly since: number;
  readonly changed: number;
  /** The clusters that would leave or come in, and count. */
  readonly clusters: ReadonlySet<string>;
}

/** How long nothing may change, and how long changes wait at most. Without changes that count, a hold waits for neither. */
export interface CollectionWindow {
  readonly quietMs: number;
  readonly mostMs: number;
}

export const COLLECTION_WINDOW: CollectionWindow = { quietMs: 2_000, mostMs: 30_000 };

/** The collection with the clusters that would leave or come in at `now`. */
export function collected(before: Collection | undefined, clusters: ReadonlySet<string>, now: number): Collection {
  if (before === undefined) return { since: now, changed: now, clusters };
  const isSame = before.clusters.size === clusters.size && [...clusters].every((one) => before.clusters.has(one));
  return isSame ? before : { ...before, changed: now, clusters };
}

/** When the changes of the collection are made, monotonic ms. */
export function collectionEnd({ since, changed }: Collection, { quietMs, mostMs }: CollectionWindow): number {
  return Math.min(changed + quietMs, since + mostMs);
}
