import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { MEDIA_TYPES } from '../../src/gateway/request/media.js';
import { answerNormally, PLACEMENT, reply } from './upstream.js';
import { CANARY, type Ask } from './client.js';
import { ENGINE_YAML, ENGINES, PLACEMENT_YAML, PLACEMENTS, PLACEMENTS_APIS, startRig, type Rig } from './rig.js';

const UP_ENGINES = '/apis/multicluster.platform.io/v1alpha1/multiclusterengines';
const UP_PLACEMENTS = '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/shop/placements';
const YAML = { 'content-type': 'application/yaml' };
const STRICT = '?fieldValidation=Strict';

let rig: Rig;
let strict: Rig;

beforeAll(async () => {
  [rig, strict] = await Promise.all([startRig(), startRig({ strict: true })]);
});

afterAll(async () => {
  await Promise.all([rig.stop(), strict.stop()]);
});

beforeEach(() => {
  for (const one of [rig, strict]) {
    one.upstream.script = answerNormally;
    one.upstream.requests.length = 0;
  }
});

describe('an operation of the interface', () => {
  it.each<[string, Ask, string, string]>([
    [
      '1 create an engine',
      { method: 'POST', path: ENGINES, headers: { 'content-type': 'MultiClusterEngines/yaml' }, body: ENGINE_YAML },
      'POST',
      `${UP_ENGINES}${STRICT}`,
    ],
    ['3 delete an engine', { method: 'DELETE', path: `${ENGINES}/engine` }, 'DELETE', `${UP_ENGINES}/engine`],
    [
      '5 create a placement',
      { method: 'POST', path: PLACEMENTS, headers: { 'content-type': 'placement/yaml' }, body: PLACEMENT_YAML },
      'POST',
      `${UP_PLACEMENTS}${STRICT}`,
    ],
    ['7 delete a placement', { method: 'DELETE', path: `${PLACEMENTS}/web` }, 'DELETE', `${UP_PLACEMENTS}/web`],
    [
      '5 create a placement, with /apis',
      { method: 'POST', path: PLACEMENTS_APIS, headers: YAML, body: PLACEMENT_YAML },
      'POST',
      `${UP_PLACEMENTS}${STRICT}`,
    ],
    [
      '7 delete a placement, with /apis',
      { method: 'DELETE', path: `${PLACEMENTS_APIS}/web` },
      'DELETE',
      `${UP_PLACEMENTS}/web`,
    ],
    [
      'update an engine',
      { method: 'PUT', path: `${ENGINES}/engine`, headers: { ...YAML, 'if-match': '"7"' }, body: ENGINE_YAML },
      'PUT',
      `${UP_ENGINES}/engine${STRICT}`,
    ],
    [
      'update a placement',
      { method: 'PUT', path: `${PLACEMENTS}/web`, headers: { ...YAML, 'if-match': '"8"' }, body: PLACEMENT_YAML },
      'PUT',
      `${UP_PLACEMENTS}/web${STRICT}`,
    ],
  ])(
    'an operation that writes (%s) makes one upstream call and answers 200 without a body',
    async (_name, ask, method, path) => {
      const answer = await rig.ask(ask);

      expect(answer).toMatchObject({ status: 200, body: '' });
      expect(answer.headers['content-length']).toBe('0');
      expect(rig.upstream.requests).toMatchObject([{ method, path }]);
    },
  );

  it.each<[string, string, string, string, string]>([
    ['2 list engines', ENGINES, UP_ENGINES, 'MultiClusterEngineList', '"9"'],
    ['4 list placements', PLACEMENTS, UP_PLACEMENTS, 'PlacementList', '"9"'],
    ['6 read a placement', `${PLACEMENTS}/web`, `${UP_PLACEMENTS}/web`, 'Placement', '"8"'],
    ['read an engine', `${ENGINES}/engine`, `${UP_ENGINES}/engine`, 'MultiClusterEngine', '"7"'],
    ['4 list placements, with /apis', PLACEMENTS_APIS, UP_PLACEMENTS, 'PlacementList', '"9"'],
    ['6 read a placement, with /apis', `${PLACEMENTS_APIS}/web`, `${UP_PLACEMENTS}/web`, 'Placement', '"8"'],
  ])(
    'an operation that reads (%s) makes one upstream call and answers 200 with the object or list',
    async (_name, path, upstreamPath, kind, etag) => {
      const answer = await rig.ask({ path, headers: { 'content-type': 'operator/yaml' } });

      expect(answer).toMatchObject({ status: 200, headers: { etag, 'content-type': 'application/json' } });
      expect(JSON.parse(answer.body)).toMatchObject({ kind });
      expect(rig.upstream.requests).toMatchObject([{ method: 'GET', path: upstreamPath, body: '' }]);
    },
  );

  it('the gateway sends five fixed headers upstream, beside host and connection, and none of the client', async () => {
    const odd = {
      'impersonate-user': 'root',
      'x-remote-user': 'root',
      'x-forwarded-for': '1.2.3.4',
      forwarded: 'for=x',
      via: 'x',
      'proxy-authorization': 'x',
      'user-agent': 'mine',
      'accept-language': 'de',
      connection: 'authorization, keep-alive',
    };

    await rig.ask({ method: 'POST', path: PLACEMENTS, headers: { ...YAML, ...odd }, body: PLACEMENT_YAML });

    const [request] = rig.upstream.requests;
    expect(request?.headers.map((one) => one.toLowerCase()).sort()).toEqual([
      'accept: application/json',
      `authorization: bearer ${CANARY}`.toLowerCase(),
      'connection: keep-alive',
      `content-length: ${request?.body.length}`,
      'content-type: application/json',
      expect.stringMatching(/^host: 127\.0\.0\.1:\d+$/),
      'user-agent: multicluster-engine-gateway/test',
    ]);
  });

  it.each(
    MEDIA_TYPES.flatMap(({ name, format }) =>
      [name, name.toUpperCase(), `${name}; charset=UTF-8`].map((type) => [type, format] as const),
    ),
  )('the gateway accepts a body of type %s', async (type, format) => {
    const body =
      format === 'yaml' ? PLACEMENT_YAML : JSON.stringify({ metadata: { name: 'web' }, spec: { numberOfClusters: 2 } });

    expect((await rig.ask({ method: 'POST', path: PLACEMENTS, headers: { 'content-type': type }, body })).status).toBe(
      200,
    );
    expect(JSON.parse(rig.upstream.requests[0]?.body ?? '')).toEqual({
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'Placement',
      metadata: { name: 'web' },
      spec: { numberOfClusters: 2 },
    });
  });

  it.each(MEDIA_TYPES)('the gateway answers a read as $name when Accept requests it', async ({ name, format }) => {
    const { headers, body } = await rig.ask({ path: `${PLACEMENTS}/web`, headers: { accept: name } });

    expect(headers['content-type']).toBe(name);
    expect(format === 'json' ? JSON.parse(body) : load(body)).toEqual(PLACEMENT);
  });

  it('the gateway returns the written object when Prefer requests it', async () => {
    const headers = { ...YAML, prefer: 'return=representation' };

    const answer = await rig.ask({ method: 'POST', path: PLACEMENTS, headers, body: PLACEMENT_YAML });

    expect(answer).toMatchObject({
      status: 200,
      headers: { 'preference-applied': 'return=representation', etag: '"8"' },
    });
    expect(JSON.parse(answer.body)).toEqual(PLACEMENT);
  });

  it('the gateway accepts the token in the Authorization header, too', async () => {
    const answer = await rig.ask({ path: ENGINES, token: '', headers: { authorization: 'Bearer abc' } });

    expect(answer.status).toBe(200);
    expect(rig.upstream.requests[0]?.headers).toContain('authorization: Bearer abc');
  });

  it('the gateway gives the body of a PUT the name of the path', async () => {
    await rig.ask({
      method: 'PUT',
      path: `${PLACEMENTS}/web`,
      headers: { ...YAML, 'if-match': '"8"' },
      body: 'metadata: {}\nspec: {}',
    });

    expect(JSON.parse(rig.upstream.requests.at(-1)?.body ?? '')).toMatchObject({
      metadata: { name: 'web', resourceVersion: '8' },
    });
  });

  it('the gateway replaces or deletes only at the resourceVersion of If-Match', async () => {
    await rig.ask({
      method: 'PUT',
      path: `${PLACEMENTS}/web`,
      headers: { ...YAML, 'if-match': '"8"' },
      body: PLACEMENT_YAML,
    });
    await rig.ask({ method: 'DELETE', path: `${PLACEMENTS}/web`, headers: { 'if-match': '"8"' } });
    await rig.ask({ method: 'DELETE', path: `${PLACEMENTS}/web`, headers: { 'if-match': '*' } });

    expect(rig.upstream.requests.map(({ body }) => (body === '' ? 'none' : JSON.parse(body)))).toMatchObject([
      { metadata: { name: 'web', resourceVersion: '8' } },
      { kind: 'DeleteOptions', preconditions: { resourceVersion: '8' } },
      'none',
    ]);
  });
});

