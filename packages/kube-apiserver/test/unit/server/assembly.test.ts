import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type Assembly, assemble } from '../../../src/server/assembly.js';
import { generateSigningKey, readSigningKey } from '../../../src/auth/tokens/jwt.js';
import { bootstrap } from '../../../src/server/bootstrap.js';
import { isArray, isObject, type Json } from '@multicluster-engine/values/json';
import type { ApiResponse } from '../../../src/request.js';
import { memoryStore } from '../../../src/store/open.js';
import { ManualClock } from '../../../testing/clock.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
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

describe('discovery', () => {
  it.each([
    ['/api', AGGREGATED, 'APIGroupDiscoveryList'],
    ['/apis', `application/vnd.kubernetes.protobuf,${AGGREGATED},application/json`, 'APIGroupDiscoveryList'],
    ['/apis', `${AGGREGATED.replace('v=v2', 'v=v2beta1')},application/json`, 'APIGroupList'],
    ['/apis', `application/json,${AGGREGATED}`, 'APIGroupList'],
    ['/apis', '', 'APIGroupList'],
    ['/apis/', '*/*', 'APIGroupList'],
    ['/api', 'application/json', 'APIVersions'],
    ['/api/v1', 'application/json', 'APIResourceList'],
    ['/apis/apps', '', 'APIGroup'],
    ['/apis/apps/v1/', '', 'APIResourceList'],
  ])('discovery at %s, with Accept "%s", is a %s', async (path, accept, kind) => {
    const answer = await ask(`GET ${path}`, { accept });

    expect([answer.code, at(valueOf(answer), 'kind')]).toEqual([200, kind]);
  });

  it('aggregated discovery is cached by its tag', async () => {
    const answer = await ask('GET /apis', { accept: AGGREGATED });
    const { ETag: tag = '', ...headers } = answer.headers;
    const known = await ask('GET /apis', { accept: AGGREGATED, 'if-none-match': String(tag) });
    const unquoted = await ask('GET /apis', { accept: AGGREGATED, 'if-none-match': String(tag).slice(1, -1) });

    expect(headers).toMatchObject({ 'Content-Type': AGGREGATED, Vary: 'Accept', 'Cache-Control': 'public' });
    expect(tag).toMatch(/^"[0-9A-F]{128}"$/);
    expect([known.code, known.body, unquoted.code]).toEqual([304, { kind: 'bytes', bytes: Buffer.alloc(0) }, 200]);
  });

  it.each([
    ['GET /apis', `${AGGREGATED.replace('v=v2', 'v=v2beta1')}`, 406],
    ['GET /apis', 'application/json;g=apidiscovery.k8s.io;v=v2', 406],
    ['GET /apis', 'text/html', 406],
    ['GET /api/v1', 'text/html', 406],
    ['GET /apis/apps/v1', 'application/json;as=Table', 406],
    ['GET /apis/apps/v2', '', 404],
    ['GET /apis/nope', '', 404],
    ['GET /api/v2', '', 404],
    ['POST /apis/apps/v1 {}', '', 405],
    ['PUT /api {}', '', 405],
  ])('the discovery request %s, with Accept "%s", gets %d', async (line, accept, code) => {
    expect((await ask(line, { accept })).code).toBe(code);
  });

  it('discovery has custom resources from the moment when they are served', async () => {
    const before = await ask('GET /apis', { accept: AGGREGATED });
    const schema = { openAPIV3Schema: { type: 'object' } };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    const made = await ask(
      `POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions ${JSON.stringify(definition)}`,
    );
    for (let turn = 0; turn < 20 && (await ask('GET /apis/example.com/v1/things')).code !== 200; turn++)
      await new Promise((resolve) => setImmediate(resolve));
    const after = await ask('GET /apis', { accept: AGGREGATED });

    expect(made.code).toBe(201);
    expect(after.headers['ETag']).not.toBe(before.headers['ETag']);
    expect((await ask('GET /openapi/v3/apis/example.com/v1')).code).toBe(200);
    expect((await ask('GET /apis/example.com')).code).toBe(200);
  });
});

describe('OpenAPI', () => {
  async function hashed(): Promise<string> {
    const { body } = await ask('GET /openapi/v3');
    const index: Json = JSON.parse(Buffer.from(body.kind === 'bytes' ? body.bytes : []).toString('utf8'));
    const url = at(index, 'paths', 'apis/apps/v1', 'serverRelativeURL');
    return typeof url === 'string' ? url : '';
  }

  it('an OpenAPI v3 document is cached for a year by its hash', async () => {
    const target = await hashed();
    const answer = await ask(`GET ${target}`);
    const tag = String(answer.headers['ETag']);

    expect(target).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
    expect(answer.headers).toMatchObject({
      'Cache-Control': 'public, immutable',
      Expires: 'Fri, 01 Jan 2027 00:00:00 GMT',
      Vary: 'Accept',
      ETag: `"${target.split('=')[1] ?? ''}"`,
    });
    expect((await ask(`GET ${target}`, { 'if-none-match': tag })).code).toBe(304);
  });

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

  it('an OpenAPI v3 document without a hash is not cached, and a wrong hash redirects to the right one', async () => {
    const target = await hashed();
    const plain = await ask('GET /openapi/v3/apis/apps/v1');
    const wrong = await ask('GET /openapi/v3/apis/apps/v1?hash=ABC');

    expect([plain.code, plain.headers['Cache-Control'], wrong.code, wrong.headers['Location']]).toEqual([
      200,
      'no-cache, private',
      301,
      target,
    ]);
  });

  it.each(['/openapi/v2/', '/openapi/v3/', '/openapi/v3/apis/nope/v1', '/openapi/v3/api/v1/more'])(
    'OpenAPI does not have the path %s',
    async (path) => {
      expect((await ask(`GET ${path}`)).code).toBe(404);
    },
  );

  it.each([
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    [
      'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    ],
  ])('OpenAPI v2 has the form %s', async (accept, type) => {
    const answer = await ask('GET /openapi/v2', { accept });
    const tag = String(answer.headers['ETag']);

    expect([answer.code, answer.headers['Content-Type'], tag]).toEqual([
      200,
      type,
      expect.stringMatching(/^"[0-9A-F]{128}"$/),
    ]);
    expect((await ask('GET /openapi/v2', { accept, 'if-none-match': tag })).code).toBe(304);
  });

  it('OpenAPI v2 has no other form', async () => {
    expect((await ask('GET /openapi/v2', { accept: 'application/yaml' })).code).toBe(406);
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
