import type { Registry } from 'prom-client';
import type {
  AgentMetrics,
  HubResult,
  EngineInfo,
  EngineMetrics,
  FleetCounts,
  FleetMetrics,
  PlacementInfo,
  PlacementMetrics,
} from '../runtime/metrics/metrics.js';
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
const AGENT_HELP = {
  multicluster_agent_renewals_total: "Renewals of the cluster's Lease on the hub; result: success, error or refused",
  multicluster_agent_last_renewal_timestamp_seconds: 'Time of the last renewal that succeeded',
  multicluster_agent_status_writes_total:
    'Writes of the status of the ManagedCluster; result: success, error or refused',
  multicluster_agent_token_requests_total: 'Requests for tokens of the hub; result: success, error or refused',
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
    help: 'Clusters that are held in the decision of a placement although they fail a rule, or out of it although they match; only the values of the holder of the lease are current',
    labels: OBJECT_LABELS,
    value: ({ held }) => held,
  },
];

/** Metrics of engines. */
export function engineMetrics(registry: Registry): EngineMetrics {
  const known = new Map<string, EngineInfo>();
  const labels = ['name', 'version', 'phase', 'target_namespace'] as const;
  new Collectors(registry, HELP).collectedGauge('multicluster_engine_info', labels, (gauge) => {
    for (const { name, version, phase, targetNamespace } of known.values())
      gauge.set({ name, version, phase, target_namespace: targetNamespace }, 1);
  });
  return { engine: (info) => void known.set(info.name, info), engineGone: (name) => void known.delete(name) };
}

/** Metrics of placements and their decisions, and those with a series for each placement. */
export function placementMetrics(registry: Registry): {
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

/** Of an agent. */
export function agentMetrics(registry: Registry): AgentMetrics {
  const collectors = new Collectors(registry, AGENT_HELP);
  const renewals = collectors.counter('multicluster_agent_renewals_total', ['result']);
  const last = collectors.gauge('multicluster_agent_last_renewal_timestamp_seconds', []);
  const writes = collectors.counter('multicluster_agent_status_writes_total', ['result']);
  const tokens = collectors.counter('multicluster_agent_token_requests_total', ['result']);
  for (const counter of [renewals, writes, tokens])
    for (const result of ['success', 'error', 'refused'] satisfies HubResult[]) counter.inc({ result }, 0);
  return {
    renewed: (result, now) => {
      renewals.inc({ result });
      if (result === 'success') last.set(now / 1000);
    },
    published: (result) => writes.inc({ result }),
    tokenRequested: (result) => tokens.inc({ result }),
  };
}

/** Metrics of the health of clusters with an agent; without values in a process that does not judge it. */
export function fleetMetrics(registry: Registry): FleetMetrics {
  const collectors = new Collectors(registry, HELP);
  let read: (() => FleetCounts) | undefined;
  collectors.collectedGauge('multicluster_clusters', ['state'], (gauge) => {
    for (const [state, count] of Object.entries(read?.().clusters ?? {})) gauge.set({ state }, count);
  });
  collectors.collectedGauge('multicluster_cluster_taints', ['key'], (gauge) => {
    for (const [key, count] of Object.entries(read?.().taints ?? {})) gauge.set({ key }, count);
  });
  collectors.collectedGauge('multicluster_health_brake', ['scope'], (gauge) => {
    for (const [scope, count] of Object.entries(read?.().held ?? {})) gauge.set({ scope }, count);
  });
  collectors.collectedGauge('multicluster_health_stale', [], (gauge) => {
    if (read !== undefined) gauge.set(read().stale ? 1 : 0);
  });
  return { fleet: (reader) => void (read = reader) };
}
