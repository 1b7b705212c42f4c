import type { ApiAnswer, ApiRequest } from './api.js';
import type { LoggedRequest, RequestFilter } from './audit.js';

/**
 * A capability of a server. A test that needs one requests it with describeWithServer, so that it runs against any
 * server that has it, and is skipped by name on others.
 */
export type Capability =
  | 'rollouts' // a Deployment's status counts running pods when a node (addNode) accepts them
  | 'pods' // and these pods exist: made, scheduled to their nodes, and to be looked at
  | 'garbageCollection' // objects whose owner is gone are deleted; foreground deletion ends
  | 'namespaceDeletion' // a deleted namespace is emptied and goes
  | 'serviceAccounts' // each namespace gets its `default` ServiceAccount and `kube-root-ca.crt`
  | 'podSecurity' // Pod Security admission judges pods
  | 'quota' // ResourceQuotas are enforced
  | 'requestLog' // who asked for what
  | 'restart' // the server can be stopped and started
  | 'compaction'; // history can be dropped

/** The identity of a request: a user of the start options, or an existing ServiceAccount. */
export type Subject =
  | { readonly user: string; readonly groups?: readonly string[] }
  | { readonly serviceAccount: { readonly namespace: string; readonly name: string } };

export interface NodeOptions {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
}

/** A running Kubernetes API server of any implementation. Tests use servers through this interface only. */
export interface ControlPlane {
  readonly url: string;
  /** PEM file with the certificate authority of `url`. */
  readonly caFile: string;
  /** Kubeconfig file of a member of system:masters. */
  readonly adminKubeconfig: string;
  readonly capabilities: ReadonlySet<Capability>;
  /** The server's folder, with its logs in `*.log`. */
  readonly folder: string;
  /** A token of the subject; for a ServiceAccount by TokenRequest, valid for 30 days. */
  tokenFor(subject: Subject): Promise<string>;
  /** Creates a kubeconfig file of the subject, with a token file beside it. */
  kubeconfigFor(subject: Subject): Promise<string>;
  /** Sends one HTTPS request, as administrator unless it names a token. Rejects only where there is no response. */
  call(request: ApiRequest): Promise<ApiAnswer>;
  /**
   * Reads a watch, or another streamed response, as administrator, line by line. Resolves when it ends or `signal`
   * fires; rejects when it breaks or is refused.
   */
  stream(path: string, onLine: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** The requests with a response (watches: with a started response) in order, one entry per request. */
  requestLog(filter?: RequestFilter): Promise<LoggedRequest[]>;
  /** A position in the log for `RequestFilter.after`. */
  logMark(): Promise<number>;
  /** Creates a Node that becomes Ready and accepts pods; needs `rollouts`. */
  addNode(node: NodeOptions): Promise<void>;
  /** Kills the API server and starts it on the same port and data; resolves when it is ready. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  stopServer(signal?: NodeJS.Signals): Promise<void>;
  startServer(): Promise<void>;
  /** Compacts the history: an older resourceVersion or continue token gets 410. Ends running watches. */
  compactHistory(): Promise<void>;
  /** Stops all processes and removes the data; keeps the logs while Jest may need them (reporter.ts). */
  stop(): Promise<void>;
}

export interface StartOptions {
  /**
   * api: storage and API server, without controllers. hub: with controllers, and simulated nodes where Deployments are
   * rolled out.
   */
  readonly size: 'api' | 'hub';
  /** Users beside the administrator and {@link STANDARD_USERS}, with tokens; fixed at the start. */
  readonly users?: readonly { readonly user: string; readonly groups?: readonly string[] }[];
  /** Audit level; defaults to Metadata (no bodies). */
  readonly log?: 'Metadata' | 'Request' | 'RequestResponse';
  /** Parent of the server's folder; defaults to the system's temporary folder. */
  readonly parent?: string;
  /** Part of the folder's name. */
  readonly label?: string;
}

/** Users without groups and rights on every server. */
export const STANDARD_USERS = ['alice', 'bob', 'carol', 'dave', 'erin'] as const;
