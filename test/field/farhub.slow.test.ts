/*
 * What people did: they reached a hub on another continent by a name with several addresses, one of which was dead. Node ends an
 * attempt at an address after 250 ms, so the address that lives was given up, and the dead one was waited for.
 * What is right: the hub is reached, as kubectl reaches it, whichever of the addresses is named first, and so is its proxy.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePorts } from '@multicluster-engine/kube-apiserver';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { root } from '../support/repository/root.js';

/** Linux has all of 127.0.0.0/8 on its loopback device. */
const [LIVE, DEAD] = ['127.0.0.2', '127.0.0.3'];
const SERVER = `
  const server = require('node:http').createServer((request, response) => {
    console.log(request.url);
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  server.listen({ host: process.argv[1], port: Number(process.argv[2]), backlog: 1 }, () => console.log('listening'));
`;
/** More than wait with a backlog of one: whoever comes now is told nothing, and tries again after a second. */
const WAITING = 4;
const SYN_SENT = '02';
const PROGRAM = path.join(root, 'dist', 'src', 'main.js');

/** A stopped process that listens, with all places taken: an address that does not answer before it is continued. */
class Silent {
  readonly #process: ChildProcess;
  readonly #sockets: Socket[] = [];
  #requests = '';

  private constructor(process: ChildProcess) {
    this.#process = process;
    process.stdout?.on('data', (text) => (this.#requests += text));
  }

  /** The URLs of the requests that it has answered, a line each. */
  get requests(): string {
    return this.#requests;
  }

  static async start(host: string, port: number): Promise<Silent> {
    const child = spawn(process.execPath, ['-e', SERVER, host, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const silent = new Silent(child);
    child.kill('SIGSTOP');
    for (let count = 0; count < WAITING; count++)
      silent.#sockets.push(connect(port, host).on('error', () => undefined));
    await waitFor(`${host} to tell nobody`, () => Promise.resolve(connecting(host, port) > 0));
    return silent;
  }

  resume(): void {
    this.#process.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }
}

/** How many connections to the address are not answered yet. */
function connecting(host: string, port: number): number {
  const address = host
    .split('.')
    .reverse()
    .map((part) => Number(part).toString(16).padStart(2, '0'));
  const remote = `${address.join('')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  return rows.map((row) => row.trim().split(/\s+/)).filter((row) => row[2] === remote && row[3] === SYN_SENT).length;
}

/**
 * A module that gives a name these addresses, once: what has given up all of them tries no further. Servers are looked up with
 * promises, and Node looks up HTTP proxies with the callback.
 */
function resolving(addresses: readonly string[]): string {
  const found = JSON.stringify(addresses.map((address) => ({ address, family: 4 })));
  const text = `import dns from 'node:dns';
    import { syncBuiltinESMExports } from 'node:module';
    let found = ${found};
    dns.lookup = (_name, _options, callback) => {
      if (found !== undefined) callback(null, found);
      found = undefined;
    };
    dns.promises.lookup = (name, options) =>
      new Promise((resolve) => dns.lookup(name, options, (_error, addresses) => resolve(addresses)));
    syncBuiltinESMExports();`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

describe('a hub with a name that has several addresses', () => {
  const servers: Silent[] = [];
  let folder: string;
  let program: ChildProcess | undefined;
  beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), 'farhub-'))));
  afterEach(async () => {
    program?.kill('SIGKILL');
    await Promise.all(servers.splice(0).map((one) => one.stop()));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['a far one first, then a dead one', [LIVE, DEAD], { server: 'http://hub.example:PORT' }],
    ['a dead one first, then a far one', [DEAD, LIVE], { server: 'http://hub.example:PORT' }],
    [
      'those of its proxy, a far one first, then a dead one',
      [LIVE, DEAD],
      { server: 'http://hub.example', 'proxy-url': 'http://proxy.example:PORT' },
    ],
  ])('is reached: %s', async (_what, addresses, way) => {
    const [port = 0] = await freePorts(1);
    const [live, dead] = await Promise.all([Silent.start(LIVE, port), Silent.start(DEAD, port)]);
    servers.push(live, dead);
    const file = path.join(folder, 'kubeconfig');
    const config = {
      clusters: [{ name: 'hub', cluster: way }],
      contexts: [{ name: 'hub', context: { cluster: 'hub' } }],
    };
    writeFileSync(file, JSON.stringify({ ...config, 'current-context': 'hub' }).replaceAll('PORT', String(port)));
    const before = connecting(LIVE, port);

    program = spawn(process.execPath, ['--import', resolving(addresses), PROGRAM, 'status', `--kubeconfig=${file}`], {
      stdio: 'ignore',
    });
    await waitFor('an attempt at the far address', () => Promise.resolve(connecting(LIVE, port) > before));
    live.resume();

    await waitFor('a request', () => Promise.resolve(live.requests !== ''));
    expect(live.requests).toContain('/api');
  });
});
