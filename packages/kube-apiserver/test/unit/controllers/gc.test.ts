import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../../src/json.js';
import { thingCrd } from '../verbs/fixture.js';
import { Cluster, ownedBy } from './cluster.js';

async function cluster(): Promise<Cluster> {
  const made = new Cluster();
  await made.space('ns');
  return made;
}

/** Events in a namespace. */
function warnings(room: Cluster, namespace: string): Json[] {
  return room.reader
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
    const room = await cluster();
    const owner = await room.config('owner');
    const child = await room.config('child', { ownerReferences: [ownedBy(owner)] });
    await room.config('grandchild', { ownerReferences: [ownedBy(child)] });
    await room.config('other');
    await room.delete('configmaps/ns/owner');
    await room.idle();

    expect(room.names()).toEqual(['other']);
    expect(room.errors).toEqual([]);
  });

  it('stays while one owner is left, without the reference to the one that is gone', async () => {
    const room = await cluster();
    const [a, b] = [await room.config('a'), await room.config('b')];
    await room.config('child', { ownerReferences: [ownedBy(a), ownedBy(b, { controller: true })] });
    await room.delete('configmaps/ns/a');
    await room.idle();
    expect(room.get('configmaps/ns/child').metadata.ownerReferences).toEqual([ownedBy(b, { controller: true })]);
    await room.delete('configmaps/ns/b');
    await room.idle();

    expect(room.names()).toEqual([]);
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
    const room = await cluster();
    await room.space('elsewhere');
    const far = await room.create('configmaps/elsewhere', { metadata: { name: 'far' } });
    const owner = await room.config('owner');
    const uid = reference.uid.replace('FAR', far.metadata.uid ?? '').replace('OWNER', owner.metadata.uid ?? '');
    const child = await room.config('child', { ownerReferences: [{ ...reference, uid }] });
    await room.idle();

    expect(room.names()).toEqual(['owner']);
    const told = {
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'child', namespace: 'ns', uid: child.metadata.uid },
      message: `ownerRef [v1/ConfigMap, namespace: ns, name: far, uid: ${uid}] does not exist in namespace "ns"`,
    };
    expect(warnings(room, 'ns')).toEqual(uid === far.metadata.uid ? [told] : []);
  });

  it('stays when its owner exists in the cluster, or in its namespace', async () => {
    const room = await cluster();
    await room.config('child', { ownerReferences: [ownedBy(room.get('namespaces/ns'))] });
    await room.config('other', { ownerReferences: [ownedBy(room.get('serviceaccounts/ns/default'))] });
    await room.idle();

    expect(room.names()).toEqual(['child', 'other']);
  });

  it('that is in no namespace stays when its owner would be in one', async () => {
    const room = await cluster();
    const owner = await room.config('owner');
    await room.namespace('default');
    const child = await room.create('clusterroles.rbac.authorization.k8s.io', {
      metadata: { name: 'child', ownerReferences: [ownedBy(owner)] },
    });
    await room.idle();
    await room.patch('clusterroles.rbac.authorization.k8s.io/child', 'merge', {
      metadata: { ownerReferences: [ownedBy(owner, { controller: true })] },
    });
    await room.idle();
    expect(warnings(room, 'default')).toEqual([
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
    await room.delete('configmaps/ns/owner');
    await room.idle();

    expect(room.find('clusterroles.rbac.authorization.k8s.io/child')).toBeDefined();
    expect(room.errors).toEqual([]);
  });

  it('stays while nobody knows the kind of its owner, and goes when it is known and the owner is not there', async () => {
    const room = await cluster();
    await room.config('child', {
      ownerReferences: [{ apiVersion: 'facts.example.com/v1', kind: 'Thing', name: 'a', uid: 'u' }],
    });
    await room.idle();
    expect(room.names()).toEqual(['child']);
    await room.define(thingCrd());
    await room.idle();

    expect(room.names()).toEqual([]);
  });

  it('goes after an owner that went with its definition', async () => {
    const room = await cluster();
    await room.define(thingCrd());
    const owner = await room.create('things.facts.example.com/ns', {
      apiVersion: 'facts.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a' },
    });
    await room.config('child', { ownerReferences: [ownedBy(owner)] });
    await room.idle();
    await room.delete('customresourcedefinitions.apiextensions.k8s.io/things.facts.example.com');
    await room.idle();

    expect(room.names()).toEqual([]);
  });

  it.each(['v2', 'other/v1'])(
    'stays when its owner, that is gone, is named by %s, which nobody serves',
    async (apiVersion) => {
      const room = await cluster();
      const owner = await room.config('owner');
      await room.config('child', { ownerReferences: [{ ...ownedBy(owner), apiVersion }] });
      await room.delete('configmaps/ns/owner');
      await room.idle();

      expect(room.names()).toEqual(['child']);
    },
  );

  it('is marked, and waits for its own finalizers', async () => {
    const room = await cluster();
    const owner = await room.config('owner');
    await room.config('child', { ownerReferences: [ownedBy(owner)], finalizers: ['a.example.com/hold'] });
    await room.delete('configmaps/ns/owner');
    await room.idle();
    expect(room.get('configmaps/ns/child').metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      finalizers: ['a.example.com/hold'],
    });
    await room.patch('configmaps/ns/child', 'merge', { metadata: { finalizers: null } });
    await room.idle();

    expect(room.names()).toEqual([]);
  });
});

