import type { Clock } from '../clock.js';
import { disk, type FileSystem } from './filesystem.js';
import { noJournal, type Journal } from './log/journal.js';
import { lockFolder, machine, type Processes } from './lock.js';
import { LOG_LIMITS, Log, type LogLimits } from './log/log.js';
import { LogStore } from './logstore.js';
import { recover } from './log/recovery.js';
import { FIRST_REVISION, LIMITS, State, type Limits } from './memory/state.js';
import type { Store } from './store.js';

export interface MemoryOptions {
  readonly clock: Clock;
  readonly limits?: Partial<Limits>;
  /** Deep-freezes objects, so that tests find changes in place. */
  readonly frozen?: boolean;
}

export interface StoreOptions extends MemoryOptions {
  /** Created with access for its owner only. */
  readonly folder: string;
  /**
   * Called when the content of the disk is unknown (a failed fsync): the store refuses everything, and the process has
   * to end. The next process reads what is there.
   */
  readonly onFatal: (error: unknown) => void;
  /** Receives messages about failures that the store survives. */
  readonly warn?: (text: string) => void;
  readonly log?: Partial<LogLimits>;
  readonly files?: FileSystem;
  readonly processes?: Processes;
}

/** A store without a disk. */
export function memoryStore({ clock, limits, frozen = false }: MemoryOptions): Store {
  const state = new State(clock, { ...LIMITS, ...limits }, FIRST_REVISION, frozen);
  return new LogStore(state, noJournal, { clock, onFatal: () => undefined, warn: () => undefined });
}

/**
 * Opens or creates the store in a folder. Rejects with FolderInUse where a running process has it open, and with
 * Damaged (file and offset) where the files are in a state that no crash produces.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { folder, clock, onFatal, files = disk, processes = machine, frozen = false, warn = () => undefined } = options;
  const limits = { ...LIMITS, ...options.limits };
  await files.makeFolder(folder);
  const lock = await lockFolder(files, folder, processes);
  try {
    const { state, tail } = await recover(
      { files, folder, warn },
      (revision) => new State(clock, limits, revision, frozen),
    );
    const log = new Log(state, tail, { files, folder, limits: { ...LOG_LIMITS, ...options.log }, warn });
    return new LogStore(
      state,
      releasing(log, () => lock.release()),
      { clock, onFatal, warn },
    );
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function releasing(log: Log, release: () => Promise<void>): Journal {
  return {
    append: (batch) => log.append(batch),
    maintain: () => log.maintain(),
    async close() {
      await log.close();
      await release();
    },
  };
}
