import { describe, expect, it } from '@jest/globals';

import { createRouter } from '../../../src/http/router.js';
import { isObject, type Json } from '@multicluster-engine/values/json';
import type { ApiResponse } from '../../../src/request.js';
import { FakeVerbs, request, routerDeps } from './routerfixture.js';

const THINGS = '/apis/example.com/v1/namespaces/ns/things';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

async function ask(
  line: string,
  headers: Record<string, string> = {},
): Promise<{ answer: ApiResponse; calls: readonly string[] }> {
  const verbs = new FakeVerbs();
  const answer = await createRouter(routerDeps(verbs)).dispatch(request(line, headers));
  return { answer, calls: verbs.calls };
}

function valueOf({ body }: ApiResponse): Json {
  if (body.kind === 'value') return body.value;
  return body.kind === 'bytes' ? (body.value ?? Buffer.from(body.bytes).toString('utf8')) : 'a stream';
}

function summary(answer: ApiResponse): string {
  const value = valueOf(answer);
  const text = isObject(value) ? (value['message'] ?? value['kind']) : value;
  return `${answer.code} ${typeof text === 'string' ? text.trim() : JSON.stringify(text)}`;
}

describe('a request on a resource', () => {
  it.each([
    ['GET /api/v1/namespaces/ns/configmaps/a', 'get|configmaps|ns|a'],
    ['GET /api/v1/configmaps', 'list|configmaps||'],
    ['GET /api/v1/namespaces//configmaps', 'list|configmaps||'],
    ['GET /api/v1/namespaces/ns/configmaps?watch=1', 'watch|configmaps|ns|'],
    ['GET /api/v1/watch/namespaces/ns/configmaps/a', 'watch|configmaps|ns|'],
    ['GET /api/v1/namespaces/a', 'get|namespaces||a'],
    ['GET /api/v1/namespaces/a/status', 'get|namespaces/status||a'],
    ['POST /api/v1/namespaces/ns/configmaps {"a":1}', 'create {"a":1}|configmaps|ns|'],
    ['PUT /api/v1/namespaces/ns/configmaps/a {}', 'update {}|configmaps|ns|a'],
    ['DELETE /api/v1/namespaces/ns/configmaps/a', 'delete undefined|configmaps|ns|a'],
    ['DELETE /api/v1/namespaces/ns/configmaps/a {"x":1}', 'delete {"x":1}|configmaps|ns|a'],
    ['DELETE /api/v1/namespaces/ns/configmaps', 'deletecollection|configmaps|ns|'],
    [`GET ${THINGS}/a/status`, 'get|things/status|ns|a'],
    [`GET ${THINGS}/a/status/more`, 'get|things/status|ns|a'],
    [`HEAD ${THINGS}/a`, 'get|things|ns|a'],
    [`POST ${THINGS}/a {}`, 'create {}|things|ns|a'],
    ['GET /apis/example.com/v1/things', 'list|things||'],
    ['POST /apis/reviews.k8s.io/v1/reviews {}', 'create {}|reviews||'],
  ])('the request %s calls %s', async (line, call) => {
    expect((await ask(line)).calls).toEqual([call]);
  });

  it.each([
    ['application/json-patch+json', '[]', 'patch json []|configmaps|ns|a'],
    ['application/merge-patch+json; charset=utf-8', '{"a":1}', 'patch merge {"a":1}|configmaps|ns|a'],
    ['application/strategic-merge-patch+json', '{}', 'patch strategic {}|configmaps|ns|a'],
    ['application/apply-patch+yaml', 'a:\n  - b', 'patch apply {"a":["b"]}|configmaps|ns|a'],
  ])('a patch of type %s with body %s calls %s', async (type, body, call) => {
    const patch = {
      ...request('PATCH /api/v1/namespaces/ns/configmaps/a', { 'content-type': type }),
      body: Buffer.from(body),
    };
    const verbs = new FakeVerbs();
    await createRouter(routerDeps(verbs)).dispatch(patch);

    expect(verbs.calls).toEqual([call]);
  });

  it.each([
    ['GET /api/v1/nopes', '404 the server could not find the requested resource'],
    ['GET /api/v2/configmaps', '404 the server could not find the requested resource'],
    ['GET /api//v1/configmaps', '404 the server could not find the requested resource'],
    ['GET //api/v1/configmaps', '404 404 page not found'],
    ['GET /api/v1/configmaps/a', '404 the server could not find the requested resource'],
    ['GET /api/v1/namespaces/ns/nodes/a', '404 the server could not find the requested resource'],
    ['GET /api/v1/namespaces/ns/namespaces/a', '404 the server could not find the requested resource'],
    ['GET /api/v1/namespaces/ns/configmaps/a/status', '404 the server could not find the requested resource'],
    ['GET /api/v1/namespaces/ns/configmaps/a/b/c', '404 the server could not find the requested resource'],
    ['GET /apis/reviews.k8s.io/v1/reviews/a', '404 the server could not find the requested resource'],
    ['GET /api/v1/namespaces/ns/configmaps/b', '404 configmaps "b" not found'],
    ['GET /api/v1/namespaces/ns/configmaps/..', `400 Name parameter invalid: "..": may not be '..'`],
    ['GET /api/v1/namespaces/ns/configmaps/%25', `400 Name parameter invalid: "%": may not contain '%'`],
    ['GET /api/v1/namespaces/ns/configmaps/%2', '400 400 Bad Request'],
    ['POST /api/v1/configmaps {}', '405 the server does not allow this method on the requested resource'],
    ['DELETE /api/v1/namespaces', '405 the server does not allow this method on the requested resource'],
    ['HEAD /api/v1/configmaps', '405 the server does not allow this method on the requested resource'],
    ['OPTIONS /api/v1/configmaps', '405 the server does not allow this method on the requested resource'],
    ['GET /apis/reviews.k8s.io/v1/reviews', '405 the server does not allow this method on the requested resource'],
    ['GET /apis/example.com/v1/nopes', '404 404 page not found'],
    ['GET /apis/example.com/v2/things', '404 404 page not found'],
    ['GET /apis/example.com/v1/things/a', '404 404 page not found'],
    ['POST /apis/example.com/v1/things {}', '404 404 page not found'],
    ['GET /apis/example.com/v1/namespaces/ns/globs', '404 404 page not found'],
    [`GET ${THINGS}/a/scale`, '404 things.example.com "a" not found'],
    [`DELETE ${THINGS}/a/status`, '405 delete is not supported on resources of kind "things.example.com"'],
    [`PUT ${THINGS} {}`, '400 name must be provided'],
    [
      'GET /api/v1/watch',
      '500 Internal Server Error: "/api/v1/watch": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch',
    ],
    ['GET /nope', '404 404 page not found'],
    [
      'POST /api/v1/namespaces/ns/configmaps',
      `400 the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)`,
    ],
  ])('the request %s gets %s', async (line, answer) => {
    const { answer: given, calls } = await ask(line);

    expect(summary(given)).toBe(answer);
    expect(calls.filter((one) => !one.startsWith('get|configmaps|ns|b'))).toEqual([]);
  });

  it.each([
    ['PATCH /api/v1/namespaces/ns/configmaps/a {}', 'application/json', '415 415: Unsupported Media Type'],
    [
      `PATCH ${THINGS}/a {}`,
      'application/strategic-merge-patch+json',
      '415 the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    ],
    [
      'POST /api/v1/namespaces/ns/configmaps x',
      'text/plain',
      '415 the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      `POST ${THINGS} x`,
      'application/vnd.kubernetes.protobuf',
      '415 the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      `POST ${THINGS} ${'x'.repeat(3 * 1024 * 1024 + 1)}`,
      'application/json',
      '413 Request entity too large: limit is 3145728',
    ],
  ])('a body of the wrong type or size is refused (%#)', async (line, type, answer) => {
    expect(summary((await ask(line, { 'content-type': type })).answer)).toBe(answer);
  });

  it('a client can send protobuf to a built-in kind', async () => {
    const { calls } = await ask('POST /api/v1/namespaces/ns/configmaps xyz', {
      'content-type': 'application/vnd.kubernetes.protobuf',
    });

    expect(calls).toEqual(['create {"protobuf":3}|configmaps|ns|']);
  });
});

describe('an answer', () => {
  it.each([
    [
      'GET /api/v1/namespaces/ns/configmaps/a',
      '',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns', resourceVersion: '5' } },
    ],
    [
      'GET /api/v1/namespaces/ns/configmaps',
      '',
      {
        kind: 'ConfigMapList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '7' },
        items: [{ metadata: { name: 'a', namespace: 'ns', resourceVersion: '5' } }],
      },
    ],
    [
      `GET ${THINGS}`,
      '',
      {
        kind: 'ThingList',
        apiVersion: 'example.com/v1',
        metadata: { resourceVersion: '7', continue: '' },
        items: [
          {
            apiVersion: 'example.com/v1',
            kind: 'Thing',
            metadata: { name: 'a', namespace: 'ns', resourceVersion: '5' },
          },
        ],
      },
    ],
    [
      `GET ${THINGS}`,
      'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: '7' },
        items: [
          {
            kind: 'PartialObjectMetadata',
            apiVersion: 'meta.k8s.io/v1',
            metadata: { name: 'a', namespace: 'ns', resourceVersion: '5' },
          },
        ],
      },
    ],
  ])('the response to %s with Accept "%s" has the value', async (line, accept, value) => {
    expect(valueOf((await ask(line, { accept })).answer)).toEqual(value);
  });

  it('a client can request a Table', async () => {
    expect(valueOf((await ask('GET /api/v1/namespaces/ns/configmaps/a', { accept: TABLE })).answer)).toMatchObject({
      kind: 'Table',
      metadata: { resourceVersion: '5' },
      rows: [{ cells: ['a'], object: { kind: 'PartialObjectMetadata' } }],
    });
  });

  it('a client can request YAML', async () => {
    const { answer } = await ask('GET /api/v1/namespaces/ns/configmaps/a', { accept: 'application/yaml' });

    expect(answer.headers['Content-Type']).toBe('application/yaml');
    expect(answer.body.kind === 'bytes' && Buffer.from(answer.body.bytes).toString('utf8')).toBe(
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: ns\n  resourceVersion: '5'\n`,
    );
  });

  it.each([
    [
      'GET /api/v1/namespaces/ns/configmaps',
      'text/html',
      '406 406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    ],
    [
      'GET /api/v1/namespaces/ns/configmaps/a',
      'application/json;as=Foo',
      '406 only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ],
    [
      `GET ${THINGS}?watch=1`,
      'application/yaml',
      '406 only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    ],
    [
      'GET /api/v1/namespaces/ns/configmaps',
      TABLE.replace('Table', 'PartialObjectMetadata'),
      '406 you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
    ],
    [`GET ${THINGS}/a`, TABLE.replace('Table', 'PartialObjectMetadataList'), '500 content is not a list'],
    [
      'GET /api/v1/namespaces/ns/configmaps?includeObject=Bad',
      TABLE,
      `400 Unable to convert to Table as requested: includeObject: Invalid value: "Bad": must be 'Metadata', 'Object', 'None', or empty`,
    ],
  ])('the response to %s with Accept %s is %s', async (line, accept, text) => {
    expect(summary((await ask(line, { accept })).answer)).toBe(text);
  });

  it('a response has the warnings and the headers against caching', async () => {
    const { answer } = await ask('POST /api/v1/namespaces/ns/configmaps {}', { 'audit-id': 'mine' });

    expect(answer.code).toBe(201);
    expect(answer.headers).toEqual({
      'Audit-Id': 'mine',
      'Cache-Control': 'no-cache, private',
      'Content-Type': 'application/json',
      Warning: ['299 - "careful \\"you\\""'],
    });
  });
});

describe('a version that is deprecated', () => {
  it.each([
    'GET /apis/example.com/v1/olds',
    'GET /apis/example.com/v1/namespaces/ns/olds/b',
    'DELETE /apis/example.com/v1/namespaces/ns/olds/a',
  ])('a request to a deprecated version gets a warning: %s', async (line) => {
    expect((await ask(line)).answer.headers['Warning']).toEqual(['299 - "example.com/v1 Old is deprecated"']);
  });
});

describe('the authentication of a request', () => {
  it.each([
    ['', '/nope', '403 forbidden: User "system:anonymous" cannot get path "/nope"'],
    ['', '/open', '200 open'],
    ['Basic abc', '/nope', '403 forbidden: User "system:anonymous" cannot get path "/nope"'],
    ['Bearer wrong', '/open', '401 Unauthorized'],
    ['bearer bob', '/nope', '403 forbidden: User "bob" cannot get path "/nope"'],
    [
      'Bearer bob',
      '/api/v1/namespaces/ns/configmaps/x',
      '403 configmaps "x" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "ns"',
    ],
    [
      'Bearer bob',
      '/apis/example.com/v1/things',
      '403 things.example.com is forbidden: User "bob" cannot list resource "things" in API group "example.com" at the cluster scope',
    ],
    [
      'Bearer bob',
      '/apis/apps/v1/namespaces/x/deployments/y/scale',
      '403 deployments.apps "y" is forbidden: User "bob" cannot get resource "deployments/scale" in API group "apps" in the namespace "x"',
    ],
    ['Bearer bob', '/a%3Cb%3E', '403 forbidden: User "bob" cannot get path "/a&lt;b&gt;"'],
  ])('the Authorization "%s" on %s gets %s', async (authorization, path, answer) => {
    expect(summary((await ask(`GET ${path}`, { authorization })).answer)).toBe(answer);
  });

  it('an unexpected error becomes a 500', async () => {
    const broken = {
      authorize: (): never => {
        throw new Error('the index is torn');
      },
    };
    const answer = await createRouter(routerDeps(new FakeVerbs(), { authorizer: broken })).dispatch(
      request('GET /open'),
    );

    expect(valueOf(answer)).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: the index is torn',
    });
  });

  it('a request from within the process names its user without a token', async () => {
    const answer = await createRouter(routerDeps(new FakeVerbs())).dispatch({
      ...request('GET /nope', { authorization: '' }),
      user: { name: 'eve', groups: [] },
    });

    expect(summary(answer)).toBe('403 forbidden: User "eve" cannot get path "/nope"');
  });
});
