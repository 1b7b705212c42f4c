import type { Clock, Random } from '../../runtime/clock.js';
import { createController, type Controller, type ControllerOptions } from '../../runtime/controller/controller.js';
import type { Logger } from '../../runtime/logger.js';
import type { ControllerMetrics } from '../../runtime/metrics/managermetrics.js';
import type { Tracer } from '../../runtime/tracing/tracer.js';

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
