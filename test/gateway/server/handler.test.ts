import type { Socket } from 'node:net';

import { afterAll, afterEach, describe, expect, it } from '@jest/globals';

import { MultiClusterEngines } from '../../../src/api/resources.js';
import { Budget } from '../../../src/gateway/request/budget.js';
import { Drain } from '../../../src/gateway/request/drain.js';
import { ObjectParser } from '../../../src/gateway/request/objectparser.js';
import { AcceptedTokens } from '../../../src/gateway/upstream/acceptedtokens.js';
import { Connections } from '../../../src/runtime/http/connections.js';
import { headerMap } from '../../../src/gateway/request/headers.js';
import { acceptedType } from '../../../src/gateway/request/media.js';
import { mapResponse } from '../../../src/gateway/response/mapresponse.js';
import { ResponseRateLimiter } from '../../../src/gateway/response/responseratelimiter.js';
import { kindSchemas } from '../../../tools/openapi/schemas.js';
import type { HandlerDeps } from '../../../src/gateway/server/call.js';
import { handleRequest } from '../../../src/gateway/server/handler.js';
import { GatewayServer } from '../../../src/gateway/server/server.js';
import { Upstream, type UpstreamResponse } from '../../../src/gateway/upstream/upstream.js';
import { createGatewayMetrics } from '../../../src/gateway/metrics.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { RecordingLog } from '../../support/fakes/log.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { CANARY } from '../client.js';
import { mapping, rules } from '../openapi/document.js';
import { ENGINES, pairFor } from '../rig.js';
import { ENGINE } from '../upstream.js';
import { open, parseReplies, readReplies, sendRaw, type RawClientOptions } from '../rawclient.js';

const COOKIE = `COOKIE: Authorization: Bearer ${CANARY}\r\n`;
const MIB = 1024 * 1024;
const SENT = '{"metadata":{"name":"engine"}}';
const CREATE = `POST ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}Prefer: return=representation\r\nContent-Type: application/json\r\nContent-Length: ${SENT.length}\r\n\r\n${SENT}`;
const REMOVE = `DELETE ${ENGINES}/engine HTTP/1.1\r\nHost: localhost\r\n${COOKIE}Prefer: return=representation\r\n\r\n`;
const READ = `GET ${ENGINES}/engine HTTP/1.1\r\nHost: localhost\r\n${COOKIE}\r\n`;

let server: GatewayServer | undefined;
const parser = new ObjectParser(systemClock);
const log = new RecordingLog();

afterAll(() => parser.close());

afterEach(async () => {
  await server?.stop(0);
  server = undefined;
  log.lines.length = 0;
});

/** A budget that counts what a body has beyond its first 64 KiB. */
function budgetOf(limit: number): Budget {
  return new Budget({ limit, uncounted: 64 * 1024, clock: systemClock });
}

/** Starts a server whose handler has these dependencies. */
async function serve(given: Partial<HandlerDeps>, strict = false): Promise<RawClientOptions> {
  const metrics = createGatewayMetrics();
  const connections = new Connections(10);
  const tokens = new AcceptedTokens(given.upstream ?? failing(new Error('no upstream')), systemClock);
  tokens.observe(tokens.of(CANARY), 200);
  const deps: HandlerDeps = {
    upstream: failing(new Error('no upstream')),
    connections,
    tokens,
    bodies: budgetOf(0),
    parser,
    drain: new Drain(systemClock),
    responseRateLimiter: new ResponseRateLimiter(systemClock),
    openapi: Buffer.from('{}'),
    rules,
    readiness: { check: () => undefined },
    strict,
    clock: systemClock,
    log,
    metrics,
    ...given,
  };
  server = new GatewayServer({
    limits: { headerTimeoutMs: 30_000, requestTimeoutMs: 30_000 },
    connections,
    strict,
    clock: systemClock,
    metrics,
    handler: (incoming) => handleRequest(incoming, deps),
  });
  const pair = await pairFor();
  server.setCertificate({ cert: pair.certificate, key: pair.privateKey, notBefore: 0, notAfter: 0 });
  return { port: await server.start('127.0.0.1', 0), ca: pair.certificate, strict };
}

/** An API server whose every response is made by `respond`. */
function answering(respond: () => UpstreamResponse): HandlerDeps['upstream'] {
  return { begin: () => ({ send: async () => respond(), end: () => undefined }) };
}

function failing(error: Error): HandlerDeps['upstream'] {
  return { begin: () => ({ send: () => Promise.reject(error), end: () => undefined }) };
}

