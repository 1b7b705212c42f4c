import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * Milliseconds between two looks at the event loop. Each look wakes the process: at prom-client's 10 ms they were most
 * of what an idle process costs. `nodejs_eventloop_lag_*_seconds` tell the time between two looks, this included.
 */
const EVENT_LOOP_LOOKS_MS = 100;

/** A registry with what prom-client tells of every Node process. */
export function createProcessRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_LOOKS_MS });
  return registry;
}