describe('a response of the API server', () => {
  const INVALID = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: 422,
    reason: 'Invalid',
    message: 'SECRET UPSTREAM TEXT',
    details: {
      causes: [{ reason: 'FieldValueInvalid', field: 'spec.numberOfClusters', message: 'SECRET UPSTREAM TEXT' }],
    },
  };
  const CREATE: Ask = { method: 'POST', path: PLACEMENTS, headers: YAML, body: PLACEMENT_YAML };
  const PUT: Ask = {
    method: 'PUT',
    path: `${PLACEMENTS}/web`,
    headers: YAML,
    body: '{metadata: {name: web, resourceVersion: "8"}, spec: {}}',
  };
  const IF_MATCH: Ask = { ...PUT, headers: { ...YAML, 'if-match': '"8"' } };
  const READ: Ask = { path: `${PLACEMENTS}/web` };

  it.each<[string, number, Ask, string]>([
    ['a malformed token', 200, { ...READ, token: 'a b' }, 'exactly one access token is needed'],
    ['an expired token', 401, READ, 'the token is not valid or has expired'],
    ['a user without the permission', 403, CREATE, 'the user does not have the permission'],
  ])(
    'the gateway answers %s with a Status in the body, and with none in strict mode',
    async (_what, status, ask, says) => {
      for (const one of [rig, strict]) one.upstream.script = (_request, socket) => socket.write(reply(status, {}));

      const [answer, folded] = [await rig.ask(ask), await strict.ask(ask)];

      expect([answer.status, folded.status, folded.body]).toEqual([403, 403, '']);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(JSON.parse(answer.body)).toMatchObject({
        kind: 'Status',
        reason: 'Forbidden',
        code: 403,
        message: expect.stringContaining(says),
      });
    },
  );

  it.each<[number, Ask, number, number, unknown?]>([
    [400, CREATE, 400, 403, { message: 'strict decoding error: unknown field "spec.foo"' }],
    [401, READ, 403, 403],
    [403, CREATE, 403, 403],
    [404, READ, 404, 404],
    [404, CREATE, 404, 404],
    [409, CREATE, 409, 403, { reason: 'AlreadyExists' }],
    [409, PUT, 409, 403, { reason: 'Conflict' }],
    [409, IF_MATCH, 412, 403, { reason: 'Conflict' }],
    [413, CREATE, 413, 403],
    [422, CREATE, 422, 403, INVALID],
    [429, READ, 503, 503],
    [500, READ, 500, 500],
    [502, READ, 500, 500],
    [503, READ, 503, 503],
    [504, READ, 503, 503],
    [204, READ, 500, 500],
    [206, READ, 500, 500],
    [301, READ, 500, 500],
    [307, CREATE, 500, 500],
    [405, READ, 500, 500],
    [410, READ, 500, 500],
    [415, CREATE, 500, 500],
    [418, READ, 500, 500],
  ])(
    'the gateway maps an upstream response with %i to %j to %i, and to %i with strict status codes',
    async (status, ask, code, strictCode, statusFields = {}) => {
      for (const [one, wanted] of [
        [rig, code],
        [strict, strictCode],
      ] as const) {
        one.upstream.script = (_request, socket) =>
          socket.write(
            reply(
              status,
              { message: 'SECRET UPSTREAM TEXT', ...Object(statusFields) },
              { 'set-cookie': 'a=b', 'x-upstream': 'yes', location: 'https://127.0.0.1:1/', 'retry-after': '7' },
            ),
          );
        const answer = await one.ask(ask);

        expect(answer.status).toBe(wanted);
        expect(JSON.stringify(answer)).not.toMatch(/SECRET|set-cookie|x-upstream|location/);
        expect(answer.headers['retry-after']).toBe(wanted === 503 ? '7' : undefined);
        expect(one.upstream.requests).toHaveLength(1);
        one.upstream.requests.length = 0;
      }
    },
  );

  it('the gateway maps an upstream response with invalid fields to an error that names them with messages of the gateway', async () => {
    rig.upstream.script = (_request, socket) => socket.write(reply(422, INVALID));

    const { body } = await rig.ask(CREATE);

    expect(JSON.parse(body)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'Invalid',
      code: 422,
      message: 'spec.numberOfClusters: the number 2: must be a whole number from 0 to 2147483647',
      details: {
        causes: [
          {
            field: 'spec.numberOfClusters',
            reason: 'FieldValueInvalid',
            message: 'the number 2: must be a whole number from 0 to 2147483647',
          },
        ],
      },
    });
  });

  it.each<[string, Ask, number, RegExp]>([
    [
      'POST with a resourceVersion',
      { ...CREATE, body: 'metadata: {name: web, resourceVersion: "5"}' },
      422,
      /^metadata\.resourceVersion: the string "5": must be absent: /,
    ],
    [
      'POST with one that is no number',
      { ...CREATE, body: 'metadata: {name: web, resourceVersion: abc}' },
      422,
      /^metadata\.resourceVersion: the string "abc": must be absent: /,
    ],
    [
      'PUT at a resourceVersion that no object has',
      { ...PUT, body: 'metadata: {name: web, resourceVersion: abc}' },
      422,
      /^metadata\.resourceVersion: the string "abc": must be a resourceVersion that was read/,
    ],
    [
      'PUT at none',
      { ...PUT, body: 'metadata: {name: web}' },
      422,
      /^metadata\.resourceVersion: must be the resourceVersion that was read/,
    ],
    [
      'PUT at any, which is none',
      { ...PUT, headers: { ...YAML, 'if-match': '*' }, body: 'metadata: {name: web}' },
      422,
      /^metadata\.resourceVersion: must be the resourceVersion that was read/,
    ],
    [
      'PUT at an If-Match that no object has',
      { ...PUT, headers: { ...YAML, 'if-match': '"abc"' } },
      412,
      /^header if-match names no revision/,
    ],
    [
      'PUT of another name',
      { ...PUT, body: 'metadata: {name: x, resourceVersion: "8"}' },
      400,
      /^metadata\.name: the string "x": must be "web"/,
    ],
    [
      'GET under If-Match',
      { path: `${PLACEMENTS}/web`, headers: { 'if-match': '"8"' } },
      400,
      /^header if-match is supported for PUT and DELETE only/,
    ],
    [
      'POST under If-Match',
      { ...CREATE, headers: { ...YAML, 'if-match': '*' } },
      400,
      /^header if-match is supported for PUT and DELETE only/,
    ],
    [
      'label that is no string',
      { ...CREATE, body: 'metadata: {name: web, labels: {a: 1}}' },
      400,
      /^metadata\.labels\.a: the number 1: must be a string$/,
    ],
  ])('the gateway rejects a %s with %i and makes no upstream call', async (_what, ask, code, message) => {
    const { status, body } = await rig.ask(ask);

    expect({ status, message: JSON.parse(body).message }).toEqual({
      status: code,
      message: expect.stringMatching(message),
    });
    expect(rig.upstream.requests).toEqual([]);
  });

  it('the gateway passes on a create of an object that was read from the API before', async () => {
    const metadata = {
      name: 'web',
      uid: 'x',
      generation: 7,
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [],
      resourceVersion: '',
    };

    expect(
      (
        await rig.ask({
          ...CREATE,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ metadata, spec: {} }),
        })
      ).status,
    ).toBe(200);
    expect(JSON.parse(rig.upstream.requests[0]?.body ?? '')).toMatchObject({ metadata });
  });

  it.each([
    ['0', '1'],
    ['-1', '1'],
    ['59', '59'],
    ['99999', '60'],
    ['Wed, 21 Oct 2015 07:28:00 GMT', '1'],
    ['', '1'],
  ])('the gateway maps an upstream response with Retry-After %j to one with Retry-After %s', async (given, seconds) => {
    rig.upstream.script = (_request, socket) => socket.write(reply(429, {}, { 'retry-after': given }));

    const { status, headers } = await rig.ask(READ);

    expect([status, headers['retry-after']]).toEqual([503, seconds]);
  });
});

