import type { Clock, Random } from '../../runtime/clock.js';
import { createController, type Controller, type ControllerOptions } from '../../runtime/controller/controller.js';
import type { Logger } from '../../runtime/logger.js';
import type { ControllerMetrics } from '../../runtime/metrics/managermetrics.js';
import type { Tracer } from '../../runtime/tracing/tracer.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import type { Cache } from '../../runtime/cache/cache.js';
import type { Result } from '../../runtime/controller/result.js';
import { isFailure } from '../../runtime/errors.js';
import type { CacheSource } from '../../runtime/manager/manager.js';

/** What all controllers of a process share. */
export interface SharedOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly resyncMs?: number;
  readonly controllerMetrics?: (controller: string) => ControllerMetrics;
  /** Undefined without traces. */
  readonly tracer?: Tracer | undefined;
}

/** A controller of one kind, with the metrics and intervals that all controllers of the process share. */
export function newController(
  { clock, random, log, resyncMs, controllerMetrics, tracer }: SharedOptions,
  kind: Pick<ControllerOptions, 'name' | 'kind' | 'reconciler' | 'keys' | 'workers'>,
): Controller {
  const metrics = controllerMetrics?.(kind.name);
  return createController({
    ...kind,
    clock,
    random,
    log,
    tracer,
    ...(resyncMs !== undefined && { resyncMs }),
    ...(metrics && { metrics }),
  });
}

/** The plural names of the caches that are not current: never synced, or not readable at the moment. */
export function cachesNotCurrent(caches: readonly Pick<Cache<KubeObject>, 'current' | 'type'>[]): readonly string[] {
  return caches.filter((cache) => !cache.current()).map((cache) => cache.type.plural);
}

/** The result of a reconcile that waits for caches, by their plural names; requeued after `afterMs` at the latest. */
export function waitForCaches(caches: readonly string[], afterMs = 5_000): Result {
  return { ending: 'wait', reason: `caches not current: ${caches.join(', ')}`, afterMs };
}

/** Controllers that run beside the others of their group while the API of another project is served. */
export interface OptionalControllers {
  readonly controllers: readonly Controller[];
  readonly source: CacheSource;
  /** To be called each time the lease is acquired, before the controllers start. */
  readonly onStartedLeading: () => void;
}

/**
 * The cache of an API that need not be installed, as a source of a group. The group does not wait for it: `whenSynced`
 * resolves at once. Nor does its failure make the group unready: the source has no `failure`. Logs whether the API is
 * served once that is known, and then at each change.
 */
export function optionalSource(cache: Cache<KubeObject>, log: Logger): CacheSource {
  const resource = `${cache.type.plural}.${cache.type.group}`;
  /** Undefined until it is known. */
  let isServed: boolean | undefined;
  cache.onState(() => {
    const isMissing = isFailure(cache.failure(), 'ResourceMissing', 'NotFound');
    if (isMissing && isServed !== false) {
      isServed = false;
      log.warn({ resource, version: cache.type.version }, 'API is not served; ignored until it is');
    }
    if (cache.current() && isServed !== true) {
      isServed = true;
      log.info({ resource, version: cache.type.version }, 'API served');
    }
  });
  return { start: () => cache.start(), whenSynced: () => Promise.resolve(), stop: () => cache.stop() };
}