describe('an owner that is deleted in the foreground', () => {
  it('goes after the dependents that block it', async () => {
    const room = await cluster();
    const owner = await room.config('owner');
    await room.config('blocking', {
      ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })],
      finalizers: ['a.example.com/hold'],
    });
    await room.config('other', { ownerReferences: [ownedBy(owner)], finalizers: ['a.example.com/hold'] });
    await room.delete('configmaps/ns/owner', { propagationPolicy: 'Foreground' });
    await room.idle();
    expect(room.names()).toEqual(['blocking', 'other', 'owner']);
    expect(room.get('configmaps/ns/owner').metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(room.get('configmaps/ns/other').metadata.deletionTimestamp).toBeDefined();
    await room.patch('configmaps/ns/blocking', 'merge', { metadata: { finalizers: null } });
    await room.idle();

    expect(room.names()).toEqual(['other']);
  });

  it('deletes what has dependents in the foreground too, from the leaves up', async () => {
    const room = await cluster();
    const owner = await room.config('owner');
    const child = await room.config('child', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] });
    await room.config('leaf', { ownerReferences: [ownedBy(child, { blockOwnerDeletion: true })] });
    const from = room.store.revision;
    const removed: string[] = [];
    room.store.watch('configmaps', from, ({ type, entry }) => type === 'remove' && removed.push(entry.key));
    await room.delete('configmaps/ns/owner', { propagationPolicy: 'Foreground' });
    await room.idle();

    expect(removed).toEqual(['ns/leaf', 'ns/child', 'ns/owner']);
  });

  it('lets what has another owner stay, without the reference', async () => {
    const room = await cluster();
    const [a, b] = [await room.config('a'), await room.config('b')];
    await room.config('child', { ownerReferences: [ownedBy(a, { blockOwnerDeletion: true }), ownedBy(b)] });
    await room.delete('configmaps/ns/a', { propagationPolicy: 'Foreground' });
    await room.idle();

    expect(room.names()).toEqual(['b', 'child']);
    expect(room.get('configmaps/ns/child').metadata.ownerReferences).toEqual([ownedBy(b)]);
  });

  it('goes when the dependent that blocks it lets it go', async () => {
    const room = await cluster();
    const owner = await room.config('owner');
    await room.config('child', {
      ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })],
      finalizers: ['a.example.com/hold'],
    });
    await room.delete('configmaps/ns/owner', { propagationPolicy: 'Foreground' });
    await room.idle();
    await room.patch('configmaps/ns/child', 'merge', {
      metadata: { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: false })] },
    });
    await room.idle();

    expect(room.names()).toEqual(['child']);
  });

  it('goes at once when it has no dependents', async () => {
    const room = await cluster();
    await room.config('owner');
    await room.delete('configmaps/ns/owner', { propagationPolicy: 'Foreground' });
    await room.idle();

    expect(room.names()).toEqual([]);
  });

  it('goes even in a circle of owners that wait for each other', async () => {
    const room = await cluster();
    const a = await room.config('a');
    const b = await room.config('b', { ownerReferences: [ownedBy(a, { blockOwnerDeletion: true })] });
    const c = await room.config('c', { ownerReferences: [ownedBy(b, { blockOwnerDeletion: true })] });
    await room.patch('configmaps/ns/a', 'merge', {
      metadata: { ownerReferences: [ownedBy(c, { blockOwnerDeletion: true })] },
    });
    await room.delete('configmaps/ns/a', { propagationPolicy: 'Foreground' });
    await room.idle();

    expect(room.names()).toEqual([]);
  });
});

describe('an owner that leaves orphans', () => {
  it('goes after its dependents were let loose', async () => {
    const room = await cluster();
    const [owner, other] = [await room.config('owner'), await room.config('other')];
    await room.config('a', { ownerReferences: [ownedBy(owner)] });
    await room.config('b', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true }), ownedBy(other)] });
    await room.delete('configmaps/ns/owner', { propagationPolicy: 'Orphan' });
    await room.idle();

    expect(room.names()).toEqual(['a', 'b', 'other']);
    expect(room.get('configmaps/ns/a').metadata.ownerReferences).toBeUndefined();
    expect(room.get('configmaps/ns/b').metadata.ownerReferences).toEqual([ownedBy(other)]);
  });
});

describe('the garbage collector', () => {
  it('finds what was left to do when it starts', async () => {
    const before = new Cluster();
    await before.space('ns');
    await before.controllers.end();
    const owner = await before.config('owner');
    await before.config('child', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] });
    await before.config('lost', { ownerReferences: [{ ...ownedBy(owner), uid: 'nothing' }] });
    await before.delete('configmaps/ns/owner', { propagationPolicy: 'Foreground' });
    await before.idle();
    expect(before.names()).toEqual(['child', 'lost', 'owner']);
    before.startAgain();
    await before.idle();

    expect(before.names()).toEqual([]);
  });

  it('does nothing while nothing changes', async () => {
    const room = await cluster();
    const owner = await room.config('owner');
    await room.config('child', { ownerReferences: [ownedBy(owner)] });
    await room.idle();

    expect(room.clock.pending).toBe(0);
  });

  it('takes hundreds of dependents with their owner', async () => {
    const room = await cluster();
    const owner = await room.config('owner');
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => room.config(`child${index}`, { ownerReferences: [ownedBy(owner)] })),
    );
    await room.delete('configmaps/ns/owner');
    await room.idle();

    expect(room.names()).toEqual([]);
    expect(room.errors).toEqual([]);
  });
});
