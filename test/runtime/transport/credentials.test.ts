import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  CachedCredentials,
  type CredentialLoader,
  type Credentials,
} from '../../../src/runtime/transport/credentials.js';
import type { Call } from '../../../src/runtime/transport/call.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';
import { createTransport } from '../../../src/runtime/transport/transport.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { RecordingLog } from '../../support/fakes/log.js';
import { collectGarbage } from '../../support/processes/garbage.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Pair } from './certificate.js';
import { authority, certificate } from './certificate.js';
import { ScriptedServer, refusal, success } from './scriptedserver.js';

const get: Call = {
  method: 'GET',
  path: '/x',
  target: { verb: 'get', resource: 'things' },
  idempotent: true,
  attempts: 1,
};

/** Credentials that a test rotates by hand. */
class Rotating implements CredentialLoader {
  reads: boolean[] = [];
  token = 'first';
  tls: Credentials['tls'] = { rejectUnauthorized: true };
  failing: Error | undefined;
  hold: Promise<void> | undefined;
  readonly #server: string;

  constructor(server = 'https://nowhere') {
    this.#server = server;
  }

  async load(fresh: boolean): Promise<Credentials> {
    this.reads.push(fresh);
    const read = { server: this.#server, headers: { Authorization: `Bearer ${this.token}` }, tls: this.tls };
    await this.hold;
    if (this.failing !== undefined) throw this.failing;
    return read;
  }
}

describe('cached credentials', () => {
  const clock = new ManualClock();
  let source: Rotating;
  let log: RecordingLog;
  let kept: CachedCredentials;

  beforeEach(() => {
    source = new Rotating();
    log = new RecordingLog();
    kept = new CachedCredentials(source, clock, log);
  });
  const token = (credentials: Credentials): string | string[] | undefined => credentials.headers['Authorization'];

  it('cached credentials are read once for concurrent calls', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => kept.current()));

    expect(new Set(all).size).toBe(1);
    expect(source.reads).toEqual([false]);
  });

  it('cached credentials are read again after 30 s, not before', async () => {
    await kept.current();
    source.token = 'second';
    await clock.advance(29_999);
    expect(token(await kept.current())).toBe('Bearer first');
    await clock.advance(1);
    expect(token(await kept.current())).toBe('Bearer second');
  });

  it('cached credentials stay in use while they cannot be read again, and tried again every 5 s', async () => {
    await kept.current();
    source.failing = Object.assign(new Error('token: canary'), { code: 'ENOENT' });
    await clock.advance(30_000);
    expect(token(await kept.current())).toBe('Bearer first');
    source.failing = undefined;
    source.token = 'second';
    expect(token(await kept.current())).toBe('Bearer first');
    await clock.advance(5_000);

    expect(token(await kept.current())).toBe('Bearer second');
    expect(log.lines).toEqual([{ level: 'warn', message: expect.any(String), fields: { code: 'ENOENT' } }]);
  });

  it('cached credentials that could never be read are an error', async () => {
    source.failing = new Error('nothing there');

    await expect(kept.current()).rejects.toThrow('nothing there');
    source.failing = undefined;
    await expect(kept.current()).resolves.toBeDefined();
  });

  it('cached credentials that were rejected are read again, once for all rejected calls', async () => {
    const refused = await kept.current();
    source.token = 'second';
    const all = await Promise.all([kept.refresh(refused), kept.refresh(refused), kept.refresh(refused)]);

    expect(all.map(token)).toEqual(['Bearer second', 'Bearer second', 'Bearer second']);
    expect(source.reads).toEqual([false, true]);
    expect(token(await kept.refresh(refused))).toBe('Bearer second');
    expect(source.reads).toHaveLength(2);
  });

  it('cached credentials that are refused again and again are read no more than once a second', async () => {
    let credentials = await kept.current();
    for (let times = 0; times < 10; times++) credentials = await kept.refresh(credentials);
    expect(source.reads).toHaveLength(2);
    await clock.advance(1_000);
    await kept.refresh(credentials);

    expect(source.reads).toHaveLength(3);
  });

  it('cached credentials whose read hangs are read by another after a minute', async () => {
    let free = (): void => undefined;
    source.hold = new Promise((resolve) => (free = resolve));
    const first = kept.current();
    await clock.advance(60_000);
    source.hold = undefined;
    source.token = 'second';

    expect(token(await kept.current())).toBe('Bearer second');
    free();
    await first;
  });
});

