import { once } from 'node:events';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Connections } from '../../../src/runtime/http/connections.js';
import { GatewayServer } from '../../../src/gateway/server/server.js';
import { createGatewayMetrics } from '../../../src/gateway/metrics.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { CANARY } from '../client.js';
import { open, parseReplies, readReplies, sendRaw, type RawClientOptions, type WireResult } from '../rawclient.js';
import { ENGINE_YAML, ENGINES, pairFor, PLACEMENTS, startRig, type Rig } from '../rig.js';

const KIB = 1024;
const HOST = 'Host: localhost\r\n';
const COOKIE = `COOKIE: Authorization: Bearer ${CANARY}\r\n`;
const READ = `GET ${PLACEMENTS} HTTP/1.1\r\n${HOST}${COOKIE}\r\n`;
const LIVE = `GET /livez HTTP/1.1\r\n${HOST}\r\n`;
const UPLOAD = `POST ${ENGINES} HTTP/1.1\r\n${HOST}${COOKIE}Content-Type: application/yaml\r\n`;
const CREATE = `${UPLOAD}Content-Length: ${ENGINE_YAML.length}\r\n\r\n${ENGINE_YAML}`;
const CHUNKED_HEAD = `${UPLOAD}Transfer-Encoding: chunked\r\n\r\n`;
const CHUNK = `${ENGINE_YAML.length.toString(16)}\r\n${ENGINE_YAML}\r\n`;
const CREATE_CHUNKED = `${CHUNKED_HEAD}${CHUNK}0\r\n\r\n`;

const REQUESTS = [
  ['a GET', READ],
  ['a request that the gateway answers itself', LIVE],
  ['a POST with a length', CREATE],
  ['a POST in chunks', CREATE_CHUNKED],
] as const;

let rig: Rig;
let strict: Rig;

beforeAll(async () => {
  [rig, strict] = await Promise.all([startRig(), startRig({ strict: true })]);
});

