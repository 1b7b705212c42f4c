import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../../src/json.js';
import { thingCrd } from '../verbs/fixture.js';
import { Cluster, ownedBy } from './cluster.js';

async function cluster(): Promise<Cluster> {
  const made = new Cluster();
  await made.readyNamespace('ns');
  return made;
}

/** Events in a namespace. */
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

describe('an object with owners', () => {
  it('goes after its only owner, and what it owns after it', async () => {
    const fixture = await cluster();
    const owner = await fixture.configMap('owner');
    const child = await fixture.configMap('child', { ownerReferences: [ownedBy(owner)] });
    await fixture.configMap('grandchild', { ownerReferences: [ownedBy(child)] });
    await fixture.configMap('other');
    await fixture.delete('configmaps/ns/owner');
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual(['other']);
    expect(fixture.errors).toEqual([]);
  });

  it('stays while one owner is left, without the reference to the one that is gone', async () => {
    const fixture = await cluster();
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
    ['does not exist', { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'nothing' }],
    ['is another object of the same name', { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'nothing' }],
    [
      'is of another kind than the object of that uid',
      { apiVersion: 'v1', kind: 'Secret', name: 'owner', uid: 'OWNER' },
    ],
    ['is in another namespace', { apiVersion: 'v1', kind: 'ConfigMap', name: 'far', uid: 'FAR' }],
  ])('goes at once when its owner %s', async (_what, reference) => {
    const fixture = await cluster();
    await fixture.readyNamespace('elsewhere');
    const far = await fixture.create('configmaps/elsewhere', { metadata: { name: 'far' } });
    const owner = await fixture.configMap('owner');
    const uid = reference.uid.replace('FAR', far.metadata.uid ?? '').replace('OWNER', owner.metadata.uid ?? '');
    const child = await fixture.configMap('child', { ownerReferences: [{ ...reference, uid }] });
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual(['owner']);
    const told = {
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'child', namespace: 'ns', uid: child.metadata.uid },
      message: `ownerRef [v1/ConfigMap, namespace: ns, name: far, uid: ${uid}] does not exist in namespace "ns"`,
    };
    expect(warnings(fixture, 'ns')).toEqual(uid === far.metadata.uid ? [told] : []);
  });

  it('stays when its owner exists in the cluster, or in its namespace', async () => {
    const fixture = await cluster();
    await fixture.configMap('child', { ownerReferences: [ownedBy(fixture.get('namespaces/ns'))] });
    await fixture.configMap('other', { ownerReferences: [ownedBy(fixture.get('serviceaccounts/ns/default'))] });
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual(['child', 'other']);
  });

  it('that is in no namespace stays when its owner would be in one', async () => {
    const fixture = await cluster();
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

  it('stays while nobody knows the kind of its owner, and goes when it is known and the owner is not there', async () => {
    const fixture = await cluster();
    await fixture.configMap('child', {
      ownerReferences: [{ apiVersion: 'facts.example.com/v1', kind: 'Thing', name: 'a', uid: 'u' }],
    });
    await fixture.idle();
    expect(fixture.configMapNames()).toEqual(['child']);
    await fixture.define(thingCrd());
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual([]);
  });

  it('goes after an owner that went with its definition', async () => {
    const fixture = await cluster();
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
    'stays when its owner, that is gone, is named by %s, which nobody serves',
    async (apiVersion) => {
      const fixture = await cluster();
      const owner = await fixture.configMap('owner');
      await fixture.configMap('child', { ownerReferences: [{ ...ownedBy(owner), apiVersion }] });
      await fixture.delete('configmaps/ns/owner');
      await fixture.idle();

      expect(fixture.configMapNames()).toEqual(['child']);
    },
  );

  it('is marked, and waits for its own finalizers', async () => {
    const fixture = await cluster();
    const owner = await fixture.configMap('owner');
    await fixture.configMap('child', { ownerReferences: [ownedBy(owner)], finalizers: ['a.example.com/hold'] });
    await fixture.delete('configmaps/ns/owner');
    await fixture.idle();
    expect(fixture.get('configmaps/ns/child').metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      finalizers: ['a.example.com/hold'],
    });
    await fixture.patch('configmaps/ns/child', 'merge', { metadata: { finalizers: null } });
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual([]);
  });
});

describe('an owner that is deleted in the foreground', () => {
  it('goes after the dependents that block it', async () => {
    const fixture = await cluster();
    const owner = await fixture.configMap('owner');
    await fixture.configMap('blocking', {
      ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })],
      finalizers: ['a.example.com/hold'],
    });
    await fixture.configMap('other', { ownerReferences: [ownedBy(owner)], finalizers: ['a.example.com/hold'] });
    await fixture.delete('configmaps/ns/owner', { propagationPolicy: 'Foreground' });
    await fixture.idle();
    expect(fixture.configMapNames()).toEqual(['blocking', 'other', 'owner']);
    expect(fixture.get('configmaps/ns/owner').metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(fixture.get('configmaps/ns/other').metadata.deletionTimestamp).toBeDefined();
    await fixture.patch('configmaps/ns/blocking', 'merge', { metadata: { finalizers: null } });
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual(['other']);
  });

  it('deletes what has dependents in the foreground too, from the leaves up', async () => {
    const fixture = await cluster();
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

  it('lets what has another owner stay, without the reference', async () => {
    const fixture = await cluster();
    const [a, b] = [await fixture.configMap('a'), await fixture.configMap('b')];
    await fixture.configMap('child', { ownerReferences: [ownedBy(a, { blockOwnerDeletion: true }), ownedBy(b)] });
    await fixture.delete('configmaps/ns/a', { propagationPolicy: 'Foreground' });
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual(['b', 'child']);
    expect(fixture.get('configmaps/ns/child').metadata.ownerReferences).toEqual([ownedBy(b)]);
  });

  it('goes when the dependent that blocks it lets it go', async () => {
    const fixture = await cluster();
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

  it('goes at once when it has no dependents', async () => {
    const fixture = await cluster();
    await fixture.configMap('owner');
    await fixture.delete('configmaps/ns/owner', { propagationPolicy: 'Foreground' });
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual([]);
  });

  it('goes even in a circle of owners that wait for each other', async () => {
    const fixture = await cluster();
    const a = await fixture.configMap('a');
    const b = await fixture.configMap('b', { ownerReferences: [ownedBy(a, { blockOwnerDeletion: true })] });
    const c = await fixture.configMap('c', { ownerReferences: [ownedBy(b, { blockOwnerDeletion: true })] });
    await fixture.patch('configmaps/ns/a', 'merge', {
      metadata: { ownerReferences: [ownedBy(c, { blockOwnerDeletion: true })] },
    });
    await fixture.delete('configmaps/ns/a', { propagationPolicy: 'Foreground' });
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual([]);
  });
});

describe('an owner that leaves orphans', () => {
  it('goes after its dependents were let loose', async () => {
    const fixture = await cluster();
    const [owner, other] = [await fixture.configMap('owner'), await fixture.configMap('other')];
    await fixture.configMap('a', { ownerReferences: [ownedBy(owner)] });
    await fixture.configMap('b', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true }), ownedBy(other)] });
    await fixture.delete('configmaps/ns/owner', { propagationPolicy: 'Orphan' });
    await fixture.idle();

    expect(fixture.configMapNames()).toEqual(['a', 'b', 'other']);
    expect(fixture.get('configmaps/ns/a').metadata.ownerReferences).toBeUndefined();
    expect(fixture.get('configmaps/ns/b').metadata.ownerReferences).toEqual([ownedBy(other)]);
  });
});

describe('the garbage collector', () => {
  it('finds what was left to do when it starts', async () => {
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

  it('does nothing while nothing changes', async () => {
    const fixture = await cluster();
    const owner = await fixture.configMap('owner');
    await fixture.configMap('child', { ownerReferences: [ownedBy(owner)] });
    await fixture.idle();

    expect(fixture.clock.pending).toBe(0);
  });

  it('takes hundreds of dependents with their owner', async () => {
    const fixture = await cluster();
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