describe('a transport whose credentials change', () => {
  let server: ScriptedServer;
  let source: Rotating;
  let transport: Transport;
  const ca = authority('first authority');
  const leaf = certificate({ name: 'server', issuer: ca });

  const clock = new ManualClock();

  async function begin(secure: Parameters<typeof ScriptedServer.start>[0] = leaf): Promise<void> {
    server = await ScriptedServer.start(secure);
    source = new Rotating(server.url);
    source.tls = { ca: ca.cert, rejectUnauthorized: true };
    transport = createTransport(source, { clock, random: () => 0, log: new RecordingLog(), userAgent: 'test' });
  }
  afterEach(async () => {
    await transport.close();
    await server.stop();
  });
  const tokens = (): unknown[] => server.seen.map((seen) => seen.headers.authorization);

  it('a transport whose credentials change reads them again after a 401 and tries once more, also for a call that is not idempotent', async () => {
    await begin();
    server.next(refusal(401), success({ kind: 'Thing' }));
    await transport.call({ ...get, method: 'POST', body: '{}', idempotent: false });
    source.token = 'second';
    server.next(refusal(401), success());
    await clock.advance(1_000);
    await transport.call(get);

    expect(tokens()).toEqual(['Bearer first', 'Bearer first', 'Bearer first', 'Bearer second']);
  });

  it('a transport whose credentials change returns a repeated 401', async () => {
    await begin();
    server.otherwise = refusal(401, 'Unauthorized');

    await expect(transport.call(get)).rejects.toMatchObject({ kind: 'Unauthorized', status: 401 });
    expect(server.seen).toHaveLength(2);
  });

  it("a transport whose credentials change reads them again when the server's certificate comes from a new authority", async () => {
    await begin();
    await transport.call(get);
    const { cert, ...next } = authority('second authority');
    server.secure(certificate({ name: 'server', issuer: { cert, ...next } }));
    server.dropConnections();
    source.tls = { ca: cert, rejectUnauthorized: true };

    await transport.call({ ...get, method: 'POST', body: '{}', idempotent: false });
    expect(source.reads).toEqual([false, true]);
  });

  it('a transport whose credentials change resumes its TLS session when all its connections were closed, and not with another authority', async () => {
    await begin();
    const resumed: boolean[] = [];
    server.otherwise = (seen, response, socket) => {
      if (socket instanceof TLSSocket) resumed.push(socket.isSessionReused());
      success()(seen, response, socket);
    };
    const callAnew = async (): Promise<void> => {
      server.dropConnections();
      await waitFor('the connections to close', () => server.open === 0);
      await transport.call({ ...get, attempts: 4 });
    };
    await transport.call(get);
    for (let round = 0; round < 2; round++) await collectGarbage({ type: 'major', execution: 'async' });
    await callAnew();
    source.tls = { ...source.tls, ca: ca.cert + authority('another').cert };
    await clock.advance(30_000);
    await callAnew();

    expect(resumed).toEqual([false, true, false]);
  });

  it.each<[string, () => Pair]>([
    ['an unknown authority', () => certificate({ name: 'server', issuer: authority('unknown') })],
    ['an expired certificate', () => certificate({ name: 'server', issuer: ca, expired: true })],
    ['itself', () => certificate({ name: 'server' })],
  ])(
    'a transport whose credentials change never sends a request to a server that is authenticated by %s',
    async (_, pair) => {
      await begin(pair());

      await expect(transport.call(get)).rejects.toMatchObject({ kind: 'Transport' });
      expect(server.seen).toEqual([]);
    },
  );

  it('a transport whose credentials change reads them again when their key cannot be read', async () => {
    await begin();
    source.tls = { ca: ca.cert, cert: ca.cert, key: 'no key', rejectUnauthorized: true };
    await expect(transport.call(get)).rejects.toMatchObject({ kind: 'Transport' });
    expect(source.reads).toEqual([false, true]);
    source.tls = { ca: ca.cert, rejectUnauthorized: true };
    await clock.advance(1_000);
    await transport.call(get);

    expect(server.seen).toHaveLength(1);
  });

  it('a transport whose credentials change lets calls end on the old connections and makes new ones with another client certificate', async () => {
    const clients = authority('clients');
    await begin({ ...leaf, ca: clients.cert, requestCert: true, rejectUnauthorized: true });
    const client = (name: string): Credentials['tls'] => ({
      ca: ca.cert,
      rejectUnauthorized: true,
      ...certificate({ name, issuer: clients }),
    });
    const names: unknown[] = [];
    const sockets: Socket[] = [];
    server.otherwise = (_, response, socket) => {
      sockets.push(socket);
      names.push(
        (socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }).getPeerCertificate().subject.CN,
      );
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    };
    source.tls = client('first');
    await transport.call(get);
    source.tls = client('second');
    server.next(refusal(401));
    await transport.call(get);
    await transport.call(get);

    expect(names).toEqual(['first', 'second', 'second']);
    await waitFor('the old connection to close', () => sockets[0]?.destroyed);
    expect(sockets[2]?.destroyed).toBe(false);
  });
});
