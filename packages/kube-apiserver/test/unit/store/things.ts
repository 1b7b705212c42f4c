import type { KubeObject } from '@multicluster-engine/values/object';
import type { Change, Entry, Store } from '../../../src/store/store.js';

/** Objects of the collection `things` with a text. */
export function thing(key: string, revision: number, data: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: key, resourceVersion: String(revision) }, data };
}

export function put(store: Store, key: string, data: string): Promise<Entry> {
  return store.put('things', key, (revision) => thing(key, revision, data));
}

export function remove(store: Store, key: string): Promise<Entry> {
  return store.remove('things', key, (revision) => thing(key, revision, 'gone'));
}

export function dataOf(entry: Entry): string {
  const data = entry.object['data'];
  return typeof data === 'string' ? data : `no text: ${JSON.stringify(data)}`;
}

/** `a@2=one`. */
export function entryTexts(entries: readonly Entry[]): string[] {
  return entries.map((entry) => `${entry.key}@${entry.revision}=${dataOf(entry)}`);
}

/** `3 put a=two was 2`. */
export function changeTexts(changes: readonly Change[]): string[] {
  return changes.map(
    ({ revision, type, entry, previous }) =>
      `${revision} ${type} ${entry.key}=${dataOf(entry)} was ${previous?.revision ?? 'new'}`,
  );
}
