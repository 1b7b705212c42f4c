import { writeFileSync } from 'node:fs';
import { createServer as createPlainServer, type AddressInfo, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';

import { afterEach, describe, expect, it } from '@jest/globals';

import { UpstreamReadiness } from '../../../src/runtime/endpoints/tokenserver.js';
import { issueServingCertificate, type ServingCertificate } from '../../../src/runtime/tls/serving.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { RecordingLog } from '../../support/fakes/log.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Ask } from '../client.js';
import { ENGINE_YAML, ENGINES, pairFor, startRig, type Rig } from '../rig.js';

const ASKS: readonly Ask[] = [
  { method: 'POST', path: ENGINES, headers: { 'content-type': 'application/yaml' }, body: ENGINE_YAML },
  { method: 'DELETE', path: `${ENGINES}/engine` },
  { path: ENGINES },
];
const DAY_MS = 24 * 3600 * 1000;

const open: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];
let rig: Rig | undefined;

afterEach(async () => {
  await rig?.stop();
  rig = undefined;
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
});

/** Listens; returns its address as that of an API server. */
async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  open.push({ server, sockets });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `https://127.0.0.1:${port}`;
}

interface Impostor {
  readonly origin: string;
  /** The CA that the gateway is configured with, PEM. */
  readonly ca: string;
  /** The decrypted bytes that it has received. */
  readonly received: string[];
}

async function speakingTls(pair: ServingCertificate, ca = pair.certificate, options: object = {}): Promise<Impostor> {
  const received: string[] = [];
  const server = createTlsServer({ cert: pair.certificate, key: pair.privateKey, ...options }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => received.push(chunk.toString('latin1')));
  });
  server.on('tlsClientError', () => undefined);
  return { origin: await listen(server), ca, received };
}

async function speakingNoTls(answer: (socket: Socket) => void): Promise<Impostor> {
  return {
    origin: await listen(createPlainServer((socket) => answer(socket.on('data', () => undefined)))),
    ca: (await pairFor()).certificate,
    received: [],
  };
}

async function pairOf(names: readonly string[], now: number): Promise<ServingCertificate> {
  return issueServingCertificate({ names, addresses: names.includes('localhost') ? ['127.0.0.1'] : [], now });
}

