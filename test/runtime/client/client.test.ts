import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { ManagedClusters, Placements } from '../../../src/api/resources.js';
import { ConfigMaps, Secrets } from '../../../src/runtime/vocabulary/kinds.js';
import type { ApiResponse, Call } from '../../../src/runtime/transport/call.js';
import type { KubeClient } from '../../../src/runtime/client/client.js';
import { errorFromResponse } from '../../../src/runtime/transport/apierror.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';

/** A transport that keeps what it is given and answers from a list. */
class Recorded implements Transport {
  readonly calls: Call[] = [];
  readonly answers: (ApiResponse['body'] | Error | ((call: Call) => Error))[] = [];

  async call(call: Call): Promise<ApiResponse> {
    this.calls.push(call);
    const answer = this.answers.shift() ?? { kind: 'ConfigMap', metadata: { name: call.target.name ?? 'x' } };
    if (typeof answer === 'function') throw answer(call);
    if (answer instanceof Error) throw answer;
    return { status: 200, body: answer };
  }

  open(): Promise<never> {
    throw new Error('not used');
  }

  async close(): Promise<void> {}
}

let wire: Recorded;
let client: KubeClient;
beforeEach(() => {
  wire = new Recorded();
  client = createClient(wire, { bucket: 'leases', deadlineMs: 5_000, attempts: 1 });
});

const refused =
  (status: number, details: object = {}, reason = '') =>
  (call: Call) =>
    errorFromResponse({ status, body: { kind: 'Status', reason, details }, retryAfterMs: undefined }, call.target);
const fieldManager = 'me';
const named = { metadata: { namespace: 'n', name: 'x' } };
const stored: KubeObject = { metadata: { ...named.metadata, uid: 'u', resourceVersion: '7' } };
const body = (): unknown => JSON.parse(wire.calls[0]?.body ?? 'null');

