import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startChild, type Child } from '@multicluster-engine/kube-apiserver';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { field, parseJson } from '../../src/runtime/vocabulary/json.js';
import { issueServingCertificate } from '../../src/runtime/tls/serving.js';
import { root } from '../support/repository/root.js';

const PROGRAM = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const NAME = 'localhost';

/** The console as a component beside a hub, as a browser sees it. */
export class HubConsole {
  /** All that it has printed, and all that it has answered. */
  seen = '';
  readonly #child: Child;
  readonly #folder: string;
  readonly #ca: string;
  #port = 0;
  #cookie = '';

  private constructor(child: Child, folder: string, ca: string) {
    this.#child = child;
    this.#folder = folder;
    this.#ca = ca;
  }

  static async start({ url, caFile }: Pick<ControlPlane, 'url' | 'caFile'>): Promise<HubConsole> {
    const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-console-'));
    const file = (name: string, content: string): string => {
      writeFileSync(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const { certificate, privateKey } = await issueServingCertificate({ names: [NAME], now: Date.now() });
    const flags = [
      `--tls-cert=${file('tls.crt', certificate)}`,
      `--tls-key=${file('tls.key', privateKey)}`,
      `--upstream=${url}`,
      `--upstream-ca=${caFile}`,
      ...['listen', 'metrics-listen', 'health-listen'].map((name) => `--${name}=127.0.0.1:0`),
    ];
    const command = [process.execPath, PROGRAM, 'console', ...flags] as const;
    const child = await startChild({ command: [...command], env: {}, cwd: root, output: 'pipe' });
    const client = new HubConsole(child, folder, certificate);
    createInterface({ input: child.output }).on('line', (line) => {
      client.seen += `${line}\n`;
      const entry = parseJson(line);
      if (field(entry, 'endpoint') === 'console') client.#port = Number(field(entry, 'port'));
    });
    await waitFor('the console to listen', () => client.#port > 0 || undefined);
    return client;
  }

  /** Opens a session; the code of the answer. */
  async logIn(token: string): Promise<number> {
    const { code, cookies } = await this.#ask('session', { token });
    if (code === 200) this.#cookie = cookies.map((one) => one.split(';', 1).join()).join('; ');
    return code;
  }

  /** The data of an answer, or its code. */
  async read(route: string, body?: object): Promise<unknown> {
    const { code, text } = await this.#ask(route, body);
    return code === 200 ? field(parseJson(text), 'data') : code;
  }

  async stop(): Promise<void> {
    await this.#child.stop(1_000);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #ask(
    route: string,
    body?: object,
  ): Promise<{ readonly code: number; readonly text: string; readonly cookies: readonly string[] }> {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', cookie: this.#cookie };
    const options = { host: NAME, port: this.#port, ca: this.#ca, path: `/api/v1/${route}`, method, headers };
    return new Promise((resolve, reject) => {
      const sent = request(options, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => {
          this.seen += text + JSON.stringify(response.headers);
          resolve({ code: response.statusCode ?? 0, text, cookies: response.headers['set-cookie'] ?? [] });
        });
      });
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  }
}
