import path from 'node:path';
import { isFull, type FileSystem, type OpenFile } from '../filesystem.js';
import { NoSpace, type Journal, type Written } from './journal.js';
import { encodeRecord } from './record.js';
import { HEAD_BYTES, beginSegment, numbersOf, segmentName, snapshotName } from './segment.js';
import { pin, writeSnapshot } from './snapshot.js';
import type { State } from '../memory/state.js';

export interface LogLimits {
  /** Size in bytes at which a new segment is started. */
  readonly segment: number;
  /** Garbage in bytes, on top of the size of all objects, at which a snapshot is written. */
  readonly garbage: number;
}

export const LOG_LIMITS: LogLimits = { segment: 64 * 1024 * 1024, garbage: 16 * 1024 * 1024 };

export interface LogOptions {
  readonly files: FileSystem;
  readonly folder: string;
  readonly limits: LogLimits;
  /** Receives messages about failures that are harmless for now, such as a snapshot that could not be written. */
  readonly warn: (text: string) => void;
}

/** The end of the log. */
export interface Tail {
  readonly number: number;
  readonly file: OpenFile;
  /** Its length in valid bytes. */
  readonly length: number;
  /** Size in bytes of the snapshot and the earlier segments. */
  readonly before: number;
}

/** The journal on disk: append-only segments, and snapshots that replace older segments. */
export class Log implements Journal {
  readonly #options: LogOptions;
  readonly #state: State;
  #number: number;
  #file: OpenFile;
  #length: number;
  /** Size in bytes of the files before this segment. */
  #before: number;
  #snapshot: Promise<void> | undefined;
  /** Size on disk at which a failed snapshot is tried again. */
  #retryAt = 0;
  #closed = false;

  constructor(state: State, tail: Tail, options: LogOptions) {
    this.#state = state;
    this.#options = options;
    this.#number = tail.number;
    this.#file = tail.file;
    this.#length = tail.length;
    this.#before = tail.before;
  }

  async append(batch: readonly Written[]): Promise<void> {
    const buffers: Buffer[] = [];
    let bytes = 0;
    for (const written of batch) {
      const pieces = encodeRecord(written, this.#length);
      buffers.push(...pieces);
      bytes += pieces[0].length + pieces[1].length;
    }
    try {
      await this.#file.write(buffers, this.#length);
    } catch (error) {
      if (!isFull(error)) throw error;
      await this.#file.truncate(this.#length);
      await this.#file.sync();
      throw new NoSpace(error);
    }
    await this.#file.sync();
    this.#length += bytes;
  }

  async maintain(): Promise<void> {
    const due = this.#snapshot === undefined && this.#wasteful();
    if (!due && this.#length < this.#options.limits.segment) return;
    if (!(await this.#rotate()) || !due) return;
    this.#snapshot = this.#replace(this.#number).finally(() => {
      this.#snapshot = undefined;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#snapshot;
    await this.#file.close();
  }

  /** Whether most of the data on disk is garbage. */
  #wasteful(): boolean {
    const onDisk = this.#before + this.#length;
    return (
      this.#length > HEAD_BYTES &&
      onDisk >= this.#retryAt &&
      onDisk > 2 * this.#state.size + this.#options.limits.garbage
    );
  }

  /** Starts the next segment; false where there is no space, and the current one continues. */
  async #rotate(): Promise<boolean> {
    const { files, folder } = this.#options;
    const head = {
      kind: 'segment',
      number: this.#number + 1,
      revision: this.#state.revision,
      extent: this.#length,
    } as const;
    try {
      const next = await beginSegment(files, folder, head);
      await this.#file.close();
      this.#file = next;
    } catch (error) {
      if (!isFull(error)) throw error;
      return false;
    }
    this.#number += 1;
    this.#before += this.#length;
    this.#length = HEAD_BYTES;
    return true;
  }

  /** Writes a snapshot of the state at the start of the current segment, then removes older files. */
  async #replace(number: number): Promise<void> {
    const { files, folder, warn } = this.#options;
    const older = this.#before;
    try {
      const size = await writeSnapshot({ files, folder, number }, pin(this.#state), () => this.#closed);
      if (size === undefined) return;
      await removeOlder(files, folder, number);
      this.#before += size - older;
      this.#retryAt = 0;
    } catch (error) {
      this.#retryAt = this.#before + this.#length + this.#options.limits.segment;
      warn(`snapshot ${number} failed, the log grows on: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Removes the files that the snapshot of a number replaces. */
export async function removeOlder(files: FileSystem, folder: string, number: number): Promise<void> {
  const names = await files.list(folder);
  const old = [
    ...numbersOf(names, 'snapshot')
      .filter((one) => one < number)
      .map(snapshotName),
    ...numbersOf(names, 'segment')
      .filter((one) => one < number)
      .map(segmentName),
  ];
  for (const name of old) await files.remove(path.join(folder, name));
  if (old.length > 0) await files.syncFolder(folder);
}