afterAll(async () => {
  await Promise.all([rig.stop(), strict.stop()]);
  expect(rig.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

beforeEach(() => {
  rig.upstream.requests.length = 0;
});

/** Sends each piece as one TLS record: the server gets each as one chunk. */
async function sendPieces(socket: TLSSocket, pieces: readonly string[]): Promise<void> {
  socket.setNoDelay(true);
  for (const piece of pieces)
    await new Promise<void>((resolve) => void socket.write(Buffer.from(piece, 'latin1'), () => resolve()));
}

/** Sends the pieces over a new connection. */
async function sendInPieces(pieces: readonly string[], wanted = 1): Promise<WireResult> {
  const socket = await open(rig.wire);
  const result = await readReplies(socket, () => void sendPieces(socket, pieces), { wanted });
  socket.destroy();
  return result;
}

function codesOf({ replies }: WireResult): number[] {
  return replies.map(({ status }) => status);
}

/** The status codes in both modes. */
async function bothCodes(bytes: string): Promise<{ readonly plain: number[]; readonly strict: number[] }> {
  const plain = await sendRaw(bytes, { ...rig.wire, bodiless: false });
  const hidden = await sendRaw(bytes, { ...strict.wire, strict: true });
  return { plain: codesOf(plain), strict: codesOf(hidden) };
}

describe('a head above 16 KiB is rejected, whatever its bytes are:', () => {
  const BLANKS = ' '.repeat(20 * KIB);

  it.each([
    ['blanks before a value', `GET /livez HTTP/1.1\r\n${HOST}X:${BLANKS}y\r\n\r\n`],
    ['tabs before a value', `GET /livez HTTP/1.1\r\n${HOST}X:${'\t'.repeat(20 * KIB)}y\r\n\r\n`],
    ['blanks without a value', `GET /livez HTTP/1.1\r\n${HOST}X:${BLANKS}\r\n\r\n`],
    ['blanks after a value', `GET /livez HTTP/1.1\r\n${HOST}X: y${BLANKS}\r\n\r\n`],
    ['blanks in the request line', `GET ${BLANKS}/livez HTTP/1.1\r\n${HOST}\r\n`],
    ['blanks before the version', `GET /livez ${BLANKS}HTTP/1.1\r\n${HOST}\r\n`],
    ['empty lines before the request line', `${'\r\n'.repeat(10 * KIB)}${LIVE}`],
    ['5 MB of blanks before a value', `GET /livez HTTP/1.1\r\n${HOST}X:${' '.repeat(5_000_000)}y\r\n\r\n`],
    ['5 MB of empty lines', `${'\r\n'.repeat(2_500_000)}${LIVE}`],
  ])('%s', async (_what, bytes) => {
    expect(await bothCodes(bytes)).toEqual({ plain: [431], strict: [403] });
  });

  it('empty lines between two requests', async () => {
    const socket = await open(rig.wire);
    expect(codesOf(await readReplies(socket, () => socket.write(LIVE)))).toEqual([200]);
    socket.removeAllListeners('data');

    const { replies, closed } = await readReplies(socket, () => socket.write('\r\n'.repeat(10 * KIB)));

    expect({ codes: replies.map(({ status }) => status), closed }).toEqual({ codes: [431], closed: true });
  });

  it.each([
    ['in one piece', 16 * KIB],
    ['in pieces of 1000 bytes', 1_000],
  ])('16 KiB are served and one byte more is not, %s', async (_how, size) => {
    const start = `\r\n\r\nGET /livez HTTP/1.1\r\n${HOST}X:`;
    const sized = (length: number): string => `${start}${' '.repeat(length - start.length - 4)}\r\n\r\n`;
    const inPieces = (text: string): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];

    expect(codesOf(await sendInPieces(inPieces(sized(16 * KIB))))).toEqual([200]);
    expect(codesOf(await sendInPieces(inPieces(sized(16 * KIB + 1))))).toEqual([431]);
  });
});

describe('a head that is not well-formed is rejected before its token is judged:', () => {
  const line = (text: string): string => `${text}\r\n${HOST}${COOKIE}\r\n`;
  const field = (text: string): string => `GET ${PLACEMENTS} HTTP/1.1\r\n${HOST}${COOKIE}${text}\r\n\r\n`;
  const badToken = (text: string): string =>
    `GET ${PLACEMENTS} HTTP/1.1\r\n${HOST}COOKIE: Authorization: Bearer \x00\r\n${text}\r\n`;

  it.each([
    ['two spaces before the target', line(`GET  ${PLACEMENTS} HTTP/1.1`)],
    ['two spaces after the target', line(`GET ${PLACEMENTS}  HTTP/1.1`)],
    ['a space after the version', line(`GET ${PLACEMENTS} HTTP/1.1 `)],
    ['a space before the method', line(` GET ${PLACEMENTS} HTTP/1.1`)],
    ['a tab after the method', line(`GET\t${PLACEMENTS} HTTP/1.1`)],
    ['a tab after the target', line(`GET ${PLACEMENTS}\tHTTP/1.1`)],
    ['no version', line(`GET ${PLACEMENTS}`)],
    ['a space at its end and no version', line(`GET ${PLACEMENTS} `)],
    ['an LF before the request line', `\n${READ}`],
    ['a CR before the request line', `\r${READ}`],
    ['an LF at the end of the request line', READ.replace('\r\n', '\n')],
    ['an LF at the end of the head', READ.replace(/\r\n\r\n$/, '\r\n\n')],
    ['a vertical tab before a name, after the token', field('\x0bX: y')],
    ['a form feed before a name, after the token', field('\x0cX: y')],
    ['a no-break space before a name, after the token', field('\xa0X: y')],
    ['a space before a name, after the token', field(' X: y')],
    ['a folded token', field(' y')],
    ['a line without a colon, after the token', field('X')],
    ['a name with a byte that names do not have', field('X(y: z')],
    ['an empty name', field(': z')],
    ['a NUL in a value', field('X: \x00')],
    ['a bare CR in a value', field('X: a\rY: b')],
    ['a bare LF in a value', field('X: a\nY: b')],
    ['a DEL in a value', field('X: \x7f')],
    ['a malformed token, and a malformed line after it', badToken('\x0bX: y\r\n')],
    ['a malformed token, and two lengths', badToken('Content-Length: 1\r\nContent-Length: 2\r\n')],
    ['a malformed token, and a length that is none', badToken('Content-Length: +1\r\n')],
    ['a malformed token, and chunks beside a length', badToken('Content-Length: 1\r\nTransfer-Encoding: chunked\r\n')],
    ['a malformed token, and no host', badToken('').replace(HOST, '')],
    ['a malformed token, and a query', badToken('').replace(' HTTP', '?watch=true HTTP')],
    ['a malformed token in HTTP/1.0', badToken('').replace('HTTP/1.1', 'HTTP/1.0')],
  ])('%s', async (_what, bytes) => {
    expect(await bothCodes(bytes)).toEqual({ plain: [400], strict: [403] });
    expect(rig.upstream.requests).toEqual([]);
  });

  it.each([
    ['with nothing else wrong', badToken(''), 403],
    ['and a malformed one after it', badToken('Authorization: \x01\r\n'), 403],
    ['that is folded by a bare LF', badToken('').replace('\x00', 'a\nb'), 403],
    ['at a path that does not exist', badToken('').replace(PLACEMENTS, '/x'), 404],
    ['with a method that the path does not have', badToken('').replace('GET', 'PATCH'), 405],
    ['with a method that does not exist', badToken('').replace('GET', 'FOO'), 405],
    ['and 101 fields', badToken('X: y\r\n'.repeat(101)), 431],
  ])('a malformed token %s is answered as a missing one would be', async (_what, bytes, code) => {
    expect(await bothCodes(bytes)).toEqual({ plain: [code], strict: [code === 404 ? 404 : 403] });
  });

  it('a malformed token is distinguished from a malformed line also before the end of the head', async () => {
    const [token, name] = [badToken('').slice(0, -2), field('\x0bX').slice(0, -4)];

    expect(await bothCodes(token)).toEqual({ plain: [403], strict: [403] });
    expect(await bothCodes(name)).toEqual({ plain: [400], strict: [403] });
  });
});

describe('a request', () => {
  it.each(REQUESTS)('%s is served in one piece, in pieces of one byte, and split anywhere', async (_what, bytes) => {
    const socket = await open(rig.wire);
    const ways = [[bytes], bytes.split(''), ['\r\n', bytes], [`\r\n${bytes}`]];
    for (let at = 1; at < bytes.length; at += 3) ways.push([bytes.slice(0, at), bytes.slice(at)]);

    for (const pieces of ways) {
      const result = await readReplies(socket, () => void sendPieces(socket, pieces));
      for (const event of ['data', 'end', 'close']) socket.removeAllListeners(event);
      expect({ pieces, codes: codesOf(result) }).toEqual({ pieces, codes: [200] });
    }
    socket.destroy();
  });

  it('a request is served after 100 Continue, also when its body comes at once', async () => {
    const expecting = CREATE_CHUNKED.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n');
    const bodyAt = expecting.indexOf('\r\n\r\n') + 4;
    const socket = await open(rig.wire);
    for (const pieces of [[expecting], expecting.split(''), [expecting.slice(0, bodyAt), expecting.slice(bodyAt)]]) {
      const result = await readReplies(socket, () => void sendPieces(socket, pieces));
      for (const event of ['data', 'end', 'close']) socket.removeAllListeners(event);
      expect(codesOf(result)).toEqual([200]);
    }
    socket.destroy();
  });

  it.each(REQUESTS)(
    'a request that shares a chunk with %s before it is not served, however both are split',
    async (_w, before) => {
      const both = before + READ;
      const boundary = before.length;
      const offsets = Array.from({ length: both.length }, (_, at) => at).filter(
        (at) => at !== boundary && (at % 16 === 0 || Math.abs(at - boundary) < 6),
      );
      for (const at of offsets) {
        rig.upstream.requests.length = 0;
        const { replies, closed } = await sendInPieces([both.slice(0, at), both.slice(at)], 2);

        const answer = { at, codes: replies.map(({ status }) => status), closed };
        expect(answer).toEqual({ at, codes: [200], closed: true });
        expect(rig.upstream.requests).toHaveLength(before === LIVE ? 0 : 1);
      }
    },
  );

  it('a request whose beginning is in the chunk of the body before it is not served', async () => {
    // From the second chunk alone, the request line would look like another one.
    const hidden = ['DELETE  ', 'DELETE /a HTTP/1.1\r\nX: '];
    for (const beginning of hidden) {
      rig.upstream.requests.length = 0;
      const socket = await open(rig.wire);
      const first = await readReplies(socket, () => void sendPieces(socket, [CREATE_CHUNKED + beginning]));
      const rest = `${ENGINES}/engine HTTP/1.1\r\n${HOST}${COOKIE}\r\n`;
      if (!socket.destroyed && socket.writable) socket.write(rest);

      expect(first).toMatchObject({ replies: [{ status: 200, headers: { connection: 'close' } }], closed: true });
      expect(rig.upstream.requests.map(({ method }) => method)).toEqual(['POST']);
    }
  });

  it('a request that follows rejected bytes is not served', async () => {
    for (const pieces of [[`GET  / HTTP/1.1\r\n${HOST}\r\n${READ}`], [`GET  / HTTP/1.1\r\n${HOST}\r\n`, READ]]) {
      const { replies, closed } = await sendInPieces(pieces, 2);
      expect({ codes: replies.map(({ status }) => status), closed }).toEqual({ codes: [400], closed: true });
    }
    expect(rig.upstream.requests).toEqual([]);
  });
});

describe('the bytes between the data of a body', () => {
  const large = 5_000_000;

  it.each([
    ['chunk extensions', `${CHUNKED_HEAD}${`1;${'a'.repeat(10_000)}\r\n#\r\n`.repeat(large / 10_000)}0\r\n\r\n`, 413],
    ['blanks in a trailer field', `${CHUNKED_HEAD}${CHUNK}0\r\nX:${' '.repeat(large)}\r\n\r\n`, 413],
    ['one chunk extension', `${CHUNKED_HEAD}1;${'a'.repeat(20_000)}\r\n#\r\n0\r\n\r\n`, 400],
    ['a trailer field', `${CHUNKED_HEAD}${CHUNK}0\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
  ])('the bytes between the data of a body are limited: %s', async (_what, bytes, code) => {
    expect(await bothCodes(bytes)).toEqual({ plain: [code], strict: [403] });
    expect(rig.upstream.requests).toEqual([]);
  });

  it.each([
    ['an LF after a chunk size', '1\n#\r\n0\r\n\r\n'],
    ['an LF after a chunk extension', '1;a=b\n#\r\n0\r\n\r\n'],
    ['a NUL in a chunk extension', '1;a=\x00\r\n#\r\n0\r\n\r\n'],
    ['a blank after a chunk size', '1 \r\n#\r\n0\r\n\r\n'],
    ['a chunk without a size', '\r\n#\r\n0\r\n\r\n'],
    ['a hexadecimal prefix', '0x1\r\n#\r\n0\r\n\r\n'],
    ['an LF after a chunk', '1\r\n#\n0\r\n\r\n'],
    ['a folded trailer field', `${CHUNK}0\r\n X: y\r\n\r\n`],
    ['an LF after a trailer field', `${CHUNK}0\r\nX: y\n\r\n`],
    ['a malformed token as a trailer field', `${CHUNK}0\r\nCookie: \x00\r\n\r\n`],
    ['a trailer field', `${CHUNK}0\r\nX: y\r\n\r\n`],
  ])('the bytes between the data of a body are checked: %s', async (_what, body) => {
    expect(await bothCodes(CHUNKED_HEAD + body)).toEqual({ plain: [400], strict: [403] });
    expect(rig.upstream.requests).toEqual([]);
  });
});

describe('a client that does not finish its head', () => {
  const TIMEOUT_MS = 120_000;
  let clock: ManualClock;
  let server: GatewayServer;
  let wire: RawClientOptions;

  beforeEach(async () => {
    clock = new ManualClock();
    server = new GatewayServer({
      limits: { headerTimeoutMs: TIMEOUT_MS, requestTimeoutMs: TIMEOUT_MS },
      connections: new Connections(10),
      strict: false,
      clock,
      metrics: createGatewayMetrics(),
      handler: ({ response }) => new Promise((resolve) => void response.end(resolve)),
    });
    const pair = await pairFor();
    server.setCertificate({ cert: pair.certificate, key: pair.privateKey, notBefore: 0, notAfter: 0 });
    wire = { port: await server.start('127.0.0.1', 0), ca: pair.certificate };
  });

  afterEach(async () => {
    await server.stop(0);
  });

  it.each([
    ['empty lines before its first request', '', '\r\n'],
    ['empty lines after a request', LIVE, '\r\n'],
    ['blanks before a value', LIVE, 'GET / HTTP/1.1\r\nX: '],
  ])(
    'a client that does not finish its head is answered when the time from the first byte is over: %s',
    async (_what, before, drip) => {
      const socket = await open(wire);
      if (before !== '') expect(codesOf(await readReplies(socket, () => socket.write(before)))).toEqual([200]);
      socket.removeAllListeners('data');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      const closed = once(socket, 'close');
      socket.write(drip);
      await waitFor('the first byte', () => clock.pending === 1);

      await clock.advance(TIMEOUT_MS - 1);
      socket.write(drip.slice(-1));
      expect(chunks).toEqual([]);
      await clock.advance(1);

      await closed;
      expect(parseReplies(Buffer.concat(chunks)).map(({ status }) => status)).toEqual([408]);
      await waitFor('the timers to be given back', () => clock.pending === 0);
    },
  );

  it('a connection has no timer once the head is complete', async () => {
    const socket = await open(wire);
    socket.write(LIVE.slice(0, 10));
    await waitFor('the first byte', () => clock.pending === 1);

    expect(codesOf(await readReplies(socket, () => socket.write(LIVE.slice(10))))).toEqual([200]);
    expect(clock.pending).toBe(0);
    socket.destroy();
  });
});

describe('a client that does not use TLS', () => {
  it.each(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'CONNECT'])(
    'a client that does not use TLS gets one line of text after %s, and is disconnected',
    async (method) => {
      const socket = connect({ port: rig.wire.port, host: '127.0.0.1' });
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      socket.write(`${method} /livez HTTP/1.1\r\n${HOST}\r\n`);

      await once(socket, 'close');
      expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nconnection: close\r\n/);
      expect(text.endsWith('\r\n\r\nThis port serves HTTPS only.\n')).toBe(true);
      await waitFor('the end of the connection', async () =>
        (await rig.metrics.text()).includes('multicluster_gateway_connections 0\n'),
      );
    },
  );
});
