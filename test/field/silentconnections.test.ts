/**
 * What people saw: after a failover of the load balancer, or an update of a firewall, connections that were open stay open and
 * nothing comes through them any more, while new ones work. A watch on one hears of no change for two and a half minutes, and a
 * decision is that late. And a name of a server with several addresses, of which all but one are silent, is not reached from far.
 * Right: when the server answers on a new connection and not on an old one, the old ones that are silent are ended, watches
 * too. A server that answers on none, and one that is slow, lose no connection. Every address is tried.
 */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type Server } from 'node:https';
import { connect, createServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { ApiError, asError } from '../../src/runtime/errors.js';
import { dial, type DialTools } from '../../src/runtime/transport/dial.js';
import type { Credentials } from '../../src/runtime/transport/credentials.js';
import { createTransport, type Transport } from '../../src/runtime/transport/transport.js';
import { authority, certificate } from '../runtime/transport/certificate.js';
import { RecordingLog } from '../support/fakes/log.js';

/** Passes connections on to a server, until it is frozen: then those that are open stay open, and nothing passes them. */
class Balancer {
  readonly #server: TcpServer;
  readonly pairs: (readonly [Socket, Socket])[] = [];
  /** Whether new connections are passed on. */
  isOpen = true;

  constructor(port: number) {
    this.#server = createServer((socket) => {
      socket.on('error', () => undefined);
      if (!this.isOpen) return void this.pairs.push([socket, socket]);
      const behind = connect(port, '127.0.0.1');
      behind.on('error', () => undefined);
      socket.pipe(behind).pipe(socket);
      this.pairs.push([socket, behind]);
    });
  }

  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  freeze(pairs = this.pairs): void {
    for (const [socket, behind] of pairs) {
      socket.unpipe().pause();
      behind.unpipe().pause();
    }
  }

  stop(): void {
    for (const socket of this.pairs.flat()) socket.destroy();
    this.#server.close();
  }
}

const call = { method: 'GET', target: { verb: 'get', resource: 'things' }, idempotent: true, attempts: 1 } as const;
const VERSION = '/version';
const ca = authority('hub');
const leaf = certificate({ name: 'localhost', issuer: ca });

