import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import { VerbsFixture, configMap, refusedStatus } from './fixture.js';

// conformance/exchange has what kube-apiserver answers to writes and to bad requests.
let fixture: VerbsFixture;

beforeEach(async () => {
  fixture = new VerbsFixture();
  await fixture.namespace('ns');
});

describe('a POST', () => {
  it('a POST ignores the system fields of the body, and keeps a generation', async () => {
    const made = await fixture.create(
      'configmaps/ns',
      configMap('c', {
        metadata: {
          name: 'c',
          uid: 'x',
          creationTimestamp: '2020-01-01T00:00:00Z',
          deletionTimestamp: '2020-01-01T00:00:00Z',
          selfLink: 'x',
          generation: 5,
        },
      }),
    );
    expect(made.metadata).toEqual({
      name: 'c',
      namespace: 'ns',
      uid: 'uid-2',
      resourceVersion: '3',
      creationTimestamp: '2026-01-02T03:04:05Z',
      generation: 5,
    });
  });

  it('a POST removes null and empty fields of metadata', async () => {
    const made = await fixture.create(
      'configmaps/ns',
      configMap('d', { metadata: { name: 'd', labels: {}, annotations: null, finalizers: [], ownerReferences: [] } }),
    );
    expect(Object.keys(made.metadata).sort()).toEqual([
      'creationTimestamp',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
    ]);
  });

  it('a POST in a dry run returns the object without a resourceVersion', async () => {
    const made = await fixture.create('configmaps/ns', configMap('dry'), { dryRun: 'All' });
    expect(made.metadata).toEqual({
      name: 'dry',
      namespace: 'ns',
      uid: 'uid-2',
      creationTimestamp: '2026-01-02T03:04:05Z',
    });
    expect(await refusedStatus(() => fixture.get('configmaps/ns/dry'))).toMatchObject({ code: 404 });
  });

  it('a generated name has at most 63 characters', async () => {
    const short = await fixture.create('configmaps/ns', configMap('', { metadata: { generateName: 'gen-' } }));
    expect(short.metadata).toMatchObject({
      generateName: 'gen-',
      name: expect.stringMatching(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/),
    });
    const long = await fixture.create('configmaps/ns', configMap('', { metadata: { generateName: 'a'.repeat(200) } }));
    expect(long.metadata.name).toHaveLength(63);
  });

  it('a generated name that exists is replaced by another', async () => {
    const first = await fixture.create('configmaps/ns', configMap('', { metadata: { generateName: 'gen-' } }), {
      dryRun: 'All',
    });
    expect(first.metadata.name).toBe('gen-bcdfg');
    for (const name of ['gen-hjklm', 'gen-npqrs']) await fixture.create('configmaps/ns', configMap(name));
    expect(
      (await fixture.create('configmaps/ns', configMap('', { metadata: { generateName: 'gen-' } }))).metadata.name,
    ).toBe('gen-tvwxz');
  });

  it('a POST into a missing namespace is refused', async () => {
    const status = { code: 404, message: 'namespaces "nope" not found', details: { name: 'nope', kind: 'namespaces' } };
    expect(await refusedStatus(() => fixture.create('configmaps/nope', configMap('a')))).toMatchObject(status);
  });

  it('a POST of a review returns it and stores nothing', async () => {
    const before = fixture.store.revision;
    expect(
      await fixture.create('selfsubjectaccessreviews.authorization.k8s.io', {
        spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      }),
    ).toMatchObject({ status: { allowed: true } });
    expect(fixture.store.revision).toBe(before);
  });
});

describe('a PUT', () => {
  beforeEach(async () => {
    await fixture.create('configmaps/ns', configMap('a', { data: { x: '1' } }));
  });

  it('a PUT that changes nothing writes nothing', async () => {
    const old = fixture.get('configmaps/ns/a');
    await fixture.clock.advance(5000);
    expect(await fixture.update('configmaps/ns/a', configMap('a', { data: { x: '1' } }))).toEqual(old);
    expect(
      await fixture.update('configmaps/ns/a', configMap('a', { data: { x: '2' } }), { dryRun: 'All' }),
    ).toMatchObject({ data: { x: '2' }, metadata: { resourceVersion: '3' } });
    expect(fixture.get('configmaps/ns/a')).toEqual(old);
  });

  it('a PUT of a missing object is refused, except for kinds that it creates', async () => {
    expect(await refusedStatus(() => fixture.update('configmaps/ns/b', configMap('b')))).toMatchObject({
      code: 404,
      message: 'configmaps "b" not found',
    });
    const lease = { metadata: { name: 'l' }, spec: { holderIdentity: 'x' } };
    const put = (metadata: Json): ReturnType<typeof fixture.verbs.update> =>
      fixture.verbs.update(
        fixture.target('leases.coordination.k8s.io/ns/l'),
        { value: { ...lease, metadata }, duplicates: [] },
        {},
        fixture.caller,
      );
    const { code, object } = await put({ name: 'l', resourceVersion: '77' });
    expect(code).toBe(201);
    expect((await put(object.metadata)).code).toBe(200);
    expect(await refusedStatus(() => put({ name: 'l' }))).toMatchObject({ code: 422, details: { kind: 'leases' } });
  });

  it('a PUT that creates an object requires the right to create', async () => {
    fixture.allowCreate = false;
    fixture.user = { name: 'bob', groups: ['system:authenticated'] };
    expect(
      await refusedStatus(() => fixture.update('leases.coordination.k8s.io/ns/l', { metadata: { name: 'l' } })),
    ).toMatchObject({
      code: 403,
      message:
        'leases.coordination.k8s.io "l" is forbidden: User "bob" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "ns"',
    });
  });
});

it('managedFields of an Event are dropped in the other group, and errors name one kind', async () => {
  const event = {
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'ns' },
    reason: 'R',
    message: 'M',
    type: 'Normal',
  };
  await fixture.create('events/ns', event);
  await fixture.patch('events.events.k8s.io/ns/e', 'merge', { metadata: { labels: { a: 'b' } } });
  expect(fixture.get('events/ns/e').metadata.managedFields?.map(({ apiVersion }) => apiVersion)).toEqual([
    'events.k8s.io/v1',
  ]);
  expect(
    await refusedStatus(() =>
      fixture.patch('events.events.k8s.io/ns/e', 'merge', { metadata: { labels: { a: 'b c' } } }),
    ),
  ).toMatchObject({
    code: 422,
    message: expect.stringMatching(/^Event "e" is invalid: /),
    details: { name: 'e', kind: 'Event' },
  });
});
