import type { ApiAnswer, ApiRequest } from './api.js';
import type { LoggedRequest, RequestFilter } from './audit.js';

/**
 * What a server can do. A test that needs one of these asks for it (describeWithServer) and says so in its name,
 * so that the same test can run against another server, or be left out there by name.
 */
export type Capability =
  | 'rollouts' // a Deployment's status tells of running pods where a node (addNode) takes them
  | 'pods' // and these pods exist: made, scheduled to their nodes, and to be looked at
  | 'garbageCollection' // objects whose owner is gone are deleted; foreground deletion ends
  | 'namespaceDeletion' // a deleted namespace is emptied and goes
  | 'serviceAccounts' // each namespace gets its `default` ServiceAccount and `kube-root-ca.crt`
  | 'podSecurity' // Pod Security admission judges pods
  | 'quota' // ResourceQuotas are enforced
  | 'requestLog' // who asked for what
  | 'restart' // the server can be stopped and started
  | 'compaction'; // history can be dropped

/** Whose rights: a user of the list given at the start, or a ServiceAccount that exists. */
export type Subject =
  | { readonly user: string; readonly groups?: readonly string[] }
  | { readonly serviceAccount: { readonly namespace: string; readonly name: string } };

export interface NodeOptions {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
}

/** A running Kubernetes API, whatever stands behind it. Tests know servers by this interface alone. */
export interface ControlPlane {
  readonly url: string;
  /** PEM file with the certificate authority of `url`. */
  readonly caFile: string;
  /** Kubeconfig file of a member of system:masters. */
  readonly adminKubeconfig: string;
  readonly capabilities: ReadonlySet<Capability>;
  /** Holds everything of this server: logs in `*.log`. */
  readonly folder: string;
  /** A token of the subject. ServiceAccounts get one by TokenRequest, good for 30 days. */
  tokenFor(subject: Subject): Promise<string>;
  /** A new kubeconfig file (with a token file beside it) of the subject. */
  kubeconfigFor(subject: Subject): Promise<string>;
  /** One HTTPS request, by default as administrator. Any answer is returned; only a missing one throws. */
  call(request: ApiRequest): Promise<ApiAnswer>;
  /**
   * Reads a watch (or another streamed answer) as administrator, line by line: resolves when it ends or `signal` fires,
   * rejects when it is cut or refused.
   */
  stream(path: string, onLine: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** The requests that were answered so far (watches: that were begun), in that order, one entry a request. */
  requestLog(filter?: RequestFilter): Promise<LoggedRequest[]>;
  /** A place in the log, for `RequestFilter.after`. */
  logMark(): Promise<number>;
  /** Makes a node that turns Ready and takes pods; needs `rollouts`. */
  addNode(node: NodeOptions): Promise<void>;
  /** Kills the API server and starts it on the same port and data; ready again when this returns. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  stopServer(signal?: NodeJS.Signals): Promise<void>;
  startServer(): Promise<void>;
  /** Drops all history: a resourceVersion or continue token from before is answered 410. Cuts running watches. */
  compactHistory(): Promise<void>;
  /** Stops everything and removes the data; logs stay while Jest may still need them (reporter.ts). */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** api: storage and API server, no controllers. hub: with controllers, and make-believe nodes that Deployments are rolled out to. */
  readonly size: 'api' | 'hub';
  /** Known by token besides the administrator and {@link STANDARD_USERS}; fixed at the start. */
  readonly users?: readonly { readonly user: string; readonly groups?: readonly string[] }[];
  /** How much the request log holds of each request; Metadata (no bodies) when left out. */
  readonly log?: 'Metadata' | 'Request' | 'RequestResponse';
  /** Parent of the server's folder; the system's temporary folder when left out. */
  readonly parent?: string;
  /** Put into the folder's name. */
  readonly label?: string;
}

/** Users without groups and rights that every server knows. */
export const STANDARD_USERS = ['alice', 'bob', 'carol', 'dave', 'erin'] as const;
