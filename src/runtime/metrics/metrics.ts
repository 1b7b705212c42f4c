/** Interfaces through which code records metrics; the collectors beside this file implement them. Times in seconds. */

/** Metrics of one work queue, as client-go defines `workqueue_*`. */
export interface QueueMetrics {
  /** A key was added that was not waiting already. */
  added(): void;
  /** Waiting keys, with the running ones that were added again. */
  depth(keys: number): void;
  /** Work on a key began, after this wait. */
  started(waitedSeconds: number): void;
  /** Work on a key ended. */
  finished(workedSeconds: number): void;
  /** A key was added again after a failure. */
  retried(): void;
  /** Sets the function that returns the work in progress; it is called at each scrape. */
  running(read: () => RunningWork): void;
}

export interface RunningWork {
  /** Sum of the durations of the work in progress. */
  readonly unfinishedSeconds: number;
  readonly longestSeconds: number;
}

/** `result` of controller_runtime_reconcile_total; `requeue`: a conflict, or aborted by a shutdown or a lost lease. */
export type ReconcileResult = 'success' | 'requeue_after' | 'requeue' | 'error';

/** Metrics of one controller, as controller-runtime defines `controller_runtime_*`. */
export interface ReconcileMetrics {
  /** The limit of concurrent reconciles. */
  workers(max: number): void;
  active(reconciles: number): void;
  /** A reconcile ended, after this long. */
  finished(result: ReconcileResult, seconds: number): void;
}

export interface ControllerMetrics {
  readonly queue: QueueMetrics;
  readonly reconcile: ReconcileMetrics;
}

/** Metrics of calls to the Kubernetes API, as client-go defines `rest_client_*`. */
export interface RequestMetrics {
  /** An attempt has ended: `code` of the response, or `<error>` without one; `host` with its port. */
  requested(method: string, host: string, code: string, seconds: number): void;
  /** A call waited this long for the rate limit of its bucket. */
  limited(bucket: string, seconds: number): void;
}

export interface LeaderMetrics {
  /** The Lease of this name was acquired or lost. */
  leader(lease: string, held: boolean): void;
}

export interface GuardMetrics {
  /** A write was refused: it lacks a precondition, or the table of writes does not permit it. */
  refused(verb: string, resource: string): void;
}

/** Metrics of caches. `resource`: `plural` or `plural.group`. */
export interface CacheMetrics {
  /** A complete list was read. */
  listed(resource: string, objects: number, seconds: number): void;
  /** A list or watch failed with an error of this kind. A watch that ends on its timeout does not count. */
  failed(resource: string, kind: string): void;
  /** A handler, transform or indexer threw: a programming error. */
  broken(resource: string): void;
}

export interface EventMetrics {
  /** The outcome of a recorded event: created, joined to a series, or dropped. */
  recorded(outcome: 'created' | 'joined' | 'dropped'): void;
}

export interface LogMetrics {
  /** Sets the function that returns the number of lines that were dropped so far; it is called at each scrape. */
  dropped(read: () => number): void;
}

/** Metrics of files that may be replaced while the process runs. */
export interface ReloadMetrics {
  /** A file was reloaded, such as `certificate`; whether it is usable. */
  reloaded(file: string, usable: boolean): void;
}
