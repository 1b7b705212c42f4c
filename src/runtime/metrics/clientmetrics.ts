import type { Registry } from 'prom-client';
import type { CacheMetrics, EventMetrics, GuardMetrics, LeaderMetrics, RequestMetrics } from './metrics.js';
import { Collectors } from './collectors.js';
import type { ProcessRegistry } from './registry.js';

const HELP = {
  rest_client_requests_total: 'Number of HTTP requests, partitioned by status code, method, and host',
  rest_client_request_duration_seconds: 'Request latency in seconds, broken down by verb and host',
  rest_client_rate_limiter_duration_seconds: 'Client side rate limiter latency in seconds, broken down by bucket',
  leader_election_master_status: '1 while this process holds the named lease, 0 while it waits for it',
};
/** Of metrics that client-go does not have; the prefix of the registry begins their names. */
const OWN_HELP = {
  write_guard_refusals_total: 'Writes that were not sent because the write guard does not permit them',
  cache_list_duration_seconds: 'Duration of complete lists',
  cache_listed_objects: 'Objects in the last complete list',
  cache_failures_total: 'Lists and watches that failed',
  cache_broken_handlers_total: 'Errors thrown by handlers, transforms and indexers of caches: programming errors',
  events_total: 'Events by outcome',
};
/** Buckets of client-go's rest_client_request_duration_seconds. */
const REQUEST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** `rest_client_*`. */
export function requestMetrics(registry: Registry): RequestMetrics {
  const collectors = new Collectors(registry, HELP);
  const total = collectors.counter('rest_client_requests_total', ['code', 'method', 'host']);
  const time = collectors.histogram('rest_client_request_duration_seconds', ['verb', 'host'], REQUEST_BUCKETS);
  const limited = collectors.histogram('rest_client_rate_limiter_duration_seconds', ['bucket'], REQUEST_BUCKETS);
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
  const gauge = new Collectors(registry, HELP).gauge('leader_election_master_status', ['name']);
  return { leader: (name, held) => gauge.set({ name }, held ? 1 : 0) };
}

export function guardMetrics(registry: ProcessRegistry): GuardMetrics {
  const collectors = new Collectors(registry, OWN_HELP, registry.prefix);
  const refusals = collectors.counter('write_guard_refusals_total', ['verb', 'resource']);
  return { refused: (verb, resource) => refusals.inc({ verb, resource }) };
}

export function cacheMetrics(registry: ProcessRegistry): CacheMetrics {
  const collectors = new Collectors(registry, OWN_HELP, registry.prefix);
  const time = collectors.histogram('cache_list_duration_seconds', ['resource'], REQUEST_BUCKETS);
  const objects = collectors.gauge('cache_listed_objects', ['resource']);
  const failures = collectors.counter('cache_failures_total', ['resource', 'kind']);
  const broken = collectors.counter('cache_broken_handlers_total', ['resource']);
  return {
    listed: (resource, count, seconds) => {
      objects.set({ resource }, count);
      time.observe({ resource }, seconds);
    },
    failed: (resource, kind) => failures.inc({ resource, kind }),
    broken: (resource) => broken.inc({ resource }),
  };
}

export function eventMetrics(registry: ProcessRegistry): EventMetrics {
  const total = new Collectors(registry, OWN_HELP, registry.prefix).counter('events_total', ['outcome']);
  return { recorded: (outcome) => total.inc({ outcome }) };
}
