import {
  isRecord,
  parseJson,
  recordsIn,
  sameJson,
  textField,
  type JsonRecord,
} from '../../../runtime/vocabulary/json.js';
import { isList } from '../../selectors.js';

/**
 * What has changed in a decision object, in its annotation `cluster.fleetmgmt.io/history`: written with the change itself, so
 * that it costs no write, and no crash separates the two.
 */
export interface History {
  /** The oldest first. */
  readonly entries: readonly HistoryEntry[];
  /** How many older ones did not fit. */
  readonly dropped: number;
  /** The objects whose histories it has taken over, as `historyOf` names them: they are deleted next. */
  readonly of?: readonly string[];
}

export interface HistoryEntry {
  /** RFC 3339, with ms: it tells the passes of a second apart. */
  readonly time: string;
  /** Kind and name of the object whose change was the first: `ManagedCluster/edge-1`; `time`, or `unknown` after a restart. */
  readonly trigger: string;
  readonly added: readonly string[];
  readonly removed: readonly Departure[];
  /** What other clients had done to the decision objects, with the clusters that were taken out or put in by that. */
  readonly repaired: readonly Departure[];
  /** How many names did not fit. */
  readonly more: { readonly added: number; readonly removed: number; readonly repaired: number };
}

/** Clusters of the same cause. */
export interface Departure {
  /** In one word, as the cause of a decision. */
  readonly cause: string;
  /** `label tier=silver, wanted tier=gold`. */
  readonly why: string;
  readonly clusters: readonly string[];
}

const MOST_ENTRIES = 20;
const MOST_BYTES = 4_096;
const ENTRY_BYTES = 2_048;
/** The API server's limit for all annotations of an object. */
const ANNOTATION_BYTES = 262_144;
export const NO_HISTORY: History = { entries: [], dropped: 0 };

/** Reads the annotation. What cannot be read counts as one change that is not kept. Never throws. */
export function readHistory(text: string | undefined): History {
  const value = text === undefined ? undefined : parseJson(text);
  if (!isRecord(value)) return text === undefined ? NO_HISTORY : { entries: [], dropped: 1 };
  const of = readNames(value['of']);
  const entries = recordsIn(value['entries']).map(readEntry);
  return { entries, dropped: readCount(value['dropped']), ...(of.length > 0 && { of }) };
}

function readEntry(value: JsonRecord): HistoryEntry {
  const more = isRecord(value['more']) ? value['more'] : {};
  return {
    time: textField(value, 'time'),
    trigger: textField(value, 'trigger'),
    added: readNames(value['added']),
    removed: readDepartures(value['removed']),
    repaired: readDepartures(value['repaired']),
    more: {
      added: readCount(more['added']),
      removed: readCount(more['removed']),
      repaired: readCount(more['repaired']),
    },
  };
}

function readDepartures(value: unknown): readonly Departure[] {
  return recordsIn(value).map((one) => {
    return { cause: textField(one, 'cause'), why: textField(one, 'why'), clusters: readNames(one['clusters']) };
  });
}

function readNames(value: unknown): readonly string[] {
  return isList(value) ? value.filter((one) => typeof one === 'string') : [];
}

function readCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/**
 * The annotation with a further history, the oldest entries left out and counted as far as they have to be; undefined where not
 * even their number fits. `annotations`: all of the object, whose size is limited together.
 */
export function nextHistory(
  key: string,
  annotations: Readonly<Record<string, string>>,
  further: History,
): string | undefined {
  const { [key]: stored, ...others } = annotations;
  const before = readHistory(stored);
  const used = Object.entries(others).reduce(
    (sum, [name, value]) => sum + bytesOf(name) + bytesOf(value),
    bytesOf(key),
  );
  const limit = Math.min(MOST_BYTES, ANNOTATION_BYTES - used);
  const all = [...before.entries];
  for (const one of further.entries.map(fitting))
    if (!all.some((known) => known.time === one.time && sameJson(known, one))) all.push(one);
  all.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const dropped = before.dropped + further.dropped;
  for (let left = Math.max(all.length - MOST_ENTRIES, 0); left <= all.length; left++) {
    const text = historyText({ ...further, entries: all.slice(left), dropped: dropped + left });
    if (bytesOf(text) <= limit) return text;
  }
  return undefined;
}

