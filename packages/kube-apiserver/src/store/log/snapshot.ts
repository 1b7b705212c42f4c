import path from 'node:path';
import type { FileSystem, OpenFile } from '../filesystem.js';
import type { Written } from './journal.js';
import { encodeRecord } from './record.js';
import { HEAD_BYTES, encodeHead, snapshotName } from './segment.js';
import type { State } from '../memory/state.js';
import type { Entry } from '../store.js';

/** Size of the data that is encoded within one turn of the event loop. */
const SLICE = 512 * 1024;
/** Size of the data that is synced at once: the log must not wait long for the disk. */
const SYNC_EVERY = 8 * 1024 * 1024;

/** The state at one moment, which stays valid while the store goes on: entries and lists are immutable. */
export interface Pinned {
  readonly revision: number;
  readonly collections: readonly { readonly name: string; readonly entries: readonly Entry[] }[];
}

export function pin(state: State): Pinned {
  const collections = state.names().map((name) => ({ name, entries: state.collection(name).index.list('') }));
  return { revision: state.revision, collections };
}

/**
 * Writes a snapshot to a draft file and renames it, so that it appears as a whole. Resolves with its size, or with
 * undefined where `stopped` ended it; then, and where it rejects, it removes the draft if possible.
 */
export async function writeSnapshot(
  place: { files: FileSystem; folder: string; number: number },
  pinned: Pinned,
  stopped: () => boolean,
): Promise<number | undefined> {
  const { files, folder, number } = place;
  const name = path.join(folder, snapshotName(number));
  const draft = `${name}.tmp`;
  const file = await files.open(draft, 'create');
  let size: number | undefined;
  try {
    size = await writeAll(file, number, pinned, stopped);
  } finally {
    await file.close();
    if (size === undefined) await files.remove(draft);
  }
  if (size === undefined) return undefined;
  await files.rename(draft, name);
  await files.syncFolder(folder);
  return size;
}

async function writeAll(
  file: OpenFile,
  number: number,
  pinned: Pinned,
  stopped: () => boolean,
): Promise<number | undefined> {
  const extent = pinned.collections.reduce((sum, { entries }) => sum + entries.length, 0);
  await file.write([encodeHead({ kind: 'snapshot', number, revision: pinned.revision, extent })], 0);
  let length = HEAD_BYTES;
  let synced = 0;
  for (const slice of slices(pinned)) {
    if (stopped()) return undefined;
    await file.write(slice.buffers, length);
    length += slice.bytes;
    if (length - synced < SYNC_EVERY) continue;
    await file.sync();
    synced = length;
  }
  await file.sync();
  return length;
}

interface Slice {
  readonly buffers: readonly Buffer[];
  readonly bytes: number;
}

function* slices(pinned: Pinned): Generator<Slice> {
  let buffers: Buffer[] = [];
  let bytes = 0;
  for (const written of recordsOf(pinned)) {
    const pieces = encodeRecord(written, HEAD_BYTES);
    buffers.push(...pieces);
    bytes += pieces[0].length + pieces[1].length;
    if (bytes < SLICE) continue;
    yield { buffers, bytes };
    buffers = [];
    bytes = 0;
  }
  if (bytes > 0) yield { buffers, bytes };
}

function* recordsOf(pinned: Pinned): Generator<Written> {
  for (const { name, entries } of pinned.collections) {
    for (const { key, revision, bytes } of entries)
      yield { revision, type: 'put', collection: name, key, bytes, time: 0 };
  }
}
