import { describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import { thingCrd } from '../verbs/fixture.js';
import { Cluster, ownedBy } from './cluster.js';

async function newCluster(): Promise<Cluster> {
  const cluster = new Cluster();
  await cluster.readyNamespace('ns');
  return cluster;
}

/** The compared fields of all events in a namespace. */
function warnings(fixture: Cluster, namespace: string): Json[] {
  return fixture.reader
    .list('events', namespace)
    .map(({ type = null, reason = null, involvedObject = null, message = null }) => ({
      type,
      reason,
      involvedObject,
      message,
    }));
}

// garbagecollectorrecorded.test.ts has what kube-controller-manager does to owners and their dependents.
describe('background deletion', () => {
  it('a dependent remains while one owner exists, without the reference to the deleted owner', async () => {
    const fixture = await newCluster();
    const [a, b] = [await fixture.configMap('a'), await fixture.configMap('b')];
    await fixture.configMap('child', { ownerReferences: [ownedBy(a), ownedBy(b, { controller: true })] });
    await fixture.delete('configmaps/ns/a');
    await fixture.idle();
    expect(fixture.get('configmaps/ns/child').metadata.ownerReferences).toEqual([ownedBy(b, { controller: true })]);
    await fixture.delete('configmaps/ns/b');
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual([]);
  });

  it.each([
    ['an owner that does not exist', { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'nothing' }],
    [
      'an owner that was replaced by another object of the same name',
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'nothing' },
    ],
    [
      'an owner of another kind than the object of that uid',
      { apiVersion: 'v1', kind: 'Secret', name: 'owner', uid: 'OWNER' },
    ],
    ['an owner in another namespace', { apiVersion: 'v1', kind: 'ConfigMap', name: 'far', uid: 'FAR' }],
  ])('a dependent of %s is deleted at once', async (_what, reference) => {
    const fixture = await newCluster();
    await fixture.readyNamespace('elsewhere');
    const far = await fixture.create('configmaps/elsewhere', { metadata: { name: 'far' } });
    const owner = await fixture.configMap('owner');
    const uid = reference.uid.replace('FAR', far.metadata.uid ?? '').replace('OWNER', owner.metadata.uid ?? '');
    const child = await fixture.configMap('child', { ownerReferences: [{ ...reference, uid }] });
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual(['owner']);
    const warning = {
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'child', namespace: 'ns', uid: child.metadata.uid },
      message: `ownerRef [v1/ConfigMap, namespace: ns, name: far, uid: ${uid}] does not exist in namespace "ns"`,
    };
    expect(warnings(fixture, 'ns')).toEqual(uid === far.metadata.uid ? [warning] : []);
  });

  it('a dependent remains whose owner was put back with its uid', async () => {
    const fixture = await newCluster();
    const owner = await fixture.configMap('owner');
    const child = await fixture.configMap('child', { ownerReferences: [ownedBy(owner)] });
    await fixture.delete('configmaps/ns/owner');
    await fixture.idle();
    expect(fixture.configMapNames()).toEqual([]);
    for (const object of [owner, child])
      await fixture.store.put('configmaps', `ns/${object.metadata.name}`, (revision) => ({
        ...object,
        metadata: { ...object.metadata, resourceVersion: String(revision) },
      }));
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual(['child', 'owner']);
  });

  it('a dependent remains whose owner is cluster-scoped or in its namespace', async () => {
    const fixture = await newCluster();
    await fixture.configMap('child', { ownerReferences: [ownedBy(fixture.get('namespaces/ns'))] });
    await fixture.configMap('other', { ownerReferences: [ownedBy(fixture.get('serviceaccounts/ns/default'))] });
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual(['child', 'other']);
  });

  it('a cluster-scoped object with a namespaced owner remains, and one warning event is created', async () => {
    const fixture = await newCluster();
    const owner = await fixture.configMap('owner');
    await fixture.namespace('default');
    const child = await fixture.create('clusterroles.rbac.authorization.k8s.io', {
      metadata: { name: 'child', ownerReferences: [ownedBy(owner)] },
    });
    await fixture.idle();
    await fixture.patch('clusterroles.rbac.authorization.k8s.io/child', 'merge', {
      metadata: { ownerReferences: [ownedBy(owner, { controller: true })] },
    });
    await fixture.idle();
    expect(warnings(fixture, 'default')).toEqual([
      {
        type: 'Warning',
        reason: 'OwnerRefInvalidNamespace',
        involvedObject: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          name: 'child',
          uid: child.metadata.uid,
        },
        message: `ownerRef [v1/ConfigMap, namespace: , name: owner, uid: ${owner.metadata.uid}] does not exist in namespace ""`,
      },
    ]);
    await fixture.delete('configmaps/ns/owner');
    await fixture.idle();

    expect(fixture.find('clusterroles.rbac.authorization.k8s.io/child')).toBeDefined();
    expect(fixture.errors).toEqual([]);
  });

  it('a dependent remains while the kind of its owner is not served, and is deleted when the kind is served without the owner', async () => {
    const fixture = await newCluster();
    await fixture.configMap('child', {
      ownerReferences: [{ apiVersion: 'facts.example.com/v1', kind: 'Thing', name: 'a', uid: 'u' }],
    });
    await fixture.idle();
    expect(fixture.configMapNames()).toEqual(['child']);
    await fixture.define(thingCrd());
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual([]);
  });

  it('a dependent is deleted after its owner was deleted with its definition', async () => {
    const fixture = await newCluster();
    await fixture.define(thingCrd());
    const owner = await fixture.create('things.facts.example.com/ns', {
      apiVersion: 'facts.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a' },
    });
    await fixture.configMap('child', { ownerReferences: [ownedBy(owner)] });
    await fixture.idle();
    await fixture.delete('customresourcedefinitions.apiextensions.k8s.io/things.facts.example.com');
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual([]);
  });

  it.each(['v2', 'other/v1'])(
    'a dependent of a deleted owner remains where its reference names the version %s, which is not served',
    async (apiVersion) => {
      const fixture = await newCluster();
      const owner = await fixture.configMap('owner');
      await fixture.configMap('child', { ownerReferences: [{ ...ownedBy(owner), apiVersion }] });
      await fixture.delete('configmaps/ns/owner');
      await fixture.idle();

      expect(fixture.configMapNames()).toEqual(['child']);
    },
  );
});