async function* chunks(...parts: readonly string[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

describe('an unexpected error in the handler', () => {
  it.each<[string, Error, string]>([
    ['an error', new TypeError(`${CANARY} in a message`), 'TypeError at '],
    ['an error without a stack', Object.assign(new Error(CANARY), { stack: undefined }), 'Error'],
    // A dependency may throw a value that is not an Error.
    ['something that is no error', Object(CANARY), 'no Error was thrown'],
  ])(
    'the gateway answers an unexpected error in the handler (%s) with an empty 500 and logs its stack without its message',
    async (_what, thrown, fault) => {
      for (const strict of [false, true]) {
        const wire = await serve({ upstream: failing(thrown) }, strict);

        const { replies } = await sendRaw(READ, wire);

        expect(replies).toMatchObject([{ status: 500, body: '' }]);
        await waitFor('the access log', () => log.lines.some(({ message }) => message === 'request'));
        expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
          'error request failed',
          'info request',
        ]);
        expect(log.lines[0]?.fields).toEqual({ fault: expect.stringMatching(`^${fault}`) });
        expect(JSON.stringify(log.lines)).not.toContain('canary');
        await server?.stop(0);
        log.lines.length = 0;
      }
    },
  );
});

describe('a gateway whose buffer budget is exhausted', () => {
  const large = (size: number): string =>
    `POST ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}Content-Type: application/yaml\r\nContent-Length: ${size}\r\n\r\n${'#'.repeat(size)}`;

  it('the gateway rejects a large request body with 503 and accepts a small one when its buffer budget is exhausted', async () => {
    const created = (): UpstreamResponse => ({
      status: 201,
      contentType: 'application/json',
      retryAfter: undefined,
      body: chunks('{}'),
    });
    const wire = await serve({ upstream: answering(created) });

    const { replies } = await sendRaw(large(100_000), wire);

    expect(replies).toMatchObject([{ status: 503, headers: { 'retry-after': '1', connection: 'close' } }]);
    expect((await sendRaw(large(1_000), wire)).replies).toMatchObject([{ status: 400 }]);
  });

  const TEXT = JSON.stringify({ ...ENGINE, spec: { x: 'x'.repeat(100_000) } });
  const tooLarge = answering(() => ({
    status: 200,
    contentType: 'application/json',
    retryAfter: undefined,
    body: chunks(TEXT),
  }));

  it('the gateway answers 503 when the response to a read is too large for its buffer budget', async () => {
    const wire = await serve({ upstream: tooLarge });

    expect((await sendRaw(READ, wire)).replies).toMatchObject([{ status: 503, body: '' }]);
  });

  it.each([
    ['POST', CREATE],
    ['DELETE', REMOVE],
  ])(
    'the gateway answers 200 without a body when the response to a %s is too large for its buffer budget',
    async (_method, bytes) => {
      const wire = await serve({ upstream: tooLarge });

      const { replies } = await sendRaw(bytes, wire);

      expect(replies).toMatchObject([{ status: 200, headers: { etag: '"7"', 'content-length': '0' }, body: '' }]);
      expect(replies[0]?.headers).not.toHaveProperty('preference-applied');
    },
  );

  it('the gateway answers 503 instead of a streamed response until another one has ended', async () => {
    const budget = budgetOf(MIB + MIB / 2);
    let more: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (more = resolve));
    const body = async function* (): AsyncGenerator<Buffer> {
      yield* chunks('{"a":"', 'x'.repeat(MIB), 'x', 'x');
      await end;
      yield* chunks('"}');
    };
    const parted = (): UpstreamResponse => ({
      status: 200,
      contentType: 'application/json',
      retryAfter: undefined,
      body: body(),
    });
    const wire = await serve({ upstream: answering(parted), bodies: budget });
    const socket = await open(wire);
    socket.resume().write(READ);
    await waitFor('the buffered part to be taken', () => socket.bytesRead > MIB);

    expect((await sendRaw(READ, wire)).replies).toMatchObject([
      { status: 503, headers: { 'retry-after': '1' }, body: '' },
    ]);
    more();
    await waitFor('the end of the first one', () => budget.reserved === 0);
    socket.write(READ);
    await waitFor('the buffered part of the next one', () => socket.bytesRead > 2 * MIB);
    socket.destroy();
  });
});

describe('a request that arrives while its client reads the previous response', () => {
  it('the gateway reads a request completely when head and body arrive separately while its client reads the previous response', async () => {
    const wire = await serve({ openapi: Buffer.from(JSON.stringify('x'.repeat(4 * MIB))) });
    const socket = await open(wire);
    const taken: Buffer[] = [];
    socket.pause();
    socket.write('GET /platform/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n', () => {
      socket.write(
        `POST ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}Content-Type: application/yaml\r\nContent-Length: 5\r\nConnection: close\r\n\r\n`,
      );
      socket.write('a: [}', () => socket.on('data', (chunk: Buffer) => taken.push(chunk)).resume());
    });
    await new Promise((resolve) => socket.once('close', resolve));

    expect(parseReplies(Buffer.concat(taken)).map(({ status }) => status)).toEqual([200, 400]);
  });
});

