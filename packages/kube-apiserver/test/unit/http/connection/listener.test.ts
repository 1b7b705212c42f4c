import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { type Listener, listen } from '../../../../src/http/connection/listener.js';
import type { KeyPair } from '@multicluster-engine/values/certificates';
import { issueAuthority, issueServing, isUsable } from '../../../../src/http/connection/tls.js';
import type { Json } from '@multicluster-engine/values/json';
import type { ApiRequest, ApiResponse } from '../../../../src/request.js';
import { StatusError } from '../../../../src/status.js';
import { systemClock } from '../../../../src/clock.js';

const NOW = Date.now();
const YEAR_MS = 365 * 24 * 3600 * 1000;

let authority: KeyPair;
let serving: KeyPair;
let listener: Listener | undefined;
let agent: Agent;

beforeAll(async () => {
  authority = await issueAuthority(NOW);
  serving = await issueServing(authority, 'hub.example.com', NOW);
  agent = new Agent({ ca: authority.certificate, keepAlive: true });
});

afterEach(async () => {
  await listener?.close(1000);
  listener = undefined;
});

afterAll(() => agent.destroy());

async function serve(dispatch: (request: ApiRequest) => Promise<ApiResponse>): Promise<number> {
  listener = await listen({ host: '127.0.0.1', port: 0, serving, clock: systemClock, dispatch });
  return listener.port;
}

function value(one: Json, headers: Record<string, string> = {}): ApiResponse {
  return { code: 200, headers, body: { kind: 'value', value: one } };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
}

function send(
  port: number,
  { method = 'GET', path = '/', headers = {}, body }: Sent = {},
): Promise<IncomingMessage & { text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers, agent, servername: 'localhost' },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Object.assign(response, { text: Buffer.concat(chunks).toString('utf8') })));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Sends raw bytes and returns all that comes back, however the connection ends: a server need not read the whole of a
 * refused request.
 */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: '127.0.0.1', port, ca: authority.certificate, servername: 'localhost' },
      () => void socket.write(bytes),
    );
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    socket.once('error', reject).once('secureConnect', () => socket.off('error', reject).on('error', () => undefined));
    socket.on('close', () => resolve(text));
  });
}

