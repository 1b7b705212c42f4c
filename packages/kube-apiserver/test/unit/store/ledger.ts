import { expect } from '@jest/globals';
import type { KubeObject } from '@multicluster-engine/values/object';
import { StatusError } from '../../../src/status.js';
import { Compacted, type Change, type Entry, type Store } from '../../../src/store/store.js';
import { dataOf, thing } from './things.js';

interface Accepted {
  readonly revision: number;
  readonly type: 'put' | 'remove';
  readonly key: string;
  readonly data: string;
}

/** A model of a store: all requested writes and their outcomes, to compare with the store's state. */
export class StoreModel {
  #accepted: Accepted[] = [];
  /** The newest revision that was observed: up to it nothing may be lost or reused. */
  #answered = 1;

  /** Writes without waiting; resolves with the outcome. */
  put(store: Store, key: string, data: string): Promise<'answered' | 'refused'> {
    return this.#write(store, { type: 'put', key, data });
  }

  remove(store: Store, key: string): Promise<'answered' | 'refused'> {
    return this.#write(store, { type: 'remove', key, data: 'gone' });
  }

  /** The keys that the newest accepted writes leave. */
  has(store: Store, key: string): boolean {
    return store.newest('things', key) !== undefined;
  }

  /** After a restart: an unacknowledged write that is missing stays missing. */
  restart(store: Store): void {
    this.#accepted = this.#accepted.filter((one) => one.revision <= store.revision);
  }

  /** Compares the store with the model: its state, all earlier states, and all watches. */
  check(store: Store): void {
    expect(store.revision).toBeGreaterThanOrEqual(this.#answered);
    this.#answered = store.revision;
    const changes = this.#accepted.filter((one) => one.revision <= store.revision);
    expect(shownEntries(store.list('things', ''))).toEqual(stateAt(changes, store.revision));
    const oldest = store.oldest('things');
    expect(oldest).toBeLessThanOrEqual(store.revision);
    for (let revision = Math.max(1, oldest - 1); revision <= store.revision; revision++) {
      if (revision < oldest) {
        expect(() => store.listAt('things', '', revision)).toThrow(Compacted);
        expect(() => store.watch('things', revision, () => undefined)).toThrow(Compacted);
        continue;
      }
      same(shownEntries(store.listAt('things', '', revision)), stateAt(changes, revision));
      same(watched(store, revision), changes.filter((one) => one.revision > revision).map(shownChange));
    }
  }

  async #write(
    store: Store,
    { type, key, data }: Pick<Accepted, 'type' | 'key' | 'data'>,
  ): Promise<'answered' | 'refused'> {
    const accepted: Accepted[] = [];
    const build = (revision: number): KubeObject => {
      accepted.push({ revision, type, key, data });
      return thing(key, revision, data);
    };
    const writing = type === 'put' ? store.put('things', key, build) : store.remove('things', key, build);
    this.#accepted.push(...accepted);
    try {
      const { revision } = await writing;
      expect(revision).toBe(accepted[0]?.revision);
      expect(revision).toBeGreaterThan(this.#answered);
      this.#answered = revision;
      return 'answered';
    } catch (error) {
      if (error instanceof StatusError && error.code === 503)
        this.#accepted = this.#accepted.filter((one) => !accepted.includes(one));
      return 'refused';
    }
  }
}

/** Like `expect`, cheap enough for thousands of calls. */
function same(found: readonly string[], wanted: readonly string[]): void {
  if (found.join('\n') !== wanted.join('\n')) expect(found).toEqual(wanted);
}

function shownEntries(entries: readonly Entry[]): string[] {
  return entries.map(
    (entry) => `${entry.key}@${entry.revision}=${dataOf(entry)} rv ${entry.object.metadata.resourceVersion}`,
  );
}

function shownChange({ revision, type, key, data }: Accepted): string {
  return `${revision} ${type} ${key}=${data}`;
}

function stateAt(changes: readonly Accepted[], revision: number): string[] {
  const state = new Map<string, string>();
  for (const change of changes) {
    if (change.revision > revision) break;
    if (change.type === 'put')
      state.set(change.key, `${change.key}@${change.revision}=${change.data} rv ${change.revision}`);
    else state.delete(change.key);
  }
  return [...state].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, shown]) => shown);
}

function watched(store: Store, after: number): string[] {
  const changes: Change[] = [];
  store.watch('things', after, (change) => changes.push(change)).end();
  return changes.map(({ revision, type, entry }) => `${revision} ${type} ${entry.key}=${dataOf(entry)}`);
}
