import type { MultiClusterEngine } from '../../api/generated/multiclusterengine.js';
import {
  targetTypes,
  templateErrors,
  type EngineSettings,
  type Templates,
} from '../../domain/engine/manifest/desired.js';
import type { KubeClient } from '../../kube/client/client.js';
import type { EventRecorder } from '../../kube/events/recorder.js';
import type { Clock, Random } from '../../runtime/clock.js';
import { createController, type Controller } from '../../runtime/controller.js';
import type { CacheSource } from '../../runtime/group.js';
import type { Logger } from '../../runtime/logger.js';
import type { ControllerMetrics, EngineMetrics } from '../../runtime/metrics.js';
import { MutationCache } from '../../runtime/mutationcache.js';
import { allCaches, openEngineCaches } from './caches.js';
import { EngineReconciler } from './reconcile.js';
import type { IssueKeyPair } from './scope.js';
import { TargetCaches, type OpenCache } from './targetcaches.js';
import { watchCaches } from './watches.js';

export interface EngineControllerOptions {
  /** Guarded by `engineRights`. */
  readonly client: KubeClient;
  readonly openCache: OpenCache;
  /** By folder of `deploy/components/`. */
  readonly templates: Templates;
  readonly settings: EngineSettings;
  readonly issueKeyPair: IssueKeyPair;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: ControllerMetrics;
  readonly engineMetrics?: EngineMetrics;
  readonly workers?: number;
  /** Ms between a change and its pass, so that changes that follow each other share one. */
  readonly settleMs: number;
}

/** What a group needs of this controller. */
export interface EngineController {
  readonly controller: Controller;
  /** The static caches, which gate the start, and the caches of target namespaces, which are only stopped. */
  readonly sources: readonly CacheSource[];
  /** For the group's `onStartedLeading`: only the leader reads target namespaces. */
  readonly onStartedLeading: (end: AbortSignal) => void;
}

/** Builds the controller of engines. Throws when the templates hold an object that no engine may consist of. */
export function createEngineController(options: EngineControllerOptions): EngineController {
  const { client, openCache, templates, settings, issueKeyPair, recorder, clock, random, log } = options;
  const errors = templateErrors(templates);
  if (errors.length > 0) throw new Error(`components that cannot be installed: ${errors.join('; ')}`);
  const caches = openEngineCaches(openCache, settings.onlyNamespace);
  const mutations = new MutationCache<MultiClusterEngine>(clock);
  const enqueue = (engine: string): void => controller.addAfter(engine, options.settleMs);
  const targets = new TargetCaches({ openCache, types: targetTypes(templates), enqueue });
  const controller = createController({
    name: 'multiclusterengine',
    kind: 'MultiClusterEngine',
    reconciler: new EngineReconciler({
      client,
      recorder,
      clock,
      metrics: options.engineMetrics,
      caches,
      targets,
      mutations,
      templates,
      settings,
      issueKeyPair,
    }),
    keys: () => [...caches.engines.store.values()].map((engine) => engine.metadata.name),
    clock,
    random,
    log,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    ...(options.workers === undefined ? {} : { workers: options.workers }),
  });
  watchCaches(caches, { enqueue, mutations });
  const targetSource: CacheSource = {
    start: () => undefined,
    whenSynced: () => Promise.resolve(),
    stop: () => targets.stop(),
  };
  return {
    controller,
    sources: [...allCaches(caches), targetSource],
    onStartedLeading: (end) => targets.startTerm(end),
  };
}
