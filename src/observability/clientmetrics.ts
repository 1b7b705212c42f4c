import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CacheMetrics, EventMetrics, GuardMetrics, LeaderMetrics, RequestMetrics } from '../runtime/metrics.js';

/** Buckets of client-go's rest_client_request_duration_seconds. */
const REQUEST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** `rest_client_*`. */
export function requestMetrics(registry: Registry): RequestMetrics {
  const registers = [registry];
  const total = new Counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host',
    labelNames: ['code', 'method', 'host'],
    registers,
  });
  const time = new Histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Request latency in seconds, broken down by verb and host',
    labelNames: ['verb', 'host'],
    registers,
    buckets: REQUEST_BUCKETS,
  });
  const limited = new Histogram({
    name: 'rest_client_rate_limiter_duration_seconds',
    help: 'Client side rate limiter latency in seconds, broken down by bucket',
    labelNames: ['bucket'],
    registers,
    buckets: REQUEST_BUCKETS,
  });
  return {
    requested: (method, host, code, seconds) => {
      total.inc({ code, method, host });
      time.observe({ verb: method, host }, seconds);
    },
    limited: (bucket, seconds) => limited.observe({ bucket }, seconds),
  };
}

/** `leader_election_*`. */
export function leaderMetrics(registry: Registry): LeaderMetrics {
  const gauge = new Gauge({
    name: 'leader_election_master_status',
    help: '1 while this process holds the named lease, 0 while it waits for it',
    labelNames: ['name'],
    registers: [registry],
  });
  return { leader: (name, held) => gauge.set({ name }, held ? 1 : 0) };
}

export function guardMetrics(registry: Registry): GuardMetrics {
  const refusals = new Counter({
    name: 'multicluster_write_guard_refusals_total',
    help: 'Writes that were not sent because the write guard does not permit them',
    labelNames: ['verb', 'resource'],
    registers: [registry],
  });
  return { refused: (verb, resource) => refusals.inc({ verb, resource }) };
}

export function cacheMetrics(registry: Registry): CacheMetrics {
  const registers = [registry];
  const labelNames = ['resource'] as const;
  const time = new Histogram({
    name: 'multicluster_cache_list_duration_seconds',
    help: 'Duration of complete lists',
    labelNames,
    registers,
    buckets: REQUEST_BUCKETS,
  });
  const objects = new Gauge({
    name: 'multicluster_cache_listed_objects',
    help: 'Objects in the last complete list',
    labelNames,
    registers,
  });
  const failures = new Counter({
    name: 'multicluster_cache_failures_total',
    help: 'Lists and watches that failed',
    labelNames: ['resource', 'kind'],
    registers,
  });
  const broken = new Counter({
    name: 'multicluster_cache_broken_handlers_total',
    help: 'Errors thrown by handlers, transforms and indexers of caches: programming errors',
    labelNames,
    registers,
  });
  return {
    listed: (resource, count, seconds) => {
      objects.set({ resource }, count);
      time.observe({ resource }, seconds);
    },
    failed: (resource, kind) => failures.inc({ resource, kind }),
    broken: (resource) => broken.inc({ resource }),
  };
}

export function eventMetrics(registry: Registry): EventMetrics {
  const total = new Counter({
    name: 'multicluster_events_total',
    help: 'Events by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return { recorded: (outcome) => total.inc({ outcome }) };
}
