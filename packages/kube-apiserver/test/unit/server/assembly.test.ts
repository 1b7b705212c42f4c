import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type Assembly, assemble } from '../../../src/server/assembly.js';
import { generateSigningKey, readSigningKey } from '../../../src/auth/tokens/jwt.js';
import { bootstrap } from '../../../src/server/bootstrap.js';
import { isArray, isObject, type Json } from '@multicluster-engine/values/json';
import type { ApiResponse } from '../../../src/request.js';
import { memoryStore } from '../../../src/store/open.js';
import { ManualClock } from '../../../testing/clock.js';

const signal = new AbortController().signal;
let assembly: Assembly;

beforeAll(async () => {
  const clock = new ManualClock();
  const tokens = [
    { token: 'root', user: 'root', groups: ['system:masters'] },
    { token: 'bob', user: 'bob' },
  ];
  const options = {
    store: memoryStore({ clock }),
    clock,
    signing: readSigningKey(generateSigningKey()),
    tokens,
    audit: undefined,
  };
  assembly = assemble({ ...options, address: () => '127.0.0.1:6443', metrics: () => 'one 1\n' });
  await bootstrap(assembly, []);
});

afterAll(() => assembly.close());

function ask(line: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
  const [method = '', target = '', ...body] = line.split(' ');
  return assembly.router.dispatch({
    method,
    target,
    headers: { authorization: 'Bearer root', ...headers },
    body: body.length === 0 ? undefined : Buffer.from(body.join(' ')),
    signal,
  });
}

function valueOf({ body }: ApiResponse): Json {
  if (body.kind === 'stream') return 'a stream';
  return body.value ?? Buffer.from(body.kind === 'bytes' ? body.bytes : []).toString('utf8');
}

function at(value: Json, ...keys: string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of keys) found = isObject(found) ? found[key] : undefined;
  return found;
}

// conformance/discovery.test.ts compares the rest of discovery and OpenAPI with kube-apiserver.
describe('OpenAPI', () => {
  it.each<[string, (tag: string) => string, number]>([
    ['its tag', (tag) => tag, 304],
    ['its tag as a weak one', (tag) => `W/${tag}`, 304],
    ['a list that holds it', (tag) => `"a", , ${tag}`, 304],
    ['anything', () => '"a",*', 304],
    ['others', () => '"a", W/"b"', 200],
    ['its tag after what is none', (tag) => `a, ${tag}`, 200],
    ['its tag without quotes', (tag) => tag.slice(1, -1), 200],
    ['nothing', () => ' ', 200],
  ])('a client that names %s gets the OpenAPI document again, or 304', async (_, named, code) => {
    for (const path of ['/openapi/v2', '/openapi/v3/apis/apps/v1']) {
      const { headers } = await ask(`GET ${path}`);
      const answer = await ask(`GET ${path}`, { 'if-none-match': named(String(headers['ETag'])) });
      expect([path, answer.code, answer.headers['Content-Type']]).toEqual([
        path,
        code,
        code === 304 ? undefined : 'application/json',
      ]);
    }
  });

  it('the OpenAPI v3 index has no tag, so that only If-None-Match * applies', async () => {
    expect([
      (await ask('GET /openapi/v3', { 'if-none-match': '*' })).code,
      (await ask('GET /openapi/v3', { 'if-none-match': '""' })).code,
    ]).toEqual([304, 200]);
  });
});

describe('non-resource paths', () => {
  it.each([
    ['GET /version', { major: '1', minor: '36' }],
    ['GET /version/', { gitVersion: expect.stringMatching(/^v1\.36\.3\+/) }],
    ['GET /.well-known/openid-configuration', { issuer: 'https://kubernetes.default.svc' }],
    ['GET /openid/v1/jwks', { keys: [expect.objectContaining({ kty: 'EC' })] }],
  ])('the path %s has the expected content', async (line, part) => {
    expect(valueOf(await ask(line))).toMatchObject(part);
  });

  it.each([
    ['/healthz', 'ok'],
    ['/livez/ping', 'ok'],
    ['/readyz?verbose', '[+]ping ok\n[+]log ok\n[+]etcd ok\nreadyz check passed\n'],
    ['/readyz?verbose&exclude=etcd', '[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\nreadyz check passed\n'],
    ['/readyz/nope', '404 page not found\n'],
    ['/metrics', 'one 1\n'],
  ])('the path %s is %j', async (path, text) => {
    expect(valueOf(await ask(`GET ${path}`))).toBe(text);
  });

  it('everybody can read the non-resource paths that RBAC allows', async () => {
    const codes = await Promise.all(
      ['/version', '/healthz', '/readyz', '/metrics', '/apis'].map(
        async (path) => (await ask(`GET ${path}`, { authorization: '' })).code,
      ),
    );

    expect(codes).toEqual([200, 200, 200, 403, 403]);
  });

  it('the path / is an index', async () => {
    const paths = at(valueOf(await ask('GET /')), 'paths');

    expect(isArray(paths ?? null) && paths).toEqual(
      expect.arrayContaining([
        '/api',
        '/api/v1',
        '/apis',
        '/apis/apps',
        '/apis/apps/v1',
        '/healthz',
        '/livez/ping',
        '/openapi/v3',
        '/version',
      ]),
    );
  });

  it.each([
    ['POST /version {}', '', 405],
    ['GET /version', 'text/html', 406],
    ['OPTIONS *', '', 200],
  ])('the request %s, with Accept "%s", gets %d', async (line, accept, code) => {
    expect((await ask(line, { accept })).code).toBe(code);
  });
});

