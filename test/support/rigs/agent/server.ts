import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startApiServer, type ApiServer } from '@multicluster-engine/kube-apiserver';

import { isRecord, parseJson, textField, type JsonRecord } from '../../../../src/runtime/vocabulary/json.js';
import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import type { KubeClient } from '../../../../src/runtime/client/client.js';
import { createClient } from '../../../../src/runtime/client/rest.js';
import { createTransport, type Transport } from '../../../../src/runtime/transport/transport.js';
import { systemClock, systemRandom, type Clock } from '../../../../src/runtime/clock.js';
import { typeOf } from '../../builders/typeof.js';
import { RecordingLog } from '../../fakes/log.js';

/** An embedded API server in the test process, over HTTPS, with an audit log. */
export class TestServer {
  readonly #folder: string;
  readonly #transports: Transport[] = [];
  readonly api: ApiServer;
  readonly client: KubeClient;

  private constructor(folder: string, api: ApiServer) {
    this.#folder = folder;
    this.api = api;
    this.client = createClient(this.transport(api.token, systemClock));
  }

  /** `clock`: of the server, by which tokens expire. */
  static async start(clock: Clock = systemClock): Promise<TestServer> {
    const folder = await mkdtemp(path.join(tmpdir(), 'agent-'));
    const api = await startApiServer({
      listen: { host: '127.0.0.1', port: 0 },
      clock,
      audit: { file: path.join(folder, 'audit.log'), level: 'Metadata' },
    });
    return new TestServer(folder, api);
  }

  /** Connections with a token. */
  transport(token: string, clock: Clock): Transport {
    const { url: server, ca } = this.api;
    const credentials = {
      server,
      headers: { Authorization: `Bearer ${token}` },
      tls: { ca, rejectUnauthorized: true },
    };
    const transport = createTransport(
      { load: async () => credentials },
      { clock, random: systemRandom, log: new RecordingLog(), userAgent: 'agent-test' },
    );
    this.#transports.push(transport);
    return transport;
  }

  async apply(objects: readonly KubeObject[]): Promise<void> {
    for (const one of objects)
      await this.client.apply(typeOf(one), one, { fieldManager: 'kubectl', force: false, metadataOnly: true });
  }

  /** A token of a ServiceAccount. */
  async tokenOf(namespace: string, name: string, spec: object): Promise<string> {
    const response = await this.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec,
    });
    return textField(response['status'], 'token');
  }

  /** The requests of a user that have a response, as `verb resource/subresource code`. */
  async requestsOf(user: string): Promise<string[]> {
    const lines = (await readFile(path.join(this.#folder, 'audit.log'), 'utf8')).split('\n');
    return lines.flatMap((line) => {
      const entry = parseJson(line);
      if (!isRecord(entry)) return [];
      const stage = entry['verb'] === 'watch' ? 'ResponseStarted' : 'ResponseComplete';
      if (entry['stage'] !== stage) return [];
      if (textField(entry['user'], 'username') !== user) return [];
      const ref = entry['objectRef'];
      const resource = [textField(ref, 'resource'), textField(ref, 'subresource')]
        .filter((one) => one !== '')
        .join('/');
      const status = entry['responseStatus'];
      const code = isRecord(status) ? String(status['code']) : '';
      return [`${textField(entry, 'verb')} ${resource} ${code}`];
    });
  }

  /** As administrator, within the process. @throws Error for another code than 2xx. */
  async request(method: string, target: string, body?: JsonRecord): Promise<JsonRecord> {
    const response = await this.api.dispatch({
      method,
      target,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      user: { name: 'test', groups: ['system:masters'] },
      signal: new AbortController().signal,
    });
    const value = response.body.kind === 'value' ? response.body.value : undefined;
    if (response.code >= 300 || !isRecord(value)) throw new Error(`${method} ${target}: HTTP ${response.code}`);
    return value;
  }

  async close(): Promise<void> {
    await Promise.all(this.#transports.map((one) => one.close()));
    await this.api.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
