import type { Registry } from 'prom-client';
import { METRICS_PREFIX } from '../api/names.js';
import { managerMetrics } from '../runtime/metrics/managermetrics.js';
import { createProcessRegistry, expositionOf } from '../runtime/metrics/registry.js';
import type { Build } from '../runtime/process/build.js';
import type {
  EngineInfo,
  EngineMetrics,
  FleetCounts,
  FleetMetrics,
  PlacementInfo,
  PlacementMetrics,
} from './controllers/metrics.js';
import { Collectors, ObjectGauges, type ObjectGauge } from '../runtime/metrics/collectors.js';

const HELP = {
  multicluster_engine_info:
    'The engines of this hub, always 1; kept after a lost lease: only the values of the holder are current',
  multicluster_clusters:
    'Clusters with an agent by state: available, unavailable, unknown, never-joined; each replica observes for itself',
  multicluster_cluster_taints:
    'Clusters with a NoSelect taint that the hub has added, by its key; Placements replace them',
  multicluster_health_brake: 'Scopes (fleet, set) that are silent, so that their clusters are not tainted for now',
  multicluster_health_stale:
    '1 while the process may have missed renewals of Leases (its watch is interrupted), so that no cluster is judged; else 0',
  multicluster_decision_latency_seconds:
    'Time from an observed change to the publication of the decision that follows from it',
};
const LATENCY_BUCKETS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const OBJECT_LABELS: ObjectGauge<PlacementInfo>['labels'] = [
  ['namespace', ({ namespace }) => namespace],
  ['name', ({ name }) => name],
];
const PLACEMENT_GAUGES: readonly ObjectGauge<PlacementInfo>[] = [
  {
    name: 'multicluster_placement_info',
    help: 'The placements of this hub, always 1; kept after a lost lease: only the values of the holder are current',
    labels: [...OBJECT_LABELS, ['phase', ({ phase }) => phase]],
    value: () => 1,
  },
  {
    name: 'multicluster_placement_selected_clusters',
    help: 'Clusters in the decision of a placement; only the values of the holder of the lease are current',
    labels: OBJECT_LABELS,
    value: ({ clusters }) => clusters,
  },
  {
    name: 'multicluster_placement_held_clusters',
    help: 'Clusters that are held or wait: in the decision of a placement although they would leave, or out of it although they would come in; only the values of the holder of the lease are current',
    labels: OBJECT_LABELS,
    value: ({ held }) => held,
  },
];

/** The metrics of a process with controllers, with their exposition. */
export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Names, labels and buckets of `workqueue_*`, `controller_runtime_*`, `rest_client_*` and `leader_election_*` are those
 * of client-go and controller-runtime, so that stock dashboards work; ours begin with `multicluster_`.
 */
export function createMetrics(build?: Build) {
  const registry = createProcessRegistry(METRICS_PREFIX, build);
  const shared = managerMetrics(registry);
  const placements = placementMetrics(registry);
  return {
    ...shared,
    engines: engineMetrics(registry),
    placements: placements.metrics,
    fleet: fleetMetrics(registry),
    ...expositionOf(registry, placements.gauges),
  };
}

function engineMetrics(registry: Registry): EngineMetrics {
  const known = new Map<string, EngineInfo>();
  const labels = ['name', 'version', 'phase', 'target_namespace'] as const;
  new Collectors(registry, HELP).collectedGauge('multicluster_engine_info', labels, (gauge) => {
    for (const { name, version, phase, targetNamespace } of known.values())
      gauge.set({ name, version, phase, target_namespace: targetNamespace }, 1);
  });
  return { engine: (info) => void known.set(info.name, info), engineGone: (name) => void known.delete(name) };
}

/** Metrics of placements and their decisions, and those with a series for each placement. */
function placementMetrics(registry: Registry): {
  readonly metrics: PlacementMetrics;
  readonly gauges: ObjectGauges<PlacementInfo>;
} {
  const known = new Map<string, PlacementInfo>();
  const latency = new Collectors(registry, HELP).histogram(
    'multicluster_decision_latency_seconds',
    [],
    LATENCY_BUCKETS,
  );
  return {
    metrics: {
      placement: (info) => void known.set(`${info.namespace}/${info.name}`, info),
      placementGone: (namespace, name) => void known.delete(`${namespace}/${name}`),
      decided: (seconds) => latency.observe(seconds),
    },
    gauges: new ObjectGauges(PLACEMENT_GAUGES, () => known.values()),
  };
}

/** Metrics of the health of clusters with an agent; without values in a process that does not judge it. */
function fleetMetrics(registry: Registry): FleetMetrics {
  const collectors = new Collectors(registry, HELP);
  let read: (() => FleetCounts) | undefined;
  collectors.collectedGauge('multicluster_clusters', ['state'], (gauge) => {
    for (const [state, count] of Object.entries(read?.().clusters ?? {})) gauge.set({ state }, count);
  });
  collectors.collectedGauge('multicluster_cluster_taints', ['key'], (gauge) => {
    for (const [key, count] of Object.entries(read?.().taints ?? {})) gauge.set({ key }, count);
  });
  collectors.collectedGauge('multicluster_health_brake', ['scope'], (gauge) => {
    for (const [scope, count] of Object.entries(read?.().braked ?? {})) gauge.set({ scope }, count);
  });
  collectors.collectedGauge('multicluster_health_stale', [], (gauge) => {
    if (read !== undefined) gauge.set(read().stale ? 1 : 0);
  });
  return { fleet: (reader) => void (read = reader) };
}
