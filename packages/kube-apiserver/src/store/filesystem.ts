import { access, link, mkdir, open, readdir, rename, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** `read`: must exist. `update`: must exist, for reading and writing. `create`: created, or emptied where it exists. */
export type OpenMode = 'read' | 'update' | 'create';

/** The file system operations of the store; errors have Node's codes. Tests inject faults here. */
export interface FileSystem {
  /** Creates a folder with access for its owner only, and its parents; no effect where it exists. */
  makeFolder(folder: string): Promise<void>;
  /** Names of the files in a folder, unordered. */
  list(folder: string): Promise<readonly string[]>;
  /** Opens a file; a created file has access for its owner only. */
  open(file: string, mode: OpenMode): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  /** Creates a hard link; rejects with the code EEXIST where the name is taken. */
  link(from: string, to: string): Promise<void>;
  remove(file: string): Promise<void>;
  /** Makes the folder's entries durable. */
  syncFolder(folder: string): Promise<void>;
}

export interface OpenFile {
  size(): Promise<number>;
  /** Up to `length` bytes; fewer only at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
  /** Writes all bytes; after a rejection any part may be written. */
  write(buffers: readonly Buffer[], position: number): Promise<void>;
  truncate(length: number): Promise<void>;
  /**
   * Makes the content and the size durable; rejects for a file that was removed, because nobody could read it again.
   */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const FLAGS: Readonly<Record<OpenMode, string>> = { read: 'r', update: 'r+', create: 'w+' };

/** The file system of the machine. */
export const disk: FileSystem = {
  makeFolder,
  list: (folder) => readdir(folder),
  open: async (file, mode) => new DiskFile(await open(file, FLAGS[mode], 0o600), file),
  rename: (from, to) => rename(from, to),
  link: (from, to) => link(from, to),
  remove: (file) => unlink(file),
  syncFolder,
};

/** Creates a folder with access for its owner only, and its missing parents; no effect where it exists. */
export async function makeFolder(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    // One by one: Node's recursive mkdir never ends where the parent exists and accepts no folder (/proc).
    if (codeOf(error) !== 'ENOENT' || (await exists(parent))) throw error;
    await makeFolder(parent);
    await mkdir(folder, { mode: 0o700 });
  }
  await syncFolder(parent);
}

async function exists(folder: string): Promise<boolean> {
  return access(folder).then(
    () => true,
    () => false,
  );
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

class DiskFile implements OpenFile {
  readonly #handle: FileHandle;
  readonly #name: string;

  constructor(handle: FileHandle, name: string) {
    this.#handle = handle;
    this.#name = name;
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  async read(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(buffer, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  }

  async write(buffers: readonly Buffer[], position: number): Promise<void> {
    const { bytesWritten } = await this.#handle.writev([...buffers], position);
    const total = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
    if (bytesWritten === total) return;
    const rest = Buffer.concat(buffers).subarray(bytesWritten);
    for (let done = 0; done < rest.length;) {
      done += (await this.#handle.write(rest, done, rest.length - done, position + bytesWritten + done)).bytesWritten;
    }
  }

  truncate(length: number): Promise<void> {
    return this.#handle.truncate(length);
  }

  async sync(): Promise<void> {
    const [{ nlink }] = await Promise.all([this.#handle.stat(), this.#handle.datasync()]);
    if (nlink === 0) throw new Error(`${this.#name} was removed while it was in use`);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * The code of a file system error, such as `ENOENT`. Reads the field only: errors in Jest are of another realm than
 * Node's.
 */
export function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** Whether a write failed for want of space, which may be temporary: the disk is full, or a quota is used up. */
export function isFull(error: unknown): boolean {
  return FULL.has(codeOf(error) ?? '');
}
