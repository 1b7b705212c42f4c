import type { Registry } from 'prom-client';
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
/** `requeue`: a conflict, or aborted by a shutdown or a lost lease. */
export type ReconcileResult = (typeof RESULTS)[number];

export interface RunningWork {
  /** Sum of the durations of the work in progress. */
  readonly unfinishedSeconds: number;
  readonly longestSeconds: number;
}

/*
 * Code records metrics through what these functions return. Times are in seconds; `resource` is `plural` or `plural.group`.
 */

export type QueueMetrics = ReturnType<ReturnType<typeof queueMetrics>>;

/** `workqueue_*` for the queue of that name. */
function queueMetrics(registry: Registry) {
  const collectors = new Collectors(registry, HELP);
  const depth = collectors.gauge('workqueue_depth', QUEUE_LABELS);
  const adds = collectors.counter('workqueue_adds_total', QUEUE_LABELS);
  const retries = collectors.counter('workqueue_retries_total', QUEUE_LABELS);
  const waited = collectors.histogram('workqueue_queue_duration_seconds', QUEUE_LABELS, QUEUE_BUCKETS);
  const worked = collectors.histogram('workqueue_work_duration_seconds', QUEUE_LABELS, QUEUE_BUCKETS);
  const readers = runningGauges(collectors);
  return (name: string) => {
    const labels = { name, controller: name };
    const waitedHere = waited.labels(labels);
    const workedHere = worked.labels(labels);
    depth.set(labels, 0);
    adds.inc(labels, 0);
    retries.inc(labels, 0);
    return {
      /** A key was added that was not waiting already. */
      added: () => adds.inc(labels),
      /** Waiting keys, with the running ones that were added again. */
      depth: (keys: number) => depth.set(labels, keys),
      /** Work on a key began, after this wait. */
      started: (seconds: number) => waitedHere.observe(seconds),
      finished: (seconds: number) => workedHere.observe(seconds),
      /** A key was added again after a failure. */
      retried: () => retries.inc(labels),
      /** Sets the function that returns the work in progress; it is called at each scrape. */
      running: (read: () => RunningWork): void => void readers.set(name, read),
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
function reconcileMetrics(registry: Registry) {
  const collectors = new Collectors(registry, HELP);
  const total = collectors.counter('controller_runtime_reconcile_total', ['controller', 'result']);
  const errors = collectors.counter('controller_runtime_reconcile_errors_total', ['controller']);
  const time = collectors.histogram('controller_runtime_reconcile_time_seconds', ['controller'], RECONCILE_BUCKETS);
  const workers = collectors.gauge('controller_runtime_max_concurrent_reconciles', ['controller']);
  const active = collectors.gauge('controller_runtime_active_workers', ['controller']);
  return (controller: string) => {
    const timeHere = time.labels({ controller });
    for (const result of RESULTS) total.inc({ controller, result }, 0);
    errors.inc({ controller }, 0);
    active.set({ controller }, 0);
    return {
      /** The limit of concurrent reconciles. */
      workers: (max: number) => workers.set({ controller }, max),
      active: (passes: number) => active.set({ controller }, passes),
      finished: (result: ReconcileResult, seconds: number) => {
        total.inc({ controller, result });
        if (result === 'error') errors.inc({ controller });
        timeHere.observe(seconds);
      },
    };
  };
}

/** The metrics of a process with controllers. */
export type ManagerMetrics = ReturnType<typeof managerMetrics>;
export type ControllerMetrics = ReturnType<ManagerMetrics['controller']>;

export function managerMetrics(registry: ProcessRegistry) {
  const queue = queueMetrics(registry);
  const reconcile = reconcileMetrics(registry);
  return {
    controller: (name: string) => ({ queue: queue(name), reconcile: reconcile(name) }),
    requests: requestMetrics(registry),
    leader: leaderMetrics(registry),
    guard: guardMetrics(registry),
    caches: cacheMetrics(registry),
    events: eventMetrics(registry),
  };
}

/** The help of metrics that client-go does not have. Their names begin with the prefix of the registry. */
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

export type RequestMetrics = ReturnType<typeof requestMetrics>;

/** `rest_client_*`. */
export function requestMetrics(registry: Registry) {
  const collectors = new Collectors(registry, HELP);
  const total = collectors.counter('rest_client_requests_total', ['code', 'method', 'host']);
  const time = collectors.histogram('rest_client_request_duration_seconds', ['verb', 'host'], REQUEST_BUCKETS);
  const limited = collectors.histogram('rest_client_rate_limiter_duration_seconds', ['bucket'], REQUEST_BUCKETS);
  return {
    /** An attempt has ended: `code` of the response, or `<error>` without one; `host` with its port. */
    requested: (method: string, host: string, code: string, seconds: number) => {
      total.inc({ code, method, host });
      time.observe({ verb: method, host }, seconds);
    },
    /** A call waited this long for the rate limit of its bucket. */
    limited: (bucket: string, seconds: number) => limited.observe({ bucket }, seconds),
  };
}

export type LeaderMetrics = ReturnType<typeof leaderMetrics>;

/** `leader_election_*`. */
function leaderMetrics(registry: Registry) {
  const gauge = new Collectors(registry, HELP).gauge('leader_election_master_status', ['name']);
  /** The Lease of this name was acquired or lost. */
  return { leader: (name: string, held: boolean) => gauge.set({ name }, held ? 1 : 0) };
}

export type GuardMetrics = ReturnType<typeof guardMetrics>;

function guardMetrics(registry: ProcessRegistry) {
  const collectors = new Collectors(registry, OWN_HELP, registry.prefix);
  const refusals = collectors.counter('write_guard_refusals_total', ['verb', 'resource']);
  /** A write was refused: it lacks a precondition, or the table of writes does not permit it. */
  return { refused: (verb: string, resource: string) => refusals.inc({ verb, resource }) };
}

export type CacheMetrics = ReturnType<typeof cacheMetrics>;

export function cacheMetrics(registry: ProcessRegistry) {
  const collectors = new Collectors(registry, OWN_HELP, registry.prefix);
  const time = collectors.histogram('cache_list_duration_seconds', ['resource'], REQUEST_BUCKETS);
  const objects = collectors.gauge('cache_listed_objects', ['resource']);
  const failures = collectors.counter('cache_failures_total', ['resource', 'kind']);
  const broken = collectors.counter('cache_broken_handlers_total', ['resource']);
  return {
    /** A complete list was read. */
    listed: (resource: string, count: number, seconds: number) => {
      objects.set({ resource }, count);
      time.observe({ resource }, seconds);
    },
    /** A list or watch failed with an error of this kind. A watch that ends on its timeout does not count. */
    failed: (resource: string, kind: string) => failures.inc({ resource, kind }),
    /** A handler, transform or indexer threw: a programming error. */
    broken: (resource: string) => broken.inc({ resource }),
  };
}

export type EventMetrics = ReturnType<typeof eventMetrics>;

function eventMetrics(registry: ProcessRegistry) {
  const total = new Collectors(registry, OWN_HELP, registry.prefix).counter('events_total', ['outcome']);
  return { recorded: (outcome: 'created' | 'joined' | 'dropped') => total.inc({ outcome }) };
}
