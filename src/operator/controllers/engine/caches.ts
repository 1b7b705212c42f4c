import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import type { KubeObject, RawObject } from '../../../runtime/vocabulary/meta.js';
import { INSTALLER_ROLE } from '../../../api/names.js';
import { MultiClusterEngines } from '../../../api/resources.js';
import {
  AdmissionPolicies,
  AdmissionPolicyBindings,
  Namespaces,
  RoleBindings,
} from '../../../runtime/vocabulary/kinds.js';
import { BINDINGS } from '../../../domain/engine/catalogue.js';
import { missingPolicies } from '../../../domain/engine/policies.js';
import type { PolicyFindings } from '../../../domain/engine/status/input.js';
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
  /** What the status alone needs: nothing waits for them. */
  readonly admission: { readonly policies: Cache<KubeObject>; readonly bindings: Cache<RawObject> };
}

/** Makes the caches and does not start them. `onlyNamespace`: set with `--namespace`. */
export function openEngineCaches(openCache: OpenCache, onlyNamespace: string | undefined): EngineCaches {
  const engines = openCache<MultiClusterEngine>({ type: MultiClusterEngines });
  const admission = {
    policies: openCache<KubeObject>({ type: AdmissionPolicies, metadataOnly: true }),
    bindings: openCache<RawObject>({ type: AdmissionPolicyBindings }),
  };
  if (onlyNamespace !== undefined) return { engines, bindings: [], admission };
  const namespaces = openCache<KubeObject>({ type: Namespaces, metadataOnly: true });
  const bindings = BINDINGS.map(({ type, name }) =>
    openCache<KubeObject>({ type, fieldSelector: `metadata.name=${name}` }),
  );
  return { engines, namespaces, bindings, admission };
}

export function allCaches(
  caches: EngineCaches,
): readonly Pick<Cache<KubeObject>, 'start' | 'stop' | 'whenSynced' | 'current' | 'type'>[] {
  return [caches.engines, ...(caches.namespaces === undefined ? [] : [caches.namespaces]), ...caches.bindings];
}

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

/** Which admission policies are in force, or why that is not known; undefined while they are being read. */
export function policyFindings({ admission, namespaces }: EngineCaches): PolicyFindings | undefined {
  const { policies, bindings } = admission;
  const unread = [policies, bindings].find((cache) => !cache.current());
  if (unread !== undefined) return unread.failure() && { kind: 'Unknown', resource: unread.type.plural };
  const stored = { policies: [...policies.store.values()], bindings: [...bindings.store.values()] };
  return { kind: 'Known', ...missingPolicies(stored, namespaces !== undefined) };
}
