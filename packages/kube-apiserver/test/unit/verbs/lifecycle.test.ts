import { describe, expect, it } from '@jest/globals';
import { VerbsFixture, configMap, refusedStatus, nextEvents, thingCrd } from './fixture.js';

describe('a ConfigMap', () => {
  it('a ConfigMap is created, read, listed, changed, patched, watched and deleted', async () => {
    const fixture = new VerbsFixture();
    await fixture.namespace('ns');
    const events = fixture.watch('configmaps/ns');
    const made = await fixture.create('configmaps/ns', configMap('a', { data: { x: '1' } }));
    expect(made).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { x: '1' },
      metadata: {
        name: 'a',
        namespace: 'ns',
        uid: 'uid-2',
        resourceVersion: '3',
        creationTimestamp: '2026-01-02T03:04:05Z',
      },
    });
    expect(fixture.get('configmaps/ns/a')).toEqual(made);
    const changed = await fixture.update('configmaps/ns/a', { ...(configMap('a') as object), data: { x: '2' } });
    expect(changed).toMatchObject({ data: { x: '2' }, metadata: { uid: 'uid-2', resourceVersion: '4' } });
    const patched = await fixture.patch('configmaps/ns/a', 'merge', { data: { y: '3', x: null } });
    expect(patched.data).toEqual({ y: '3' });
    expect(await fixture.list('configmaps/ns')).toEqual({
      items: [patched],
      resourceVersion: '5',
      continue: undefined,
      remainingItemCount: undefined,
    });
    expect(await fixture.delete('configmaps/ns/a')).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: 'uid-2' },
    });
    expect(
      (await nextEvents(events, 4)).map(({ type, object }) => [type, (object as typeof made).metadata.resourceVersion]),
    ).toEqual([
      ['ADDED', '3'],
      ['MODIFIED', '4'],
      ['MODIFIED', '5'],
      ['DELETED', '6'],
    ]);
    expect(await refusedStatus(() => fixture.get('configmaps/ns/a'))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "a" not found',
      details: { name: 'a', kind: 'configmaps' },
    });
  });
});

describe('a custom resource', () => {
  it('a custom resource is served as soon as its definition is established, and until it is deleted', async () => {
    const fixture = new VerbsFixture();
    await fixture.namespace('ns');
    await fixture.define(thingCrd());
    const made = await fixture.create('things.facts.example.com/ns', {
      apiVersion: 'facts.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a' },
      spec: { n: 1 },
    });
    expect(made).toMatchObject({ spec: { n: 1 }, metadata: { generation: 1 } });
    const events = fixture.watch('things.facts.example.com/ns', {
      resourceVersion: made.metadata.resourceVersion ?? '',
    });
    const gone = await fixture.delete('customresourcedefinitions.apiextensions.k8s.io/things.facts.example.com');
    expect(gone).toMatchObject({ metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] } });
    expect((await nextEvents(events, 1)).map(({ type }) => type)).toEqual(['DELETED']);
    await fixture.settle();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(fixture.registry.find('facts.example.com', 'v1', 'things')).toBeUndefined();
    expect(
      await refusedStatus(() => fixture.get('customresourcedefinitions.apiextensions.k8s.io/things.facts.example.com')),
    ).toMatchObject({ code: 404 });
  });
});
