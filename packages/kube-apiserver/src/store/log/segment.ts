import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { FileSystem, OpenFile } from '../filesystem.js';
import { MAGIC, decodeRecord, type StoredRecord } from './record.js';

/** The header of a file of the store. */
export interface FileHead {
  readonly kind: 'segment' | 'snapshot';
  /** Number of the segment; a snapshot holds the state at the start of the segment with its number. */
  readonly number: number;
  /** The newest revision before the segment; the revision of the snapshot. */
  readonly revision: number;
  /**
   * For a segment, the length of the previous segment when this one was started; for a snapshot, its number of records.
   */
  readonly extent: number;
}

/**
 * Layout: magic(8) crc(4) number(6) revision(6) extent(6) kind(1) 0(1), 32 bytes. The checksum covers everything after
 * it.
 */
export const HEAD_BYTES = 32;
const HEAD_MAGIC = Buffer.from('KVLOG\0\0\x01', 'latin1');
const CHUNK = 1024 * 1024;

/** The files hold data that was never written in this form. The store leaves them unchanged for inspection. */
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

/** The numbers in the file names of a kind, in ascending order. */
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

/** undefined where there is no complete header. */
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

/** Starts a segment, durable in its folder when this resolves. Removes it, if possible, before rejecting. */
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
 * Reads records up to the end of the file or the first invalid one, and returns that offset. Reads in chunks: a record
 * that is kept in memory retains at most one chunk.
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
    while (found.kind === 'record') {
      take(found.record, base + at);
      at += found.size;
      found = decodeRecord(buffer, at);
    }
    base += at;
    if (found.kind === 'invalid' || buffer.length < length) return base;
    length = at === 0 ? length * 2 : CHUNK;
  }
}

/**
 * Offset of a record after `from` that was written when `from` was durable already, which shows that a crash did not
 * tear the data at `from`. undefined where there is none.
 */
export async function laterRecord(file: OpenFile, from: number): Promise<number | undefined> {
  const rest = await file.read(from, (await file.size()) - from);
  for (let at = rest.indexOf(MAGIC, 1); at !== -1; at = rest.indexOf(MAGIC, at + 1)) {
    const found = decodeRecord(rest, at);
    if (found.kind === 'record' && found.record.batch > from) return from + at;
  }
  return undefined;
}
