import type { ServedRegistry } from '../registry/registry.js';
import type { Change, Entry, Store, Subscription } from '../store/store.js';

export interface MonitorHandlers {
  /** An object that was there before. */
  existing?(collection: string, entry: Entry): void;
  changed(collection: string, change: Change): void;
  /** Other resources are served now. */
  resourcesChanged?(): void;
}

/** Follows every object of every resource that is served, and of those that come to be served. */
export function monitorAll(store: Store, registry: ServedRegistry, listener: MonitorHandlers): Subscription {
  const followed = new Map<string, Subscription>();
  const followServed = (): void => {
    for (const { collection, verbs } of registry.all()) {
      if (followed.has(collection) || !verbs.includes('watch')) continue;
      const from = store.revision;
      for (const entry of store.list(collection, '')) listener.existing?.(collection, entry);
      followed.set(
        collection,
        store.watch(collection, from, (change) => listener.changed(collection, change)),
      );
    }
  };
  followServed();
  const changes = registry.onChange(() => {
    followServed();
    listener.resourcesChanged?.();
  });
  return {
    end() {
      changes.end();
      for (const subscription of followed.values()) subscription.end();
    },
  };
}
