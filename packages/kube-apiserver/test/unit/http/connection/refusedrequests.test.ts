import { afterEach, describe, expect, it } from '@jest/globals';

import type { ApiRequest, ApiResponse } from '../../../../src/request.js';
import { StatusError } from '../../../../src/status.js';
import { ManualClock } from '../../../../testing/clock.js';
import { readToEnd, openListener, sendPlain, type ListenerFixture } from '../listenerfixture.js';

const MIB = 1024 * 1024;
let fixture: ListenerFixture | undefined;

afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

async function reading({ body }: ApiRequest): Promise<ApiResponse> {
  try {
    return {
      code: 200,
      headers: {},
      body: { kind: 'value', value: typeof body === 'function' ? (await body()).length : 0 },
    };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { code: error.code, headers: {}, body: { kind: 'value', value: error.message } };
  }
}

describe('a client that looks for the answer when it has sent all', () => {
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB, 'x'), Buffer.from('\r\n')]);

  it.each([
    ['a body of 20 MiB', `Content-Length: ${20 * MIB}`, Array.from({ length: 20 }, () => Buffer.alloc(MIB, 'x'))],
    [
      '20 MiB in chunks',
      'Transfer-Encoding: chunked',
      [...Array.from({ length: 20 }, () => chunk), Buffer.from('0\r\n\r\n')],
    ],
  ])(
    'a client that reads only after sending gets the 413 for %s',
    async (_name, header, parts) => {
      // However long sending takes, no time limit ends it.
      fixture = await openListener({ dispatch: reading, clock: new ManualClock() });
      const socket = await fixture.silent(`POST / HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
      for (const part of parts)
        await new Promise<void>((resolve, reject) =>
          socket.write(part, (error) => (error ? reject(error) : resolve())),
        );
      const text = (await readToEnd(socket)).toString('utf8');

      expect(text).toMatch(/^HTTP\/1\.1 413 Request Entity Too Large\r\n/);
      expect(text).toContain('Connection: close\r\n');
      expect(text).toContain('Request entity too large: limit is 3145728');
    },
    180_000,
  );

  it('a client with a body that is too large gets no 100-continue', async () => {
    fixture = await openListener({ dispatch: reading });
    const socket = await fixture.silent(
      `POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${20 * MIB}\r\n\r\n`,
    );

    expect((await readToEnd(socket)).toString('utf8')).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('a client that sends for too long is disconnected', async () => {
    fixture = await openListener({ dispatch: reading });
    const socket = await fixture.silent(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${1000 * MIB}\r\n\r\n`);
    socket.removeAllListeners('error').on('error', () => undefined);
    const over = readToEnd(socket);
    let sent = 0;
    const more = (error?: Error | null): void => {
      if ((error ?? undefined) !== undefined || sent === 1000) return;
      sent += 1;
      socket.write(Buffer.alloc(MIB), more);
    };
    more();
    await over;

    expect(sent).toBeLessThan(200);
  }, 180_000);
});

describe('a client without TLS', () => {
  const HTTPS_ONLY = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

  it.each([
    ['that asks', 'GET /version HTTP/1.1\r\nHost: x\r\n\r\n', HTTPS_ONLY],
    ['that sends', 'POST /api HTTP/1.1\r\nHost: x\r\n\r\n', HTTPS_ONLY],
    ['of an odd method', 'DELETE / HTTP/1.1\r\nHost: x\r\n\r\n', ''],
  ])("a plain HTTP client %s gets the message of Go's server", async (_name, text, answer) => {
    fixture = await openListener({ dispatch: reading });

    expect(await sendPlain(fixture.listener.port, text)).toBe(answer);
    expect((await fixture.get('/')).code).toBe(200);
  });
});
