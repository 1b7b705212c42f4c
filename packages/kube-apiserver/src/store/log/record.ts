import { crc32 } from 'node:zlib';
import type { Written } from './journal.js';

/** A record as it was read. */
export interface StoredRecord extends Written {
  /** Offset of the batch of the record: everything before it was durable when the record was written. */
  readonly batch: number;
}

/** A decoded record with its size in bytes; or why there is none: the buffer ends within it, or its bytes are invalid. */
export type Decoded =
  | { readonly kind: 'record'; readonly record: StoredRecord; readonly size: number }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'invalid' };

/**
 * Layout: magic(4) crc(4) length(4) batch(6) revision(6) time(6) type(1) 0(1) length of collection(2) length of key(2),
 * then collection, key and object. The checksum covers everything after it; `length` is that of the part after these 36
 * bytes.
 */
const HEAD = 36;
/** Not valid UTF-8, so that no object can contain what looks like a record. */
export const MAGIC = Buffer.from([0xff, 0xfe, 0x4b, 0x52]);
const LARGEST = 16 * 1024 * 1024;

/** A record in two parts, to be written one after the other. */
export function encodeRecord(written: Written, batch: number): [Buffer, Buffer] {
  const { collection, key, bytes } = written;
  const collectionLength = Buffer.byteLength(collection);
  const keyLength = Buffer.byteLength(key);
  const head = Buffer.allocUnsafe(HEAD + collectionLength + keyLength);
  MAGIC.copy(head);
  head.writeUInt32LE(collectionLength + keyLength + bytes.length, 8);
  head.writeUIntLE(batch, 12, 6);
  head.writeUIntLE(written.revision, 18, 6);
  head.writeUIntLE(Math.max(written.time, 0), 24, 6);
  head.writeUInt8(written.type === 'put' ? 1 : 2, 30);
  head.writeUInt8(0, 31);
  head.writeUInt16LE(collectionLength, 32);
  head.writeUInt16LE(keyLength, 34);
  head.write(collection, HEAD);
  head.write(key, HEAD + collectionLength);
  head.writeUInt32LE(crc32(bytes, crc32(head.subarray(8))), 4);
  return [head, bytes];
}

/** Decodes the record at an offset, without copying the object. */
export function decodeRecord(buffer: Buffer, at: number): Decoded {
  const left = buffer.length - at;
  if (left >= MAGIC.length && !MAGIC.equals(buffer.subarray(at, at + MAGIC.length))) return { kind: 'invalid' };
  if (left < HEAD) return { kind: 'incomplete' };
  const length = buffer.readUInt32LE(at + 8);
  if (length > LARGEST) return { kind: 'invalid' };
  if (left < HEAD + length) return { kind: 'incomplete' };
  const end = at + HEAD + length;
  if (crc32(buffer.subarray(at + 8, end)) !== buffer.readUInt32LE(at + 4)) return { kind: 'invalid' };
  const keyAt = at + HEAD + buffer.readUInt16LE(at + 32);
  const bytesAt = keyAt + buffer.readUInt16LE(at + 34);
  if (bytesAt > end) return { kind: 'invalid' };
  const record: StoredRecord = {
    batch: buffer.readUIntLE(at + 12, 6),
    revision: buffer.readUIntLE(at + 18, 6),
    time: buffer.readUIntLE(at + 24, 6),
    type: buffer.readUInt8(at + 30) === 1 ? 'put' : 'remove',
    collection: buffer.toString('utf8', at + HEAD, keyAt),
    key: buffer.toString('utf8', keyAt, bytesAt),
    bytes: buffer.subarray(bytesAt, end),
  };
  return { kind: 'record', record, size: HEAD + length };
}
