import { describe, expect, it } from '@jest/globals';
import { sigChanges, type SigDecision, type SigWrite } from '../../../../src/domain/placement/publish/sigdecision.js';
import {
  confirmedDecision,
  isContradicted,
  decisionObject,
  readDecision,
  revisionOf,
  type StoredDecision,
} from '../../../../src/domain/placement/stored/decision.js';
import { contentOf } from '../../../../src/domain/placement/stored/items.js';

const OWNER = { namespace: 'team', name: 'web', uid: 'uid-web' };
const NONE = (): undefined => undefined;

/** Decision objects of the Placement, `web-decision-1` first. */
function decided(...lists: readonly (readonly string[])[]): readonly StoredDecision[] {
  return lists.map((clusters, index) => readDecision(decisionObject(OWNER, index + 1, contentOf(clusters)), OWNER));
}

/** What is stored after these writes. */
function after(writes: readonly SigWrite[]): readonly SigDecision[] {
  return writes.flatMap((write) => (write.kind === 'delete' ? [] : [write.object]));
}

function plan(lists: readonly StoredDecision[], stored: readonly SigDecision[] = []): readonly SigWrite[] {
  return sigChanges(OWNER, lists, { stored, annotationsOf: NONE, namespace: undefined }).writes;
}

const summary = (writes: readonly SigWrite[]): readonly string[] =>
  writes.map((write) => `${write.kind} ${(write.kind === 'delete' ? write.stored : write.object).metadata.name}`);

