import { describe, expect, it } from '@jest/globals';
import {
  decisionName,
  decisionObject,
  decisionOrdinal,
  readDecision,
  revisionOf,
} from '../../../../src/domain/placement/stored/decision.js';
import { contentOf } from '../../../../src/domain/placement/stored/items.js';
import type { RawDecision } from '../../../../src/domain/placement/stored/decision.js';
import { hash64, hex64 } from '../../../../src/domain/hash.js';
import { names } from '../../../support/builders/placement.js';

const owner = { namespace: 'team', name: 'web', uid: 'u1' };
const reference = {
  apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
  kind: 'Placement',
  name: 'web',
  uid: 'u1',
  controller: true,
};
const ours = { ...decisionObject(owner, 1, contentOf(['a', 'b'])) };
const stored: RawDecision = { ...ours, metadata: { ...ours.metadata, uid: 'd1', resourceVersion: '7' } };

function edited(metadata: Partial<RawDecision['metadata']>, status: unknown = stored.status): RawDecision {
  return { ...stored, metadata: { ...stored.metadata, ...metadata }, status };
}

describe('decisionOrdinal', () => {
  it.each([
    ['web-decision-1', 1],
    ['web-decision-120', 120],
    ['web-decision-99999', 99_999],
    ['web-decision-0', undefined],
    ['web-decision-01', undefined],
    ['web-decision-1e2', undefined],
    ['web-decision-+1', undefined],
    ['web-decision-1.0', undefined],
    ['web-decision- 1', undefined],
    ['web-decision-', undefined],
    ['web-decision-100000', undefined],
    ['web2-decision-1', undefined],
    ['web-decision-decision-1', undefined],
  ])('the name %s is that of decision object %s', (name, ordinal) => {
    expect(decisionOrdinal('web', name)).toBe(ordinal);
    if (ordinal !== undefined) expect(decisionName('web', ordinal)).toBe(name);
  });
});

describe('revisionOf', () => {
  it('the revision is a hash of the names in order, each with a line feed', () => {
    expect(revisionOf(['a', 'b'])).toBe(hex64(hash64('a\nb\n')));
    expect(revisionOf([])).toBe('cbf29ce484222325');
  });

  it.each([
    ['another order', ['b', 'a']],
    ['other borders', ['ab']],
    ['one less', ['a']],
    ['one more', ['a', 'b', 'c']],
  ])('the revision differs for %s', (_what, list) => {
    expect(revisionOf(list)).not.toBe(revisionOf(['a', 'b']));
  });
});

