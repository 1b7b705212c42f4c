/** What the program counts, as sinks: whoever counts takes the interface, `src/observability` implements it. Times in seconds. */

/** One work queue, with the meaning that client-go gives to `workqueue_*`. */
export interface QueueMetrics {
  /** A key was taken in; not when it was waiting already. */
  added(): void;
  /** Keys that wait, those that run and were asked for again included. */
  depth(keys: number): void;
  /** A key's run began; how long the key had waited. */
  started(waitedSeconds: number): void;
  /** A key's run ended. */
  finished(workedSeconds: number): void;
  /** A key was put back because its run failed. */
  retried(): void;
  /** Says how to ask, at any time, for the work in hand. A later call replaces the earlier. */
  running(read: () => RunningWork): void;
}

export interface RunningWork {
  /** Sum of the times that the runs in hand have taken so far. */
  readonly unfinishedSeconds: number;
  readonly longestSeconds: number;
}

/** `result` of controller_runtime_reconcile_total; `requeue` stands for passes given up because the process or the lease ends. */
export type ReconcileResult = 'success' | 'requeue_after' | 'requeue' | 'error';

/** One controller, with the meaning that controller-runtime gives to `controller_runtime_*`. */
export interface ReconcileMetrics {
  workers(max: number): void;
  active(passes: number): void;
  finished(result: ReconcileResult, seconds: number): void;
}

export interface ControllerMetrics {
  readonly queue: QueueMetrics;
  readonly reconcile: ReconcileMetrics;
}

/** Calls to the Kubernetes API, with the meaning that client-go gives to `rest_client_*`. */
export interface RequestMetrics {
  /** One try has ended: `code` of the answer, or `<error>` where there was none; `host` with its port. */
  requested(method: string, host: string, code: string, seconds: number): void;
  /** A call waited this long for the rate limit of its bucket. */
  limited(bucket: string, seconds: number): void;
}

export interface LeaderMetrics {
  leader(lease: string, held: boolean): void;
}

export interface GuardMetrics {
  refused(verb: string, resource: string): void;
}

/** What is known of one engine; `phase` is the one of its status. */
export interface EngineInfo {
  readonly name: string;
  readonly version: string;
  readonly phase: string;
  readonly targetNamespace: string;
}

export interface EngineMetrics {
  engine(info: EngineInfo): void;
  engineGone(name: string): void;
}

/** What is known of one placement; `phase` is the one of its status, `clusters` how many its decision holds. */
export interface PlacementInfo {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly clusters: number;
}

export interface PlacementMetrics {
  placement(info: PlacementInfo): void;
  placementGone(namespace: string, name: string): void;
  /** A decision was published; the time since the change that led to it was seen. */
  decided(seconds: number): void;
}

/** What caches of the API count. `resource` is `plural` or `plural.group`. */
export interface CacheMetrics {
  /** A list was read to its end. */
  listed(resource: string, objects: number, seconds: number): void;
  /** A list or watch has failed; `kind` of the failure. A watch that ends as agreed is none. */
  failed(resource: string, kind: string): void;
  /** A handler, transform or indexer threw: a programming error. */
  broken(resource: string): void;
}

/** What the writer of events counts. */
export interface EventMetrics {
  /** What became of a recorded event: a new one, a repeat joined to a series, given up. */
  recorded(outcome: 'created' | 'joined' | 'dropped'): void;
}

/** What the gateway counts. Labels hold words of the gateway's own tables, never a client's. Times in seconds. */
export interface GatewayMetrics {
  /** A request was answered. `route` is a template of the table or `none`; `method` one of the table or `other`. */
  answered(route: string, method: string, code: number, seconds: number): void;
  /** A call to the API server has ended: `code` of the answer, or `<error>` where there was none. */
  upstream(method: string, code: string, seconds: number): void;
  /** A client left before it was answered. */
  abandoned(route: string): void;
  /** A connection could not be served: `tls`, `protocol`, `timeout` or `capacity`. */
  dropped(cause: string): void;
  /** A file was read anew: `certificate` or `upstream-ca`; whether it could be used. */
  reloaded(file: string, usable: boolean): void;
  /** When the certificate ends, in seconds since the epoch. */
  certificateExpiry(seconds: number): void;
  /** Says how to ask for the open connections. */
  connections(read: () => number): void;
}