describe('connections that are held', () => {
  let server: Server;
  let balancer: Balancer;
  let transport: Transport;
  let clock: ManualClock;
  let requests: string[];
  let streams: ServerResponse[];
  let unanswered: ServerResponse[];
  let isSlow: (url: string) => boolean;

  beforeEach(async () => {
    [requests, streams, unanswered, isSlow] = [[], [], [], () => false];
    server = createHttpsServer(leaf, (request, response) => {
      const url = request.url ?? '';
      requests.push(url);
      if (isSlow(url)) return void unanswered.push(response);
      response.writeHead(200, { 'content-type': 'application/json' });
      if (url !== '/watch') return void response.end('{}');
      response.write('{}\n');
      streams.push(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    balancer = new Balancer((server.address() as AddressInfo).port);
    const port = await balancer.start();
    clock = new ManualClock();
    const load = async (): Promise<Credentials> => ({
      server: `https://127.0.0.1:${port}`,
      headers: {},
      tls: { ca: ca.cert, rejectUnauthorized: true },
    });
    const tools = { clock, random: () => 0.5, log: new RecordingLog(), userAgent: 'test' };
    transport = createTransport({ load }, tools);
  });
  afterEach(async () => {
    await transport.close();
    balancer.stop();
    server.closeAllConnections();
    server.close();
  });

  interface Watching {
    ended: Error | undefined;
    lines: number;
  }

  /** Opens a stream, and the connection for pings beside it. */
  async function watch(): Promise<Watching> {
    const watching: Watching = { ended: undefined, lines: 0 };
    const stream = await transport.open({ ...call, path: '/watch' });
    const read = async (): Promise<void> => {
      for await (const _ of stream) watching.lines += 1;
    };
    read().catch((error: unknown) => (watching.ended = asError(error)));
    await waitFor('the first line', () => watching.lines === 1);
    await clock.advance(1_000);
    await waitFor('the first ping', () => requests.includes(VERSION));
    return watching;
  }

  const pings = (): number => requests.filter((url) => url === VERSION).length;

  /** Until a ping is late: it is 2 s until it is sent, and 2 s until it is late. */
  async function untilLate(): Promise<void> {
    const connections = balancer.pairs.length;
    await clock.advance(2_000);
    await clock.advance(2_000);
    await waitFor('a new connection', () => balancer.pairs.length > connections);
  }

  it('a watch on a held connection is ended once the server answers on a new one', async () => {
    const watching = await watch();
    balancer.freeze();
    await untilLate();
    await waitFor('the end of the watch', async () => {
      await clock.advance(100);
      return watching.ended !== undefined;
    });

    expect(watching.ended).toBeInstanceOf(ApiError);
    expect(watching.ended?.message).toContain('the other side does not answer any more (ETIMEDOUT)');
  });

  it('a call on a held connection ends with the others, and its next attempt is on a new one', async () => {
    await watch();
    await transport.call({ ...call, path: '/one' });
    balancer.freeze();
    await clock.advance(2_000);
    const answer = transport.call({ ...call, path: '/two', attempts: 2 });
    await clock.advance(2_000);
    await waitFor('the end of the first attempt', async () => {
      await clock.advance(100);
      return requests.includes('/two');
    });

    expect(await answer).toEqual({ status: 200, body: {} });
  });

  it('no connection is ended while the server answers on none', async () => {
    const watching = await watch();
    balancer.freeze();
    balancer.isOpen = false;
    await untilLate();
    await clock.advance(30_000);
    balancer.isOpen = true;

    expect(watching.ended).toBeUndefined();
  });

  it('no connection is ended by a server that is slow, and answers old and new connections alike', async () => {
    const watching = await watch();
    isSlow = (url) => url === VERSION;
    await untilLate();
    await waitFor('both pings', () => unanswered.length === 2);
    for (const response of unanswered.reverse()) response.end('{}');
    isSlow = () => false;
    const before = pings();
    await waitFor('the next ping', async () => {
      await clock.advance(100);
      return pings() > before;
    });

    expect(watching.ended).toBeUndefined();
  });

  it('a watch on which something has arrived meanwhile goes on', async () => {
    const silent = await watch();
    const held = [...balancer.pairs];
    const live = await watch();
    balancer.freeze(held);
    await clock.advance(2_000);
    streams[1]?.write('{}\n');
    await waitFor('the line', () => live.lines === 2);
    await clock.advance(2_000);
    await waitFor('the end of the other watch', async () => {
      await clock.advance(100);
      return silent.ended !== undefined;
    });

    expect(live.ended).toBeUndefined();
  });

  it('nothing is sent when no stream is open', async () => {
    await transport.call({ ...call, path: '/one' });
    await clock.advance(600_000);

    expect(requests).toEqual(['/one']);
  });
});

describe('a server with several addresses', () => {
  class FakeSocket extends EventEmitter {
    isDestroyed = false;
    destroy(): void {
      this.isDestroyed = true;
    }
  }

  interface Dialled {
    readonly clock: ManualClock;
    readonly sockets: Map<string, FakeSocket>;
    readonly result: Promise<unknown>;
  }

  async function begin(addresses: readonly string[]): Promise<Dialled> {
    const [clock, sockets] = [new ManualClock(), new Map<string, FakeSocket>()];
    const tools: DialTools = {
      clock,
      addressesOf: async () => addresses,
      connect: ({ host }) => {
        const socket = new FakeSocket();
        sockets.set(host, socket);
        return socket as unknown as Socket;
      },
    };
    const result = dial({ host: 'hub', port: 6443, timeoutMs: 5_000 }, tools);
    result.catch(() => undefined);
    await clock.advance(0);
    return { clock, sockets, result };
  }

  it('three silent addresses before a live one are tried, and the live one is used', async () => {
    const { clock, sockets, result } = await begin(['a', 'b', 'c', 'd']);
    await clock.advance(900);
    sockets.get('d')?.emit('connect');

    expect(await result).toBe(sockets.get('d'));
    expect([...sockets].map(([name, { isDestroyed }]) => [name, isDestroyed])).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
      ['d', false],
    ]);
  });

  it('a far address is not given up for a silent one behind it', async () => {
    const { clock, sockets, result } = await begin(['far', 'silent']);
    await clock.advance(2_000);
    sockets.get('far')?.emit('connect');

    expect(await result).toBe(sockets.get('far'));
    expect(sockets.get('silent')?.isDestroyed).toBe(true);
  });

  it('the next address is tried at once when one refuses, and the errors of all are known at the end', async () => {
    const { sockets, result } = await begin(['a', 'b']);
    const refused = (address: string): Error => Object.assign(new Error('refused'), { code: 'ECONNREFUSED', address });
    sockets.get('a')?.emit('error', refused('a'));
    sockets.get('b')?.emit('error', refused('b'));

    await expect(result).rejects.toMatchObject({ errors: [{ address: 'a' }, { address: 'b' }] });
  });

  it('the wait ends when no address answers', async () => {
    const { clock, sockets, result } = await begin(['a', 'b']);
    await clock.advance(5_300);

    await expect(result).rejects.toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' });
    expect([...sockets.values()].every(({ isDestroyed }) => isDestroyed)).toBe(true);
  });
});
