import type { ControllerMetrics } from './metrics.js';
import { cacheMetrics, eventMetrics, guardMetrics, leaderMetrics, requestMetrics } from './clientmetrics.js';
import { agentMetrics, engineMetrics, fleetMetrics, placementMetrics } from '../../operator/metrics.js';
import { createProcessRegistry, expositionOf, type BuildInfo } from './registry.js';
import { queueMetrics, reconcileMetrics } from './controllermetrics.js';

/** The metrics of a process with controllers, with their exposition. */
export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Names, labels and buckets of `workqueue_*`, `controller_runtime_*`, `rest_client_*` and `leader_election_*` are those
 * of client-go and controller-runtime, so that stock dashboards work; ours begin with `multicluster_`.
 */
export function createMetrics(build?: BuildInfo) {
  const registry = createProcessRegistry(build);
  const queue = queueMetrics(registry);
  const reconcile = reconcileMetrics(registry);
  const placements = placementMetrics(registry);
  return {
    controller: (name: string): ControllerMetrics => ({ queue: queue(name), reconcile: reconcile(name) }),
    requests: requestMetrics(registry),
    leader: leaderMetrics(registry),
    guard: guardMetrics(registry),
    caches: cacheMetrics(registry),
    events: eventMetrics(registry),
    engines: engineMetrics(registry),
    placements: placements.metrics,
    fleet: fleetMetrics(registry),
    ...expositionOf(registry, placements.gauges),
  };
}

/** The metrics of an agent, with their exposition. */
export function createAgentMetrics(build?: BuildInfo) {
  const registry = createProcessRegistry(build);
  return {
    requests: requestMetrics(registry),
    caches: cacheMetrics(registry),
    agent: agentMetrics(registry),
    ...expositionOf(registry),
  };
}
