import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type {
  ControllerMetrics, EngineInfo, EngineMetrics, GuardMetrics, LeaderMetrics, PlacementInfo, PlacementMetrics,
  QueueMetrics, ReconcileMetrics, RequestMetrics, RunningWork,
} from '../runtime/metrics.js';

/** Everything the program counts: sinks to hand out, and the text that Prometheus reads. */
export interface Metrics {
  controller(name: string): ControllerMetrics;
  readonly requests: RequestMetrics;
  readonly leader: LeaderMetrics;
  readonly guard: GuardMetrics;
  readonly engines: EngineMetrics;
  readonly placements: PlacementMetrics;
  readonly contentType: string;
  text(): Promise<string>;
}

/** Buckets of client-go's workqueue histograms: 10 ns to 1000 s. */
const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1, 10, 100, 1000];
/** Buckets of controller_runtime_reconcile_time_seconds. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75,
  2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** Buckets of client-go's rest_client_request_duration_seconds. */
const REQUEST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const LATENCY_BUCKETS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const RESULTS = ['success', 'requeue_after', 'requeue', 'error'] as const;

/**
 * Names, labels and buckets of `workqueue_*`, `controller_runtime_*`, `rest_client_*` and `leader_election_*` are those
 * of client-go and controller-runtime, so that stock dashboards work; ours begin with `multicluster_`.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const queue = queueMetrics(registry);
  const reconcile = reconcileMetrics(registry);
  return {
    controller: (name) => ({ queue: queue(name), reconcile: reconcile(name) }),
    requests: requestMetrics(registry),
    leader: leaderMetrics(registry),
    guard: guardMetrics(registry),
    engines: engineMetrics(registry),
    placements: placementMetrics(registry),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function queueMetrics(registry: Registry): (name: string) => QueueMetrics {
  const readers = new Map<string, () => RunningWork>();
  const labelNames = ['name', 'controller'] as const;
  const registers = [registry];
  const depth = new Gauge({ name: 'workqueue_depth', help: 'Current depth of workqueue', labelNames, registers });
  const adds = new Counter({ name: 'workqueue_adds_total', help: 'Total number of adds handled by workqueue', labelNames, registers });
  const retries = new Counter({ name: 'workqueue_retries_total', help: 'Total number of retries handled by workqueue', labelNames, registers });
  const waited = new Histogram({
    name: 'workqueue_queue_duration_seconds', help: 'How long an item waits in the workqueue before it is worked on',
    labelNames, registers, buckets: QUEUE_BUCKETS,
  });
  const worked = new Histogram({
    name: 'workqueue_work_duration_seconds', help: 'How long working on an item from the workqueue takes',
    labelNames, registers, buckets: QUEUE_BUCKETS,
  });
  runningGauge(registry, readers, { name: 'workqueue_unfinished_work_seconds', help: 'Seconds spent so far on work in progress', read: (work) => work.unfinishedSeconds });
  runningGauge(registry, readers, { name: 'workqueue_longest_running_processor_seconds', help: 'Seconds that the longest work in progress has taken so far', read: (work) => work.longestSeconds });
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

interface RunningGauge {
  readonly name: string;
  readonly help: string;
  readonly read: (work: RunningWork) => number;
}

/** A gauge that is asked for when Prometheus reads it: work that hangs shows although nothing happens. */
function runningGauge(registry: Registry, readers: ReadonlyMap<string, () => RunningWork>, row: RunningGauge): void {
  const gauge = new Gauge({
    name: row.name, help: row.help, labelNames: ['name', 'controller'], registers: [registry],
    collect: () => {
      for (const [name, read] of readers) gauge.set({ name, controller: name }, row.read(read()));
    },
  });
}