describe('what is sent', () => {
  it.each<[string, () => Promise<unknown>, Partial<Call>, unknown]>([
    [
      'get',
      () => client.get(ConfigMaps, named.metadata),
      {
        method: 'GET',
        path: '/api/v1/namespaces/n/configmaps/x',
        accept: 'application/json',
        idempotent: true,
        target: { verb: 'get', resource: 'configmaps', namespace: 'n', name: 'x' },
      },
      null,
    ],
    [
      'get of metadata',
      () => client.get(Secrets, named.metadata, { metadataOnly: true }).catch(() => undefined),
      { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
      null,
    ],
    [
      'create',
      () => client.create(ConfigMaps, named, { fieldManager }),
      { method: 'POST', path: '/api/v1/namespaces/n/configmaps', query: { fieldManager }, idempotent: false },
      { ...named, apiVersion: 'v1', kind: 'ConfigMap' },
    ],
    [
      'update',
      () => client.update(ConfigMaps, stored, { fieldManager }),
      { method: 'PUT', path: '/api/v1/namespaces/n/configmaps/x', query: { fieldManager }, idempotent: true },
      { ...stored, apiVersion: 'v1', kind: 'ConfigMap' },
    ],
    [
      'updateStatus',
      () => client.updateStatus(Placements, stored, { fieldManager }).catch(() => undefined),
      {
        method: 'PUT',
        path: '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/n/placements/x/status',
        target: { verb: 'update', resource: 'placements.cluster.fleetmgmt.io/status', namespace: 'n', name: 'x' },
      },
      { ...stored, apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'Placement' },
    ],
    [
      'apply',
      () => client.apply(ConfigMaps, named, { fieldManager, force: false }),
      {
        method: 'PATCH',
        contentType: 'application/apply-patch+yaml',
        query: { fieldManager, force: 'false' },
        idempotent: true,
        target: { verb: 'patch', resource: 'configmaps', namespace: 'n', name: 'x' },
      },
      { ...named, apiVersion: 'v1', kind: 'ConfigMap' },
    ],
    [
      'an apply whose response has metadata only',
      () => client.apply(ConfigMaps, named, { fieldManager, force: false, metadataOnly: true }),
      { method: 'PATCH', accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
      { ...named, apiVersion: 'v1', kind: 'ConfigMap' },
    ],
    [
      'a forced apply, without managedFields',
      () =>
        client.apply(ConfigMaps, { metadata: { ...stored.metadata, managedFields: [{}] } } as KubeObject, {
          fieldManager,
          force: true,
        }),
      { query: { fieldManager, force: 'true' } },
      { ...stored, apiVersion: 'v1', kind: 'ConfigMap' },
    ],
    [
      'patchMetadata',
      () =>
        client.patchMetadata(
          ConfigMaps,
          named.metadata,
          { uid: 'u', resourceVersion: '7', finalizers: [] },
          { fieldManager },
        ),
      { method: 'PATCH', contentType: 'application/merge-patch+json', idempotent: true },
      { metadata: { uid: 'u', resourceVersion: '7', finalizers: [] } },
    ],
    [
      'delete',
      () =>
        client.delete(ConfigMaps, named.metadata, {
          preconditions: { uid: 'u', resourceVersion: '7' },
          propagation: 'Foreground',
        }),
      { method: 'DELETE', path: '/api/v1/namespaces/n/configmaps/x', idempotent: true },
      {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: 'u', resourceVersion: '7' },
        propagationPolicy: 'Foreground',
      },
    ],
    [
      'a cluster-scoped object',
      () => client.get(ManagedClusters, { name: 'a.b' }).catch(() => undefined),
      { path: '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters/a.b' },
      null,
    ],
    [
      'a name with colons',
      () => client.get(ConfigMaps, { namespace: 'n', name: 'system:x y' }),
      { path: '/api/v1/namespaces/n/configmaps/system%3Ax%20y' },
      null,
    ],
  ])('the client sends the expected request for %s', async (_, send, expected, content) => {
    await send();

    expect(wire.calls).toMatchObject([{ ...expected, bucket: 'leases', deadlineMs: 5_000, attempts: 1 }]);
    expect(body()).toEqual(content);
  });

  it('the client sends a review for allowed, which may be sent again', async () => {
    wire.answers.push({ status: { allowed: true } }, { status: { allowed: false } });
    const question = { verb: 'patch', type: Placements, subresource: 'status', namespace: 'n', name: 'x' };

    expect(await client.allowed(question)).toBe(true);
    expect(await client.allowed({ verb: 'list', type: Secrets })).toBe(false);
    expect(wire.calls[0]).toMatchObject({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      idempotent: true,
    });
    expect(body()).toMatchObject({
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          verb: 'patch',
          group: 'cluster.fleetmgmt.io',
          version: 'v1alpha1',
          resource: 'placements',
          subresource: 'status',
          namespace: 'n',
          name: 'x',
        },
      },
    });
  });

  it("the client passes on the caller's signal and hook", async () => {
    const { signal } = new AbortController();
    const beforeAttempt = (): void => undefined;
    await client.update(ConfigMaps, stored, { fieldManager, signal, beforeAttempt });

    expect(wire.calls[0]).toMatchObject({ signal, beforeAttempt });
  });

  it('the client does not change the object that it sends', async () => {
    const object = Object.freeze({ metadata: Object.freeze({ ...stored.metadata }) });
    await client.update(ConfigMaps, object, { fieldManager });

    expect(object).toEqual(stored);
  });
});

