import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * Sampling interval of the event loop lag, ms. Each sample wakes the process; with prom-client's default of 10 ms they are most
 * of the load of an idle process. `nodejs_eventloop_lag_*_seconds` include the interval.
 */
const EVENT_LOOP_SAMPLE_MS = 100;

/** A registry with prom-client's default metrics of a Node process. */
export function createProcessRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  return registry;
}
