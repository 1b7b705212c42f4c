import type { Registry } from 'prom-client';
import { METRICS_PREFIX } from '../api/names.js';
import { cacheMetrics, requestMetrics } from '../runtime/metrics/managermetrics.js';
import { Collectors } from '../runtime/metrics/collectors.js';
import { createProcessRegistry, expositionOf } from '../runtime/metrics/registry.js';
import type { Build } from '../runtime/process/build.js';

/** What the session of an agent counts: renewals, writes of the status, and tokens, which it also stores. */
export interface AgentMetrics {
  /** A renewal of the Lease has ended; `now`: ms since the epoch. */
  renewed(result: HubResult, now: number): void;
  /** A write of the status has ended. */
  published(result: HubResult): void;
  /** A request for a token, or an attempt to store one, has failed, or a token was stored. */
  tokenRequested(result: HubResult): void;
  /** When the token that is used, or the one that is stored, ends: ms since the epoch; undefined: it does not say. */
  tokenUntil(token: 'used' | 'stored', until: number | undefined): void;
}

/** `refused`: as invalid, which is a fault of the product or of what is installed on the hub. */
export type HubResult = 'success' | 'error' | 'refused';

const HELP = {
  multicluster_agent_renewals_total: "Renewals of the cluster's Lease on the hub; result: success, error or refused",
  multicluster_agent_last_renewal_timestamp_seconds: 'Time of the last renewal that succeeded',
  multicluster_agent_status_writes_total:
    'Writes of the status of the ManagedCluster; result: success, error or refused',
  multicluster_agent_token_requests_total:
    'Tokens of the hub; result: success when one was stored, refused when a request for one was, error when a request or an attempt to store one failed',
  multicluster_agent_token_expiry_timestamp_seconds:
    'Until when a token of the hub is valid; token: used, and stored, which is older while the one that is used cannot be stored',
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
  const expiry = collectors.gauge('multicluster_agent_token_expiry_timestamp_seconds', ['token']);
  for (const counter of [renewals, writes, tokens])
    for (const result of ['success', 'error', 'refused'] satisfies HubResult[]) counter.inc({ result }, 0);
  return {
    renewed: (result, now) => {
      renewals.inc({ result });
      if (result === 'success') last.set(now / 1000);
    },
    published: (result) => writes.inc({ result }),
    tokenRequested: (result) => tokens.inc({ result }),
    tokenUntil: (token, until) => {
      if (until !== undefined) expiry.set({ token }, until / 1000);
    },
  };
}
