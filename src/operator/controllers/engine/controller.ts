import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import { targetTypes, templateErrors } from '../../../domain/engine/catalogue.js';
import { createController, type Controller, type ControllerOptions } from '../../../runtime/controller/controller.js';
import type { CacheSource } from '../../../runtime/manager/manager.js';
import type { EngineMetrics } from '../metrics.js';
import { MutationCache } from '../../../runtime/controller/mutationcache.js';
import { allCaches, openEngineCaches, type EngineCaches, TargetCaches } from './caches.js';
import { EngineReconciler } from './reconcile.js';
import type { EngineContext } from './scope.js';
import type { OpenCache } from '../../../runtime/cache/cache.js';
import { targetNamespaceOf } from '../../../domain/engine/spec.js';

type ContextOptions = Omit<EngineContext, 'metrics' | 'caches' | 'targets' | 'mutations'>;
type LoopOptions = Pick<ControllerOptions, 'clock' | 'random' | 'log' | 'metrics' | 'tracer' | 'workers'>;

interface EngineControllerOptions extends ContextOptions, LoopOptions {
  readonly openCache: OpenCache;
  readonly engineMetrics?: EngineMetrics;
  /** Ms between a change and its pass, so that changes that follow each other share one. */
  readonly settleWindowMs: number;
}

/** What a group needs of this controller. */
interface EngineController {
  readonly controller: Controller;
  /** The static caches, which gate the start, and the caches of target namespaces, which are only stopped. */
  readonly sources: readonly CacheSource[];
  /** For the group's `onStartedLeading`: only the leader reads target namespaces. */
  readonly onStartedLeading: (end: AbortSignal) => void;
}

/** Builds the controller of engines. Throws when the templates hold an object that no engine may consist of. */
export function createEngineController(options: EngineControllerOptions): EngineController {
  const { openCache, templates, settings, clock, engineMetrics: metrics } = options;
  const errors = templateErrors(templates);
  if (errors.length > 0) throw new Error(`components that cannot be installed: ${errors.join('; ')}`);
  const caches = openEngineCaches(openCache, settings.onlyNamespace);
  const mutations = new MutationCache<MultiClusterEngine>(clock);
  const enqueue = (engine: string): void => controller.addAfter(engine, options.settleWindowMs);
  const targets = new TargetCaches({ openCache, types: targetTypes(templates), enqueue });
  const controller = createController({
    ...options,
    name: 'multiclusterengine',
    kind: 'MultiClusterEngine',
    reconciler: new EngineReconciler({ ...options, metrics, caches, targets, mutations }),
    keys: () => caches.engines.store.keys(),
  });
  watchCaches(caches, enqueue, { mutations, metrics });
  const notWaitedFor = { start: () => undefined, whenSynced: () => Promise.resolve() };
  const targetSource: CacheSource = { ...notWaitedFor, stop: () => targets.stop() };
  const admissionSources = Object.values(caches.admission).map((cache): CacheSource => ({
    ...notWaitedFor,
    start: () => cache.start(),
    stop: () => cache.stop(),
  }));
  return {
    controller,
    sources: [...allCaches(caches), targetSource, ...admissionSources],
    onStartedLeading: (end) => targets.startTerm(end),
  };
}

/** Maps each change of the static caches to engines. To be called before the caches start. */
export function watchCaches(
  caches: EngineCaches,
  enqueue: (engine: string) => void,
  { mutations, metrics }: Pick<EngineContext, 'mutations' | 'metrics'>,
): void {
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
