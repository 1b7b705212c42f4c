import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { waitFor } from '../../testing/wait.js';
import { installThings } from './exchange/things.js';
import { describeConformance } from './suite.js';
import { HttpsClient, type RawResponse } from './httpsclient.js';

const V2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const V2BETA1 = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
const HASH = /^[0-9A-F]{128}$/;

/** What of a group in aggregated discovery is looked at; unit/discovery compares all of it with recordings. */
interface Group {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly unknown[];
}

const CRD = {
  metadata: { name: 'passings.discovery.example.com' },
  spec: {
    group: 'discovery.example.com',
    scope: 'Cluster',
    names: { plural: 'passings', singular: 'passing', kind: 'Passing', shortNames: ['pa'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
        schema: { openAPIV3Schema: { type: 'object', description: 'It passes.' } },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: { type: 'object' } },
      },
      { name: 'v1alpha1', served: false, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
};
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const RESPONSE_KIND = { group: 'discovery.example.com', version: 'v1', kind: 'Passing' };
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
/** The group of the definition, as aggregated discovery lists it. */
const GROUP = {
  metadata: { name: 'discovery.example.com' },
  versions: [
    {
      version: 'v1',
      freshness: 'Current',
      resources: [
        {
          resource: 'passings',
          responseKind: RESPONSE_KIND,
          scope: 'Cluster',
          singularResource: 'passing',
          verbs: VERBS,
          shortNames: ['pa'],
          categories: ['all'],
          subresources: [
            { subresource: 'status', responseKind: RESPONSE_KIND, verbs: ['get', 'patch', 'update'] },
            {
              subresource: 'scale',
              responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
              verbs: ['get', 'patch', 'update'],
            },
          ],
        },
      ],
    },
    {
      version: 'v1beta1',
      freshness: 'Current',
      resources: [
        {
          resource: 'passings',
          responseKind: { ...RESPONSE_KIND, version: 'v1beta1' },
          scope: 'Cluster',
          singularResource: 'passing',
          verbs: VERBS,
          shortNames: ['pa'],
          categories: ['all'],
        },
      ],
    },
  ],
};

describeConformance('discovery', {}, (target) => {
  let wire: HttpsClient;
  beforeAll(async () => {
    await installThings(target());
    wire = new HttpsClient(target());
    // Documents are updated some time after the definition is established.
    await waitFor('discovery to list things', async () =>
      (await groups()).some(({ metadata }) => metadata.name === 'exchange.example.com'),
    );
    for (const path of ['/openapi/v2', '/openapi/v3'])
      await waitFor(`${path} to contain things`, async () =>
        (await get(path)).text.includes('/apis/exchange.example.com/v1'),
      );
  });
  afterAll(() => wire.close());

  const get = (
    path: string,
    accept = 'application/json',
    more: Readonly<Record<string, string>> = {},
  ): Promise<RawResponse> => wire.send({ path, headers: { accept, ...more } });
  const json = async <T>(path: string, accept?: string): Promise<T> => JSON.parse((await get(path, accept)).text);
  const groups = async (): Promise<readonly Group[]> => (await json<{ items: Group[] }>('/apis', V2)).items;

  it.each([
    [V2, V2],
    ['application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io', V2],
    [`${V2},${V2BETA1},application/json`, V2],
    [`${V2BETA1},application/json`, 'application/json'],
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['application/yaml', 'application/yaml'],
  ])('discovery that accepts %s is answered with %s', async (accept, type) => {
    for (const path of ['/api', '/apis']) {
      const answer = await get(path, accept);
      expect([path, answer.code, answer.headers['content-type']]).toEqual([path, 200, type]);
    }
  });

  it.each([
    V2BETA1,
    'application/json;g=apidiscovery.k8s.io;v=v2',
    'application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList',
    'text/html',
  ])('discovery that accepts only %s is rejected with 406', async (accept) => {
    expect([(await get('/api', accept)).code, (await get('/apis', accept)).code]).toEqual([406, 406]);
  });

  it.each(['/api', '/apis'])('discovery of %s is answered with 304 for a matching ETag', async (path) => {
    const { headers } = await get(path, V2);
    expect(headers).toMatchObject({ vary: 'Accept', 'cache-control': 'public' });
    expect(headers.etag?.slice(1, -1)).toMatch(HASH);
    expect(await again(path, V2)).toMatchObject({ code: 304, text: '' });
    expect(await get(path, V2, { 'if-none-match': (headers.etag ?? '').slice(1, -1) })).toMatchObject({ code: 200 });
    expect((await get(path)).headers).toMatchObject({ 'cache-control': 'no-cache, private' });
  });

  /** Waits until the document is stable and a request with its ETag is answered with 304. */
  const again = (path: string, accept: string): Promise<RawResponse> =>
    waitFor(`${path} to stay as it is`, async (seen) => {
      const { headers } = await get(path, accept);
      const answer = await get(path, accept, { 'if-none-match': headers.etag ?? '' });
      seen(answer.code);
      return answer.code === 304 ? answer : undefined;
    });

  it('discovery lists a definition while it exists', async () => {
    expect((await wire.send({ method: 'POST', path: CRDS, body: JSON.stringify(CRD) })).code).toBe(201);
    const group = await waitFor('its group', async (seen) => {
      const items = await groups();
      seen(items.map(({ metadata }) => metadata.name));
      // Versions are added one after another.
      return items.find(({ metadata, versions }) => metadata.name === 'discovery.example.com' && versions.length === 2);
    });
    expect(group).toEqual(GROUP);
    await waitFor('its group alone', async () => (await get('/apis/discovery.example.com')).code === 200);
    expect(await json('/apis/discovery.example.com')).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'discovery.example.com',
      preferredVersion: { groupVersion: 'discovery.example.com/v1', version: 'v1' },
      versions: [
        { groupVersion: 'discovery.example.com/v1', version: 'v1' },
        { groupVersion: 'discovery.example.com/v1beta1', version: 'v1beta1' },
      ],
    });
    await wire.send({ method: 'DELETE', path: `${CRDS}/${CRD.metadata.name}` });
    await waitFor(
      'its group to be removed',
      async () =>
        (await get('/apis/discovery.example.com')).code === 404 &&
        (await get('/apis/discovery.example.com/v1/passings')).code === 404,
    );
  });

  describe('OpenAPI documents', () => {
    // The group of another test may still be being deleted.
    const index = async (): Promise<{ paths: Record<string, { serverRelativeURL: string }> }> => {
      const { paths } = await json<{ paths: Record<string, { serverRelativeURL: string }> }>('/openapi/v3');
      return {
        paths: Object.fromEntries(Object.entries(paths).filter(([path]) => !path.includes('discovery.example.com'))),
      };
    };
    const urlOf = async (path: string): Promise<string> => (await index()).paths[path]?.serverRelativeURL ?? '';

    it.each([
      ['', 'application/json'],
      ['*/*', 'application/json'],
      [
        'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
        'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      ],
    ])('OpenAPI v2 that accepts "%s" is served with an ETag', async (accept, type) => {
      const { code, headers } = await get('/openapi/v2', accept);
      expect([code, headers['content-type'], headers['cache-control'], headers.etag?.slice(1, -1)]).toEqual([
        200,
        type,
        'no-cache, private',
        expect.stringMatching(HASH),
      ]);
      expect(await again('/openapi/v2', accept)).toMatchObject({ code: 304, text: '' });
      expect((await get('/openapi/v2', 'application/yaml')).code).toBe(406);
    });

    it('OpenAPI v2 contains custom resources', async () => {
      const { definitions, paths } = await json<{ definitions: Record<string, object>; paths: Record<string, object> }>(
        '/openapi/v2',
      );
      expect(definitions['com.example.exchange.v1.Thing']).toMatchObject({
        type: 'object',
        'x-kubernetes-group-version-kind': [{ group: 'exchange.example.com', kind: 'Thing', version: 'v1' }],
      });
      expect(
        Object.keys(paths['/apis/exchange.example.com/v1/namespaces/{namespace}/things/{name}'] ?? {}).sort(),
      ).toEqual(['delete', 'get', 'parameters', 'patch', 'put']);
    });

    it('OpenAPI v3 has an immutable URL with a hash for each group-version', async () => {
      const url = await urlOf('apis/apps/v1');
      expect(url.split('=')).toEqual(['/openapi/v3/apis/apps/v1?hash', expect.stringMatching(HASH)]);
      const { code, headers } = await get(url);
      expect([code, headers]).toEqual([
        200,
        expect.objectContaining({
          'content-type': 'application/json',
          'cache-control': 'public, immutable',
          vary: 'Accept',
          etag: `"${url.split('=')[1]}"`,
        }),
      ]);
      expect(new Date(headers.expires ?? '').getTime() - new Date(headers.date ?? '').getTime()).toBeGreaterThan(
        364 * 24 * 3_600_000,
      );
      expect((await get(url, 'application/json', { 'if-none-match': headers.etag ?? '' })).code).toBe(304);
    });

    it('OpenAPI v3 redirects from a wrong hash, and is not cacheable without a hash', async () => {
      const url = await urlOf('apis/apps/v1');
      expect(await get('/openapi/v3/apis/apps/v1?hash=ABC')).toMatchObject({ code: 301, headers: { location: url } });
      expect(await get('/openapi/v3/apis/apps/v1')).toMatchObject({
        code: 200,
        headers: { 'cache-control': 'no-cache, private' },
      });
    });

    it('OpenAPI v3 publishes the schema of a custom resource without changing other documents', async () => {
      const before = (await index()).paths;
      await wire.send({
        method: 'POST',
        path: CRDS,
        body: JSON.stringify({
          ...CRD,
          metadata: { name: 'passings.schemas.example.com' },
          spec: { ...CRD.spec, group: 'schemas.example.com' },
        }),
      });
      const path = 'apis/schemas.example.com/v1';
      const url = await waitFor('its document', async () => (await index()).paths[path]?.serverRelativeURL);
      const document = await json<{ components: { schemas: Record<string, object> } }>(url);
      expect(document.components.schemas['com.example.schemas.v1.Passing']).toMatchObject({
        type: 'object',
        description: 'It passes.',
        'x-kubernetes-group-version-kind': [{ group: 'schemas.example.com', kind: 'Passing', version: 'v1' }],
        properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: {} },
      });
      const after = (await index()).paths;
      expect(
        Object.keys(before).filter((one) => after[one]?.serverRelativeURL !== before[one]?.serverRelativeURL),
      ).toEqual([]);
      await wire.send({ method: 'DELETE', path: `${CRDS}/passings.schemas.example.com` });
      await waitFor('its document to be removed', async () => (await index()).paths[path] === undefined);
    });

    it.each(['/openapi/v3/apis/none.example.com/v1', '/openapi/v3/none'])(
      'OpenAPI v3 has no document %s',
      async (path) => {
        expect((await get(path)).code).toBe(404);
      },
    );
  });
});
