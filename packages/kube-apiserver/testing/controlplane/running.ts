import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';

import { writeKubeconfig } from '../kubeconfig.js';
import { waitFor } from '../wait.js';
import { ApiSession, type ApiAnswer, type ApiRequest } from './api.js';
import { AuditLog, matchesFilter, type LoggedRequest, type RequestFilter } from './audit.js';
import { ADMIN, type KnownUser } from './credentials.js';
import type { Capability, ControlPlane, NodeOptions, Subject } from './plane.js';

/** The description of a running control plane as plain data, which other processes can use. */
export interface Description {
  readonly url: string;
  readonly caFile: string;
  readonly adminKubeconfig: string;
  readonly folder: string;
  readonly auditLog: string;
  readonly capabilities: readonly Capability[];
  readonly users: readonly KnownUser[];
}

/** The operations of the process that started the servers. */
export interface Lifecycle {
  stopServer(signal: NodeJS.Signals): Promise<void>;
  startServer(): Promise<void>;
  compactHistory(): Promise<void>;
  stop(): Promise<void>;
}

const THIRTY_DAYS_S = 30 * 24 * 3600;

export class RunningControlPlane implements ControlPlane {
  readonly url: string;
  readonly caFile: string;
  readonly adminKubeconfig: string;
  readonly folder: string;
  readonly capabilities: ReadonlySet<Capability>;
  /** For other processes that use this control plane. */
  readonly description: Description;
  readonly #users: readonly KnownUser[];
  readonly #session: ApiSession;
  readonly #log: AuditLog;
  readonly #lifecycle: Lifecycle;
  #marks = 0;

  constructor(description: Description, lifecycle: Lifecycle) {
    this.description = description;
    this.url = description.url;
    this.caFile = description.caFile;
    this.adminKubeconfig = description.adminKubeconfig;
    this.folder = description.folder;
    this.capabilities = new Set(description.capabilities);
    this.#users = description.users;
    this.#session = new ApiSession({ url: this.url, caFile: this.caFile, token: this.#knownToken({ user: ADMIN }) });
    this.#log = new AuditLog(description.auditLog);
    this.#lifecycle = lifecycle;
  }

  call(request: ApiRequest): Promise<ApiAnswer> {
    return this.#session.call(request);
  }

  stream(path: string, onLine: (line: string) => void, signal: AbortSignal): Promise<void> {
    return this.#session.stream(path, onLine, signal);
  }

  async tokenFor(subject: Subject): Promise<string> {
    if (!('serviceAccount' in subject)) return this.#knownToken(subject);
    const { namespace, name } = subject.serviceAccount;
    const answer = await this.call({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: THIRTY_DAYS_S },
      },
    });
    const status = answer.body.status;
    if (typeof status === 'object' && status !== null && 'token' in status && typeof status.token === 'string')
      return status.token;
    throw new Error(
      `no token for ServiceAccount ${namespace}/${name}: ${answer.status} ${answer.body.message ?? answer.text}`,
    );
  }

  async kubeconfigFor(subject: Subject): Promise<string> {
    const token = await this.tokenFor(subject);
    const name = 'serviceAccount' in subject ? subject.serviceAccount.name : subject.user;
    const folder = await mkdtemp(path.join(this.folder, `user-${name.replaceAll(/[^a-z0-9.-]/gi, '-')}-`));
    return writeKubeconfig(folder, { server: this.url, caFile: this.caFile, token });
  }

  async requestLog(filter: RequestFilter = {}): Promise<LoggedRequest[]> {
    const entries = await this.#upToNow();
    return entries.filter((one) => !one.uri.startsWith('/version?mark=') && matchesFilter(one, filter));
  }

  async logMark(): Promise<number> {
    return (await this.#upToNow()).length;
  }

  // Entries are written when a response ends, so the entry of this request follows those of all earlier responses.
  async #upToNow(): Promise<readonly LoggedRequest[]> {
    this.#marks += 1;
    const before = (await this.#log.entries()).length;
    const uri = `/version?mark=${process.pid}-${this.#marks}`;
    const answered = await this.call({ path: uri }).then(
      () => true,
      () => false,
    );
    if (!answered) return this.#log.entries();
    return waitFor(
      'the request log to catch up',
      async () => {
        const entries = await this.#log.entries();
        return entries.slice(before).some((one) => one.uri === uri) ? entries : undefined;
      },
      { everyMs: 5 },
    );
  }

  async addNode({ name, labels = {}, taints = [] }: NodeOptions): Promise<void> {
    if (!this.capabilities.has('rollouts'))
      throw new Error(`addNode(${name}): this server has no rollouts; request the capability rollouts`);
    const path = '/api/v1/nodes';
    const spec = { taints };
    const made = await this.call({
      method: 'POST',
      path,
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec },
    });
    if (made.status !== 201) throw new Error(`addNode(${name}): ${made.status} ${made.text}`);
    await waitFor(`node ${name} to be Ready`, async (seen) => {
      const { body } = await this.call({ path: `${path}/${name}` });
      seen(body.status);
      return JSON.stringify(body.status).includes('"KubeletReady"');
    });
  }

  stopServer(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#session.close();
    return this.#lifecycle.stopServer(signal);
  }

  startServer(): Promise<void> {
    return this.#lifecycle.startServer();
  }

  async restart(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.stopServer(signal);
    await this.startServer();
  }

  compactHistory(): Promise<void> {
    this.#session.close();
    return this.#lifecycle.compactHistory();
  }

  async stop(): Promise<void> {
    this.#session.close();
    await this.#lifecycle.stop();
  }

  #knownToken(subject: { readonly user: string; readonly groups?: readonly string[] }): string {
    const found = this.#users.find(({ user }) => user === subject.user);
    if (found === undefined) {
      const names = this.#users.map(({ user }) => user).join(', ');
      throw new Error(
        `user ${subject.user} is not known to this server (known: ${names}); name it in StartOptions.users`,
      );
    }
    const wanted = subject.groups ?? found.groups;
    if (wanted.join() === found.groups.join()) return found.token;
    throw new Error(`user ${subject.user} is in the groups [${found.groups.join(', ')}], not [${wanted.join(', ')}]`);
  }
}