const IMPOSTORS: readonly (readonly [string, () => Promise<Impostor>])[] = [
  ['that nobody vouches for', async () => speakingTls(await pairFor(), (await pairFor()).certificate)],
  ['whose certificate is for another name', async () => speakingTls(await pairOf(['other.example'], Date.now()))],
  ['whose certificate has expired', async () => speakingTls(await pairOf(['localhost'], Date.now() - 91 * DAY_MS))],
  [
    'whose certificate is not valid yet',
    async () => speakingTls(await pairOf(['localhost'], Date.now() + 10 * DAY_MS)),
  ],
  [
    'that speaks TLS 1.1 at most',
    async () =>
      speakingTls(await pairFor(), undefined, {
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1.1',
        ciphers: 'DEFAULT@SECLEVEL=0',
      }),
  ],
  ['that offers HTTP/2 alone', async () => speakingTls(await pairFor(), undefined, { ALPNProtocols: ['h2'] })],
  [
    'that speaks plain HTTP',
    async () => speakingNoTls((socket) => socket.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')),
  ],
  ['that ends the connection instead of a handshake', async () => speakingNoTls((socket) => socket.end())],
  [
    'that cuts the connection in the handshake',
    async () => speakingNoTls((socket) => socket.once('data', () => socket.destroy())),
  ],
  [
    'that resets the connection in the handshake',
    async () => speakingNoTls((socket) => socket.once('data', () => socket.resetAndDestroy())),
  ],
  ['that never answers the handshake', async () => speakingNoTls(() => undefined)],
  [
    'whose name is not known',
    async () => ({ origin: 'https://absent.invalid', ca: (await pairFor()).certificate, received: [] }),
  ],
  [
    'at whose port nobody listens',
    async () => ({ origin: 'https://127.0.0.1:1', ca: (await pairFor()).certificate, received: [] }),
  ],
];

describe.each(IMPOSTORS)('a server in the place of the API server %s', (what, impostor) => {
  it(`the gateway sends no request to an API server ${what}, answers 503 with Retry-After, and does not become ready`, async () => {
    const { origin, ca, received } = await impostor();
    const before = await startRig();
    const file = path.join(before.folder, 'impostor.crt');
    writeFileSync(file, ca);
    rig = await startRig({ upstream: origin, upstreamCa: file, upstreamTimeoutMs: 700 });

    const { ask } = rig;
    const answers = await Promise.all(ASKS.map(ask));
    expect(answers.map(({ status, headers, body }) => ({ status, retry: headers['retry-after'], body }))).toEqual(
      ASKS.map(() => ({ status: 503, retry: '1', body: '' })),
    );

    await before.stop();
    expect((await rig.ask({ path: '/readyz', token: '' })).status).toBe(503);
    expect(rig.gateway.readiness().check()).toMatch(
      /^the API server (?:has not been reached yet|cannot be reached or verified: [A-Z_0-9]+)$/,
    );
    expect(received).toEqual([]);
    const failures = rig.log.lines
      .filter(({ message }) => message === 'request')
      .map(({ fields }) => Object(fields)['failure']);
    expect(failures.slice(0, 3)).toEqual(
      ASKS.map(() => expect.stringMatching(/^(?:unreachable [A-Z_0-9]+|timeout TIMEOUT)$/)),
    );
  });
});

describe('upstream readiness', () => {
  it('the gateway retries an API server that is not reached, logs each reason once, and stays ready once it was reached', async () => {
    const clock = new ManualClock();
    const log = new RecordingLog();
    const tries = ['ECONNREFUSED', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', ''];
    let tried = 0;
    const reach = (): Promise<void> => {
      const code = tries[tried++] ?? '';
      return code === '' ? Promise.resolve() : Promise.reject(Object.assign(new Error('no connection'), { code }));
    };
    const contact = new UpstreamReadiness({ connect: reach, explain: String, clock, log });
    const faults = [contact.notReadyReason];

    contact.start();
    for (let round = 0; round < 5; round++) {
      await clock.advance(1_000);
      faults.push(contact.notReadyReason);
    }

    expect(tried).toBe(4);
    expect(faults).toEqual([
      'the API server has not been reached yet',
      'the API server cannot be reached or verified: ECONNREFUSED',
      'the API server cannot be reached or verified: CERT_HAS_EXPIRED',
      undefined,
      undefined,
      undefined,
    ]);
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn not ready',
      'warn not ready',
      'info the API server is reached and verified',
    ]);
    contact.stop();
  });

  it('the gateway becomes ready without a request to the API server and stays ready when the API server goes away', async () => {
    rig = await startRig();
    expect(rig.upstream.bytes).toBe(0);
    expect((await rig.ask({ path: '/readyz', token: '' })).status).toBe(200);

    await rig.upstream.stop();

    const { status } = await rig.ask({ path: ENGINES });
    expect(status).toBe(503);
    expect((await rig.ask({ path: '/readyz', token: '' })).status).toBe(200);
  });

  it('the gateway becomes ready when the right CA replaces a wrong one', async () => {
    const wrong = await pairFor();
    const other = await startRig();
    const file = path.join(other.folder, 'changing.crt');
    writeFileSync(file, wrong.certificate);
    rig = await startRig({ upstream: other.origin, upstreamCa: file });
    const { gateway } = rig;
    await waitFor('a reason', () => gateway.readiness().check()?.includes('DEPTH_ZERO_SELF_SIGNED_CERT'));
    const logged = JSON.stringify(rig.log.lines.find(({ message }) => message === 'not ready'));
    expect(logged).toMatch(/no response from https:\/\/[^ ]+: the certificate is signed by itself, and is not trusted/);
    expect(logged).toMatch(/, it is .+ here; trusted is CN=.+; give the certificate authority that issued it/);

    writeFileSync(file, other.upstream.certificate.certificate);

    await waitFor('readiness', () => gateway.readiness().check() === undefined);
    await other.stop();
  });
});
