import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';

import { startChild, type Child } from '../../src/process/child.js';
import { waitFor } from '../wait.js';
import { ApiSession, type Endpoint } from './api.js';
import { binary } from './binaries.js';
import { apiServerFlags, controllerManagerFlags, etcdFlags, kwokFlags, schedulerFlags, type Layout } from './flags.js';
import type { StartOptions } from './plane.js';
import { allowed } from './rights.js';

const READY_MS = 90_000;

/** Marks in the audit log, before the API server is stopped and when it is ready. */
export const STOPPING = '/version?mark=stopping';
export const STARTED = '/version?mark=started';

/** The processes of one control plane. Each writes `<name>.log` into the folder, appended over restarts. */
export class Servers {
  readonly #where: Layout;
  readonly #size: StartOptions['size'];
  readonly #admin: Endpoint & { readonly kubeconfig: string };
  readonly #running = new Map<string, Child>();

  constructor(where: Layout, size: StartOptions['size'], admin: Endpoint & { readonly kubeconfig: string }) {
    this.#where = where;
    this.#size = size;
    this.#admin = admin;
  }

  async start(): Promise<void> {
    await this.#launch('etcd', etcdFlags(this.#where));
    await this.startServer();
    // Created by the server itself shortly after it is ready.
    for (const name of ['kube-system', 'kube-public', 'kube-node-lease'])
      await this.#answers(`/api/v1/namespaces/${name}`, `namespace ${name}`);
    await this.#answers('/api/v1/namespaces/default/services/kubernetes', 'the Service of the API');
    await this.#rights();
    if (this.#size === 'api') return;
    const { kubeconfig } = this.#admin;
    await this.#launch('kube-controller-manager', controllerManagerFlags(this.#where, kubeconfig));
    await this.#launch('kube-scheduler', schedulerFlags(kubeconfig));
    await this.#launch('kwok', kwokFlags(binary('stages'), kubeconfig));
    await this.#answers('/api/v1/namespaces/default/serviceaccounts/default', 'the default ServiceAccount');
    await this.#answers('/api/v1/namespaces/default/configmaps/kube-root-ca.crt', 'kube-root-ca.crt');
  }

  async startServer(): Promise<void> {
    await this.#launch('kube-apiserver', apiServerFlags(this.#where, this.#size));
    await this.#answers('/readyz', 'kube-apiserver');
    await this.#mark(STARTED);
  }

  async stopServer(signal: NodeJS.Signals): Promise<void> {
    await this.#mark(STOPPING);
    const server = this.#running.get('kube-apiserver');
    server?.kill(signal);
    await server?.exited;
  }

  /**
   * Compacts etcd and restarts the API server, whose watch cache would otherwise still serve the history. Running
   * watches break and cannot be resumed.
   */
  async compactHistory(): Promise<void> {
    await this.stopServer('SIGKILL');
    // A write that nobody reads: it makes what was the newest revision before part of the history.
    const { header } = await this.#etcd('/v3/kv/put', { key: 'bWFyaw==', value: 'eA==' });
    await this.#etcd('/v3/kv/compaction', { revision: header.revision, physical: true });
    await this.startServer();
  }

  async stop(): Promise<void> {
    const all = [...this.#running.values()].reverse();
    for (const one of all) one.kill('SIGKILL');
    await Promise.all(all.map((one) => one.exited));
  }

  async #launch(name: string, flags: readonly string[]): Promise<void> {
    const file = await open(this.#log(name), 'a');
    try {
      const env = { PATH: process.env['PATH'] ?? '', HOME: this.#where.folder };
      const child = await startChild({
        command: [binary(name), ...flags],
        env,
        cwd: this.#where.folder,
        output: file.fd,
      });
      this.#running.set(name, child);
    } finally {
      await file.close();
    }
  }

  async #answers(uri: string, what: string): Promise<void> {
    const session = new ApiSession(this.#admin);
    const probe = async (seen: (value: unknown) => void): Promise<Error | true | undefined> => {
      const dead = this.#dead();
      if (dead !== undefined) return new Error(`${dead} ended at the start:\n${this.#tail(dead)}`);
      const { status, text } = await session.call({ path: uri, deadlineMs: 5000 }).catch((error: unknown) => {
        // The server writes its certificate while it starts: a partial read is repeated.
        session.close();
        throw error;
      });
      seen(`${status} ${text}`);
      return status === 200 ? true : undefined;
    };
    const outcome = await waitFor(`${what} to answer (logs in ${this.#where.folder})`, probe, { deadlineMs: READY_MS });
    session.close();
    if (outcome instanceof Error) throw outcome;
  }

  /** Waits until every user may create a SelfSubjectReview, as the default roles of a new server allow. */
  async #rights(): Promise<void> {
    const session = new ApiSession(this.#admin);
    const resourceAttributes = { verb: 'create', group: 'authentication.k8s.io', resource: 'selfsubjectreviews' };
    const spec = { user: 'anybody', groups: ['system:authenticated'], resourceAttributes };
    await allowed('the rights of everybody', (request) => session.call(request), spec, { deadlineMs: READY_MS });
    session.close();
  }

  /** Marks the audit log: requests during the start may be refused because RBAC is not loaded yet. */
  async #mark(uri: string): Promise<void> {
    const session = new ApiSession(this.#admin);
    await session.call({ path: uri, deadlineMs: 5000 }).catch(() => undefined);
    session.close();
  }

  #dead(): string | undefined {
    for (const [name, child] of this.#running) if (child.exit() !== undefined) return name;
    return undefined;
  }

  #log(name: string): string {
    return path.join(this.#where.folder, `${name}.log`);
  }

  #tail(name: string): string {
    return readFileSync(this.#log(name), 'utf8').split('\n').slice(-15).join('\n');
  }

  async #etcd(uri: string, body: object): Promise<EtcdAnswer> {
    const url = `http://127.0.0.1:${this.#where.ports.etcd}${uri}`;
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`etcd ${uri}: ${answer.status} ${text}`);
    const parsed: EtcdAnswer = JSON.parse(text);
    return parsed;
  }
}

/** etcd's JSON gateway writes 64-bit numbers as strings. */
interface EtcdAnswer {
  readonly header: { readonly revision: string };
}
