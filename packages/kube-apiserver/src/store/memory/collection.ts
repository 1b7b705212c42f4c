import { History, type HistoryLimits } from './history.js';
import { KeyIndex, applyEntries } from './keyindex.js';
import type { Change, Entry, Subscription } from '../store.js';

/** The state that the next write of a key builds upon. */
interface Pending {
  readonly revision: number;
  /** undefined for a deletion. */
  readonly entry: Entry | undefined;
}

interface Watcher {
  readonly listener: (change: Change) => void;
  /** Revision of the last event that it received. */
  notified: number;
}

/** The durable objects of one resource, their recent changes, and the watchers. */
export class Collection {
  readonly name: string;
  readonly index = new KeyIndex();
  readonly history: History;
  /** Total size of the objects' JSON in bytes. */
  bytes = 0;
  /** Per key, the newest accepted change that is not durable yet. */
  readonly pending = new Map<string, Pending>();
  readonly #watchers = new Set<Watcher>();

  constructor(name: string, limits: HistoryLimits, floor: number) {
    this.name = name;
    this.history = new History(limits, floor);
  }

  /**
   * Applies a durable change without notifying watchers.
   * @param time ms since the epoch
   */
  apply(change: Change, time: number): void {
    const { entry, previous } = change;
    this.bytes += (change.type === 'put' ? entry.bytes.length : 0) - (previous?.bytes.length ?? 0);
    if (change.type === 'put') this.index.set(entry);
    else this.index.delete(entry.key);
    this.history.append(change, time);
  }

  notify(change: Change): void {
    for (const watcher of this.#watchers) {
      if (change.revision <= watcher.notified) continue;
      watcher.notified = change.revision;
      watcher.listener(change);
    }
  }

  /**
   * Delivers the changes after a revision from history at once, then later ones as they become durable. Throws
   * Compacted.
   */
  watch(after: number, listener: (change: Change) => void): Subscription {
    const missed = this.history.after(after);
    const watcher: Watcher = { listener, notified: Math.max(after, missed.at(-1)?.revision ?? 0) };
    this.#watchers.add(watcher);
    for (const change of missed) listener(change);
    return { end: () => void this.#watchers.delete(watcher) };
  }

  /** The objects as they were at a revision. Throws Compacted. */
  listAt(prefix: string, revision: number): readonly Entry[] {
    const undone = [...this.history.undo(revision)].filter(([key]) => key.startsWith(prefix));
    return applyEntries(this.index.list(prefix), new Map(undone));
  }
}
