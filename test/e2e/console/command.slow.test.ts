import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startChild, type Child } from '@multicluster-engine/kube-apiserver';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { Standalone } from '../../support/processes/standalone.js';
import { root } from '../../support/repository/root.js';

/** The console as processes on a hub: its links, its end, and what it writes with the rights of a person. */

const PROGRAM = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
const MINUTE = 60_000;

/** A browser without a page: the requests that the page sends. */
class PageClient {
  readonly #origin: string;
  #cookie = '';

  constructor({ origin }: URL) {
    this.#origin = origin;
  }

  /** Opens the session of a link; returns the code of the answer. */
  async open({ hash }: URL): Promise<number> {
    const response = await this.#send('session', { code: hash.slice('#code='.length) });
    this.#cookie = response.headers.get('set-cookie')?.split(';', 1).join('') ?? this.#cookie;
    return response.status;
  }

  async read(route: string, body?: object): Promise<unknown> {
    const response = await this.#send(route, body);
    return response.ok ? ((await response.json()) as { data: unknown }).data : response.status;
  }

  #send(route: string, body?: object): Promise<Response> {
    return fetch(`${this.#origin}/api/v1/${route}`, {
      headers: { origin: this.#origin, cookie: this.#cookie, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  }
}

interface Served {
  readonly link: URL;
  readonly client: PageClient;
  readonly child: Child;
}

describe('the console of a hub', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-console-'));
  const children: Child[] = [];
  let hub: Standalone;

  beforeAll(async () => {
    hub = await Standalone.start(folder, ['--ephemeral', '--seed-fleet=12']);
  }, 5 * MINUTE);
  afterAll(async () => {
    await Promise.all([...children.map((child) => child.stop(1_000)), hub.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }, 3 * MINUTE);

  /** `console` of a person, and the page with the session of its link. */
  async function serve(...flags: readonly string[]): Promise<Served> {
    const command = [process.execPath, PROGRAM, 'console', `--kubeconfig=${hub.kubeconfig}`, ...flags] as const;
    const child = await startChild({ command: [...command], env: {}, cwd: root, output: 'pipe' });
    children.push(child);
    const lines: string[] = [];
    createInterface({ input: child.output }).on('line', (line) => lines.push(line.trim()));
    const link = await waitFor('the link', () => lines.find((line) => line.includes('/login#code=')));
    return { link: new URL(link), client: new PageClient(new URL(link)), child };
  }

  it('standalone prints a link that opens once, and shows the fleet with the rights of its kubeconfig', async () => {
    const client = new PageClient(hub.link);
    expect(await client.read('fleet')).toBe(401);
    expect([await client.open(hub.link), await new PageClient(hub.link).open(hub.link)]).toEqual([200, 401]);
    expect(await client.read('fleet')).toMatchObject({ total: 12 });
  });

  it.each(['SIGINT', 'SIGHUP'] as const)('the link of the command opens once, and %s ends it', async (signal) => {
    const { link, client, child } = await serve();
    expect([await client.open(link), await client.open(link)]).toEqual([200, 401]);
    expect(await client.read('fleet')).toMatchObject({ total: 12 });
    child.kill(signal);
    expect(await child.exited).toEqual(signal === 'SIGINT' ? { code: 0, signal: null } : { code: null, signal });
    await expect(client.read('fleet')).rejects.toThrow('fetch failed');
  });
});