describe('rights', () => {
  const NAMESPACE = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const ROLE = { metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }] };

  it('RBAC objects apply from the moment when they are stored', async () => {
    const write = (): Promise<ApiResponse> =>
      ask('POST /api/v1/namespaces/default/configmaps {"metadata":{"generateName":"a-"}}', {
        authorization: 'Bearer bob',
      });
    const binding = {
      metadata: { name: 'b' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' }],
    };
    const before = (await write()).code;
    await ask(`POST ${NAMESPACE}/roles ${JSON.stringify(ROLE)}`);
    await ask(`POST ${NAMESPACE}/rolebindings ${JSON.stringify(binding)}`);
    const between = (await write()).code;
    await ask(`DELETE ${NAMESPACE}/rolebindings/b`);

    expect([before, between, (await write()).code]).toEqual([403, 201, 403]);
  });

  it('a user cannot grant rights that they do not have', async () => {
    const rules = [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['create'] }];
    await ask(
      `POST /apis/rbac.authorization.k8s.io/v1/clusterroles ${JSON.stringify({ metadata: { name: 'maker' }, rules })}`,
    );
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' }];
    await ask(
      `POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings ${JSON.stringify({ metadata: { name: 'maker' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'maker' }, subjects })}`,
    );
    const answer = await ask(`POST ${NAMESPACE}/roles ${JSON.stringify({ ...ROLE, metadata: { name: 'more' } })}`, {
      authorization: 'Bearer bob',
    });

    expect(at(valueOf(answer), 'message')).toBe(
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "bob" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["configmaps"], Verbs:["create"]}',
    );
  });
});

describe('a restart', () => {
  const PATH = '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:basic-user';

  it('a restart restores default rights that were removed', async () => {
    const before = at(valueOf(await ask(`GET ${PATH}`)), 'rules');
    await ask(`PATCH ${PATH} {"rules":null}`, { 'content-type': 'application/merge-patch+json' });
    await bootstrap(assembly, []);
    const mended = valueOf(await ask(`GET ${PATH}`));
    await bootstrap(assembly, []);

    expect(isArray(before) && before.length > 0).toBe(true);
    expect(
      (
        await ask(
          'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews {"spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}}',
          { authorization: 'Bearer bob', 'content-type': 'application/json' },
        )
      ).code,
    ).toBe(201);
    expect(at(valueOf(await ask(`GET ${PATH}`)), 'metadata', 'resourceVersion')).toBe(
      at(mended, 'metadata', 'resourceVersion'),
    );
  });

  it('a restart replaces default bindings to another role, except where auto-update is disabled', async () => {
    const PATHS = ['basic-user', 'monitoring'].map(
      (name) => `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:${name}`,
    );
    for (const [index, path] of PATHS.entries()) {
      const [, name = ''] = path.split('bindings/');
      const metadata = {
        name,
        ...(index === 0 ? {} : { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } }),
      };
      await ask(`DELETE ${path}`);
      await ask(
        `POST ${path.replace(`/${name}`, '')} ${JSON.stringify({ metadata, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }, subjects: [{ kind: 'User', name: 'eve' }] })}`,
      );
    }
    await bootstrap(assembly, []);
    const found = await Promise.all(PATHS.map(async (path) => valueOf(await ask(`GET ${path}`))));

    expect(found.map((one) => [at(one, 'roleRef', 'name'), at(one, 'subjects')])).toEqual([
      ['system:basic-user', [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:authenticated' }]],
      ['view', [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'eve' }]],
    ]);
  });
});