describe('decisionObject and readDecision', () => {
  it('a decision object is created complete', () => {
    expect(decisionObject(owner, 2, contentOf(['a', 'b']))).toEqual({
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'PlacementDecision',
      metadata: {
        name: 'web-decision-2',
        namespace: 'team',
        labels: { 'cluster.fleetmgmt.io/placement': 'web' },
        annotations: { 'cluster.fleetmgmt.io/decision-revision': revisionOf(['a', 'b']) },
        ownerReferences: [reference],
      },
      status: {
        numberOfClusters: 2,
        decisions: [
          { clusterName: 'a', reason: '' },
          { clusterName: 'b', reason: '' },
        ],
      },
    });
  });

  it('a decision object has an empty array when nothing is selected', () => {
    expect(decisionObject(owner, 1, contentOf([])).status).toEqual({ numberOfClusters: 0, decisions: [] });
  });

  it('an update of a decision object keeps labels, annotations, finalizers and owners of others', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'c1' };
    const existing = edited({
      labels: { mine: '1', 'cluster.fleetmgmt.io/placement': 'wrong' },
      annotations: { theirs: '2' },
      finalizers: ['hold.io/it'],
      ownerReferences: [other],
    });

    const { metadata } = decisionObject(owner, 1, contentOf(['z']), existing);

    expect(metadata).toMatchObject({ uid: 'd1', resourceVersion: '7', finalizers: ['hold.io/it'] });
    expect(metadata.labels).toEqual({ mine: '1', 'cluster.fleetmgmt.io/placement': 'web' });
    expect(metadata.annotations).toEqual({ theirs: '2', 'cluster.fleetmgmt.io/decision-revision': revisionOf(['z']) });
    expect(metadata.ownerReferences).toEqual([reference, other]);
  });

  it('a decision object has one controller, and names its Placement once', () => {
    const loose = { ...reference, controller: false };
    const taken = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'c1', controller: true };

    expect(
      decisionObject(owner, 1, contentOf([]), edited({ ownerReferences: [loose, taken] })).metadata.ownerReferences,
    ).toEqual([reference]);
  });

  it('a decision object holds at most a hundred clusters', () => {
    expect(decisionObject(owner, 1, contentOf(names(100))).status.decisions).toHaveLength(100);
    expect(() => decisionObject(owner, 3, contentOf(names(101)))).toThrow(
      'web-decision-3: 101 clusters, at most 100 fit in one object',
    );
  });

  it('a decision object is intact as this controller writes it', () => {
    expect(readDecision(stored, owner)).toEqual({
      since: new Map(),
      details: new Map(),
      name: 'web-decision-1',
      uid: 'd1',
      resourceVersion: '7',
      ordinal: 1,
      ownership: 'ours',
      deleting: false,
      clusters: ['a', 'b'],
      revision: revisionOf(['a', 'b']),
      intact: true,
    });
  });

  it.each([
    { what: 'its controller owner is the live Placement', over: {}, is: 'ours' },
    {
      what: 'its owner is served in another version',
      over: { ownerReferences: [{ ...reference, apiVersion: 'cluster.fleetmgmt.io/v1' }] },
      is: 'ours',
    },
    {
      what: 'its owner is an earlier Placement of the name',
      over: { ownerReferences: [{ ...reference, uid: 'u0' }] },
      is: 'predecessor',
    },
    { what: 'it has no owner and our label', over: { ownerReferences: [] }, is: 'adoptable' },
    {
      what: 'its owner is no controller, and it carries our label',
      over: { ownerReferences: [{ ...reference, controller: false }] },
      is: 'adoptable',
    },
    { what: 'it has no owner and no label', over: { ownerReferences: [], labels: {} }, is: 'foreign' },
    {
      what: 'it has no owner and the label of another Placement',
      over: { ownerReferences: [], labels: { 'cluster.fleetmgmt.io/placement': 'api' } },
      is: 'foreign',
    },
    { what: 'another kind owns it', over: { ownerReferences: [{ ...reference, kind: 'ConfigMap' }] }, is: 'foreign' },
    {
      what: 'a kind of another group owns it',
      over: { ownerReferences: [{ ...reference, apiVersion: 'cluster.fleetmgmt.io.evil/v1' }] },
      is: 'foreign',
    },
    {
      what: 'another Placement owns it',
      over: { ownerReferences: [{ ...reference, name: 'api', uid: 'u9' }] },
      is: 'foreign',
    },
  ])('a decision object is $is when $what', ({ over, is }) => {
    expect(readDecision(edited(over), owner).ownership).toBe(is);
  });

  it('a decision object of a release that does not write the number of clusters is intact', () => {
    const { numberOfClusters: _number, ...status } = ours.status;

    expect(readDecision(edited({}, status), owner).intact).toBe(true);
  });

  it.each([
    { what: 'its number of clusters is wrong', object: edited({}, { ...ours.status, numberOfClusters: 3 }) },
    { what: 'its label is gone', object: edited({ labels: {} }) },
    { what: 'a reason was written into it', object: edited({}, { decisions: [{ clusterName: 'a', reason: 'x' }] }) },
    { what: 'an entry has no name', object: edited({}, { decisions: [{ reason: '' }] }) },
    { what: 'an entry is no object', object: edited({}, { decisions: ['a'] }) },
    { what: 'its list is gone', object: edited({}, {}) },
    { what: 'its status is gone', object: edited({}, null) },
    { what: 'it is to be adopted', object: edited({ ownerReferences: [] }) },
  ])('a decision object is not intact when $what', ({ object }) => {
    expect(readDecision(object, owner).intact).toBe(false);
  });

  it('a decision object without metadata and status can be read', () => {
    const bare = readDecision({ metadata: { name: 'other', deletionTimestamp: '2026-01-01T00:00:00Z' } }, owner);

    expect(bare).toMatchObject({
      uid: '',
      resourceVersion: '',
      ordinal: undefined,
      ownership: 'foreign',
      deleting: true,
      revision: undefined,
    });
  });
});