describe('what is not sent', () => {
  const delete_ = (preconditions: { uid: string; resourceVersion: string }): Promise<unknown> =>
    client.delete(ConfigMaps, named.metadata, { preconditions });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'an update without resourceVersion',
      () => client.update(ConfigMaps, named, { fieldManager }),
      'metadata.resourceVersion: "": must be set',
    ],
    [
      'a status without resourceVersion',
      () => client.updateStatus(ConfigMaps, named, { fieldManager }),
      'metadata.resourceVersion: "": must be set',
    ],
    [
      'a forced apply without uid',
      () => client.apply(ConfigMaps, named, { fieldManager, force: true }),
      'metadata.uid: "": must be set',
    ],
    [
      'metadata without uid',
      () => client.patchMetadata(ConfigMaps, named.metadata, { uid: '', resourceVersion: '7' }, { fieldManager }),
      'metadata.uid',
    ],
    ['a deletion without uid', () => delete_({ uid: '', resourceVersion: '7' }), 'preconditions.uid'],
    [
      'a deletion without resourceVersion',
      () => delete_({ uid: 'u', resourceVersion: '' }),
      'preconditions.resourceVersion',
    ],
    ['an empty name', () => client.get(ConfigMaps, { namespace: 'n', name: '' }), 'name: ""'],
    ['a name that leaves the path', () => client.get(ConfigMaps, { namespace: 'n', name: '..' }), 'name: ".."'],
    ['a name with a slash', () => client.get(ConfigMaps, { namespace: 'n', name: 'x/status' }), 'name: "x/status"'],
    ['an encoded name', () => client.get(ConfigMaps, { namespace: 'n', name: '%2e%2e' }), 'name: "%2e%2e"'],
    ['a namespace with a slash', () => client.get(ConfigMaps, { namespace: 'n/x', name: 'x' }), 'namespace: "n/x"'],
    ['a namespaced object without namespace', () => client.get(ConfigMaps, { name: 'x' }), 'a ConfigMap needs one'],
    [
      'a new namespaced object without namespace',
      () => client.create(ConfigMaps, { metadata: { name: 'x' } }, { fieldManager }),
      'a ConfigMap needs one',
    ],
    [
      'a cluster-scoped object with namespace',
      () => client.get(ManagedClusters, { namespace: 'n', name: 'x' }),
      'ManagedCluster is not namespaced',
    ],
  ])('the client rejects %s without a request', async (_, send, message) => {
    await expect(send()).rejects.toMatchObject({
      kind: 'Invalid',
      status: 0,
      message: expect.stringContaining(message),
    });
    expect(wire.calls).toEqual([]);
  });
});

describe('what comes back', () => {
  it.each<[string, ApiResponse['body'] | ((call: Call) => Error), unknown]>([
    [
      'the object',
      { kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: 'b' }, unknown: [1] },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: 'b' }, unknown: [1] },
    ],
    ['undefined for a 404 that names it', refused(404, { name: 'x' }), undefined],
  ])('a get returns %s', async (_, answer, expected) => {
    wire.answers.push(answer);

    expect(await client.get(ConfigMaps, named.metadata)).toEqual(expected);
  });

  it.each<[string, ApiResponse['body'] | ((call: Call) => Error), string]>([
    ['a 404 that names nothing', refused(404), 'ResourceMissing'],
    ['a 404 that names another', refused(404, { name: 'y' }), 'ResourceMissing'],
    ['another object', { kind: 'ConfigMap', metadata: { name: 'y' } }, 'Malformed'],
    ['another kind', { kind: 'Secret', metadata: { name: 'x' } }, 'Malformed'],
    ['an object without name', { kind: 'ConfigMap', metadata: {} }, 'Malformed'],
    ['a Status', { kind: 'Status', status: 'Success' }, 'Malformed'],
  ])('a get fails when the response is %s', async (_, answer, kind) => {
    wire.answers.push(answer);

    await expect(client.get(ConfigMaps, named.metadata)).rejects.toMatchObject({ kind });
  });

  it('a get of metadata returns nothing else, even when the server sends more', async () => {
    wire.answers.push({ kind: 'Secret', metadata: { name: 'x' }, data: { key: 'canary' } });

    expect(await client.get(Secrets, named.metadata, { metadataOnly: true })).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'x' },
    });
  });

  const deletion = (answer: ApiResponse['body'] | ((call: Call) => Error)): Promise<unknown> => {
    wire.answers.push(answer);
    return client.delete(ConfigMaps, named.metadata, { preconditions: { uid: 'u', resourceVersion: '7' } });
  };
  it.each<[string, ApiResponse['body'] | ((call: Call) => Error), string]>([
    ['a Status', { kind: 'Status', status: 'Success' }, 'gone'],
    ['the object as it was', { kind: 'ConfigMap', metadata: { name: 'x' } }, 'gone'],
    ['the object with a finalizer', { kind: 'ConfigMap', metadata: { name: 'x', finalizers: ['a/b'] } }, 'deleting'],
    [
      'the object that is being deleted',
      { kind: 'ConfigMap', metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' } },
      'deleting',
    ],
    ['a 404 that names it', refused(404, { name: 'x' }), 'gone'],
  ])('the client reads the result of a delete from its response: %s', async (_, answer, outcome) => {
    expect(await deletion(answer)).toBe(outcome);
  });

  it.each([
    [404, 'ResourceMissing'],
    [409, 'Conflict'],
    [403, 'Forbidden'],
  ])('a delete fails when the response is %d', async (status, kind) => {
    await expect(deletion(refused(status))).rejects.toMatchObject({ kind });
  });

  it('a review without a decision in its response is malformed', async () => {
    wire.answers.push({ status: {} });

    await expect(client.allowed({ verb: 'get', type: Secrets })).rejects.toMatchObject({ kind: 'Malformed' });
  });
});

