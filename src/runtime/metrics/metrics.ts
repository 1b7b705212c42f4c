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
  /** Reconciles in progress. */
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

/** Metrics of the write guard. */
export interface GuardMetrics {
  /** A write was refused: the table of writes has no row for it. */
  refused(verb: string, resource: string): void;
}

/** One engine; `phase` as in its status. */
export interface EngineInfo {
  readonly name: string;
  readonly version: string;
  readonly phase: string;
  readonly targetNamespace: string;
}

export interface EngineMetrics {
  /** Replaces what was recorded of the engine with this name. */
  engine(info: EngineInfo): void;
  engineGone(name: string): void;
}

/** One placement; `phase` as in its status, `clusters`: their number in its decision, `held`: those that its budget keeps. */
export interface PlacementInfo {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly clusters: number;
  readonly held: number;
}

export interface PlacementMetrics {
  /** Replaces what was recorded of the placement with this name. */
  placement(info: PlacementInfo): void;
  placementGone(namespace: string, name: string): void;
  /** A decision was published, this long after the change that caused it was observed. */
  decided(seconds: number): void;
}

/** The fleet as one process observes it. */
export interface FleetCounts {
  /** Clusters with an agent, by `available`, `unavailable`, `unknown` and `never-joined`. */
  readonly clusters: Readonly<Record<string, number>>;
  /** Clusters with a taint NoSelect of the hub, by its key. */
  readonly taints: Readonly<Record<string, number>>;
  /** Scopes that the brake holds, by `fleet` and `set`. */
  readonly held: Readonly<Record<string, number>>;
  /** Whether the observation of the Leases is stale: renewals may have been missed. */
  readonly stale: boolean;
}

export interface FleetMetrics {
  /** Sets the function that returns the counts; it is called at each scrape. */
  fleet(read: () => FleetCounts): void;
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

/** Metrics of the event recorder. */
export interface EventMetrics {
  /** The outcome of a recorded event: created, joined to a series, or dropped. */
  recorded(outcome: 'created' | 'joined' | 'dropped'): void;
}

/** Metrics of the log of the process. */
export interface LogMetrics {
  /** Sets the function that returns the number of lines that were dropped so far; it is called at each scrape. */
  dropped(read: () => number): void;
}

/** Metrics of the gateway. Label values come from the gateway's own tables, never from clients. Times in seconds. */
export interface GatewayMetrics {
  /** A response was sent. `route`: a template of the table or `none`; `method`: one of the table or `other`. */
  answered(route: string, method: string, code: number, seconds: number): void;
  /** A call to the API server has ended: `code` of the response, or `<error>` without one. */
  upstream(method: string, code: string, seconds: number): void;
  /** A client closed the connection before the response. */
  abandoned(route: string): void;
  /** A connection was rejected: `tls`, `protocol`, `timeout` or `capacity`. */
  dropped(cause: string): void;
  /** A file was reloaded: `certificate` or `upstream-ca`; whether it is usable. */
  reloaded(file: string, usable: boolean): void;
  /** When the certificate expires, in seconds since the epoch. */
  certificateExpiry(seconds: number): void;
  /** Sets the function that returns the number of open connections. */
  connections(read: () => number): void;
}

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