function historyText({ entries, dropped, of }: History): string {
  return JSON.stringify({ entries: entries.map(entryToStore), ...(dropped > 0 && { dropped }), of });
}

/** Without what is empty. */
function entryToStore({ time, trigger, added, removed, repaired, more }: HistoryEntry): object {
  const hasMore = more.added + more.removed + more.repaired > 0;
  return {
    time,
    trigger,
    ...(added.length > 0 && { added }),
    ...(removed.length > 0 && { removed }),
    ...(repaired.length > 0 && { repaired }),
    ...(hasMore && { more: Object.fromEntries(Object.entries(more).filter(([, count]) => count > 0)) }),
  };
}

/** The entry with as many names as fit; the others are counted. */
function fitting(entry: HistoryEntry): HistoryEntry {
  let [most, cut] = [Infinity, entry];
  while (bytesOf(JSON.stringify(entryToStore(cut))) > ENTRY_BYTES && most > 0) {
    const longest = Math.max(
      cut.added.length,
      ...[...cut.removed, ...cut.repaired].map(({ clusters }) => clusters.length),
    );
    most = Math.floor(longest / 2);
    cut = withNames(entry, most);
  }
  return cut;
}

function withNames({ added, removed, repaired, more, ...entry }: HistoryEntry, most: number): HistoryEntry {
  const cut = (list: readonly Departure[]): readonly Departure[] =>
    list.map((one) => ({ ...one, clusters: one.clusters.slice(0, most) }));
  const left = (list: readonly Departure[]): number =>
    list.reduce((sum, { clusters }) => sum + Math.max(clusters.length - most, 0), 0);
  return {
    ...entry,
    added: added.slice(0, most),
    removed: cut(removed).filter(({ clusters }) => clusters.length > 0),
    // What was done is said also without the names.
    repaired: cut(repaired),
    more: {
      added: more.added + Math.max(added.length - most, 0),
      removed: more.removed + left(removed),
      repaired: more.repaired + left(repaired),
    },
  };
}

const ENCODER = new TextEncoder();

function bytesOf(text: string): number {
  return ENCODER.encode(text).length;
}

/** What has changed at one time, in all decision objects. */
export function mergedHistory(histories: readonly History[]): History {
  const entries: HistoryEntry[] = [];
  for (const { entries: some } of histories) {
    for (const one of some) {
      const index = entries.findIndex(({ time, trigger }) => time === one.time && trigger === one.trigger);
      const known = entries[index];
      if (known === undefined) entries.push(one);
      else if (!sameJson(known, one)) entries[index] = joined(known, one);
    }
  }
  return {
    entries: entries.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)),
    dropped: histories.reduce((sum, { dropped }) => sum + dropped, 0),
  };
}

function joined(a: HistoryEntry, b: HistoryEntry): HistoryEntry {
  return {
    ...a,
    added: [...new Set([...a.added, ...b.added])].sort(),
    removed: byCause([...a.removed, ...b.removed]),
    repaired: byCause([...a.repaired, ...b.repaired]),
    more: {
      added: a.more.added + b.more.added,
      removed: a.more.removed + b.more.removed,
      repaired: a.more.repaired + b.more.repaired,
    },
  };
}

function byCause(all: readonly Departure[]): readonly Departure[] {
  const found = new Map<string, Departure>();
  for (const one of all) {
    const key = `${one.cause}\n${one.why}`;
    const clusters = [...new Set([...(found.get(key)?.clusters ?? []), ...one.clusters])].sort();
    found.set(key, { ...one, clusters });
  }
  return [...found.values()];
}
