import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '@multicluster-engine/values/json';
import { codeOf, type FileSystem, type OpenFile, type OpenMode } from './filesystem.js';

/** What the lock needs to know about processes. */
export interface Processes {
  readonly pid: number;
  /** Whether a process with this id is running. */
  alive(pid: number): boolean;
  /** Distinguishes a process from a later one with the same id, where the system supports it. */
  mark(pid: number): string | undefined;
}

/** Another process has the folder open. */
export class FolderInUse extends Error {
  readonly pid: number;

  constructor(folder: string, pid: number) {
    super(`${folder} is in use by process ${pid}`);
    this.name = 'FolderInUse';
    this.pid = pid;
  }
}

export interface Lock {
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly mark: string | undefined;
}

/**
 * Locks a folder for one process. The holder is the process that created the lock file with the highest number. A
 * process that finds this lock released, or its holder gone, creates the next number, which only one process can, and
 * holds the folder unless another process has created a higher number meanwhile. A lock file appears together with its
 * content, so what was read stays true; the file with the highest number is never removed, so a slow process cannot
 * create that number again.
 */
export async function lockFolder(files: FileSystem, folder: string, processes: Processes): Promise<Lock> {
  for (;;) {
    const highest = await highestLock(files, folder);
    const holder = highest === 0 ? undefined : await readHolder(files, path.join(folder, lockName(highest)));
    if (holder !== undefined && runs(holder, processes)) throw new FolderInUse(folder, holder.pid);
    const number = highest + 1;
    if (!(await createLock(files, folder, { number, processes }))) continue;
    if ((await highestLock(files, folder)) !== number) {
      await removeIfThere(files, path.join(folder, lockName(number)));
      continue;
    }
    await clear(files, folder, number);
    return { release: () => release(files, path.join(folder, lockName(number))) };
  }
}

/** A lock file that was removed together with its folder holds nothing. */
async function release(files: FileSystem, file: string): Promise<void> {
  try {
    await withFile(files, file, 'update', (opened) => opened.truncate(0));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

const DRAFT = 'lock-draft-';

function lockName(number: number): string {
  return `lock-${number}`;
}

async function lockNumbers(files: FileSystem, folder: string): Promise<number[]> {
  const names = await files.list(folder);
  return names.filter((name) => /^lock-\d+$/.test(name)).map((name) => Number(name.slice('lock-'.length)));
}

async function highestLock(files: FileSystem, folder: string): Promise<number> {
  return Math.max(0, ...(await lockNumbers(files, folder)));
}

/** Creates a lock file atomically; false where another process created it first. */
async function createLock(
  files: FileSystem,
  folder: string,
  { number, processes }: { number: number; processes: Processes },
): Promise<boolean> {
  const holder = { pid: processes.pid, mark: processes.mark(processes.pid) };
  const draft = path.join(folder, `${DRAFT}${randomUUID()}`);
  try {
    await withFile(files, draft, 'create', async (file) => {
      await file.write([Buffer.from(JSON.stringify(holder))], 0);
      await file.sync();
    });
    await files.link(draft, path.join(folder, lockName(number)));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false;
    throw error;
  } finally {
    await removeIfThere(files, draft);
  }
}

/** Removes older locks, and unfinished drafts; a process that is still writing one creates another. */
async function clear(files: FileSystem, folder: string, number: number): Promise<void> {
  const drafts = (await files.list(folder)).filter((name) => name.startsWith(DRAFT));
  const older = (await lockNumbers(files, folder)).filter((one) => one < number).map(lockName);
  for (const name of [...drafts, ...older]) await removeIfThere(files, path.join(folder, name));
}

/** undefined where the lock is released or missing. */
async function readHolder(files: FileSystem, file: string): Promise<Holder | undefined> {
  try {
    return parseHolder((await withFile(files, file, 'read', (opened) => opened.read(0, 1024))).toString('utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || typeof value['pid'] !== 'number') return undefined;
    return { pid: value['pid'], mark: typeof value['mark'] === 'string' ? value['mark'] : undefined };
  } catch {
    return undefined;
  }
}

function runs({ pid, mark }: Holder, processes: Processes): boolean {
  if (!processes.alive(pid)) return false;
  const now = processes.mark(pid);
  return mark === undefined || now === undefined || mark === now;
}

async function withFile<T>(
  files: FileSystem,
  name: string,
  mode: OpenMode,
  use: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const file = await files.open(name, mode);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function removeIfThere(files: FileSystem, file: string): Promise<void> {
  try {
    await files.remove(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** The processes of this machine. */
export const machine: Processes = {
  pid: process.pid,
  alive(pid) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      return codeOf(error) === 'EPERM';
    }
    return !/^[ZX]$/.test(statOf(pid)?.[0] ?? '');
  },
  mark(pid) {
    const started = statOf(pid)?.[19];
    const boot = readText('/proc/sys/kernel/random/boot_id');
    return started === undefined || boot === undefined ? undefined : `${boot.trim()}/${started}`;
  },
};

/** The fields of /proc/<pid>/stat from the state on; the name before them may contain anything. */
function statOf(pid: number): string[] | undefined {
  const text = readText(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
