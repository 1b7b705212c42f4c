import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import { targetNamespaceOf } from '../../../domain/engine/spec.js';
import type { EngineMetrics } from '../metrics.js';
import type { MutationCache } from '../../../runtime/controller/mutationcache.js';
import type { EngineCaches } from './caches.js';

export interface WatchHandlers {
  /** Requests a pass over an engine. */
  readonly enqueue: (engine: string) => void;
  readonly mutations: MutationCache<MultiClusterEngine>;
  readonly metrics?: EngineMetrics | undefined;
}

/** Maps each change of the static caches to engines. To be called before the caches start. */
export function watchCaches(caches: EngineCaches, { enqueue, mutations, metrics }: WatchHandlers): void {
  const enqueueAll = (): void => {
    for (const engine of caches.engines.store.values()) enqueue(engine.metadata.name);
  };
  caches.engines.onChange((change) => {
    const { key, before, after } = change;
    mutations.observe(change);
    // Here and not in a pass: a replica that lost the lease makes none, and its series end too.
    if (after === undefined) metrics?.engineGone(key);
    enqueue(key);
    // A new or deleted engine may change which one is served.
    if (before?.metadata.uid !== after?.metadata.uid) enqueueAll();
  });
  caches.engines.onState(enqueueAll);
  caches.namespaces?.onChange(({ key }) => {
    for (const { metadata, spec, status } of caches.engines.store.values()) {
      if (targetNamespaceOf(spec) === key || status?.targetNamespace === key) enqueue(metadata.name);
    }
  });
  caches.namespaces?.onState(enqueueAll);
  for (const cache of [...caches.bindings, caches.admission.policies, caches.admission.bindings]) {
    cache.onChange(enqueueAll);
    cache.onState(enqueueAll);
  }
}
