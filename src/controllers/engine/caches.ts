import type { MultiClusterEngine } from '../../api/generated/multiclusterengine.js';
import type { KubeObject } from '../../api/meta.js';
import { MultiClusterEngines, Namespaces, RoleBindings } from '../../api/resources.js';
import { BINDINGS } from '../../domain/engine/catalogue.js';
import type { StoredObject } from '../../domain/engine/plan/plan.js';
import type { Cache } from '../../kube/cache/reflector.js';
import type { OpenCache } from './targetcaches.js';

/**
 * The caches that gate the start: engines; namespaces (metadata only) and the bindings, each by its fixed name, where
 * they are the operator's to make.
 */
export interface EngineCaches {
  readonly engines: Cache<MultiClusterEngine>;
  /** Absent with `--namespace`. */
  readonly namespaces?: Cache<KubeObject>;
  readonly bindings: readonly Cache<KubeObject>[];
}

/** Makes them, not started. `onlyNamespace`: set with `--namespace`. */
export function openEngineCaches(openCache: OpenCache, onlyNamespace: string | undefined): EngineCaches {
  const engines = openCache<MultiClusterEngine>({ type: MultiClusterEngines });
  if (onlyNamespace !== undefined) return { engines, bindings: [] };
  const namespaces = openCache<KubeObject>({ type: Namespaces, metadataOnly: true });
  const bindings = BINDINGS.map(({ type, name }) =>
    openCache<KubeObject>({ type, fieldSelector: `metadata.name=${name}` }),
  );
  return { engines, namespaces, bindings };
}

/** All of them, for whoever starts and stops them. */
export function allCaches(
  caches: EngineCaches,
): readonly Pick<Cache<KubeObject>, 'start' | 'stop' | 'whenSynced' | 'current' | 'type'>[] {
  return [caches.engines, ...(caches.namespaces === undefined ? [] : [caches.namespaces]), ...caches.bindings];
}

/** Every binding by a fixed name that there is. */
export function storedBindings(caches: EngineCaches): readonly StoredObject[] {
  return caches.bindings.flatMap((cache) => [...cache.store.values()].map((object) => ({ type: cache.type, object })));
}

/** Whether the operator's own role is bound in `namespace`. */
export function isBoundIn(caches: EngineCaches, namespace: string): boolean {
  if (caches.namespaces === undefined) return true;
  return storedBindings(caches).some(
    ({ type, object }) => type === RoleBindings && object.metadata.namespace === namespace,
  );
}
