import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * Sampling interval of the event loop lag, ms. Each sample wakes the process; with prom-client's default of 10 ms they are most
 * of the load of an idle process. `nodejs_eventloop_lag_*_seconds` include the interval.
 */
const EVENT_LOOP_SAMPLE_MS = 100;

/** The metrics of a process as text. */
export interface Exposition {
  readonly contentType: string;
  text(): Promise<string>;
}

/** A registry with prom-client's default metrics of a Node process. */
export function createProcessRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  return registry;
}

export function expositionOf(registry: Registry): Exposition {
  return { contentType: registry.contentType, text: () => registry.metrics() };
}
