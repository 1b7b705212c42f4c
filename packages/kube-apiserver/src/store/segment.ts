import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { FileSystem, OpenFile } from './filesystem.js';
import { MAGIC, decodeRecord, type StoredRecord } from './record.js';

/** What stands at the head of a file of the store. */
export interface FileHead {
  readonly kind: 'segment' | 'snapshot';
  /** Segments are numbered on; a snapshot holds the state at the beginning of the segment of its number. */
  readonly number: number;
  /** The newest revision before the segment; the revision of the snapshot. */
  readonly revision: number;
  /** Of a segment: how long the one before it was when this one was begun. Of a snapshot: how many records it has. */
  readonly extent: number;
}

/** magic(8) crc(4) number(6) revision(6) extent(6) kind(1) 0(1): 32 bytes. The checksum is of all that follows it. */
export const HEAD_BYTES = 32;
const HEAD_MAGIC = Buffer.from('KVLOG\0\0\x01', 'latin1');
const CHUNK = 1024 * 1024;

/** The disk holds what was never written like this. The store stays as it is, so that somebody can look. */
export class Damaged extends Error {
  readonly file: string;
  readonly offset: number;

  constructor(file: string, offset: number, what: string) {
    super(`${file} is damaged at offset ${offset}: ${what}`);
    this.name = 'Damaged';
    this.file = file;
    this.offset = offset;
  }
}

export function segmentName(number: number): string {
  return `segment-${String(number).padStart(12, '0')}.log`;
}

export function snapshotName(number: number): string {
  return `snapshot-${String(number).padStart(12, '0')}.log`;
}

/** The numbers in names of a kind, lowest first. */
export function numbersOf(names: readonly string[], kind: FileHead['kind']): number[] {
  const found: number[] = [];
  for (const name of names) {
    const digits = name.startsWith(`${kind}-`) && name.endsWith('.log') ? name.slice(kind.length + 1, -4) : '';
    if (/^\d{12}$/.test(digits)) found.push(Number(digits));
  }
  return found.sort((a, b) => a - b);
}

export function encodeHead(head: FileHead): Buffer {
  const buffer = Buffer.alloc(HEAD_BYTES);
  HEAD_MAGIC.copy(buffer);
  buffer.writeUIntLE(head.number, 12, 6);
  buffer.writeUIntLE(head.revision, 18, 6);
  buffer.writeUIntLE(head.extent, 24, 6);
  buffer.writeUInt8(head.kind === 'segment' ? 1 : 2, 30);
  buffer.writeUInt32LE(crc32(buffer.subarray(12)), 8);
  return buffer;
}

/** undefined when no whole head is there. */
export async function readHead(file: OpenFile): Promise<FileHead | undefined> {
  const buffer = await file.read(0, HEAD_BYTES);
  if (buffer.length < HEAD_BYTES || !HEAD_MAGIC.equals(buffer.subarray(0, 8))) return undefined;
  if (crc32(buffer.subarray(12)) !== buffer.readUInt32LE(8)) return undefined;
  const kind = buffer.readUInt8(30) === 1 ? 'segment' : 'snapshot';
  return {
    kind,
    number: buffer.readUIntLE(12, 6),
    revision: buffer.readUIntLE(18, 6),
    extent: buffer.readUIntLE(24, 6),
  };
}

/** Begins a segment that is durable when this resolves, also in its folder. Leaves none when it rejects, if it can. */
export async function beginSegment(files: FileSystem, folder: string, head: FileHead): Promise<OpenFile> {
  const name = path.join(folder, segmentName(head.number));
  const file = await files.open(name, 'create');
  try {
    await file.write([encodeHead(head)], 0);
    await file.sync();
    await files.syncFolder(folder);
    return file;
  } catch (error) {
    await file.close();
    await files.remove(name);
    throw error;
  }
}

/**
 * Reads records until the end of a file or until there is none, and gives where that is. In chunks: what stays in
 * memory of a record keeps no more than a chunk from being freed.
 */
export async function readRecords(
  file: OpenFile,
  take: (record: StoredRecord, offset: number) => void,
): Promise<number> {
  let base = HEAD_BYTES;
  let length = CHUNK;
  for (;;) {
    const buffer = await file.read(base, length);
    let at = 0;
    let found = decodeRecord(buffer, at);
    while (typeof found === 'object') {
      take(found.record, base + at);
      at += found.size;
      found = decodeRecord(buffer, at);
    }
    base += at;
    if (found === 'bad' || buffer.length < length) return base;
    length = at === 0 ? length * 2 : CHUNK;
  }
}

/**
 * Where a record stands after `from` that was written when `from` was durable already: what is unreadable at `from` was
 * not torn by a crash then. undefined when there is none.
 */
export async function laterRecord(file: OpenFile, from: number): Promise<number | undefined> {
  const rest = await file.read(from, (await file.size()) - from);
  for (let at = rest.indexOf(MAGIC, 1); at !== -1; at = rest.indexOf(MAGIC, at + 1)) {
    const found = decodeRecord(rest, at);
    if (typeof found === 'object' && found.record.batch > from) return from + at;
  }
  return undefined;
}
