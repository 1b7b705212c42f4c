import type { ServedRegistry } from '../registry/registry.js';
import type { Change, Entry, Store, Subscription } from '../store/store.js';

export interface MonitorHandlers {
  /** Receives each object that existed when its resource was first monitored. */
  existing?(collection: string, entry: Entry): void;
  changed(collection: string, change: Change): void;
  /** Called when the served resources changed. */
  resourcesChanged?(): void;
}

/** Watches the objects of every served resource, and of resources that are served later. */
export function monitorAll(store: Store, registry: ServedRegistry, handlers: MonitorHandlers): Subscription {
  const monitored = new Map<string, Subscription>();
  const monitorServed = (): void => {
    for (const { collection, verbs } of registry.all()) {
      if (monitored.has(collection) || !verbs.includes('watch')) continue;
      const from = store.revision;
      for (const entry of store.list(collection, '')) handlers.existing?.(collection, entry);
      monitored.set(
        collection,
        store.watch(collection, from, (change) => handlers.changed(collection, change)),
      );
    }
  };
  monitorServed();
  const changes = registry.onChange(() => {
    monitorServed();
    handlers.resourcesChanged?.();
  });
  return {
    end() {
      changes.end();
      for (const subscription of monitored.values()) subscription.end();
    },
  };
}
