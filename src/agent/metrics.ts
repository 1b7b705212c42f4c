import type { Registry } from 'prom-client';
import { METRICS_PREFIX } from '../api/names.js';
import { cacheMetrics, requestMetrics } from '../runtime/metrics/managermetrics.js';
import { Collectors } from '../runtime/metrics/collectors.js';
import { createProcessRegistry, expositionOf } from '../runtime/metrics/registry.js';
import type { Build } from '../runtime/process/build.js';

/** Metrics of an agent: its requests to the hub. */
export interface AgentMetrics {
  /** A renewal of the Lease has ended; `now`: ms since the epoch. */
  renewed(result: HubResult, now: number): void;
  /** A write of the status has ended. */
  published(result: HubResult): void;
  /** A request for a token has ended. */
  tokenRequested(result: HubResult): void;
}

/** `refused`: as invalid, which is a fault of the product or of what is installed on the hub. */
export type HubResult = 'success' | 'error' | 'refused';

const HELP = {
  multicluster_agent_renewals_total: "Renewals of the cluster's Lease on the hub; result: success, error or refused",
  multicluster_agent_last_renewal_timestamp_seconds: 'Time of the last renewal that succeeded',
  multicluster_agent_status_writes_total:
    'Writes of the status of the ManagedCluster; result: success, error or refused',
  multicluster_agent_token_requests_total: 'Requests for tokens of the hub; result: success, error or refused',
};

/** The metrics of an agent, with their exposition. */
export function createAgentMetrics(build?: Build) {
  const registry = createProcessRegistry(METRICS_PREFIX, build);
  return {
    requests: requestMetrics(registry),
    caches: cacheMetrics(registry),
    agent: agentMetrics(registry),
    ...expositionOf(registry),
  };
}

/** The part of it that the session of an agent records. */
function agentMetrics(registry: Registry): AgentMetrics {
  const collectors = new Collectors(registry, HELP);
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
