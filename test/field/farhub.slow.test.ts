/*
 * What people did: they reached a hub on another continent by a name with several addresses, one of which was dead. Node ends an
 * attempt at an address after 250 ms, so the address that lives was given up, and the dead one was waited for.
 * What is right: the hub is reached, as kubectl reaches it, whichever of the addresses is named first.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import dns from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { freePorts } from '@multicluster-engine/kube-apiserver';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { createTransport } from '../../src/runtime/transport/transport.js';
import { systemClock, systemRandom } from '../../src/runtime/clock.js';
import { RecordingLog } from '../support/fakes/log.js';

/** Linux has all of 127.0.0.0/8 on its loopback device. */
const [LIVE, DEAD] = ['127.0.0.2', '127.0.0.3'];
const SERVER = `
  const server = require('node:http').createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  server.listen({ host: process.argv[1], port: Number(process.argv[2]), backlog: 1 }, () => console.log('listening'));
`;
/** More than wait with a backlog of one: whoever comes now is told nothing, and tries again after a second. */
const WAITING = 4;
const SYN_SENT = '02';
const tools = { clock: systemClock, random: systemRandom, log: new RecordingLog(), userAgent: 'test' };

/** A stopped process that listens, with all places taken: an address that does not answer before it is continued. */
class Silent {
  readonly #process: ChildProcess;
  readonly #sockets: Socket[] = [];

  private constructor(process: ChildProcess) {
    this.#process = process;
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

describe('a hub with a name that has several addresses', () => {
  const servers: Silent[] = [];
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(servers.splice(0).map((one) => one.stop()));
  });

  it.each([
    ['a far one first, then a dead one', [LIVE, DEAD]],
    ['a dead one first, then a far one', [DEAD, LIVE]],
  ])('is reached: %s', async (_what, addresses) => {
    const [port = 0] = await freePorts(1);
    const [live, dead] = await Promise.all([Silent.start(LIVE, port), Silent.start(DEAD, port)]);
    servers.push(live, dead);
    const found = addresses.map((address) => ({ address, family: 4 }));
    const lookup = (...[, , callback]: readonly unknown[]): void =>
      (callback as (error: null, all: readonly object[]) => void)(null, found);
    jest.spyOn(dns, 'lookup').mockImplementation(lookup);
    const before = connecting(LIVE, port);
    const credentials = { server: `http://hub.example:${port}`, headers: {}, tls: { rejectUnauthorized: true } };
    const transport = createTransport({ load: async () => credentials }, tools);

    const answer = transport.call({
      method: 'GET',
      path: '/version',
      target: { verb: 'get', resource: 'version' },
      idempotent: true,
      attempts: 1,
    });
    const asked = waitFor('an attempt at the far address', () => Promise.resolve(connecting(LIVE, port) > before));
    void asked.then(() => live.resume());

    await expect(answer).resolves.toMatchObject({ status: 200 });
    await transport.close();
  });
});
