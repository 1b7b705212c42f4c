import { describe, expect, it } from '@jest/globals';
import { isArray, isObject, type Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { configMap, refusedStatus, thingCrd } from '../verbs/fixture.js';
import { Cluster } from './cluster.js';

const TIME = '2026-01-02T03:04:05Z';

function conditionsOf({ status }: KubeObject): readonly Json[] {
  return isObject(status) && isArray(status.conditions) ? status.conditions : [];
}

const SUCCESS = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    status: 'False',
    lastTransitionTime: TIME,
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    status: 'False',
    lastTransitionTime: TIME,
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    status: 'False',
    lastTransitionTime: TIME,
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
];

describe('the namespace controller', () => {
  it('a deleted namespace is removed with all its objects, custom resources included, and no others', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await fixture.readyNamespace('other');
    await fixture.define(thingCrd());
    const thing = { apiVersion: 'facts.example.com/v1', kind: 'Thing', metadata: { name: 'a' } };
    for (const namespace of ['ns', 'other']) {
      await fixture.create(`things.facts.example.com/${namespace}`, thing);
      await fixture.create(`configmaps/${namespace}`, configMap('a'));
      await fixture.create(`events/${namespace}`, {
        metadata: { name: 'e' },
        involvedObject: { kind: 'ConfigMap', name: 'a', namespace },
      });
    }
    const gone = await fixture.delete('namespaces/ns');
    expect(gone).toMatchObject({ status: { phase: 'Terminating' } });
    await fixture.idle();

    expect(fixture.find('namespaces/ns')).toBeUndefined();
    expect(fixture.store.collections().flatMap((name) => fixture.store.list(name, 'ns/'))).toEqual([]);
    expect(
      ['things.facts.example.com', 'configmaps', 'events', 'serviceaccounts'].map(
        (name) => fixture.store.list(name, 'other/').length,
      ),
    ).toEqual([1, 2, 1, 1]);
    expect(fixture.errors).toEqual([]);
  });

  it('a namespace waits for finalizers of its objects and reports them like kube-controller-manager', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await fixture.define(thingCrd());
    await fixture.configMap('a', { finalizers: ['a.example.com/hold'] });
    await fixture.configMap('b', { finalizers: ['a.example.com/hold', 'b.example.com/hold'] });
    await fixture.create('things.facts.example.com/ns', {
      apiVersion: 'facts.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a', finalizers: ['a.example.com/hold'] },
    });
    await fixture.delete('namespaces/ns');
    await fixture.idle();
    expect(conditionsOf(fixture.get('namespaces/ns'))).toEqual([
      ...SUCCESS,
      {
        type: 'NamespaceContentRemaining',
        status: 'True',
        lastTransitionTime: TIME,
        reason: 'SomeResourcesRemain',
        message:
          'Some resources are remaining: configmaps. has 2 resource instances, things.facts.example.com has 1 resource instances',
      },
      {
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        lastTransitionTime: TIME,
        reason: 'SomeFinalizersRemain',
        message:
          'Some content in the namespace has finalizers remaining: a.example.com/hold in 3 resource instances, b.example.com/hold in 1 resource instances',
      },
    ]);
    expect(await refusedStatus(() => fixture.configMap('c'))).toMatchObject({
      code: 403,
      details: { causes: [{ reason: 'NamespaceTerminating' }] },
    });
    for (const path of ['configmaps/ns/a', 'configmaps/ns/b', 'things.facts.example.com/ns/a'])
      await fixture.patch(path, 'merge', { metadata: { finalizers: null } });
    await fixture.idle();

    expect(fixture.find('namespaces/ns')).toBeUndefined();
    expect(fixture.clock.pending).toBe(0);
  });

  it('an empty namespace with a finalizer of its own reports that its content is removed', async () => {
    const fixture = new Cluster();
    await fixture.create('namespaces', { metadata: { name: 'ns', finalizers: ['a.example.com/hold'] } });
    await fixture.idle();
    await fixture.delete('namespaces/ns');
    await fixture.idle();
    const left = fixture.get('namespaces/ns');
    expect(conditionsOf(left)).toEqual([
      ...SUCCESS,
      {
        type: 'NamespaceContentRemaining',
        status: 'False',
        lastTransitionTime: TIME,
        reason: 'ContentRemoved',
        message: 'All content successfully removed',
      },
      {
        type: 'NamespaceFinalizersRemaining',
        status: 'False',
        lastTransitionTime: TIME,
        reason: 'ContentHasNoFinalizers',
        message: 'All content-preserving finalizers finished',
      },
    ]);
    expect(left['spec']).toEqual({});
    await fixture.patch('namespaces/ns', 'merge', { metadata: { finalizers: null } });

    expect(fixture.find('namespaces/ns')).toBeUndefined();
  });

  it('a namespace with more objects than one page is deleted', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await Promise.all(Array.from({ length: 1_100 }, (_, index) => fixture.configMap(`a${index}`)));
    await fixture.delete('namespaces/ns');
    await fixture.idle();

    expect(fixture.find('namespaces/ns')).toBeUndefined();
    expect(fixture.store.count('configmaps')).toBe(0);
  });

  it('a deleted namespace can be created again', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await fixture.delete('namespaces/ns');
    await fixture.idle();
    await fixture.readyNamespace('ns');

    expect(fixture.find('serviceaccounts/ns/default')).toBeDefined();
  });

  it('a terminating namespace is deleted by controllers that start later', async () => {
    const fixture = new Cluster();
    await fixture.readyNamespace('ns');
    await fixture.controllers.end();
    await fixture.delete('namespaces/ns');
    await fixture.idle();
    expect(fixture.find('namespaces/ns')).toBeDefined();
    fixture.restartControllers();
    await fixture.idle();

    expect(fixture.find('namespaces/ns')).toBeUndefined();
  });
});
