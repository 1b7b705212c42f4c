import { describe, expect, it } from '@jest/globals';

import type { ApiRequest, ApiResponse } from '@multicluster-engine/kube-apiserver';
import { InProcessRoundTripper } from '../../src/standalone/inprocess.js';
import type { Call } from '../../src/runtime/transport/call.js';
import { createTransportWith } from '../../src/runtime/transport/transport.js';
import { systemClock } from '../../src/runtime/clock.js';
import { RecordingLog } from '../support/fakes/log.js';

const USER = { name: 'system:serviceaccount:a:b', groups: ['system:serviceaccounts'] };
const CALL: Call = {
  method: 'GET',
  path: '/api/v1/namespaces',
  query: { limit: '1' },
  target: { verb: 'list', resource: 'namespaces' },
  idempotent: true,
};

function transportTo(answer: (request: ApiRequest) => Promise<ApiResponse>): ReturnType<typeof createTransportWith> {
  const server = { dispatch: answer };
  const tools = { clock: systemClock, random: () => 0.5, log: new RecordingLog(), userAgent: 'in-process-test' };
  return createTransportWith((wiring) => new InProcessRoundTripper(server, USER, wiring), tools);
}

function refusal(code: number, reason: string): ApiResponse {
  return {
    code,
    headers: {},
    body: { kind: 'value', value: { kind: 'Status', reason, message: `no: ${reason}`, details: { name: 'x' } } },
  };
}

describe('a transport to an in-process server', () => {
  it('a transport to an in-process server sends its user, path, query and headers, and returns the value unchanged', async () => {
    const value = { kind: 'NamespaceList', items: [] };
    const asked: ApiRequest[] = [];
    const transport = transportTo(async (request) => {
      asked.push(request);
      return { code: 200, headers: {}, body: { kind: 'value', value } };
    });
    const answer = await transport.call(CALL);

    expect(answer.body).toBe(value);
    expect(asked.map(({ method, target, user, body }) => ({ method, target, user, body }))).toEqual([
      { method: 'GET', target: '/api/v1/namespaces?limit=1', user: USER, body: undefined },
    ]);
    expect(asked[0]?.headers).toMatchObject({ accept: 'application/json', 'user-agent': 'in-process-test' });
  });

  it('a transport to an in-process server reads an response that was written down', async () => {
    const transport = transportTo(async () => ({
      code: 201,
      headers: {},
      body: { kind: 'bytes', bytes: Buffer.from('{"kind":"X"}') },
    }));

    expect(await transport.call({ ...CALL, method: 'POST', body: '{"a":1}' })).toEqual({
      status: 201,
      body: { kind: 'X' },
    });
  });

  it.each([
    [403, 'Forbidden', 'Forbidden'],
    [404, 'NotFound', 'ResourceMissing'],
    [409, 'Conflict', 'Conflict'],
    [422, 'Invalid', 'Invalid'],
  ])(
    'a transport to an in-process server reports an error response %i %s as %s, like over HTTPS',
    async (code, reason, kind) => {
      const transport = transportTo(async () => refusal(code, reason));

      await expect(
        transport.call({ ...CALL, target: { verb: 'get', resource: 'namespaces', name: 'other' } }),
      ).rejects.toMatchObject({ kind, status: code });
    },
  );

  it('a transport to an in-process server retries after a temporary error', async () => {
    let times = 0;
    const transport = transportTo(async () =>
      ++times === 1
        ? refusal(503, 'ServiceUnavailable')
        : { code: 200, headers: {}, body: { kind: 'value', value: {} } },
    );
    await transport.call(CALL);

    expect(times).toBe(2);
  });

  it('a transport to an in-process server streams the values of a watch as lines, and ends with its signal', async () => {
    const stop = new AbortController();
    async function* values(): AsyncGenerator<{ type: string; object: { n: number } }> {
      yield { type: 'ADDED', object: { n: 1 } };
      yield { type: 'ADDED', object: { n: 2 } };
    }
    const transport = transportTo(async () => ({ code: 200, headers: {}, body: { kind: 'stream', values: values() } }));
    const lines: string[] = [];
    for await (const chunk of await transport.open({ ...CALL, signal: stop.signal }))
      lines.push(Buffer.from(chunk).toString());

    expect(lines).toEqual(['{"type":"ADDED","object":{"n":1}}\n', '{"type":"ADDED","object":{"n":2}}\n']);
  });

  it('a transport to an in-process server ends with its signal, whatever the server does', async () => {
    const stop = new AbortController();
    const transport = transportTo(() => new Promise(() => undefined));
    const call = transport.call({ ...CALL, signal: stop.signal });
    stop.abort();

    await expect(call).rejects.toMatchObject({ kind: 'Aborted' });
  });
});
