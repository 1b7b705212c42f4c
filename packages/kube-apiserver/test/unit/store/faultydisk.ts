import path from 'node:path';
import type { FileSystem, OpenFile, OpenMode } from '../../../src/store/filesystem.js';

/** What a power failure leaves of writes that were not synced. */
export type Tear = 'none' | 'all' | 'prefix' | 'sectors';

interface Inode {
  /** The content for readers. */
  content: Buffer;
  /** The content at the last sync. */
  durable: Buffer;
}

export interface Step {
  readonly what: string;
  /** The file's number, from 1. */
  readonly number: number;
}

const SECTOR = 64;

export function failure(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/**
 * A disk in memory that loses unsynced writes at a power failure, also within a write. Directory entries are durable
 * once their folder was synced; before that, any subset of their changes may be.
 */
export class FaultyDisk implements FileSystem {
  #files = new Map<string, Inode>();
  #durable = new Map<string, Inode>();
  /** Changes of the directory since the last sync of the folder. */
  #pending: ((files: Map<string, Inode>) => void)[] = [];
  #crashed = false;
  steps = 0;
  /** Capacity of the disk in bytes. */
  capacity = Infinity;
  /** Called before each modifying step; may throw, or call `crash`. */
  before: (step: Step) => void = () => undefined;

  makeFolder(): Promise<void> {
    return Promise.resolve();
  }

  async list(folder: string): Promise<readonly string[]> {
    return [...this.#files.keys()].filter((file) => path.dirname(file) === folder).map((file) => path.basename(file));
  }

  async open(file: string, mode: OpenMode): Promise<OpenFile> {
    const found = this.#files.get(file);
    if (found === undefined && mode !== 'create') throw failure('ENOENT');
    if (found !== undefined && mode !== 'create') return this.#handle(file, found);
    this.#step(`create ${path.basename(file)}`);
    const inode = { content: Buffer.alloc(0), durable: Buffer.alloc(0) };
    this.#change((files) => void files.set(file, inode));
    return this.#handle(file, inode);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#step(`rename ${path.basename(from)}`);
    const inode = this.#files.get(from);
    if (inode === undefined) throw failure('ENOENT');
    this.#change((files) => {
      if (files.get(from) === inode) files.delete(from);
      files.set(to, inode);
    });
  }

  async link(from: string, to: string): Promise<void> {
    this.#step(`link ${path.basename(to)}`);
    const inode = this.#files.get(from);
    if (inode === undefined) throw failure('ENOENT');
    if (this.#files.has(to)) throw failure('EEXIST');
    this.#change((files) => void files.set(to, inode));
  }

  async remove(file: string): Promise<void> {
    this.#step(`remove ${path.basename(file)}`);
    if (!this.#files.has(file)) throw failure('ENOENT');
    this.#change((files) => void files.delete(file));
  }

  async syncFolder(): Promise<void> {
    this.#step('sync folder');
    this.#durable = this.#files;
    this.#pending = [];
  }

  /** Stops the disk: all later operations fail. */
  crash(): Error {
    this.#crashed = true;
    return failure('ECRASHED');
  }

  /** The disk after a power failure: `pick(n)` chooses among n outcomes. */
  afterPowerLoss(tear: Tear, pick: (choices: number) => number): FaultyDisk {
    const next = new FaultyDisk();
    const kept = new Map(this.#durable);
    const first = tear === 'prefix' ? pick(this.#pending.length + 1) : this.#pending.length;
    for (const [index, change] of this.#pending.entries()) {
      if (index < first && tear !== 'none' && (tear !== 'sectors' || pick(2) === 0)) change(kept);
    }
    for (const [file, inode] of kept) {
      const content = torn(inode, tear, pick);
      next.#files.set(file, { content, durable: content });
    }
    next.#durable = next.#files;
    return next;
  }

  /** The disk after only the process was killed. */
  afterKill(): FaultyDisk {
    const next = new FaultyDisk();
    next.#files = this.#files;
    next.#durable = this.#durable;
    next.#pending = this.#pending;
    return next;
  }

  /** Changes bytes without the store's knowledge. */
  edit(file: string, change: (content: Buffer) => Buffer): void {
    const inode = this.#files.get(file);
    if (inode === undefined) throw failure('ENOENT');
    inode.content = change(Buffer.from(inode.content));
    inode.durable = inode.content;
  }

  get names(): string[] {
    return [...this.#files.keys()].map((file) => path.basename(file)).sort();
  }

  #change(change: (files: Map<string, Inode>) => void): void {
    this.#files = new Map(this.#files);
    change(this.#files);
    this.#pending.push(change);
  }

  #step(what: string): void {
    if (this.#crashed) throw failure('ECRASHED');
    this.steps += 1;
    this.before({ what, number: this.steps });
  }

  #used(): number {
    let used = 0;
    for (const { content } of this.#files.values()) used += content.length;
    return used;
  }

  #handle(file: string, inode: Inode): OpenFile {
    const name = path.basename(file);
    return {
      size: async () => inode.content.length,
      read: async (position, length) => Buffer.from(inode.content.subarray(position, position + length)),
      write: async (buffers, position) => this.#write(name, inode, { data: Buffer.concat(buffers), position }),
      truncate: async (length) => {
        this.#step(`truncate ${name}`);
        inode.content = Buffer.from(inode.content.subarray(0, length));
      },
      sync: async () => {
        this.#step(`sync ${name}`);
        inode.durable = inode.content;
      },
      close: async () => undefined,
    };
  }

  #write(name: string, inode: Inode, { data, position }: { data: Buffer; position: number }): void {
    let crash: unknown;
    try {
      this.#step(`write ${name}`);
    } catch (error) {
      if (!this.#crashed) throw error;
      crash = error;
    }
    const grown = Math.max(position + data.length, inode.content.length) - inode.content.length;
    const fixture = Math.max(0, this.capacity - this.#used());
    const fits = grown > fixture ? data.subarray(0, data.length - (grown - fixture)) : data;
    const content = Buffer.alloc(Math.max(position + fits.length, inode.content.length));
    inode.content.copy(content);
    fits.copy(content, position);
    inode.content = content;
    if (crash !== undefined) throw crash instanceof Error ? crash : failure('ECRASHED');
    if (fits.length < data.length) throw failure('ENOSPC');
  }
}

function torn({ content, durable }: Inode, tear: Tear, pick: (choices: number) => number): Buffer {
  if (tear === 'none') return durable;
  if (tear === 'all' || content.equals(durable)) return content;
  if (content.length <= durable.length) return pick(2) === 0 ? content : durable;
  if (tear === 'prefix')
    return Buffer.from(content.subarray(0, durable.length + pick(content.length - durable.length + 1)));
  const result = Buffer.from(content);
  for (let at = durable.length; at < content.length; at += SECTOR) {
    if (pick(2) === 0) result.fill(0, at, Math.min(at + SECTOR, content.length));
  }
  return result;
}