describe('a request on a connection', () => {
  it('a request is received completely', async () => {
    const seen: unknown[] = [];
    const port = await serve(async (one) => {
      const body = typeof one.body === 'function' ? Buffer.from(await one.body()).toString('utf8') : one.body;
      seen.push([one.method, one.target, one.headers['impersonate-group'], one.headers['x-y'], body]);
      return value('ok');
    });
    await send(port, {
      method: 'POST',
      path: '/a?b=c',
      headers: { 'Impersonate-Group': ['x', 'y, z'], 'X-Y': 'plain' },
      body: 'hello',
    });
    await send(port);

    expect(seen).toEqual([
      ['POST', '/a?b=c', 'x\ny, z', 'plain', 'hello'],
      ['GET', '/', undefined, undefined, undefined],
    ]);
  });

  it('a response is a line of JSON with its headers', async () => {
    const port = await serve(() =>
      Promise.resolve({
        ...value({ a: 'ü' }),
        code: 201,
        headers: { 'Content-Type': 'application/json', Warning: ['299 - "ü"', '299 - "b"'] },
      }),
    );
    const answer = await send(port);

    expect(answer.statusCode).toBe(201);
    expect(answer.text).toBe('{"a":"ü"}\n');
    expect(Buffer.from(answer.headers['warning'] ?? '', 'latin1').toString('utf8')).toBe('299 - "ü", 299 - "b"');
  });

  it('pipelined requests get their responses in order', async () => {
    const port = await serve(({ target }) => Promise.resolve(value(target)));
    const one = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    const text = await raw(port, `${one('/1')}${one('/2')}${one('/3', 'Connection: close\r\n')}`);

    expect(text.match(/"\/\d"/g)).toEqual(['"/1"', '"/2"', '"/3"']);
  });

  it('a request is read after one whose response the client has not read, head and body apart', async () => {
    const port = await serve(async ({ body }) =>
      value(typeof body === 'function' ? Buffer.from(await body()).toString('utf8') : 'x'.repeat(4_000_000)),
    );
    const text = await new Promise<string>((resolve, reject) => {
      let all = '';
      const socket = connect({ host: '127.0.0.1', port, ca: authority.certificate, servername: 'localhost' }, () => {
        socket.pause();
        socket.write('GET /long HTTP/1.1\r\nHost: x\r\n\r\n', () => {
          socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\n');
          socket.write('hello', () => socket.resume());
        });
      });
      socket
        .on('data', (chunk: Buffer) => (all += chunk.toString('latin1')))
        .once('end', () => resolve(all))
        .once('error', reject);
    });

    expect([text.match(/HTTP\/1\.1 \d+/g), text.slice(-8).trim()]).toEqual([
      ['HTTP/1.1 200', 'HTTP/1.1 200'],
      '"hello"',
    ]);
  });

  it.each([
    ['with a method unknown to Node', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 'HTTP/1.1 200'],
    ['with such a method and a malformed header', 'FOO / HTTP/1.1\r\nHost\r\n\r\n', 'HTTP/1.1 400'],
    ['that is not HTTP', 'garbage\r\n\r\n', 'HTTP/1.1 400'],
    ['for a tunnel', 'CONNECT /x HTTP/1.1\r\nHost: x\r\n\r\n', 'HTTP/1.1 200'],
  ])('a request %s gets a response at once', async (_name, bytes, line) => {
    const port = await serve(() => Promise.resolve(value('ok')));

    expect((await raw(port, bytes)).slice(0, line.length)).toBe(line);
  });

  it.each([
    [
      'of another version',
      'GET / HTTP/2.0\r\nHost: x\r\n\r\n',
      505,
      '505 HTTP Version Not Supported: unsupported protocol version',
    ],
    [
      'with two transfer codings',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      501,
      'Unsupported transfer encoding',
    ],
    ['for two hosts', 'GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n', 400, '400 Bad Request'],
    ['for an invalid host', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 400, '400 Bad Request: malformed Host header'],
    ['for no host', 'GET / HTTP/1.1\r\n\r\n', 400, '400 Bad Request: missing required Host header'],
    ['of HTTP/1.0 for no host', 'GET / HTTP/1.0\r\n\r\n', 200, '"ok"\n'],
    ['for the empty host', 'GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 200, '"ok"\n'],
  ])("a request %s gets the response of Go's server", async (_name, bytes, code, text) => {
    const port = await serve(() => Promise.resolve(value('ok')));
    const answer = await raw(port, bytes);

    expect(answer.split(' ', 2)).toEqual(['HTTP/1.1', String(code)]);
    expect(answer).toContain(text);
  });
});

describe('a method that Node does not know', () => {
  it('a request with a method unknown to Node reaches the router completely', async () => {
    const seen: unknown[] = [];
    const port = await serve(({ method, target, headers }) => {
      seen.push([method, target, headers['authorization'], headers['impersonate-extra-a'], headers['x']]);
      return Promise.resolve({
        ...value('no'),
        code: 403,
        headers: { 'Content-Type': 'application/json', Warning: ['299 - "a"', '299 - "b"'] },
      });
    });
    const text = await raw(
      port,
      'fOO /a?b=c HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\nauthorization: Bearer u\r\nImpersonate-Extra-A:  x \r\nImpersonate-Extra-A: y\r\nX:\r\n\r\n',
    );

    expect(seen).toEqual([['fOO', '/a?b=c', 'Bearer t', 'x\ny', '']]);
    expect(text).toBe(
      'HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nWarning: 299 - "a"\r\nWarning: 299 - "b"\r\nConnection: close\r\nContent-Length: 5\r\n\r\n"no"\n',
    );
  });

  it('a request with a method unknown to Node does not repeat the response of the request before it', async () => {
    const seen: string[] = [];
    const port = await serve(({ method }) => {
      seen.push(method);
      return Promise.resolve(value('ok'));
    });
    await raw(port, 'DELETE /a HTTP/1.1\r\nHost: x\r\n\r\nFOO / HTTP/1.1\r\nHost: x\r\n\r\n');

    expect(seen).toEqual(['DELETE']);
  });
});

describe('a body', () => {
  async function reading(one: ApiRequest): Promise<ApiResponse> {
    try {
      return value(typeof one.body === 'function' ? (await one.body()).length : 0);
    } catch (error) {
      return error instanceof StatusError ? { ...value(error.message), code: error.code } : value('other');
    }
  }

  it('a body of 3 MiB is accepted, one byte more is not', async () => {
    const port = await serve(reading);
    const most = 3 * 1024 * 1024;

    expect((await send(port, { method: 'POST', body: Buffer.alloc(most) })).text).toBe(`${most}\n`);
    expect((await send(port, { method: 'POST', body: Buffer.alloc(most + 1) })).statusCode).toBe(413);
  });

  it('a body without end is refused after 3 MiB', async () => {
    const port = await serve(reading);
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const text = await raw(port, `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(4)}`);

    expect(text).toContain('HTTP/1.1 413');
    expect(text).toContain('Connection: close');
  });

  it('the connection of an unread body is not reused', async () => {
    const port = await serve(() => Promise.resolve({ ...value('no'), code: 401 }));
    const text = await raw(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nbegin');

    expect(text).toContain('HTTP/1.1 401');
    expect(text).toContain('Connection: close');
  });

  it('a client that expects 100-continue gets it when the body is read', async () => {
    const port = await serve(reading);
    const answer = await raw(
      port,
      'POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    );

    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
  });
});

/** Values until the request ends; records when it did. */
async function* ticking(signal: AbortSignal, ended: () => void): AsyncGenerator<Json> {
  try {
    yield 1;
    yield { a: 2 };
    await new Promise<void>((resolve) =>
      signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve()),
    );
  } finally {
    ended();
  }
}

describe('a stream', () => {
  function streaming(ended: () => void): (one: ApiRequest) => Promise<ApiResponse> {
    return ({ signal }) =>
      Promise.resolve({ code: 200, headers: {}, body: { kind: 'stream', values: ticking(signal, ended) } });
  }

  it('a stream is sent line by line, and ends when the client disconnects', async () => {
    const ended = new Promise<void>((resolve) => {
      void serve(streaming(resolve)).then((port) => {
        const sent = request({ host: '127.0.0.1', port, agent, servername: 'localhost' }, (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => {
            text += chunk.toString('utf8');
            if (text === '1\n{"a":2}\n') sent.destroy();
          });
          response.on('error', () => undefined);
        });
        sent.on('error', () => undefined);
        sent.end();
      });
    });

    await expect(ended).resolves.toBeUndefined();
  });

  it('a closing server ends streams and finishes other responses', async () => {
    let finish: (answer: ApiResponse) => void = () => undefined;
    let begun: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const port = await serve((one) => {
      if (one.target === '/watch') return streaming(() => undefined)(one);
      begun();
      return new Promise<ApiResponse>((resolve) => {
        finish = resolve;
      });
    });
    const watch = send(port, { path: '/watch' });
    const write = send(port, { path: '/write' });
    await waiting;
    const closed = listener?.close(5000);
    expect((await watch).text).toBe('1\n{"a":2}\n');
    finish(value('written'));
    expect((await write).text).toBe('"written"\n');
    await closed;
    await expect(send(port)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a certificate', () => {
  it('a certificate is usable until a month before its end, for its authority and its host only', async () => {
    const other = await issueAuthority(NOW);
    const good = (now: number, host: string | undefined, issuer = authority): boolean =>
      isUsable(serving, now, { authority: issuer, host });

    expect([
      good(NOW, 'hub.example.com'),
      good(NOW, 'localhost'),
      good(NOW, 'other.example.com'),
      good(NOW, 'localhost', other),
    ]).toEqual([true, true, false, false]);
    // All addresses of the machine must be in it.
    expect(isUsable(await issueServing(authority, '0.0.0.0', NOW), NOW, { authority, host: '0.0.0.0' })).toBe(true);
    expect([good(NOW + YEAR_MS * 0.9, 'localhost'), good(NOW + YEAR_MS * 0.95, 'localhost')]).toEqual([true, false]);
    expect([
      isUsable(authority, NOW),
      isUsable(serving, NOW),
      isUsable({ ...authority, privateKey: other.privateKey }, NOW),
    ]).toEqual([true, false, false]);
    expect(isUsable({ certificate: 'x', privateKey: 'y' }, NOW)).toBe(false);
  });
});
