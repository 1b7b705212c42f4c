import { isRecord, parseJson } from '../../../runtime/vocabulary/json.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';

/**
 * The records of the removals and additions of a PlacementDecision that count against a budget or as a bulk deletion,
 * in its annotations `cluster.fleetmgmt.io/removals` and `…/additions`. Both have one form, a JSON object from times
 * (RFC 3339, whole seconds, UTC) to numbers of clusters, such as `{"2026-11-22T10:01:00Z":3}`.
 */

/** The entries of a record: ms since the epoch and number of clusters, sorted by time. */
export type RecordEntries = readonly (readonly [at: number, clusters: number])[];

/** A stored record. One that cannot be read counts as full: it is not known how much of the budget is left. */
export type ChangeRecord =
  | { readonly kind: 'entries'; readonly entries: RecordEntries }
  | { readonly kind: 'unreadable' };

/** A window has this many steps. Times are rounded up to a step, which bounds the annotation. */
const STEPS = 60;
/** A window that begins within a step has a part of one step more. */
const MAX_ENTRIES = STEPS + 1;
const TIME_SHAPE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** Reads the annotation; undefined when the object has none. Never throws. */
export function readRecord(text: string | undefined): ChangeRecord | undefined {
  if (text === undefined) return undefined;
  const value = parseJson(text);
  if (!isRecord(value)) return { kind: 'unreadable' };
  const entries = Object.entries(value).map(([time, clusters]) => [timeOf(time), clusters] as const);
  const valid = entries.filter(isEntry);
  if (valid.length < entries.length) return { kind: 'unreadable' };
  return { kind: 'entries', entries: valid.sort(([a], [b]) => a - b) };
}

/** Ms since the epoch; NaN for another form, and for a day or time that does not exist. */
function timeOf(text: string): number {
  const ms = TIME_SHAPE.test(text) ? Date.parse(text) : NaN;
  return !Number.isNaN(ms) && timestamp(ms) === text ? ms : NaN;
}

function isEntry(entry: readonly [number, unknown]): entry is readonly [number, number] {
  const [at, clusters] = entry;
  return !Number.isNaN(at) && typeof clusters === 'number' && Number.isSafeInteger(clusters) && clusters > 0;
}

/** The entries that count at `now` (ms since the epoch): those of the window before it, and those of the future. */
export function countedEntries(entries: RecordEntries, windowSeconds: number, now: number): RecordEntries {
  return entries.filter(([at]) => now < at + windowSeconds * 1_000);
}

/** How many clusters of all these records count at `now`; undefined when one of them cannot be read. */
export function usedIn(
  records: readonly (ChangeRecord | undefined)[],
  windowSeconds: number,
  now: number,
): number | undefined {
  let used = 0;
  for (const record of records) {
    if (record?.kind === 'unreadable') return undefined;
    for (const [, clusters] of countedEntries(record?.entries ?? [], windowSeconds, now)) used += clusters;
  }
  return used;
}

/** When a record has run out: ms since the epoch; one that cannot be read never does. */
export type RecordEnd = number | 'never';

/** When the last entry runs out; undefined without entries. */
export function recordEnd(record: ChangeRecord | undefined, windowSeconds: number): RecordEnd | undefined {
  if (record?.kind === 'unreadable') return 'never';
  const last = record?.entries.at(-1);
  return last === undefined ? undefined : last[0] + windowSeconds * 1_000;
}

/**
 * The annotation for a write at `now` that adds `clusters` to the record; undefined when nothing counts any
 * more. `before` is the stored annotation. Its entries that have run out are dropped; when it cannot be read, it stays
 * as it is.
 */
export function nextRecord(before: string | undefined, clusters: number, at: RecordTime): string | undefined {
  const record = recordAfter(readRecord(before), clusters, at);
  if (record?.kind !== 'entries') return record && before;
  return JSON.stringify(Object.fromEntries(record.entries.map(([time, count]) => [timestamp(time), count])));
}

interface RecordTime {
  readonly windowSeconds: number;
  readonly now: number;
}

/** The record of {@link nextRecord}. */
export function recordAfter(
  before: ChangeRecord | undefined,
  added: number,
  { windowSeconds, now }: RecordTime,
): ChangeRecord | undefined {
  if (before?.kind === 'unreadable') return before;
  const step = Math.ceil(windowSeconds / STEPS) * 1_000;
  const sums = new Map<number, number>();
  const add = (at: number, clusters: number): void => {
    const rounded = Math.ceil(at / step) * step;
    sums.set(rounded, (sums.get(rounded) ?? 0) + clusters);
  };
  for (const [at, clusters] of countedEntries(before?.entries ?? [], windowSeconds, now)) add(at, clusters);
  if (added > 0) add(now, added);
  const entries = mergeOldest([...sums].sort(([a], [b]) => a - b));
  return entries.length === 0 ? undefined : { kind: 'entries', entries };
}

/**
 * A clock that was set back can leave more entries than a window has steps. The oldest are then added to the first that
 * is kept: they count for longer, never for less.
 */
function mergeOldest(entries: readonly [number, number][]): readonly [number, number][] {
  const surplus = entries.slice(0, Math.max(entries.length - MAX_ENTRIES, 0));
  const [first, ...rest] = entries.slice(surplus.length);
  if (first === undefined || surplus.length === 0) return entries;
  return [[first[0], surplus.reduce((sum, [, clusters]) => sum + clusters, first[1])], ...rest];
}

/** `metadata` with the record as annotation `key`; without that annotation when `record` is undefined. */
export function withRecord<M extends { annotations?: Record<string, string> }>(
  metadata: M,
  key: string,
  record: string | undefined,
): M {
  const { [key]: _before, ...others } = metadata.annotations ?? {};
  return { ...metadata, annotations: record === undefined ? others : { ...others, [key]: record } };
}
