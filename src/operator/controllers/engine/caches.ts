import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { INSTALLER_ROLE } from '../../../api/names.js';
import { MultiClusterEngines } from '../../../api/resources.js';
import { Namespaces, RoleBindings } from '../../../runtime/vocabulary/kinds.js';
import { BINDINGS } from '../../../domain/engine/catalogue.js';
import type { StoredObject } from '../../../domain/engine/steps/steps.js';
import type { Cache, OpenCache } from '../../../runtime/cache/cache.js';
import { contentsOf } from './targetcaches.js';

/**
 * The caches that gate the start: engines; namespaces (metadata only) and the bindings, each by its fixed name, unless
 * the operator runs with `--namespace`.
 */
export interface EngineCaches {
  readonly engines: Cache<MultiClusterEngine>;
  /** Absent with `--namespace`. */
  readonly namespaces?: Cache<KubeObject>;
  readonly bindings: readonly Cache<KubeObject>[];
}

/** Makes the caches and does not start them. `onlyNamespace`: set with `--namespace`. */
export function openEngineCaches(openCache: OpenCache, onlyNamespace: string | undefined): EngineCaches {
  const engines = openCache<MultiClusterEngine>({ type: MultiClusterEngines });
  if (onlyNamespace !== undefined) return { engines, bindings: [] };
  const namespaces = openCache<KubeObject>({ type: Namespaces, metadataOnly: true });
  const bindings = BINDINGS.map(({ type, name }) =>
    openCache<KubeObject>({ type, fieldSelector: `metadata.name=${name}` }),
  );
  return { engines, namespaces, bindings };
}

export function allCaches(
  caches: EngineCaches,
): readonly Pick<Cache<KubeObject>, 'start' | 'stop' | 'whenSynced' | 'current' | 'type'>[] {
  return [caches.engines, ...(caches.namespaces === undefined ? [] : [caches.namespaces]), ...caches.bindings];
}

/** The bindings that exist. */
export function storedBindings(caches: EngineCaches): readonly StoredObject[] {
  return contentsOf(caches.bindings);
}

/** Whether the operator has its rights in `namespace`. */
export function isBoundIn(caches: EngineCaches, namespace: string): boolean {
  if (caches.namespaces === undefined) return true;
  return storedBindings(caches).some(
    ({ type, object: { metadata } }) =>
      type === RoleBindings && metadata.name === INSTALLER_ROLE && metadata.namespace === namespace,
  );
}
