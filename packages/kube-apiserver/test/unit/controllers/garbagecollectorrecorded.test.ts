import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { Cluster } from './cluster.js';

/** Notation: `a(b! c-)` has the owners b, which it blocks, and c with blockOwnerDeletion false; `a[x/y]` has a finalizer. */
interface RecordedRun {
  readonly objects: readonly string[];
  /** Deletions in order: name and propagation policy. */
  readonly deletions: readonly string[];
  /** The objects that remained after kube-controller-manager 1.36.3 was idle; `*` marks a deletionTimestamp. */
  readonly left: readonly string[];
}

const RECORDED_RUNS: readonly (readonly [name: string, run: RecordedRun])[] = [
  ['a chain in the background', { objects: ['a', 'b(a)', 'c(b)'], deletions: ['a Background'], left: [] }],
  [
    'a blocking dependent with a finalizer',
    {
      objects: ['a', 'b(a!)[x/y]', 'n(a-)[x/y]'],
      deletions: ['a Foreground'],
      left: ['a*[foregroundDeletion]', 'b*(a!)[x/y]', 'n*(a-)[x/y]'],
    },
  ],
  [
    'a chain of blocking dependents',
    {
      objects: ['a', 'b(a!)', 'c(b!)[x/y]'],
      deletions: ['a Foreground'],
      left: ['a*[foregroundDeletion]', 'b*(a!)[foregroundDeletion]', 'c*(b!)[x/y]'],
    },
  ],
  [
    'a chain whose last dependent does not block',
    { objects: ['a', 'b(a!)', 'c(b)[x/y]'], deletions: ['a Foreground'], left: ['c*(b)[x/y]'] },
  ],
  [
    'a dependent without blockOwnerDeletion',
    { objects: ['a', 'b(a)[x/y]'], deletions: ['a Foreground'], left: ['b*(a)[x/y]'] },
  ],
  ['orphaned dependents', { objects: ['a', 'b(a)', 'd', 'c(a d)'], deletions: ['a Orphan'], left: ['b', 'c(d)', 'd'] }],
  [
    'an orphaning owner with a finalizer',
    { objects: ['a[x/y]', 'b(a)'], deletions: ['a Orphan'], left: ['a*[x/y]', 'b'] },
  ],
  ['two owners', { objects: ['a', 'd', 'b(a! d!)'], deletions: ['a Foreground'], left: ['b(d!)', 'd'] }],
  [
    'an owner that never existed',
    {
      objects: ['a', 'b(a zz)', 'c(zz)', 'd(zz)[x/y]', 'e(zz)[orphan]', 'f(zz)[foregroundDeletion]'],
      deletions: [],
      left: ['a', 'b(a)', 'd*(zz)[x/y]'],
    },
  ],
  ['a cycle in the foreground', { objects: ['a', 'b(a!)', 'a(b!)'], deletions: ['a Foreground'], left: [] }],
  ['a cycle in the background', { objects: ['a', 'b(a)', 'a(b)'], deletions: ['a Background'], left: [] }],
  [
    'an object that owns itself',
    { objects: ['a', 'a(a!)'], deletions: ['a Foreground'], left: ['a*(a!)[foregroundDeletion]'] },
  ],
  [
    'background deletion, then foreground deletion',
    { objects: ['a[x/y]', 'b(a!)'], deletions: ['a Background', 'a Foreground'], left: ['a*[x/y]'] },
  ],
  [
    'foreground deletion, then orphaning',
    { objects: ['a', 'b(a!)[x/y]'], deletions: ['a Foreground', 'a Orphan', 'b Orphan'], left: ['b*[x/y]'] },
  ],
];

const NOTATION = /^(\w+)(\*?)(?:\(([^)]*)\))?(?:\[([^\]]*)\])?$/;

let cluster: Cluster;
beforeEach(async () => {
  cluster = new Cluster();
  await cluster.readyNamespace('ns');
});
afterEach(() => cluster.controllers.end());

it.each(RECORDED_RUNS)(
  'the garbage collector leaves the same objects as kube-controller-manager: %s',
  async (_name, { objects, deletions, left }) => {
    for (const text of objects) await make(text);
    await cluster.idle();
    for (const deletion of deletions) {
      const [name = '', propagationPolicy = ''] = deletion.split(' ');
      await cluster.delete(`configmaps/ns/${name}`, { propagationPolicy });
      await cluster.idle();
    }
    expect(cluster.configMapNames().map(notationOf).sort()).toEqual([...left].sort());
    expect(cluster.errors).toEqual([]);
  },
);

const UNKNOWN_UID = '00000000-0000-0000-0000-000000000000';

/** Creates an object, or sets the owners of an existing one. */
async function make(text: string): Promise<void> {
  const [, name = '', , owners, finalizer] = NOTATION.exec(text) ?? [];
  const ownerReferences = (owners ?? '')
    .split(' ')
    .filter((one) => one !== '')
    .map((owner) => {
      const blocks = owner.endsWith('!') ? true : owner.endsWith('-') ? false : undefined;
      const of = owner.replace(/[!-]$/, '');
      const uid = cluster.find(`configmaps/ns/${of}`)?.metadata.uid ?? UNKNOWN_UID;
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

function notationOf(name: string): string {
  const { deletionTimestamp, ownerReferences = [], finalizers = [] } = cluster.get(`configmaps/ns/${name}`).metadata;
  const owners = ownerReferences.map(
    ({ name: of, blockOwnerDeletion: blocks }) => `${of}${blocks === undefined ? '' : blocks ? '!' : '-'}`,
  );
  const held = finalizers.length === 0 ? '' : `[${finalizers.join(' ')}]`;
  return `${name}${deletionTimestamp === undefined ? '' : '*'}${owners.length === 0 ? '' : `(${owners.join(' ')})`}${held}`;
}
