import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Query } from '../../../src/verbs/verbs.js';
import { VerbsFixture, configMap, refusedStatus } from './fixture.js';

// conformance/exchange/deletion.http has what kube-apiserver answers to deletions.
describe('a DELETE', () => {
  let fixture: VerbsFixture;
  const make = (name: string, metadata: { [key: string]: Json } = {}): Promise<KubeObject> =>
    fixture.create('configmaps/ns', configMap(name, { metadata: { name, ...metadata } }));

  beforeEach(async () => {
    fixture = new VerbsFixture();
    await fixture.namespace('ns');
  });

  it('the DELETE of a collection returns the list, and supports limit, selectors and dry run', async () => {
    for (const [name, l] of [
      ['a', '1'],
      ['b', '1'],
      ['c', '2'],
    ] as const)
      await make(name, { labels: { l } });
    await make('d', { labels: { l: '1' }, finalizers: ['x/y'] });
    const run = async (query: Query): Promise<unknown> => {
      const { items, continue: next } = await fixture.verbs.deleteCollection(
        fixture.target('configmaps/ns'),
        undefined,
        query,
        fixture.caller,
      );
      return [items.map(({ metadata }) => metadata.name), next !== undefined];
    };
    expect(await run({ labelSelector: 'l=1', dryRun: 'All' })).toEqual([['a', 'b', 'd'], false]);
    expect(await run({ limit: '1' })).toEqual([['a'], true]);
    expect(await run({ labelSelector: 'l=1' })).toEqual([['b', 'd'], false]);
    expect(
      (await fixture.list('configmaps/ns')).items.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp]),
    ).toEqual([
      ['c', undefined],
      ['d', '2026-01-02T03:04:05Z'],
    ]);
    expect(await refusedStatus(() => run({ fieldSelector: 'foo' }))).toMatchObject({ code: 400 });
  });

  it('the DELETE of a ServiceAccount returns the deleted object', async () => {
    await fixture.create('serviceaccounts/ns', { metadata: { name: 's' } });
    expect(await fixture.delete('serviceaccounts/ns/s')).toMatchObject({
      kind: 'ServiceAccount',
      metadata: { name: 's', resourceVersion: '4' },
    });
  });
});

describe('a Namespace', () => {
  it('a Namespace is deleted in steps: it terminates, refuses new objects, and is removed with its finalizers', async () => {
    const fixture = new VerbsFixture();
    await fixture.namespace('ns');
    await fixture.create('configmaps/ns', configMap('a'));
    expect(await refusedStatus(() => fixture.delete('namespaces/ns', { preconditions: { uid: 'zz' } }))).toMatchObject({
      message:
        'Operation cannot be fulfilled on namespaces "ns": Precondition failed: UID in precondition: zz, UID in object meta: uid-1',
      details: { kind: 'namespaces' },
    });
    const terminating = (await fixture.delete('namespaces/ns')) as KubeObject;
    expect(terminating).toMatchObject({
      status: { phase: 'Terminating' },
      spec: { finalizers: ['kubernetes'] },
      metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' },
    });
    expect(terminating.metadata.deletionGracePeriodSeconds).toBeUndefined();
    expect(await fixture.delete('namespaces/ns')).toEqual(terminating);
    expect(await refusedStatus(() => fixture.create('configmaps/ns', configMap('late')))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps "late" is forbidden: unable to create new content in namespace ns because it is being terminated',
      details: {
        name: 'late',
        kind: 'configmaps',
        causes: [
          { reason: 'NamespaceTerminating', message: 'namespace ns is being terminated', field: 'metadata.namespace' },
        ],
      },
    });
    expect(await fixture.patch('configmaps/ns/a', 'merge', { data: { still: 'fine' } })).toMatchObject({
      data: { still: 'fine' },
    });
    await fixture.update('namespaces/ns/finalize', { ...terminating, spec: {} });
    expect(await refusedStatus(() => fixture.get('namespaces/ns'))).toMatchObject({ code: 404 });
  });
});
