import type { KubeObject } from '@multicluster-engine/values/object';
import type { Store, Subscription } from '../store/store.js';

/** Reads durable objects in their stored version, for code that depends on other objects: RBAC, policies, controllers. */
export interface ObjectReader {
  /** `namespace` is '' for cluster-scoped collections. */
  get(collection: string, namespace: string, name: string): KubeObject | undefined;
  /** All objects, or those of one namespace, in order of keys. */
  list(collection: string, namespace?: string): readonly KubeObject[];
  /** Reports every existing object as `put` before it returns, then every change; a `remove` carries the last state. */
  watch(collection: string, listener: (object: KubeObject, type: 'put' | 'remove') => void): Subscription;
}

export function createReader(store: Store): ObjectReader {
  return {
    get: (collection, namespace, name) => store.get(collection, keyOf(namespace, name))?.object,
    list: (collection, namespace) =>
      store
        .list(collection, namespace === undefined || namespace === '' ? '' : `${namespace}/`)
        .map((entry) => entry.object),
    watch(collection, listener) {
      const from = store.revision;
      for (const entry of store.list(collection, '')) listener(entry.object, 'put');
      return store.watch(collection, from, ({ entry, type }) => listener(entry.object, type));
    },
  };
}

/** The key of an object in its collection. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
