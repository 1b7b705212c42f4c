import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { assemble, type Assembly } from './assembly.js';
import { bootstrap } from './bootstrap.js';
import { legacyToken } from '../auth/tokens/legacytokens.js';
import { type Controllers, startControllers } from '../controllers/controllers.js';
import { type Credentials, openCredentials, writeKubeconfig } from './credentials.js';
import { type AuditFile, openAuditFile } from './auditfile.js';
import { type AuditLevel, createAuditLog } from '../http/audit.js';
import { type Listener, listen } from '../http/connection/listener.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { PodLogs } from '../podlogs.js';
import type { ApiRequest, ApiResponse } from '../request.js';
import { isWildcard } from '../http/connection/tls.js';
import { disk } from '../store/filesystem.js';
import { lockFolder, machine } from '../store/lock.js';
import { memoryStore, openStore } from '../store/open.js';
import type { Store } from '../store/store.js';
import { MASTERS } from '../user.js';
import type { Clock } from '../clock.js';

export interface ApiServerOptions {
  /** Folder of the store. Without it the server keeps everything in memory. */
  readonly folder?: string;
  /** Folder of the certificates, keys, administrator's token and kubeconfig. Defaults to `folder`, or a temporary one. */
  readonly credentials?: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** Users with fixed tokens, beside the administrator; they are not stored. */
  readonly users?: readonly { readonly user: string; readonly groups?: readonly string[]; readonly token: string }[];
  readonly audit?: { readonly file: string; readonly level: AuditLevel };
  readonly clock: Clock;
  /** False starts no controllers, as kube-apiserver without kube-controller-manager. */
  readonly controllers?: boolean;
  /** The output of containers; without it, logs of Pods are refused. */
  readonly podLogs?: PodLogs;
  /** Created at the start unless they exist. */
  readonly objects?: readonly JsonObject[];
  /** Receives messages about failures that the server survives. */
  readonly warn?: (text: string, where: 'store' | 'controllers') => void;
  /** Called when the store can no longer write safely (a failed fsync). The process has to end. */
  readonly onFatal?: (error: unknown) => void;
}

/** A running server. */
export interface ApiServer {
  readonly url: string;
  /** The certificate of the server's certificate authority: its file, and its PEM text. */
  readonly caFile: string;
  readonly ca: string;
  /** File of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The administrator's bearer token. */
  readonly token: string;
  /** Dispatches a request within the process. Works like HTTPS, but trusts the user that the request names. */
  dispatch(request: ApiRequest): Promise<ApiResponse>;
  /** Drops the history of changes: watches from an older resourceVersion get 410. For tests. */
  compact(): void;
  /** Ends watches, waits for running requests, and closes the store. */
  close(): Promise<void>;
}

const GRACE_MS = 10_000;
const NO_CONTROLLERS = { end: async (): Promise<void> => undefined };

/**
 * Starts the server: opens the store, creates the bootstrap objects, and listens.
 * @throws Error where the folder is in use, the store is damaged, or the address is taken
 */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { clock } = options;
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const folder = options.credentials ?? options.folder ?? (await temporaryFolder(closing));
    await lockCredentials(options, closing);
    const store = await open(options);
    closing.unshift(() => store.close());
    const credentials = await openCredentials({ folder, host: options.listen.host, now: clock.now() });
    const audit = options.audit === undefined ? undefined : await openAuditFile(options.audit.file);
    if (audit !== undefined) closing.push(() => audit.close());
    const running: { listener?: Listener } = {};
    const assembly = assembleServer(options, {
      store,
      credentials,
      audit,
      port: () => running.listener?.port ?? options.listen.port,
    });
    closing.unshift(async () => assembly.close());
    await bootstrap(assembly, options.objects ?? []);
    const controllers =
      options.controllers === false ? NO_CONTROLLERS : startServerControllers(options, assembly, credentials);
    closing.unshift(() => controllers.end());
    const listener = await listen({
      ...options.listen,
      serving: credentials.serving,
      clock,
      dispatch: (request) => assembly.router.dispatch(request),
    });
    running.listener = listener;
    closing.unshift(() => listener.close(GRACE_MS));
    const url = `https://${urlHost(options.listen.host)}:${listener.port}`;
    const kubeconfig = await writeKubeconfig(folder, credentials, url);
    return {
      url,
      kubeconfig,
      caFile: credentials.caFile,
      ca: credentials.authority.certificate,
      token: credentials.token,
      dispatch: (request) => assembly.router.dispatch(request),
      compact: () => store.compact(),
      close: () => closeAll(closing),
    };
  } catch (error) {
    await closeAll(closing);
    throw error;
  }
}

function startServerControllers(
  { warn }: ApiServerOptions,
  assembly: Assembly,
  { authority, signing }: Credentials,
): Controllers {
  const onError = (key: string, error: unknown): void =>
    warn?.(`${key}: ${error instanceof Error ? error.message : String(error)}`, 'controllers');
  return startControllers(
    { ...assembly, onError },
    { caBundle: authority.certificate, issueToken: (account, secret) => legacyToken(signing, account, secret) },
  );
}

/** Closes in order, each once. Throws the first failure after all were tried. */
async function closeAll(closing: (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closing.splice(0)) await close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function temporaryFolder(closing: (() => Promise<unknown>)[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'apiserver-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Locks a credentials folder that is not the folder of the store, which has its own lock. */
async function lockCredentials(
  { folder, credentials }: ApiServerOptions,
  closing: (() => Promise<unknown>)[],
): Promise<void> {
  if (credentials === undefined || credentials === folder) return;
  await disk.makeFolder(credentials);
  const lock = await lockFolder(disk, credentials, machine);
  closing.push(() => lock.release());
}

function open({ folder, clock, warn, onFatal }: ApiServerOptions): Promise<Store> {
  if (folder === undefined) return Promise.resolve(memoryStore({ clock }));
  const fatal =
    onFatal ??
    ((error: unknown): never => {
      throw new Error('the store can no longer be trusted', { cause: error });
    });
  return openStore({
    folder,
    clock,
    onFatal: fatal,
    ...(warn === undefined ? {} : { warn: (text: string) => warn(text, 'store') }),
  });
}

interface ServerParts {
  readonly store: Store;
  readonly credentials: Credentials;
  readonly audit: AuditFile | undefined;
  readonly port: () => number;
}

function assembleServer(
  { clock, users = [], listen: { host }, audit: wanted, podLogs }: ApiServerOptions,
  { store, credentials, audit, port }: ServerParts,
): Assembly {
  const admin = { token: credentials.token, user: 'admin', groups: [MASTERS] };
  const log =
    audit === undefined || wanted === undefined
      ? undefined
      : createAuditLog({ clock, level: wanted.level, write: (line) => audit.write(line) });
  return assemble({
    store,
    clock,
    signing: credentials.signing,
    tokens: [admin, ...users],
    audit: log,
    address: () => `${urlHost(host)}:${port()}`,
    metrics: () => metricsOf(store),
    podLogs,
  });
}

function metricsOf(store: Store): string {
  const rows = store
    .collections()
    .map((name) => `apiserver_storage_objects{resource="${name}"} ${store.count(name)}\n`);
  return `# TYPE apiserver_storage_objects gauge\n${rows.join('')}# TYPE apiserver_storage_revision counter\napiserver_storage_revision ${store.revision}\n`;
}

/** The host for a URL: the loopback address where the server listens on all addresses. */
function urlHost(host: string): string {
  if (isWildcard(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
