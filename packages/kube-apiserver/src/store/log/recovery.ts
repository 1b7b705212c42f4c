import path from 'node:path';
import { StoredEntry } from '../memory/entry.js';
import type { FileSystem, OpenFile } from '../filesystem.js';
import { removeOlder, type Tail } from './log.js';
import type { StoredRecord } from './record.js';
import {
  Damaged,
  HEAD_BYTES,
  beginSegment,
  laterRecord,
  numbersOf,
  readHead,
  readRecords,
  segmentName,
  snapshotName,
} from './segment.js';
import { FIRST_REVISION, type State } from '../memory/state.js';

export interface StoreLocation {
  readonly files: FileSystem;
  readonly folder: string;
  /** Receives messages about what was found and repaired. */
  readonly warn: (text: string) => void;
}

/** An empty file that marks a folder that had a segment: without it, an empty folder is a new store. */
const MARKER = 'begun';

interface Segment {
  readonly number: number;
  readonly name: string;
  readonly file: OpenFile;
  readonly size: number;
  /** Length of the previous segment when this one was started. */
  readonly extent: number;
}

/**
 * Reads the files of a folder into a state made by `begin`, and returns the end of the log. Truncates a tail that a
 * crash may have torn.
 * @throws Damaged for any other fault; the files stay unchanged
 */
export async function recover(place: StoreLocation, begin: (revision: number) => State): Recovered {
  const names = await place.files.list(place.folder);
  const found = await recoverFrom(place, names, begin);
  if (!names.includes(MARKER)) await writeMarker(place);
  return found;
}

type Recovered = Promise<{ state: State; tail: Tail }>;

async function recoverFrom(
  place: StoreLocation,
  names: readonly string[],
  begin: (revision: number) => State,
): Recovered {
  const first = numbersOf(names, 'snapshot').at(-1);
  const { state, size } =
    first === undefined ? { state: begin(FIRST_REVISION), size: 0 } : await readSnapshot(place, first, begin);
  const segments = await openSegments(
    place,
    numbersOf(names, 'segment').filter((number) => number >= (first ?? 0)),
  );
  let before = size;
  try {
    checkOrder(segments, first ?? 1, path.join(place.folder, segmentName(first ?? 1)));
    for (const [index, segment] of segments.entries()) {
      const end = await replay(segment, state);
      const next = segments[index + 1];
      if (next === undefined) return { state, tail: await cutTail(place, segment, { end, before, keep: first ?? 1 }) };
      if (end !== segment.size || end !== next.extent)
        throw new Damaged(segment.name, end, 'a record cannot be read, and a later segment follows');
      before += segment.size;
    }
  } finally {
    for (const segment of segments) await segment.file.close();
  }
  if (first !== undefined)
    throw new Damaged(
      path.join(place.folder, segmentName(first)),
      0,
      'the segment that follows the snapshot is missing',
    );
  if (names.includes(MARKER))
    throw new Damaged(
      path.join(place.folder, segmentName(1)),
      0,
      'it is missing or empty, though this folder has held a store',
    );
  await removeDrafts(place);
  const head = { kind: 'segment', number: 1, revision: state.revision, extent: 0 } as const;
  return {
    state,
    tail: { number: 1, file: await beginSegment(place.files, place.folder, head), length: HEAD_BYTES, before: 0 },
  };
}

async function writeMarker({ files, folder }: StoreLocation): Promise<void> {
  await (await files.open(path.join(folder, MARKER), 'create')).close();
  await files.syncFolder(folder);
}

async function readSnapshot(
  { files, folder }: Omit<StoreLocation, 'warn'>,
  number: number,
  begin: (revision: number) => State,
): Promise<{ state: State; size: number }> {
  const name = path.join(folder, snapshotName(number));
  const file = await files.open(name, 'read');
  try {
    const head = await readHead(file);
    if (head?.kind !== 'snapshot' || head.number !== number) throw new Damaged(name, 0, 'it has no head of a snapshot');
    const state = begin(head.revision);
    let records = 0;
    const end = await readRecords(file, (record) => {
      records += 1;
      state.load(record.collection, new StoredEntry(record.key, record.revision, record.bytes, state.cache));
    });
    const size = await file.size();
    if (end !== size) throw new Damaged(name, end, 'a record cannot be read');
    if (records !== head.extent) throw new Damaged(name, end, `it holds ${records} records of ${head.extent}`);
    return { state, size };
  } finally {
    await file.close();
  }
}

/** Opens the segments in order, without those at the end that were started but never written. */
async function openSegments(place: StoreLocation, numbers: readonly number[]): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const number of numbers) {
    const name = path.join(place.folder, segmentName(number));
    const file = await place.files.open(name, 'read');
    const size = await file.size();
    const head = await readHead(file);
    const valid = head?.kind === 'segment' && head.number === number;
    const before = segments.at(-1);
    const unused =
      number === numbers.at(-1) &&
      (valid ? size === HEAD_BYTES && before !== undefined && before.size > head.extent : size <= HEAD_BYTES);
    if (valid && !unused) {
      segments.push({ number, name, file, size, extent: head.extent });
      continue;
    }
    await file.close();
    if (unused) continue;
    for (const segment of segments) await segment.file.close();
    throw new Damaged(name, 0, 'it has no head of a segment');
  }
  return segments;
}

function checkOrder(segments: readonly Segment[], first: number, firstName: string): void {
  let expected = first;
  for (const { number, name } of segments) {
    if (number !== expected)
      throw new Damaged(expected === first ? firstName : name, 0, `segment ${expected} is missing`);
    expected += 1;
  }
}

/** Applies the records of a segment; returns where it ends, or the first unreadable offset. */
function replay({ file, name }: Segment, state: State): Promise<number> {
  return readRecords(file, (record, offset) => {
    if (record.revision <= state.revision)
      throw new Damaged(name, offset, `revision ${record.revision} follows ${state.revision}`);
    applyRecord(state, record);
  });
}

function applyRecord(state: State, { collection: name, key, revision, bytes, type, time }: StoredRecord): void {
  const collection = state.collection(name);
  const entry = new StoredEntry(key, revision, bytes, state.cache);
  state.apply(collection, { revision, type, entry, previous: collection.index.get(key) }, time);
}

/** Truncates a torn tail, makes the rest durable, which it may not be yet, and removes left-over files. */
async function cutTail(
  place: StoreLocation,
  segment: Segment,
  found: { end: number; before: number; keep: number },
): Promise<Tail> {
  const { files, folder } = place;
  const { end, before, keep } = found;
  if (end < segment.size) {
    const later = await laterRecord(segment.file, end);
    if (later !== undefined)
      throw new Damaged(segment.name, end, `a record cannot be read, and a later one follows at offset ${later}`);
  }
  const file = await files.open(segment.name, 'update');
  if (end < segment.size) {
    await file.truncate(end);
    place.warn(
      `${segment.name}: cut off ${segment.size - end} bytes of a change that was not finished when the last process ended`,
    );
  }
  await file.sync();
  await removeDrafts(place, segment.number);
  await removeOlder(files, folder, keep);
  return { number: segment.number, file, length: end, before };
}

/** Removes unfinished snapshots, and segments after the last one. */
async function removeDrafts({ files, folder }: StoreLocation, last = 0): Promise<void> {
  const names = await files.list(folder);
  const drafts = names.filter((name) => name.startsWith('snapshot-') && name.endsWith('.tmp'));
  const unused = numbersOf(names, 'segment')
    .filter((number) => number > last)
    .map(segmentName);
  for (const name of [...drafts, ...unused]) await files.remove(path.join(folder, name));
  await files.syncFolder(folder);
}