describe('a streamed response', () => {
  const many = Array.from({ length: 200 }, () => 'x'.repeat(64 * 1024));
  const answer = (): UpstreamResponse => ({
    status: 200,
    contentType: 'application/json',
    retryAfter: undefined,
    body: chunks('{"a":"', ...many, '"}'),
  });

  it('a streamed response waits for a client that reads slowly and is delivered completely', async () => {
    const wire = await serve({ upstream: answering(answer), bodies: budgetOf(2 * MIB) });
    const socket = await open(wire);
    socket.pause();
    socket.write(READ);
    await new Promise((resolve) => socket.once('readable', resolve));

    const taken: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => taken.push(chunk)).resume();
    await waitFor('the last chunk', () => taken.at(-1)?.toString('latin1').endsWith('0\r\n\r\n'));
    const replies = parseReplies(Buffer.concat(taken));

    expect(JSON.parse(replies[0]?.body ?? '')).toEqual({ a: many.join('') });
    socket.destroy();
  });

  it('a streamed response has the chunks of the upstream response and keeps none that was taken', async () => {
    const { body, stream: rest } = await mapResponse(
      answer(),
      {
        action: 'list',
        resource: MultiClusterEngines,
        accept: acceptedType(headerMap([])),
        representation: false,
        conditional: false,
      },
      mapping,
    );
    const lengths: number[] = [];
    for await (const chunk of rest ?? []) lengths.push(chunk.length);

    expect({ body, lengths }).toEqual({ body: undefined, lengths: [6, ...many.map((part) => part.length), 2] });
  });

  it('a streamed response ends when its client closes the connection', async () => {
    let ended = false;
    const body = (async function* (): AsyncGenerator<Buffer> {
      try {
        yield* answer().body;
      } finally {
        ended = true;
      }
    })();
    const wire = await serve({ upstream: answering(() => ({ ...answer(), body })), bodies: budgetOf(2 * MIB) });
    const socket: Socket = await open(wire);
    socket.pause();
    socket.write(READ);
    await new Promise((resolve) => socket.once('readable', resolve));

    socket.destroy();

    await waitFor('the end', () => ended);
    await waitFor('the access log', () => log.lines.length > 0);
    expect(log.lines).toMatchObject([{ level: 'info', fields: { whole: false, code: 200 } }]);
  });
});

describe('the body of a rejected request', () => {
  it('the gateway reads the body of a rejected request for a limited time, so that the client receives the error response', async () => {
    const wire = await serve({});
    const socket = await open(wire);
    const head = `DELETE ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}Content-Length: 1000000000\r\n\r\n`;

    const { replies, closed } = await readReplies(socket, () => socket.write(head + 'x'.repeat(4 * 1024 * 1024)));

    expect({ codes: replies.map(({ status }) => status), closed }).toEqual({ codes: [405], closed: true });
    socket.destroy();
  });
});

describe('an upstream', () => {
  const options = {
    origin: 'https://127.0.0.1:1',
    clock: new ManualClock(),
    timeoutMs: 1_000,
    userAgent: 'x',
    metrics: createGatewayMetrics(),
  };
  const request = { method: 'GET', path: '/x', token: 't', known: true } as const;

  it('an upstream fails a call with `unreachable` before a certificate authority is configured', async () => {
    const call = new Upstream(options).begin(request, new AbortController().signal);

    await expect(call.send()).rejects.toMatchObject({ reason: 'unreachable', code: 'NO_CA' });
    call.end();
  });

  it('an upstream does not begin a call for a client that has already disconnected', async () => {
    const upstream = new Upstream(options);
    upstream.trust((await pairFor()).certificate);

    expect(() => upstream.begin(request, AbortSignal.abort())).toThrow(
      expect.objectContaining({ reason: 'abandoned' }),
    );
    await upstream.close();
  });
});

describe('the JSON Schema of a CRD', () => {
  it('the JSON Schema of a CRD has translations of the keywords that JSON Schema does not have', () => {
    const field = (yaml: string): unknown =>
      Object(
        kindSchemas(
          `spec:\n  group: g\n  names: {kind: K, listKind: KList}\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          x: ${yaml}\n`,
        )['K'],
      ).properties.x;

    expect([
      field('{x-kubernetes-int-or-string: true}'),
      field('{type: string, nullable: true}'),
      field('{x-kubernetes-preserve-unknown-fields: true}'),
      field('{type: object, additionalProperties: {type: integer, minimum: 1}}'),
    ]).toEqual([
      { type: ['integer', 'string'] },
      { type: ['string', 'null'] },
      {},
      { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
    ]);
  });
});
