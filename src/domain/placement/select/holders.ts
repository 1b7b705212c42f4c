import type { Problem } from '../../selectors.js';

/** What keeps a change from being made: a hold, a pause, or a change window that is closed. */
export type Holder =
  /** A definition was made anew, and its objects with it: until a person releases them. */
  | { readonly kind: 'Definitions' }
  /** Too many clusters were deleted at once: until this time, ms since the epoch. */
  | { readonly kind: 'Deletions'; readonly until: number }
  | { readonly kind: 'Budget' }
  | Pause
  | ClosedWindow;

export type Hold = 'Definitions' | 'Deletions' | 'Budget';

/** That of the Placement or, with `set`, of a ManagedClusterSet with the cluster; `problem`: why the set counts as paused. */
export interface Pause {
  readonly kind: 'Pause';
  readonly set?: string;
  readonly problem?: Problem;
}

/** The next window: when it opens, ms since the epoch, and as `Mon 22:00 Europe/Berlin`. `set`: as of a {@link Pause}. */
export interface ClosedWindow {
  readonly kind: 'Window';
  readonly set?: string;
  readonly opens: number;
  readonly text: string;
}

/**
 * All that keep one change, in this order: a hold, pauses, windows; of the Placement before those of sets. Each counts by itself: a
 * release ends a hold, and opens no window. The first one is what is said of the cluster: with a hold it is held, else it waits.
 */
export type Holders = readonly [first: Holder, ...others: Holder[]];

const ORDER: readonly Holder['kind'][] = ['Definitions', 'Deletions', 'Budget', 'Pause', 'Window'];

/** The holders in their order, those of a kind as they are given; undefined for none. */
export function orderedHolders(...holders: readonly Holder[]): Holders | undefined {
  const [first, ...others] = [...holders].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  return first && [first, ...others];
}

/** The hold that keeps it; undefined where it only waits. */
export function holdIn([{ kind }]: Holders): Hold | undefined {
  return kind === 'Pause' || kind === 'Window' ? undefined : kind;
}

/** Whether a hold keeps it, in the decision or out of it: it is held. */
export function isHold(by: Holders): boolean {
  return holdIn(by) !== undefined;
}

/** Whether no hold keeps it: it waits for the end of a pause, or for a window. */
export function merelyWaits(by: Holders): boolean {
  return !isHold(by);
}

/** A field of the spec of the Placement, or of a set, that keeps changes waiting. */
export type WaitField = 'paused' | 'changeWindows';

/** The field of the spec that it waits for, which is what is said of it; undefined where a hold keeps it. */
export function waitsFor([{ kind }]: Holders): WaitField | undefined {
  if (kind === 'Pause') return 'paused';
  return kind === 'Window' ? 'changeWindows' : undefined;
}

/** The set for which it waits, which is what is said of it; undefined where something of the Placement keeps it. */
export function waitsForSet([first]: Holders): string | undefined {
  return first.kind === 'Pause' || first.kind === 'Window' ? first.set : undefined;
}

/** How a text names a set. */
export type SetText = (set: string) => string;

export const setText: SetText = (set) => `ManagedClusterSet ${set}`;

const MAX_ADDITIONS = 'disruptionBudget.maxAdditions';

/** `spec.paused of ManagedClusterSet prod`: the field that keeps a cluster out: a hold comes first, as in {@link Holders}. */
export function keepingOut(by: Holders, textOf = setText): string {
  const [first] = by;
  const field = first.kind === 'Pause' && first.problem ? first.problem.field : `spec.${waitsFor(by) ?? MAX_ADDITIONS}`;
  const set = waitsForSet(by);
  return set === undefined ? field : `${field} of ${textOf(set)}`;
}

/** Whether a set keeps it, whatever else does. */
export function isKeptBySet(by: Holders): boolean {
  return by.some((one) => waitsForSet([one]) !== undefined);
}

/** The window of the Placement that it waits for, beside what else keeps it; undefined for none. */
export function ownWindowIn(by: Holders): ClosedWindow | undefined {
  const [window] = by.flatMap((one) => (one.kind === 'Window' && one.set === undefined ? [one] : []));
  return window;
}

/** When the last of the windows opens that it waits for, ms since the epoch; undefined for none. */
export function opensIn(by: Holders): number | undefined {
  const times = by.flatMap((one) => (one.kind === 'Window' ? [one.opens] : []));
  return times.length === 0 ? undefined : Math.max(...times);
}

/** When the holder ends by itself: ms since the epoch; undefined where somebody has to act. */
export function endOf(holder: Holder): number | undefined {
  if (holder.kind === 'Window') return holder.opens;
  return holder.kind === 'Deletions' ? holder.until : undefined;
}
