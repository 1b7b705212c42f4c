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

// conformance/exchange has what kube-apiserver answers to unknown paths, methods and media types.
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

  it('a body that is too large is refused', async () => {
    const { answer } = await ask(`POST ${THINGS} ${'x'.repeat(3 * 1024 * 1024 + 1)}`, {
      'content-type': 'application/json',
    });

    expect(summary(answer)).toBe('413 Request entity too large: limit is 3145728');
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
