import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Query } from '../../../src/verbs/verbs.js';
import { VerbsFixture, configMap, refusedStatus } from './fixture.js';

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };

describe('a DELETE', () => {
  let fixture: VerbsFixture;
  const make = (name: string, metadata: { [key: string]: Json } = {}): Promise<KubeObject> =>
    fixture.create('configmaps/ns', configMap(name, { metadata: { name, ...metadata } }));

  beforeEach(async () => {
    fixture = new VerbsFixture();
    await fixture.namespace('ns');
  });

  it('the DELETE of an object without finalizers returns a Status with its uid, in a dry run too', async () => {
    await make('a');
    const status = { ...SUCCESS, details: { name: 'a', kind: 'configmaps', uid: 'uid-2' } };
    expect(await fixture.delete('configmaps/ns/a', undefined, { dryRun: 'All' })).toEqual(status);
    expect(fixture.get('configmaps/ns/a').metadata.uid).toBe('uid-2');
    expect(await fixture.delete('configmaps/ns/a')).toEqual(status);
    expect(await refusedStatus(() => fixture.delete('configmaps/ns/a'))).toMatchObject({ code: 404 });
  });

  it('the DELETE of an object with a finalizer marks it once; a later propagation policy is still applied', async () => {
    await make('a', { finalizers: ['x/y'] });
    const marked = await fixture.delete('configmaps/ns/a');
    expect(marked).toMatchObject({
      metadata: {
        resourceVersion: '4',
        deletionTimestamp: '2026-01-02T03:04:05Z',
        deletionGracePeriodSeconds: 0,
        finalizers: ['x/y'],
      },
    });
    await fixture.clock.advance(5000);
    expect(await fixture.delete('configmaps/ns/a')).toEqual(marked);
    expect(await fixture.delete('configmaps/ns/a', { propagationPolicy: 'Foreground' })).toMatchObject({
      metadata: {
        resourceVersion: '5',
        deletionTimestamp: '2026-01-02T03:04:05Z',
        finalizers: ['x/y', 'foregroundDeletion'],
      },
    });
    expect(await fixture.delete('configmaps/ns/a', { propagationPolicy: 'Orphan' })).toMatchObject({
      metadata: { finalizers: ['x/y', 'orphan'] },
    });
    expect(await fixture.delete('configmaps/ns/a')).toMatchObject({
      metadata: { resourceVersion: '6', finalizers: ['x/y', 'orphan'] },
    });
  });

  it.each<[Json | undefined, Query, string[]]>([
    [{ propagationPolicy: 'Foreground' }, {}, ['foregroundDeletion']],
    [undefined, { propagationPolicy: 'Orphan' }, ['orphan']],
    [{ orphanDependents: true }, {}, ['orphan']],
  ])(
    'a DELETE with %j and %j leaves the object to the garbage collector, until one with Background deletes it',
    async (body, query, finalizers) => {
      await make('a');
      expect(await fixture.delete('configmaps/ns/a', body, query)).toMatchObject({
        kind: 'ConfigMap',
        metadata: { finalizers },
      });
      expect(await fixture.delete('configmaps/ns/a', { propagationPolicy: 'Background' })).toMatchObject({
        status: 'Success',
      });
    },
  );

  it('a DELETE increases the generation of an object once', async () => {
    const spec = {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    };
    await fixture.create('deployments.apps/ns', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', finalizers: ['x/y'] },
      spec,
    });
    expect(await fixture.delete('deployments.apps/ns/d')).toMatchObject({ metadata: { generation: 2 } });
    expect(await fixture.delete('deployments.apps/ns/d')).toMatchObject({ metadata: { generation: 2 } });
  });

  it.each<[Json, string]>([
    [
      { uid: 'zz' },
      'Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (zz) does not match the UID in record (uid-2). The object might have been deleted and then recreated',
    ],
    [
      { resourceVersion: '1' },
      'Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (3). The object might have been modified',
    ],
  ])('a DELETE with the failed precondition %j is refused, and names the kind', async (preconditions, message) => {
    await make('a');
    expect(await refusedStatus(() => fixture.delete('configmaps/ns/a', { preconditions }))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 409,
      reason: 'Conflict',
      message,
      details: { name: 'a', kind: 'ConfigMap' },
    });
    expect(
      await fixture.delete('configmaps/ns/a', { preconditions: { uid: 'uid-2', resourceVersion: '3' } }),
    ).toMatchObject({ status: 'Success' });
  });

  it.each<[Json, Query, number, string]>([
    [
      { propagationPolicy: 'x' },
      {},
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      { dryRun: ['x'] },
      {},
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["x"]: supported values: "All"',
    ],
    [
      { orphanDependents: true, propagationPolicy: 'Orphan' },
      {},
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ],
    [
      { kind: 'Foo', apiVersion: 'v1' },
      {},
      400,
      'no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      { propagationPolicy: 5 },
      {},
      400,
      'json: cannot unmarshal number into Go struct field DeleteOptions.propagationPolicy of type v1.DeletionPropagation',
    ],
  ])('a DELETE with options %j is refused', async (body, query, code, message) => {
    await make('a');
    expect(await refusedStatus(() => fixture.delete('configmaps/ns/a', body, query))).toMatchObject({ code, message });
  });

  describe('that waits for finalizers', () => {
    beforeEach(async () => {
      await make('a', { finalizers: ['x/y'] });
      await fixture.delete('configmaps/ns/a');
    });

    it('an object that is being deleted accepts no new finalizer, and has two causes for it', async () => {
      const cause = {
        reason: 'FieldValueForbidden',
        field: 'metadata.finalizers',
        message:
          'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/z"}',
      };
      expect(
        await refusedStatus(() =>
          fixture.patch('configmaps/ns/a', 'merge', { metadata: { finalizers: ['x/y', 'x/z'] } }),
        ),
      ).toMatchObject({
        code: 422,
        message: `ConfigMap "a" is invalid: ${cause.field}: ${cause.message}`,
        details: { causes: [cause, cause] },
      });
    });

    it('a client cannot remove the deletionTimestamp of an object', async () => {
      const patched = await fixture.patch('configmaps/ns/a', 'merge', {
        metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null },
      });
      expect(patched.metadata).toMatchObject({
        deletionTimestamp: '2026-01-02T03:04:05Z',
        deletionGracePeriodSeconds: 0,
      });
    });

    it('a POST of an object that is being deleted is refused with that reason', async () => {
      expect(await refusedStatus(() => make('a'))).toMatchObject({
        code: 409,
        reason: 'AlreadyExists',
        message: 'object is being deleted: configmaps "a" already exists',
      });
    });

    it('an object is deleted with its last finalizer, and the request that removed it gets the object', async () => {
      expect(
        await fixture.patch('configmaps/ns/a', 'merge', { metadata: { finalizers: null } }, { dryRun: 'All' }),
      ).toMatchObject({ metadata: { name: 'a' } });
      expect(fixture.get('configmaps/ns/a').metadata.finalizers).toEqual(['x/y']);
      const last = await fixture.patch('configmaps/ns/a', 'merge', { metadata: { finalizers: null } });
      expect(last.metadata.finalizers).toBeUndefined();
      expect(await refusedStatus(() => fixture.get('configmaps/ns/a'))).toMatchObject({ code: 404 });
    });
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

  it('a system Namespace cannot be deleted', async () => {
    const fixture = new VerbsFixture();
    await fixture.namespace('default');
    expect(await refusedStatus(() => fixture.delete('namespaces/default'))).toMatchObject({
      code: 403,
      message: 'namespaces "default" is forbidden: this namespace may not be deleted',
    });
  });
});
