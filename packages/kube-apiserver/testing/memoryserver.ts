import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { KubeObject } from '@multicluster-engine/values/object';

import { startControllers } from '../src/controllers/controllers.js';
import type { Clock } from '../src/clock.js';
import type { ApiRequest, ApiResponse } from '../src/request.js';
import { assemble } from '../src/server/assembly.js';
import { bootstrap } from '../src/server/bootstrap.js';
import { openCredentials } from '../src/server/credentials.js';
import { memoryStore } from '../src/store/open.js';
import type { Change, Entry, Store, Subscription } from '../src/store/store.js';

/** What is stored at one moment, by collection and key. */
export type StoredState = ReadonlyMap<string, ReadonlyMap<string, Entry>>;

/** An API server without a listener and without a disk, whose content can be set back: for thousands of runs in one process. */
export interface MemoryServer {
  readonly store: Store;
  /** As over HTTPS, but trusts the user that the request names. */
  dispatch(request: ApiRequest): Promise<ApiResponse>;
  state(): StoredState;
  /** Makes the content that of `state` again. Revisions only rise, and watches see the changes. */
  restore(state: StoredState): Promise<void>;
  /** Calls `listener` with every change of a collection from now on, in order, when it is stored. */
  observe(collection: string, listener: (change: Change) => void): Subscription;
  /** Drops the history of changes: watches from an older resourceVersion get 410. */
  compact(): void;
  close(): Promise<void>;
}

/** `onError`: receives the failures of the server's own controllers. */
export async function startMemoryServer(options: {
  readonly clock: Clock;
  readonly onError?: (key: string, error: unknown) => void;
}): Promise<MemoryServer> {
  const { clock, onError = () => undefined } = options;
  const folder = await mkdtemp(path.join(tmpdir(), 'memoryserver-'));
  const credentials = await openCredentials({ folder, host: '127.0.0.1', now: clock.now() });
  await rm(folder, { recursive: true, force: true });
  const store = memoryStore({ clock });
  const assembly = assemble({
    store,
    clock,
    signing: credentials.signing,
    tokens: [],
    audit: undefined,
    address: () => '127.0.0.1:6443',
    metrics: () => '',
  });
  await bootstrap(assembly, []);
  const origins = new WeakMap<Entry, Entry>();
  const parts = { caBundle: credentials.authority.certificate, issueToken: () => '' };
  const controllers = startControllers({ ...assembly, onError }, parts);
  return {
    store,
    dispatch: (request) => assembly.router.dispatch(request),
    state: () => new Map(store.collections().map((name) => [name, entriesOf(store, name)])),
    restore: (state) => restore(store, state, origins),
    observe: (collection, listener) => store.watch(collection, store.revision, listener),
    compact: () => store.compact(),
    async close() {
      await controllers.end();
      assembly.close();
      await store.close();
    },
  };
}

function entriesOf(store: Store, collection: string): ReadonlyMap<string, Entry> {
  return new Map(store.list(collection, '').map((entry) => [entry.key, entry]));
}

/** `origins`: of entries that were put back, those that they are copies of. */
async function restore(store: Store, state: StoredState, origins: WeakMap<Entry, Entry>): Promise<void> {
  const writes: Promise<unknown>[] = [];
  for (const collection of new Set([...store.collections(), ...state.keys()])) {
    const wanted = state.get(collection) ?? new Map<string, Entry>();
    const now = entriesOf(store, collection);
    for (const entry of now.values())
      if (!wanted.has(entry.key))
        writes.push(store.remove(collection, entry.key, (revision) => versioned(entry.object, revision)));
    for (const entry of wanted.values()) {
      const there = now.get(entry.key);
      if (there !== undefined && (there === entry || origins.get(there) === entry)) continue;
      const put = store.put(collection, entry.key, (revision) => versioned(entry.object, revision));
      writes.push(put.then((copy) => origins.set(copy, entry)));
    }
  }
  await Promise.all(writes);
}

function versioned(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