describe('foreground deletion', () => {
  it('foreground deletion deletes a tree of dependents from its leaves', async () => {
    const fixture = await newCluster();
    const owner = await fixture.configMap('owner');
    const child = await fixture.configMap('child', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] });
    await fixture.configMap('leaf', { ownerReferences: [ownedBy(child, { blockOwnerDeletion: true })] });
    const from = fixture.store.revision;
    const removed: string[] = [];
    fixture.store.watch('configmaps', from, ({ type, entry }) => type === 'remove' && removed.push(entry.key));
    await fixture.delete('configmaps/ns/owner', { propagationPolicy: 'Foreground' });
    await fixture.idle();

    expect(removed).toEqual(['ns/leaf', 'ns/child', 'ns/owner']);
  });

  it('an owner in foreground deletion is deleted when a dependent no longer blocks it', async () => {
    const fixture = await newCluster();
    const owner = await fixture.configMap('owner');
    await fixture.configMap('child', {
      ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })],
      finalizers: ['a.example.com/hold'],
    });
    await fixture.delete('configmaps/ns/owner', { propagationPolicy: 'Foreground' });
    await fixture.idle();
    await fixture.patch('configmaps/ns/child', 'merge', {
      metadata: { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: false })] },
    });
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual(['child']);
  });
});

describe('the garbage collector', () => {
  it('the garbage collector finishes at its start what was pending', async () => {
    const before = new Cluster();
    await before.readyNamespace('ns');
    await before.controllers.end();
    const owner = await before.configMap('owner');
    await before.configMap('child', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] });
    await before.configMap('lost', { ownerReferences: [{ ...ownedBy(owner), uid: 'nothing' }] });
    await before.delete('configmaps/ns/owner', { propagationPolicy: 'Foreground' });
    await before.idle();
    expect(before.configMapNames()).toEqual(['child', 'lost', 'owner']);
    before.restartControllers();
    await before.idle();

    expect(before.configMapNames()).toEqual([]);
  });

  it('the garbage collector sets no timer while nothing changes', async () => {
    const fixture = await newCluster();
    const owner = await fixture.configMap('owner');
    await fixture.configMap('child', { ownerReferences: [ownedBy(owner)] });
    await fixture.idle();

    expect(fixture.clock.pending).toBe(0);
  });

  it('the garbage collector deletes hundreds of dependents of one owner', async () => {
    const fixture = await newCluster();
    const owner = await fixture.configMap('owner');
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        fixture.configMap(`child${index}`, { ownerReferences: [ownedBy(owner)] }),
      ),
    );
    await fixture.delete('configmaps/ns/owner');
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual([]);
    expect(fixture.errors).toEqual([]);
  });
});
