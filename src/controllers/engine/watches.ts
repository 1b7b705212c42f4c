import { targetNamespaceOf } from '../../domain/engine/spec.js';
import type { EngineCaches } from './caches.js';

export interface EngineWatches {
  /** Asks for a pass over an engine soon: changes that come together are answered together. */
  readonly wake: (engine: string) => void;
}

/** Which change leads to which engine. To be called before the caches start. */
export function watchCaches(caches: EngineCaches, { wake }: EngineWatches): void {
  const wakeAll = (): void => {
    for (const engine of caches.engines.store.values()) wake(engine.metadata.name);
  };
  caches.engines.onChange(({ key, before, after }) => {
    wake(key);
    // One that comes or goes may change which of them is served.
    if (before?.metadata.uid !== after?.metadata.uid) wakeAll();
  });
  caches.engines.onState(wakeAll);
  caches.namespaces?.onChange(({ key }) => {
    for (const { metadata, spec, status } of caches.engines.store.values()) {
      if (targetNamespaceOf(spec) === key || status?.targetNamespace === key) wake(metadata.name);
    }
  });
  caches.namespaces?.onState(wakeAll);
  for (const cache of caches.bindings) {
    cache.onChange(wakeAll);
    cache.onState(wakeAll);
  }
}
