import type { MultiClusterEngine } from '../../api/generated/multiclusterengine.js';
import type { KubeObject } from '../../api/meta.js';
import { PAUSED_ANNOTATION } from '../../api/names.js';
import type { EngineIdentity, EngineSettings } from '../../domain/engine/manifest/desired.js';
import { effectiveSpec, targetNamespaceOf, type EffectiveSpec, type FieldError } from '../../domain/engine/spec.js';
import { validateTargetNamespace, validateSpec } from '../../domain/engine/specfaults.js';
import { servedEngine } from '../../domain/engine/status/status.js';
import type { StoredObject } from '../../domain/engine/plan/plan.js';
import { storedBindings, type EngineCaches } from './caches.js';

/** What a pass knows of one engine before it asks anybody. */
export interface Input {
  /** Not older than our own last write. */
  readonly engine: MultiClusterEngine;
  readonly identity: EngineIdentity;
  readonly deleting: boolean;
  readonly paused: boolean;
  /** The name of the engine that is served, where it is not this one. */
  readonly anotherEngine: string | undefined;
  readonly fieldErrors: readonly FieldError[];
  /** Meaningless where there are field errors. */
  readonly spec: EffectiveSpec;
  /** Where the engine lives: where it was installed, whatever a faulty spec says now. */
  readonly namespace: string;
  /** Metadata of that namespace; undefined where it does not exist, or where namespaces are not ours to look at. */
  readonly namespaceObject: KubeObject | undefined;
  readonly bindings: readonly StoredObject[];
}

/** One snapshot from the caches. `engine`: as the caches or our last write show it. */
export function gather(engine: MultiClusterEngine, caches: EngineCaches, settings: EngineSettings): Input {
  const { name, uid = '' } = engine.metadata;
  const served = servedEngine(caches.engines.store.values());
  const installedIn = engine.status?.targetNamespace;
  const namespace = installedIn === undefined || installedIn === '' ? targetNamespaceOf(engine.spec) : installedIn;
  const fieldErrors = validateSpec(engine.spec);
  return {
    engine,
    identity: { name, uid },
    deleting: engine.metadata.deletionTimestamp !== undefined,
    paused: engine.metadata.annotations?.[PAUSED_ANNOTATION] === 'true',
    anotherEngine: served === undefined || served.metadata.name === name ? undefined : served.metadata.name,
    fieldErrors:
      fieldErrors.length > 0 ? fieldErrors : validateTargetNamespace(engine.spec, installedIn, settings.onlyNamespace),
    spec: effectiveSpec(fieldErrors.length > 0 ? undefined : engine.spec),
    namespace,
    namespaceObject: caches.namespaces?.store.get(namespace),
    bindings: storedBindings(caches),
  };
}
