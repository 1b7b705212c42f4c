import { describe, expect, it } from '@jest/globals';

import { MultiClusterEngines } from '../../../src/api/resources.js';
import { headerMap } from '../../../src/gateway/request/headers.js';
import { acceptedType } from '../../../src/gateway/request/media.js';
import type { Action } from '../../../src/gateway/request/routes.js';
import { mapResponse, type RequestInfo } from '../../../src/gateway/response/mapresponse.js';
import { UpstreamError } from '../../../src/gateway/upstream/error.js';
import type { UpstreamResponse } from '../../../src/gateway/upstream/upstream.js';
import { mapping } from '../openapi/document.js';
import { ENGINE, PLACEMENT } from '../upstream.js';

const WRITES: readonly Action[] = ['create', 'update', 'delete'];
const TEXT = JSON.stringify(ENGINE);

function request(action: Action, accept: string, returned: boolean): RequestInfo {
  return {
    action,
    resource: MultiClusterEngines,
    accept: acceptedType(headerMap(['Accept', accept])),
    representation: returned,
    conditional: false,
  };
}

/** A response of the API server; its body ends with `error` when there is one. */
function response(given: Partial<UpstreamResponse>, body: string | Buffer, error?: Error): UpstreamResponse {
  const read = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(body);
    if (error !== undefined) throw error;
  };
  return { status: 200, contentType: 'application/json', retryAfter: undefined, body: read(), ...given };
}

const FAULTS: readonly (readonly [string, () => UpstreamResponse, string])[] = [
  ['breaks off', () => response({}, TEXT.slice(0, 20), new UpstreamError('broken', 'UND_ERR_SOCKET')), 'broken'],
  ['stands still', () => response({}, '', new UpstreamError('timeout', 'TIMEOUT')), 'timeout'],
  ['is truncated JSON', () => response({}, TEXT.slice(0, 20)), 'broken'],
  ['is not UTF-8', () => response({}, Buffer.from(TEXT.replace('engine"', '\xe9"'), 'latin1')), 'broken'],
  ['is not an object', () => response({}, '[]'), 'broken'],
  ['is of another kind', () => response({}, JSON.stringify(PLACEMENT)), 'broken'],
  ['is empty', () => response({}, ''), 'broken'],
  ['is larger than 1 MiB', () => response({}, JSON.stringify({ ...ENGINE, spec: 'x'.repeat(2 ** 20) })), 'broken'],
  ['comes with another status of success', () => response({ status: 204 }, ''), 'broken'],
  ['fails for another reason', () => response({}, TEXT, new TypeError('a fault')), 'broken'],
];

describe.each(FAULTS)('a response to a write with a success status whose body %s', (what, faulty, reason) => {
  it.each(
    WRITES.flatMap((action) =>
      ['application/json', 'application/yaml'].flatMap((accept) =>
        [false, true].map((returned) => [action, accept, returned] as const),
      ),
    ),
  )(
    `a response to a write whose body ${what} is mapped to 200 without a body (%s, %s, Prefer: %s), with the failure`,
    async (action, accept, returned) => {
      const mapped = await mapResponse(faulty(), request(action, accept, returned), mapping);

      expect(mapped).toEqual({ code: 200, headers: {}, failure: expect.any(UpstreamError) });
      expect(mapped.failure?.reason).toBe(reason);
    },
  );
});

it.each(FAULTS.filter(([what]) => !what.includes('1 MiB')))(
  'a response to a read whose body %s is an error',
  async (_what, faulty) => {
    await expect(mapResponse(faulty(), request('get', 'application/json', false), mapping)).rejects.toBeInstanceOf(
      Error,
    );
  },
);

it.each([...WRITES, 'get'] as const)('a response to a %s that is not JSON is an error', async (action) => {
  for (const contentType of ['text/html', ''])
    await expect(
      mapResponse(response({ contentType }, TEXT), request(action, 'application/json', true), mapping),
    ).rejects.toMatchObject({ reason: 'broken', code: 'CONTENT_TYPE' });
});

it.each(WRITES)('a response to a %s whose client has left is not mapped', async (action) => {
  const left = response({}, '', new UpstreamError('abandoned', 'CLIENT_GONE'));

  await expect(mapResponse(left, request(action, 'application/json', true), mapping)).rejects.toMatchObject({
    reason: 'abandoned',
  });
});

it.each<[boolean, object]>([
  [false, {}],
  [true, { 'content-type': 'application/json', 'preference-applied': 'return=representation' }],
])('a usable response to a write has the entity tag and no failure (Prefer: %s)', async (returned, headers) => {
  const { body, ...mapped } = await mapResponse(
    response({ status: 201 }, TEXT),
    request('create', 'application/json', returned),
    mapping,
  );

  expect(mapped).toEqual({ code: 200, headers: { ...headers, etag: '"7"' } });
  expect(body?.toString()).toBe(returned ? TEXT : undefined);
});