describe('a list', () => {
  const page = (names: string[], token = '', version = '9'): ApiResponse['body'] => ({
    kind: 'ConfigMapList',
    metadata: { resourceVersion: version, continue: token },
    items: names.map((name) => ({ metadata: { name } })),
  });

  it('a list is read page by page, the same selectors on each', async () => {
    wire.answers.push(page(['a'], 't1'), page(['b'], 't2'), page([]));
    const read: number[] = [];
    const onPage = (objects: number): void => void read.push(objects);
    const all = await client.list(ConfigMaps, 'n', { labelSelector: 'l=m', fieldSelector: 'f=g', onPage });

    expect(all.map((one) => [one.kind, one.metadata.name])).toEqual([
      ['ConfigMap', 'a'],
      ['ConfigMap', 'b'],
    ]);
    expect(read).toEqual([1, 2, 2]);
    expect(wire.calls.map((call) => call.query)).toEqual([
      { labelSelector: 'l=m', fieldSelector: 'f=g', limit: '500' },
      { labelSelector: 'l=m', fieldSelector: 'f=g', limit: '500', continue: 't1' },
      { labelSelector: 'l=m', fieldSelector: 'f=g', limit: '500', continue: 't2' },
    ]);
  });

  it('a list goes over all namespaces when none is named', async () => {
    wire.answers.push(page([]));
    await client.list(ConfigMaps, undefined);

    expect(wire.calls[0]?.path).toBe('/api/v1/configmaps');
    expect(wire.calls[0]?.target).toEqual({ verb: 'list', resource: 'configmaps' });
  });

  it('a list of a namespace names the namespace in its errors', async () => {
    wire.answers.push(page([]));
    await client.list(ConfigMaps, 'n');

    expect(wire.calls[0]?.target).toEqual({ verb: 'list', resource: 'configmaps', namespace: 'n' });
  });

  it('a list takes null for no items, as Go writes them', async () => {
    wire.answers.push({ kind: 'ConfigMapList', metadata: { resourceVersion: '9' }, items: null });

    expect(await client.list(ConfigMaps, 'n')).toEqual([]);
  });

  it('a list begins again when it grows too old, twice at most', async () => {
    wire.answers.push(page(['a'], 't'), refused(410), page(['b']));
    expect((await client.list(ConfigMaps, 'n')).map((one) => one.metadata.name)).toEqual(['b']);

    wire.answers.push(refused(410), refused(410), refused(410));
    await expect(client.list(ConfigMaps, 'n')).rejects.toMatchObject({ kind: 'Gone' });
  });

  it('a list of pages of different moments begins again', async () => {
    wire.answers.push(page(['a'], 't', '9'), page(['b'], '', '10'), page(['c']));

    expect((await client.list(ConfigMaps, 'n')).map((one) => one.metadata.name)).toEqual(['c']);
  });

  it('a list that would never end is malformed', async () => {
    wire.answers.push(page(['a'], 't'), page(['a'], 't'));

    await expect(client.list(ConfigMaps, 'n')).rejects.toMatchObject({ kind: 'Malformed' });
  });

  it.each([404, 403, 500])('a list answered by %d is never empty', async (status) => {
    wire.answers.push(refused(status));

    await expect(client.list(ConfigMaps, 'n')).rejects.toMatchObject({ status });
  });
});
