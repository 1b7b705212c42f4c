import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { Secrets } from '../../../runtime/vocabulary/kinds.js';
import { PAUSED_ANNOTATION } from '../../../api/names.js';
import type { NamedObject } from '../../../domain/engine/catalogue.js';
import {
  watchedCertificates,
  withoutComponents,
  effectiveSpec,
  targetNamespaceOf,
  type EffectiveSpec,
} from '../../../domain/engine/spec.js';
import { validateTargetNamespace } from '../../../domain/engine/validation.js';
import type { Problem } from '../../../domain/selectors.js';
import type { EngineIdentity } from '../../../domain/engine/manifest/desired.js';
import type { StoredObject } from '../../../domain/engine/steps/steps.js';
import { servedEngine } from '../../../domain/engine/status/status.js';
import type { Result } from '../../../runtime/controller/result.js';
import { cachesNotCurrent, waitForCaches } from '../controller.js';
import { allCaches, storedBindings } from './caches.js';
import type { EngineContext } from './scope.js';

/** What a pass over one engine decides on: a snapshot of the caches. */
export interface Input {
  /** The engine, as it was read after the operator's own last write to it. */
  readonly engine: MultiClusterEngine;
  readonly identity: EngineIdentity;
  readonly deleting: boolean;
  readonly paused: boolean;
  /** The name of the engine that is served instead of this one. */
  readonly anotherEngine: string | undefined;
  readonly fieldErrors: readonly Problem[];
  /** The defaults where there are field errors. */
  readonly spec: EffectiveSpec;
  /** Where the engine is installed; where it will be, when it is not installed yet. */
  readonly namespace: string;
  /** Metadata of that namespace; undefined where it does not exist, and with `--namespace`. */
  readonly namespaceObject: KubeObject | undefined;
  readonly bindings: readonly StoredObject[];
  /** The objects of the target namespace that are watched by name: those of serving certificates, and the pull secret. */
  readonly named: readonly NamedObject[];
}

export type Gathered =
  | { readonly kind: 'gathered'; readonly input: Input }
  /** There is no engine of that name. */
  | { readonly kind: 'gone' }
  /** A cache that gates the start has not synced, or has lost its watch. */
  | { readonly kind: 'notCurrent'; readonly result: Result };

/** Reads the caches, changes nothing and sends no request. `key`: the name of the engine. */
export function gather(key: string, { caches, settings, mutations, specErrors }: EngineContext): Gathered {
  const notCurrent = cachesNotCurrent(allCaches(caches));
  if (notCurrent.length > 0) return { kind: 'notCurrent', result: waitForCaches(notCurrent) };
  const cached = caches.engines.store.get(key);
  const engine = cached && mutations.newest(key, cached);
  if (engine === undefined) return { kind: 'gone' };
  const { name, uid = '' } = engine.metadata;
  const served = servedEngine(caches.engines.store.values());
  const installedIn = engine.status?.targetNamespace;
  const namespace = installedIn === undefined || installedIn === '' ? targetNamespaceOf(engine.spec) : installedIn;
  const errors = specErrors(engine.spec);
  const wanted = effectiveSpec(errors.length > 0 ? undefined : engine.spec);
  const spec = { ...wanted, components: withoutComponents(wanted.components, settings.without) };
  const input: Input = {
    engine,
    identity: { name, uid },
    deleting: engine.metadata.deletionTimestamp !== undefined,
    paused: engine.metadata.annotations?.[PAUSED_ANNOTATION] === 'true',
    anotherEngine: served === undefined || served.metadata.name === name ? undefined : served.metadata.name,
    fieldErrors: errors.length > 0 ? errors : validateTargetNamespace(engine.spec, installedIn, settings.onlyNamespace),
    spec,
    namespace,
    namespaceObject: caches.namespaces?.store.get(namespace),
    bindings: storedBindings(caches),
    named: [
      ...watchedCertificates(spec.components, engine.status?.components ?? []),
      ...(spec.imagePullSecret === undefined ? [] : [{ type: Secrets, name: spec.imagePullSecret }]),
    ],
  };
  return { kind: 'gathered', input };
}
