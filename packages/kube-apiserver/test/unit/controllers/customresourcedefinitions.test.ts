import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { VerbsFixture, refusedStatus, nextEvents, thingCrd } from '../verbs/fixture.js';

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';
const THINGS = `${CRDS}/things.facts.example.com`;
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function definition(name: string, names: JsonObject): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}.facts.example.com` },
    spec: {
      group: 'facts.example.com',
      scope: 'Cluster',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: open } }],
    },
  };
}

function conditions({ status }: KubeObject): unknown {
  const { conditions: all = [] } = status as {
    conditions?: { type: string; status: string; reason: string; message: string }[];
  };
  return all.map(({ type, status: is, reason, message }) => [type, is, reason, message]);
}

let fixture: VerbsFixture;

beforeEach(async () => {
  fixture = new VerbsFixture();
  await fixture.namespace('ns');
});

describe('a definition', () => {
  it('a definition is established and served at once', async () => {
    const made = await fixture.define(thingCrd());
    expect(made.status).toMatchObject({ storedVersions: ['v1'] });
    const established = fixture.get(THINGS);
    expect(conditions(established)).toEqual([
      ['NamesAccepted', 'True', 'NoConflicts', 'no conflicts found'],
      ['Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted'],
    ]);
    expect(established.status).toMatchObject({
      acceptedNames: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    });
    expect(established.metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource])).toEqual([
      ['kube-apiserver', 'status'],
      ['test', undefined],
    ]);
    expect(fixture.registry.findKind('facts.example.com', 'v1', 'Thing')?.plural).toBe('things');
  });

  it.each([
    ['https://example.com/1', 'True', 'ApprovedAnnotation', 'approved in https://example.com/1'],
    ['unapproved, for tests', 'False', 'UnapprovedAnnotation', 'not approved: "unapproved, for tests"'],
  ])(
    'a definition in a group of Kubernetes with the approval annotation %j reports its approval',
    async (text, status, reason, message) => {
      const made = definition('things', { plural: 'things', kind: 'Thing' }) as JsonObject;
      const spec = { ...(made['spec'] as JsonObject), group: 'facts.k8s.io' };
      await fixture.define({
        ...made,
        metadata: { name: 'things.facts.k8s.io', annotations: { 'api-approved.kubernetes.io': text } },
        spec,
      });
      expect(conditions(fixture.get(`${CRDS}/things.facts.k8s.io`))).toContainEqual([
        'KubernetesAPIApprovalPolicyConformant',
        status,
        reason,
        message,
      ]);
    },
  );

  it('a definition cannot use one name for two fields', async () => {
    await fixture.define(thingCrd());
    await fixture.patch(THINGS, 'merge', { spec: { names: { singular: 'things' } } });
    await fixture.settle();
    const crd = fixture.get(THINGS);
    expect(conditions(crd)).toContainEqual([
      'NamesAccepted',
      'False',
      'SingularConflict',
      '"things" is already in use',
    ]);
    expect(crd.status).toMatchObject({ acceptedNames: { plural: 'things', singular: 'thing' } });
  });

  it('a definition that is created in a dry run is not served', async () => {
    await fixture.create(CRDS, thingCrd(), { dryRun: 'All' });
    await fixture.settle();
    expect(fixture.registry.find('facts.example.com', 'v1', 'things')).toBeUndefined();
  });

  it('a definition whose names are in use is established when they are free', async () => {
    await fixture.define(thingCrd());
    await fixture.define(
      definition('others', { plural: 'others', singular: 'thing', kind: 'Other', listKind: 'OtherList' }),
    );
    const waiting = fixture.get(`${CRDS}/others.facts.example.com`);
    expect(conditions(waiting)).toEqual([
      ['NamesAccepted', 'False', 'SingularConflict', '"thing" is already in use'],
      ['Established', 'False', 'NotAccepted', 'not all names are accepted'],
    ]);
    expect(waiting.status).toMatchObject({ acceptedNames: { plural: 'others', kind: 'Other', listKind: 'OtherList' } });
    expect(fixture.registry.find('facts.example.com', 'v1', 'others')).toBeUndefined();
    await fixture.delete(THINGS);
    await fixture.settle();
    await fixture.settle();
    expect(conditions(fixture.get(`${CRDS}/others.facts.example.com`))).toContainEqual([
      'Established',
      'True',
      'InitialNamesAccepted',
      'the initial names have been accepted',
    ]);
    expect(fixture.registry.find('facts.example.com', 'v1', 'others')?.namespaced).toBe(false);
  });

  it('a deleted definition deletes its instances first, rejects new ones, and waits for finalizers', async () => {
    await fixture.define(thingCrd());
    const thing = (name: string, metadata: JsonObject = {}): Json => ({
      apiVersion: 'facts.example.com/v1',
      kind: 'Thing',
      metadata: { name, ...metadata },
    });
    await fixture.create('things.facts.example.com/ns', thing('a'));
    await fixture.create('things.facts.example.com/ns', thing('held', { finalizers: ['q/r'] }));
    const deleted = (await fixture.delete(THINGS)) as KubeObject;
    expect(deleted.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    expect(conditions(deleted)).toContainEqual([
      'Terminating',
      'True',
      'InstanceDeletionPending',
      'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    ]);
    await fixture.settle();
    expect(conditions(fixture.get(THINGS))).toContainEqual([
      'Terminating',
      'True',
      'InstanceDeletionInProgress',
      'CustomResource deletion is in progress',
    ]);
    expect((await fixture.list('things.facts.example.com/ns')).items.map(({ metadata }) => metadata.name)).toEqual([
      'held',
    ]);
    for (const attempt of [
      () => fixture.create('things.facts.example.com/ns', thing('b')),
      () => fixture.patch('things.facts.example.com/ns/b', 'apply', thing('b'), { fieldManager: 'm' }),
    ]) {
      expect(await refusedStatus(attempt)).toMatchObject({
        code: 403,
        message:
          'things.facts.example.com "b" is forbidden: create not allowed while custom resource definition is terminating',
      });
    }
    const events = fixture.watch(CRDS, { resourceVersion: fixture.get(THINGS).metadata.resourceVersion ?? '' });
    await fixture.patch('things.facts.example.com/ns/held', 'merge', { metadata: { finalizers: null } });
    const [gone] = await nextEvents(events, 1);
    expect(gone?.type).toBe('DELETED');
    expect(conditions(gone?.object as KubeObject)).toContainEqual([
      'Terminating',
      'True',
      'InstanceDeletionInProgress',
      'CustomResource deletion is in progress',
    ]);
    expect(fixture.registry.find('facts.example.com', 'v1', 'things')).toBeUndefined();
  });

  it('a definition gets names that another definition released', async () => {
    const names = { plural: 'others', singular: 'other', kind: 'Other', listKind: 'OtherList', shortNames: ['th'] };
    await fixture.define(thingCrd());
    await fixture.patch(THINGS, 'merge', { spec: { names: { shortNames: ['th'] } } });
    await fixture.settle();
    await fixture.define(definition('others', names));
    expect(conditions(fixture.get(`${CRDS}/others.facts.example.com`))).toContainEqual([
      'NamesAccepted',
      'False',
      'ShortNamesConflict',
      '"th" is already in use',
    ]);
    await fixture.patch(THINGS, 'merge', { spec: { names: { shortNames: null } } });
    await fixture.settle();
    expect(fixture.get(`${CRDS}/others.facts.example.com`).status).toMatchObject({ acceptedNames: names });
    expect(fixture.registry.find('facts.example.com', 'v1', 'others')?.shortNames).toEqual(['th']);
  });

  it('a definition is deleted though its status lists versions that it does not have', async () => {
    await fixture.define(thingCrd());
    await fixture.patch(`${THINGS}/status`, 'merge', { status: { storedVersions: ['v1', 'v9'] } });
    await fixture.delete(THINGS);
    await fixture.settle();
    expect(await refusedStatus(() => fixture.get(THINGS))).toMatchObject({ code: 404 });
  });

  it('a deleted definition that was never established reports NeverEstablished', async () => {
    await fixture.define(thingCrd());
    await fixture.define(
      definition('others', { plural: 'others', singular: 'thing', kind: 'Other', listKind: 'OtherList' }),
    );
    await fixture.patch(`${CRDS}/others.facts.example.com`, 'merge', { metadata: { finalizers: ['x/y'] } });
    await fixture.delete(`${CRDS}/others.facts.example.com`);
    await fixture.settle();
    const held = fixture.get(`${CRDS}/others.facts.example.com`);
    expect(held.metadata.finalizers).toEqual(['x/y']);
    expect(conditions(held)).toContainEqual([
      'Terminating',
      'False',
      'NeverEstablished',
      'resource was never established',
    ]);
  });
});

describe('the registry', () => {
  it('the registry keeps resource objects while a definition serves the same, and notifies of changes', async () => {
    let changes = 0;
    fixture.registry.onChange(() => void (changes += 1));
    await fixture.define(thingCrd());
    const resource = fixture.registry.find('facts.example.com', 'v1', 'things');
    expect([changes, resource?.kind]).toEqual([1, 'Thing']);
    await fixture.patch(THINGS, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(fixture.registry.find('facts.example.com', 'v1', 'things')).toBe(resource);
    const before = fixture.registry.generation;
    await fixture.patch(THINGS, 'json', [
      { op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties', value: { spec: { type: 'object' } } },
    ]);
    expect(fixture.registry.find('facts.example.com', 'v1', 'things')).not.toBe(resource);
    expect([changes, fixture.registry.generation]).toEqual([2, before + 1]);
  });

  it('the registry reports built-in groups and keeps built-in kinds', () => {
    expect(fixture.registry.isBuiltinGroup('apps')).toBe(true);
    expect(fixture.registry.isBuiltinGroup('facts.example.com')).toBe(false);
    expect(fixture.registry.find('', 'v1', 'configmaps')?.custom).toBe(false);
  });
});

describe('a definition of several versions', () => {
  const versions = (
    schema: Json = {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: { type: 'string', default: 'A1' }, b: { type: 'string' } } },
      },
    },
  ): Json[] => [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
    {
      name: 'v2',
      served: true,
      storage: false,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: { type: 'object', properties: { a: { type: 'string' }, c: { type: 'string', default: 'C2' } } },
          },
        },
      },
    },
    { name: 'v1beta1', served: true, storage: false, deprecated: true, schema: { openAPIV3Schema: open } },
    { name: 'v0', served: false, storage: false, schema: { openAPIV3Schema: open } },
  ];
  const crd = thingCrd() as { spec: JsonObject };
  const path = (version: string, name = ''): string => `things.facts.example.com/${version}/ns/${name}`;
  const thing = (version: string, name: string, spec: Json): Json => ({
    apiVersion: `facts.example.com/${version}`,
    kind: 'Thing',
    metadata: { name },
    spec,
  });

  beforeEach(async () => {
    await fixture.define({ ...crd, spec: { ...crd.spec, versions: versions() } });
  });

  it('an object is served in every version with the fields that the version declares', async () => {
    await fixture.create(path('v1'), thing('v1', 'a', { b: 'x' }));
    expect(fixture.get(path('v1', 'a'))).toMatchObject({
      apiVersion: 'facts.example.com/v1',
      spec: { a: 'A1', b: 'x' },
    });
    expect(fixture.get(path('v2', 'a'))).toMatchObject({ apiVersion: 'facts.example.com/v2', spec: { a: 'A1' } });
    expect(fixture.get(path('v1beta1', 'a')).spec).toEqual({ a: 'A1', b: 'x' });
    await fixture.create(path('v2'), thing('v2', 'b', { a: 'q' }));
    expect(fixture.get(path('v1', 'b')).spec).toEqual({ a: 'q' });
    expect((await fixture.list(path('v2'))).items.map(({ apiVersion }) => apiVersion)).toEqual([
      'facts.example.com/v2',
      'facts.example.com/v2',
    ]);
    expect(fixture.registry.find('facts.example.com', 'v0', 'things')).toBeUndefined();
  });

  it('a watch reports objects in the version of its request', async () => {
    const events = fixture.watch(path('v2'));
    await fixture.create(path('v1'), thing('v1', 'a', { b: 'x' }));
    expect((await nextEvents(events, 1))[0]?.object).toMatchObject({
      apiVersion: 'facts.example.com/v2',
      spec: { a: 'A1' },
    });
  });

  it('stored objects are read with the defaults of a later schema, which the next update stores', async () => {
    const { metadata } = await fixture.create(path('v1'), thing('v1', 'a', { b: 'x' }));
    const later = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { a: { type: 'string', default: 'A1' }, late: { type: 'string', default: 'L' } },
        },
      },
    };
    await fixture.patch(THINGS, 'merge', { spec: { versions: versions(later) } });
    expect(fixture.get(path('v1', 'a'))).toMatchObject({
      spec: { a: 'A1', late: 'L' },
      metadata: { resourceVersion: metadata.resourceVersion },
    });
    const revision = fixture.store.revision;
    await fixture.patch(path('v1', 'a'), 'merge', {});
    expect(fixture.store.revision).toBe(revision + 1);
    expect(fixture.store.get('things.facts.example.com', 'ns/a')?.object.spec).toEqual({ a: 'A1', late: 'L' });
    await fixture.patch(path('v1', 'a'), 'merge', {});
    expect(fixture.store.revision).toBe(revision + 1);
  });
});