describe('the gateway', () => {
  it('the gateway serves the OpenAPI document without a token and without an upstream call', async () => {
    const { status, body, headers } = await rig.ask({ path: '/platform/openapi.json', token: '' });

    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(JSON.parse(body)).toMatchObject({ openapi: '3.1.0' });
    expect(rig.upstream.requests).toEqual([]);
  });

  it.each(['/livez', '/readyz'])('the gateway answers %s with 200', async (path) => {
    expect(await rig.ask({ path, token: '' })).toMatchObject({ status: 200, body: '' });
  });

  it('the gateway counts upstream calls by status code, and those without a response', async () => {
    const count = async (code: string): Promise<number> =>
      Number(
        new RegExp(`upstream_requests_total\\{method="DELETE",code="${code}"\\} (\\d+)`).exec(
          String(await rig.metrics.text()),
        )?.[1] ?? 0,
      );
    const before = [await count('404'), await count('<error>')];
    rig.upstream.script = (_request, socket) => socket.write(reply(404, {}));
    await rig.ask({ method: 'DELETE', path: `${ENGINES}/engine` });
    rig.upstream.script = (_request, socket) => socket.destroy();
    await rig.ask({ method: 'DELETE', path: `${ENGINES}/engine` });

    expect([await count('404'), await count('<error>')]).toEqual(before.map((one) => one + 1));
  });

  it('the gateway counts requests by route, method and code, and logs names without query, token or body', async () => {
    await rig.ask({ path: `${PLACEMENTS}/web` });
    await rig.ask({ path: `${PLACEMENTS}/web?secret-query=1` });

    const text = String(await rig.metrics.text());
    const template = '/platform/cluster.fleetmgmt.io/v1alpha1/namespaces/{namespace}/placements/{placement_name}';
    expect(text).toMatch(`multicluster_gateway_requests_total{route="${template}",method="GET",code="200"}`);
    expect(text).toMatch(`multicluster_gateway_requests_total{route="${template}",method="GET",code="400"}`);
    expect(rig.log.lines.at(-2)).toMatchObject({
      level: 'info',
      message: 'request',
      fields: { route: template, method: 'GET', code: 200, namespace: 'shop', object: 'web' },
    });
    expect(JSON.stringify(rig.log.lines)).not.toMatch(/secret-query|canary|numberOfClusters/);
  });
});
