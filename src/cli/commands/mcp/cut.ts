import { asRecord, isRecord, type JsonRecord } from '../../../runtime/vocabulary/json.js';

/** A document that is short enough, and what it lacks. */
export interface Cut {
  readonly document: JsonRecord;
  /** How many items are left out of the lists at a path, such as `placements[*].clusters`; empty when nothing is. */
  readonly omitted: Readonly<Record<string, number>>;
}

/**
 * The document with at most `mostBytes` of JSON. Of each list the first items stay, as many of all lists as fit: what a command
 * lists first matters most. A document that has been cut says so in its field `omitted`. undefined where it is too long without
 * any item.
 */
export function cutDocument(document: JsonRecord, mostBytes: number): Cut | undefined {
  if (bytesOf(document) <= mostBytes) return { document, omitted: {} };
  let fitting = cutTo(document, 0);
  if (bytesOf(fitting.document) > mostBytes) return undefined;
  let [fits, tooMany] = [0, longestList(document)];
  while (tooMany - fits > 1) {
    const most = Math.floor((fits + tooMany) / 2);
    const tried = cutTo(document, most);
    if (bytesOf(tried.document) <= mostBytes) [fits, fitting] = [most, tried];
    else tooMany = most;
  }
  return fitting;
}

function bytesOf(document: JsonRecord): number {
  return Buffer.byteLength(JSON.stringify(document));
}

function longestList(value: unknown): number {
  if (Array.isArray(value)) return Math.max(value.length, longestOf(value));
  return isRecord(value) ? longestOf(Object.values(value)) : 0;
}

function longestOf(values: readonly unknown[]): number {
  return values.reduce<number>((longest, one) => Math.max(longest, longestList(one)), 0);
}

/** The document with at most `most` items in each list. */
function cutTo(document: JsonRecord, most: number): Cut {
  const omitted: Record<string, number> = {};
  const cut = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) {
      if (value.length > most) omitted[path] = (omitted[path] ?? 0) + value.length - most;
      return value.slice(0, most).map((one) => cut(one, `${path}[*]`));
    }
    if (!isRecord(value)) return value;
    const fields = Object.entries(value).map(([name, one]) => [name, cut(one, path === '' ? name : `${path}.${name}`)]);
    return Object.fromEntries(fields) as JsonRecord;
  };
  const { apiVersion, kind, ...fields } = asRecord(cut(document, ''));
  return { document: { apiVersion, kind, omitted, ...fields }, omitted };
}