describe('a decision as PlacementDecisions of SIG Multicluster', () => {
  it('each decision object has one of the same name, of the same Placement and with the same clusters in order', () => {
    expect(after(plan(decided(['b', 'a'])))).toEqual([
      {
        apiVersion: 'multicluster.x-k8s.io/v1alpha1',
        kind: 'PlacementDecision',
        metadata: {
          namespace: 'team',
          name: 'web-decision-1',
          labels: { 'multicluster.x-k8s.io/decision-key': 'web' },
          ownerReferences: [
            {
              apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
              kind: 'Placement',
              name: 'web',
              uid: 'uid-web',
              controller: true,
            },
          ],
        },
        schedulerName: 'multicluster-engine',
        decisions: [{ clusterProfileRef: { name: 'b' } }, { clusterProfileRef: { name: 'a' } }],
      },
    ]);
  });

  it('a cluster that was made from a ClusterProfile refers to that one', () => {
    const sources: Readonly<Record<string, string>> = {
      a: 'clusterprofiles.multicluster.x-k8s.io/fleet/a',
      b: 'managedclusters.cluster.open-cluster-management.io/b',
    };
    const annotationsOf = (cluster: string): Record<string, string> => ({
      'cluster.fleetmgmt.io/source': sources[cluster] ?? '',
    });
    const { writes } = sigChanges(OWNER, decided(['a', 'b']), { stored: [], annotationsOf, namespace: undefined });

    expect(after(writes)[0]?.decisions).toEqual([
      { clusterProfileRef: { name: 'a', namespace: 'fleet' } },
      { clusterProfileRef: { name: 'b' } },
    ]);

    const known = { stored: [], annotationsOf, namespace: 'published' };
    expect(after(sigChanges(OWNER, decided(['a', 'b']), known).writes)[0]?.decisions).toEqual([
      { clusterProfileRef: { name: 'a', namespace: 'fleet' } },
      { clusterProfileRef: { name: 'b', namespace: 'published' } },
    ]);
  });

  it('what is stored already is not written again', () => {
    const lists = decided(['a'], ['b']);
    expect(plan(lists, after(plan(lists)))).toEqual([]);
  });

  it('objects that are needed no more are deleted first, then come those that shrink, and those that grow last', () => {
    const stored = after(plan(decided(['a'], ['b', 'c'], ['d'])));
    expect(summary(plan(decided(['a', 'e'], ['b']), stored))).toEqual([
      'delete web-decision-3',
      'update web-decision-2',
      'update web-decision-1',
    ]);
  });

  it('objects of an older decision, between which many clusters move, never have more than the 100 that are allowed', () => {
    const names = (from: number, count: number): string[] => Array.from({ length: count }, (_, n) => `c${from + n}`);
    const [moved, ...others] = names(0, 101);
    const stored = after(plan(decided(names(0, 100), ['c100'])));
    const writes = plan(decided([...others], [String(moved)]), stored);

    expect(Math.max(...after(writes).map(({ decisions }) => decisions.length))).toBe(100);
    expect(writes.map((write) => write.kind !== 'delete' && write.object.decisions.length)).toEqual([2, 100, 1]);
  });

  it.each([
    ['the list', { decisions: [] }],
    ['the name of the scheduler', { schedulerName: 'other' }],
    ['the list, by something that is none', { decisions: undefined as unknown as [] }],
  ])('a change of %s by others is put right', (_what, change) => {
    const lists = decided(['a']);
    const [object] = after(plan(lists));
    if (object === undefined) throw new Error('nothing was planned');
    expect(summary(plan(lists, [{ ...object, ...change }]))).toEqual(['update web-decision-1']);
  });

  it('labels, annotations and further owners of others stay', () => {
    const [object] = after(plan(decided(['a'])));
    if (object === undefined) throw new Error('nothing was planned');
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'uid-x' };
    const metadata = {
      ...object.metadata,
      labels: { ...object.metadata.labels, team: 'a' },
      annotations: { note: 'b' },
      ownerReferences: [other, ...(object.metadata.ownerReferences ?? [])],
    };
    const [write] = plan(decided(['b']), [{ ...object, metadata }]);

    expect(write?.kind === 'update' ? write.object.metadata : undefined).toMatchObject({
      labels: { team: 'a', 'multicluster.x-k8s.io/decision-key': 'web' },
      annotations: { note: 'b' },
      ownerReferences: [{ uid: 'uid-web' }, other],
    });
  });

  it('an object of others is left alone and named, and one of an earlier Placement is left to garbage collection', () => {
    const lists = decided(['a'], ['b']);
    const [first, second] = after(plan(lists));
    if (first === undefined || second === undefined) throw new Error('nothing was planned');
    const foreign = { ...first, metadata: { ...first.metadata, ownerReferences: [] } };
    const owners = second.metadata.ownerReferences?.map((one) => ({ ...one, uid: 'uid-earlier' })) ?? [];
    const earlier = { ...second, metadata: { ...second.metadata, ownerReferences: owners } };

    expect(sigChanges(OWNER, lists, { stored: [foreign, earlier], annotationsOf: NONE, namespace: undefined })).toEqual(
      {
        writes: [],
        foreign: ['web-decision-1'],
      },
    );
  });
});

describe('the decision that the status of a Placement confirms', () => {
  const objects = decided(['a'], ['b']);
  const decisions = [
    { name: 'web-decision-1', revision: revisionOf(['a']) },
    { name: 'web-decision-2', revision: revisionOf(['b']) },
  ];

  it('the decision that the status confirms is that of its objects when all are listed with their revisions', () => {
    expect(confirmedDecision({ decisions }, objects)).toEqual(objects);
    expect(isContradicted({ decisions }, objects)).toBe(false);
  });

  it.each([
    ['no status', undefined, objects, false],
    ['an empty list', { decisions: [] }, [], false],
    [
      'another revision',
      { decisions: [{ name: 'web-decision-1', revision: 'x' }, ...decisions.slice(1)] },
      objects,
      true,
    ],
    ['an object that is gone', { decisions }, objects.slice(0, 1), true],
    ['an object that is not listed yet', { decisions: decisions.slice(0, 1) }, objects, true],
  ])('the decision that the status confirms is none with %s', (_what, status, stored, contradicts) => {
    expect(confirmedDecision(status, stored)).toBeUndefined();
    expect(isContradicted(status, stored)).toBe(contradicts);
  });
});