function reconcileMetrics(registry: Registry): (name: string) => ReconcileMetrics {
  const labelNames = ['controller'] as const;
  const registers = [registry];
  const total = new Counter({
    name: 'controller_runtime_reconcile_total', help: 'Total number of reconciliations per controller',
    labelNames: ['controller', 'result'], registers,
  });
  const errors = new Counter({ name: 'controller_runtime_reconcile_errors_total', help: 'Total number of reconciliation errors per controller', labelNames, registers });
  const time = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds', help: 'Length of time per reconciliation per controller',
    labelNames, registers, buckets: RECONCILE_BUCKETS,
  });
  const workers = new Gauge({ name: 'controller_runtime_max_concurrent_reconciles', help: 'Maximum number of concurrent reconciles per controller', labelNames, registers });
  const active = new Gauge({ name: 'controller_runtime_active_workers', help: 'Number of currently used workers per controller', labelNames, registers });
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

function requestMetrics(registry: Registry): RequestMetrics {
  const registers = [registry];
  const total = new Counter({
    name: 'rest_client_requests_total', help: 'Number of HTTP requests, partitioned by status code, method, and host',
    labelNames: ['code', 'method', 'host'], registers,
  });
  const time = new Histogram({
    name: 'rest_client_request_duration_seconds', help: 'Request latency in seconds, broken down by verb and host',
    labelNames: ['verb', 'host'], registers, buckets: REQUEST_BUCKETS,
  });
  const limited = new Histogram({
    name: 'rest_client_rate_limiter_duration_seconds', help: 'Client side rate limiter latency in seconds, broken down by bucket',
    labelNames: ['bucket'], registers, buckets: REQUEST_BUCKETS,
  });
  return {
    requested: (method, host, code, seconds) => {
      total.inc({ code, method, host });
      time.observe({ verb: method, host }, seconds);
    },
    limited: (bucket, seconds) => limited.observe({ bucket }, seconds),
  };
}

function leaderMetrics(registry: Registry): LeaderMetrics {
  const gauge = new Gauge({
    name: 'leader_election_master_status', help: '1 while this process holds the named lease, 0 while it waits for it',
    labelNames: ['name'], registers: [registry],
  });
  return { leader: (name, held) => gauge.set({ name }, held ? 1 : 0) };
}

function guardMetrics(registry: Registry): GuardMetrics {
  const refusals = new Counter({
    name: 'multicluster_write_guard_refusals_total', help: 'Writes that were not sent because no row of the write guard allows them',
    labelNames: ['verb', 'resource'], registers: [registry],
  });
  return { refused: (verb, resource) => refusals.inc({ verb, resource }) };
}

function engineMetrics(registry: Registry): EngineMetrics {
  const known = new Map<string, EngineInfo>();
  new Gauge({
    name: 'multicluster_engine_info', help: 'The engines of this hub, always 1',
    labelNames: ['name', 'version', 'phase', 'target_namespace'], registers: [registry],
    collect() {
      this.reset();
      for (const { name, version, phase, targetNamespace } of known.values()) {
        this.set({ name, version, phase, target_namespace: targetNamespace }, 1);
      }
    },
  });
  return {
    engine: (info) => void known.set(info.name, info),
    engineGone: (name) => void known.delete(name),
  };
}

function placementMetrics(registry: Registry): PlacementMetrics {
  const known = new Map<string, PlacementInfo>();
  const registers = [registry];
  new Gauge({
    name: 'multicluster_placement_info', help: 'The placements of this hub, always 1',
    labelNames: ['namespace', 'name', 'phase'], registers,
    collect() {
      this.reset();
      for (const { namespace, name, phase } of known.values()) this.set({ namespace, name, phase }, 1);
    },
  });
  new Gauge({
    name: 'multicluster_placement_selected_clusters', help: 'Clusters in the decision of a placement',
    labelNames: ['namespace', 'name'], registers,
    collect() {
      this.reset();
      for (const { namespace, name, clusters } of known.values()) this.set({ namespace, name }, clusters);
    },
  });
  const latency = new Histogram({
    name: 'multicluster_decision_latency_seconds', help: 'From a change that was seen to the decision that it led to',
    registers, buckets: LATENCY_BUCKETS,
  });
  return {
    placement: (info) => void known.set(`${info.namespace}/${info.name}`, info),
    placementGone: (namespace, name) => void known.delete(`${namespace}/${name}`),
    decided: (seconds) => latency.observe(seconds),
  };
}
