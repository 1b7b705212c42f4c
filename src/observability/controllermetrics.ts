import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { QueueMetrics, ReconcileMetrics, RunningWork } from '../runtime/metrics.js';

/** Buckets of client-go's workqueue histograms: 10 ns to 1000 s. */
const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1, 10, 100, 1000];
/** Buckets of controller_runtime_reconcile_time_seconds. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const RESULTS = ['success', 'requeue_after', 'requeue', 'error'] as const;

/** `workqueue_*` for the queue of that name. */
export function queueMetrics(registry: Registry): (name: string) => QueueMetrics {
  const { depth, adds, retries, waited, worked } = queueCollectors(registry);
  const readers = runningGauges(registry);
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

function queueCollectors(registry: Registry) {
  const shared = { labelNames: ['name', 'controller'] as const, registers: [registry] };
  return {
    depth: new Gauge({ name: 'workqueue_depth', help: 'Current depth of workqueue', ...shared }),
    adds: new Counter({ name: 'workqueue_adds_total', help: 'Total number of adds handled by workqueue', ...shared }),
    retries: new Counter({
      name: 'workqueue_retries_total',
      help: 'Total number of retries handled by workqueue',
      ...shared,
    }),
    waited: new Histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long an item waits in the workqueue before it is worked on',
      buckets: QUEUE_BUCKETS,
      ...shared,
    }),
    worked: new Histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long working on an item from the workqueue takes',
      buckets: QUEUE_BUCKETS,
      ...shared,
    }),
  };
}

/** Gauges that are read at each scrape, so that hung work shows. Returns the map for the reader of each queue. */
function runningGauges(registry: Registry): Map<string, () => RunningWork> {
  const readers = new Map<string, () => RunningWork>();
  const gauge = (name: string, help: string, read: (work: RunningWork) => number): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: ['name', 'controller'],
      registers: [registry],
      collect() {
        for (const [queue, reader] of readers) this.set({ name: queue, controller: queue }, read(reader()));
      },
    });
  gauge(
    'workqueue_unfinished_work_seconds',
    'Seconds spent so far on work in progress',
    (work) => work.unfinishedSeconds,
  );
  gauge(
    'workqueue_longest_running_processor_seconds',
    'Seconds that the longest work in progress has taken so far',
    (work) => work.longestSeconds,
  );
  return readers;
}

/** `controller_runtime_*` for the controller of that name. */
export function reconcileMetrics(registry: Registry): (name: string) => ReconcileMetrics {
  const registers = [registry];
  const shared = { labelNames: ['controller'] as const, registers };
  const total = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Total number of reconciliations per controller',
    labelNames: ['controller', 'result'],
    registers,
  });
  const errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Total number of reconciliation errors per controller',
    ...shared,
  });
  const time = new Histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Length of time per reconciliation per controller',
    buckets: RECONCILE_BUCKETS,
    ...shared,
  });
  const workers = new Gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Maximum number of concurrent reconciles per controller',
    ...shared,
  });
  const active = new Gauge({
    name: 'controller_runtime_active_workers',
    help: 'Number of currently used workers per controller',
    ...shared,
  });
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
