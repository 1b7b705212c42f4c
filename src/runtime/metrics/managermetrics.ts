import type { Registry } from 'prom-client';
import type {
  ControllerMetrics,
  QueueMetrics,
  ReconcileMetrics,
  RunningWork,
  CacheMetrics,
  EventMetrics,
  GuardMetrics,
  LeaderMetrics,
  RequestMetrics,
} from './metrics.js';
import type { ProcessRegistry } from './registry.js';
import { Collectors } from './collectors.js';

const HELP = {
  workqueue_depth: 'Current depth of workqueue',
  workqueue_adds_total: 'Total number of adds handled by workqueue',
  workqueue_retries_total: 'Total number of retries handled by workqueue',
  workqueue_queue_duration_seconds: 'How long an item waits in the workqueue before it is worked on',
  workqueue_work_duration_seconds: 'How long working on an item from the workqueue takes',
  workqueue_unfinished_work_seconds: 'Seconds spent so far on work in progress',
  workqueue_longest_running_processor_seconds: 'Seconds that the longest work in progress has taken so far',
  controller_runtime_reconcile_total: 'Total number of reconciliations per controller',
  controller_runtime_reconcile_errors_total: 'Total number of reconciliation errors per controller',
  controller_runtime_reconcile_time_seconds: 'Length of time per reconciliation per controller',
  controller_runtime_max_concurrent_reconciles: 'Maximum number of concurrent reconciles per controller',
  controller_runtime_active_workers: 'Number of currently used workers per controller',
  rest_client_requests_total: 'Number of HTTP requests, partitioned by status code, method, and host',
  rest_client_request_duration_seconds: 'Request latency in seconds, broken down by verb and host',
  rest_client_rate_limiter_duration_seconds: 'Client side rate limiter latency in seconds, broken down by bucket',
  leader_election_master_status: '1 while this process holds the named lease, 0 while it waits for it',
};
/** Buckets of client-go's workqueue histograms: 10 ns to 1000 s. */
const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1, 10, 100, 1000];
/** Buckets of controller_runtime_reconcile_time_seconds. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const QUEUE_LABELS = ['name', 'controller'] as const;
const RESULTS = ['success', 'requeue_after', 'requeue', 'error'] as const;

/** `workqueue_*` for the queue of that name. */
function queueMetrics(registry: Registry): (name: string) => QueueMetrics {
  const collectors = new Collectors(registry, HELP);
  const depth = collectors.gauge('workqueue_depth', QUEUE_LABELS);
  const adds = collectors.counter('workqueue_adds_total', QUEUE_LABELS);
  const retries = collectors.counter('workqueue_retries_total', QUEUE_LABELS);
  const waited = collectors.histogram('workqueue_queue_duration_seconds', QUEUE_LABELS, QUEUE_BUCKETS);
  const worked = collectors.histogram('workqueue_work_duration_seconds', QUEUE_LABELS, QUEUE_BUCKETS);
  const readers = runningGauges(collectors);
  return (name) => {
    const labels = { name, controller: name };
    const waitedHere = waited.labels(labels);
    const workedHere = worked.labels(labels);
    depth.set(labels, 0);
    adds.inc(labels, 0);
    retries.inc(labels, 0);
    return {
      added: () => adds.inc(labels),
      depth: (keys) => depth.set(labels, keys),
      started: (seconds) => waitedHere.observe(seconds),
      finished: (seconds) => workedHere.observe(seconds),
      retried: () => retries.inc(labels),
      running: (read) => void readers.set(name, read),
    };
  };
}

/** Gauges that are read at each scrape, so that hung work shows. Returns the map for the reader of each queue. */
function runningGauges(collectors: Collectors<keyof typeof HELP>): Map<string, () => RunningWork> {
  const readers = new Map<string, () => RunningWork>();
  const gauge = (name: keyof typeof HELP, value: keyof RunningWork): void =>
    collectors.collectedGauge(name, QUEUE_LABELS, (own) => {
      for (const [queue, read] of readers) own.set({ name: queue, controller: queue }, read()[value]);
    });
  gauge('workqueue_unfinished_work_seconds', 'unfinishedSeconds');
  gauge('workqueue_longest_running_processor_seconds', 'longestSeconds');
  return readers;
}

/** `controller_runtime_*` for the controller of that name. */
function reconcileMetrics(registry: Registry): (name: string) => ReconcileMetrics {
  const collectors = new Collectors(registry, HELP);
  const total = collectors.counter('controller_runtime_reconcile_total', ['controller', 'result']);
  const errors = collectors.counter('controller_runtime_reconcile_errors_total', ['controller']);
  const time = collectors.histogram('controller_runtime_reconcile_time_seconds', ['controller'], RECONCILE_BUCKETS);
  const workers = collectors.gauge('controller_runtime_max_concurrent_reconciles', ['controller']);
  const active = collectors.gauge('controller_runtime_active_workers', ['controller']);
  return (controller) => {
    const timeHere = time.labels({ controller });
    for (const result of RESULTS) total.inc({ controller, result }, 0);
    errors.inc({ controller }, 0);
    active.set({ controller }, 0);
    return {
      workers: (max) => workers.set({ controller }, max),
      active: (passes) => active.set({ controller }, passes),
      finished: (result, seconds) => {
        total.inc({ controller, result });
        if (result === 'error') errors.inc({ controller });
        timeHere.observe(seconds);
      },
    };
  };
}

/** The metrics of a process with controllers. */
export type ManagerMetrics = ReturnType<typeof managerMetrics>;

export function managerMetrics(registry: ProcessRegistry) {
  const queue = queueMetrics(registry);
  const reconcile = reconcileMetrics(registry);
  return {
    controller: (name: string): ControllerMetrics => ({ queue: queue(name), reconcile: reconcile(name) }),
    requests: requestMetrics(registry),
    leader: leaderMetrics(registry),
    guard: guardMetrics(registry),
    caches: cacheMetrics(registry),
    events: eventMetrics(registry),
  };
}

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
function leaderMetrics(registry: Registry): LeaderMetrics {
  const gauge = new Collectors(registry, HELP).gauge('leader_election_master_status', ['name']);
  return { leader: (name, held) => gauge.set({ name }, held ? 1 : 0) };
}

function guardMetrics(registry: ProcessRegistry): GuardMetrics {
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

function eventMetrics(registry: ProcessRegistry): EventMetrics {
  const total = new Collectors(registry, OWN_HELP, registry.prefix).counter('events_total', ['outcome']);
  return { recorded: (outcome) => total.inc({ outcome }) };
}
