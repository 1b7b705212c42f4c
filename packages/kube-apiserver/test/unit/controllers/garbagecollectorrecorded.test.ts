import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { Cluster } from './cluster.js';

/** `a(b! c-)`: owned by b, which it blocks, and by c, which it says it does not; `a[x/y]`: held by a finalizer. */
interface History {
  readonly objects: readonly string[];
  /** `a Foreground`: one after the other. */
  readonly deletions: readonly string[];
  /** What is left; `*` where it is being deleted. As it was after kube-controller-manager 1.36.3 had come to rest. */
  readonly left: readonly string[];
}

const HISTORIES: readonly (readonly [name: string, history: History])[] = [
  ['a chain in the background', { objects: ['a', 'b(a)', 'c(b)'], deletions: ['a Background'], left: [] }],
  [
    'a dependent that blocks and is held',
    {
      objects: ['a', 'b(a!)[x/y]', 'n(a-)[x/y]'],
      deletions: ['a Foreground'],
      left: ['a*[foregroundDeletion]', 'b*(a!)[x/y]', 'n*(a-)[x/y]'],
    },
  ],
  [
    'a chain that blocks',
    {
      objects: ['a', 'b(a!)', 'c(b!)[x/y]'],
      deletions: ['a Foreground'],
      left: ['a*[foregroundDeletion]', 'b*(a!)[foregroundDeletion]', 'c*(b!)[x/y]'],
    },
  ],
  [
    'a chain whose end blocks nobody',
    { objects: ['a', 'b(a!)', 'c(b)[x/y]'], deletions: ['a Foreground'], left: ['c*(b)[x/y]'] },
  ],
  [
    'a dependent that says nothing of blocking',
    { objects: ['a', 'b(a)[x/y]'], deletions: ['a Foreground'], left: ['b*(a)[x/y]'] },
  ],
  ['orphans', { objects: ['a', 'b(a)', 'd', 'c(a d)'], deletions: ['a Orphan'], left: ['b', 'c(d)', 'd'] }],
  [
    'an owner of orphans that is held',
    { objects: ['a[x/y]', 'b(a)'], deletions: ['a Orphan'], left: ['a*[x/y]', 'b'] },
  ],
  ['two owners', { objects: ['a', 'd', 'b(a! d!)'], deletions: ['a Foreground'], left: ['b(d!)', 'd'] }],
  [
    'an owner that never was',
    {
      objects: ['a', 'b(a zz)', 'c(zz)', 'd(zz)[x/y]', 'e(zz)[orphan]', 'f(zz)[foregroundDeletion]'],
      deletions: [],
      left: ['a', 'b(a)', 'd*(zz)[x/y]'],
    },
  ],
  ['a circle', { objects: ['a', 'b(a!)', 'a(b!)'], deletions: ['a Foreground'], left: [] }],
  ['a circle in the background', { objects: ['a', 'b(a)', 'a(b)'], deletions: ['a Background'], left: [] }],
  [
    'an owner of itself',
    { objects: ['a', 'a(a!)'], deletions: ['a Foreground'], left: ['a*(a!)[foregroundDeletion]'] },
  ],
  [
    'the background, then the foreground',
    { objects: ['a[x/y]', 'b(a!)'], deletions: ['a Background', 'a Foreground'], left: ['a*[x/y]'] },
  ],
  [
    'the foreground, then orphans',
    { objects: ['a', 'b(a!)[x/y]'], deletions: ['a Foreground', 'a Orphan', 'b Orphan'], left: ['b*[x/y]'] },
  ],
];

const WRITTEN = /^(\w+)(\*?)(?:\(([^)]*)\))?(?:\[([^\]]*)\])?$/;

let cluster: Cluster;
beforeEach(async () => {
  cluster = new Cluster();
  await cluster.readyNamespace('ns');
});
afterEach(() => cluster.controllers.end());

it.each(HISTORIES)('%s: the same is left as on the real control plane', async (_name, { objects, deletions, left }) => {
  for (const text of objects) await make(text);
  await cluster.idle();
  for (const deletion of deletions) {
    const [name = '', propagationPolicy = ''] = deletion.split(' ');
    await cluster.delete(`configmaps/ns/${name}`, { propagationPolicy });
    await cluster.idle();
  }
  expect(cluster.configMapNames().map(written).sort()).toEqual([...left].sort());
  expect(cluster.errors).toEqual([]);
});

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Makes an object, or gives one that is there other owners. */
async function make(text: string): Promise<void> {
  const [, name = '', , owners, finalizer] = WRITTEN.exec(text) ?? [];
  const ownerReferences = (owners ?? '')
    .split(' ')
    .filter((one) => one !== '')
    .map((owner) => {
      const blocks = owner.endsWith('!') ? true : owner.endsWith('-') ? false : undefined;
      const of = owner.replace(/[!-]$/, '');
      const uid = cluster.find(`configmaps/ns/${of}`)?.metadata.uid ?? NOBODY;
      return {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: of,
        uid,
        ...(blocks === undefined ? {} : { blockOwnerDeletion: blocks }),
      };
    });
  if (cluster.find(`configmaps/ns/${name}`) !== undefined)
    await cluster.patch(`configmaps/ns/${name}`, 'merge', { metadata: { ownerReferences } });
  else
    await cluster.configMap(name, { ownerReferences, ...(finalizer === undefined ? {} : { finalizers: [finalizer] }) });
}

function written(name: string): string {
  const { deletionTimestamp, ownerReferences = [], finalizers = [] } = cluster.get(`configmaps/ns/${name}`).metadata;
  const owners = ownerReferences.map(
    ({ name: of, blockOwnerDeletion: blocks }) => `${of}${blocks === undefined ? '' : blocks ? '!' : '-'}`,
  );
  const held = finalizers.length === 0 ? '' : `[${finalizers.join(' ')}]`;
  return `${name}${deletionTimestamp === undefined ? '' : '*'}${owners.length === 0 ? '' : `(${owners.join(' ')})`}${held}`;
}
