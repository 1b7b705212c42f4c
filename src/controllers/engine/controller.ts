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
import type { IssueKeyPair } from './install/certificates.js';
import { allCaches, openEngineCaches } from './caches.js';
import { EngineReconciler } from './reconcile.js';
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
  /** Ms that a change waits for others to ride along. */
  readonly settleMs: number;
}

/** What a group needs of this controller. */
export interface EngineController {
  readonly controller: Controller;
  /** The static caches, which gate the start, and the target namespaces' caches, which only end here. */
  readonly sources: readonly CacheSource[];
  /** For the group's `onStartedLeading`: the leader alone looks into target namespaces. */
  readonly onStartedLeading: (end: AbortSignal) => void;
}

/** Builds the controller of engines. Errors: when the templates hold something that no engine may consist of. */
export function createEngineController(options: EngineControllerOptions): EngineController {
  const {
    client,
    openCache,
    templates,
    settings,
    issueKeyPair,
    recorder,
    clock,
    random,
    log,
    metrics,
    engineMetrics,
    workers,
    settleMs,
  } = options;
  const errors = templateErrors(templates);
  if (errors.length > 0) throw new Error(`components that cannot be installed: ${errors.join('; ')}`);
  const caches = openEngineCaches(openCache, settings.onlyNamespace);
  const wake = (engine: string): void => controller.addAfter(engine, settleMs);
  const targets = new TargetCaches({ openCache, types: targetTypes(templates), wake });
  const controller = createController({
    name: 'multiclusterengine',
    kind: 'MultiClusterEngine',
    reconciler: new EngineReconciler({
      client,
      recorder,
      clock,
      caches,
      targets,
      templates,
      settings,
      issueKeyPair,
      metrics: engineMetrics,
    }),
    keys: () => [...caches.engines.store.values()].map((engine) => engine.metadata.name),
    clock,
    random,
    log,
    ...(metrics === undefined ? {} : { metrics }),
    ...(workers === undefined ? {} : { workers }),
  });
  watchCaches(caches, { wake });
  const ended: CacheSource = {
    start: () => undefined,
    whenSynced: () => Promise.resolve(),
    stop: () => targets.stop(),
  };
  return { controller, sources: [...allCaches(caches), ended], onStartedLeading: (end) => targets.begin(end) };
}
