import { describe, expect, it } from '@jest/globals';
import type { ManagedClusterSetStatus } from '../../../src/api/generated/managedclusterset.js';
import { NO_USERS } from '../../../src/domain/clusters/inuse.js';
import {
  bindingStatus,
  setStatus,
  type BindingStatusInput,
  type SetStatusInput,
} from '../../../src/domain/clusters/status.js';

const NOW = '2026-01-01T00:00:00Z';
const LATER = '2026-01-01T00:01:00Z';

function facts(over: Partial<SetStatusInput> = {}): SetStatusInput {
  const selector = { kind: 'exclusive' } as const;
  return { name: 'fleet', generation: 3, selector, members: 2, leaving: 0, namespaces: NO_USERS, ...over };
}

function bindingFacts(over: Partial<BindingStatusInput> = {}): BindingStatusInput {
  const named = { name: 'fleet', clusterSet: 'fleet', generation: 1 };
  return { ...named, deleting: false, set: 'exists', placements: NO_USERS, ...over };
}

describe('setStatus', () => {
  it.each<[string, Partial<SetStatusInput>, number | undefined, string, string, string]>([
    [
      'counts its clusters',
      {},
      2,
      'False',
      'ClustersSelected',
      'carry the label cluster.fleetmgmt.io/clusterset=fleet; status.numberOfClusters',
    ],
    [
      'reports that no cluster has its label',
      { members: 0 },
      0,
      'True',
      'NoClusterSelected',
      'cluster.fleetmgmt.io/clusterset=fleet',
    ],
    [
      'says that those who carry it are being deleted',
      { members: 0, leaving: 2 },
      0,
      'True',
      'NoClusterSelected',
      'every cluster of the set is being deleted',
    ],
    [
      'reports that no cluster matches',
      { members: 0, selector: { kind: 'labels', requirements: [] } },
      0,
      'True',
      'NoClusterSelected',
      'labelSelector',
    ],
    [
      'reports that it selects no cluster',
      { members: 0, selector: { kind: 'none' } },
      0,
      'True',
      'NoClusterSelected',
      'absent',
    ],
    [
      'has no number when the selector cannot be read',
      { members: 0, selector: { kind: 'unreadable', problem: { field: 'spec.x', message: 'is odd' } } },
      undefined,
      'Unknown',
      'SelectorUnreadable',
      'spec.x: is odd',
    ],
  ])('the status of a ManagedClusterSet %s', (_sentence, over, count, status, reason, message) => {
    const written = setStatus(facts(over), undefined, NOW);

    expect(written?.numberOfClusters).toBe(count);
    expect(written?.conditions?.map((one) => one.type)).toEqual(['ClusterSetEmpty', 'InUse']);
    expect(written?.conditions?.slice(0, 1)).toEqual([
      {
        type: 'ClusterSetEmpty',
        status,
        reason,
        message: expect.stringContaining(message),
        observedGeneration: 3,
        lastTransitionTime: NOW,
        lastUpdateTime: NOW,
      },
    ]);
  });

  it('the status of a ManagedClusterSet is not written again when only the time differs', () => {
    const stored = setStatus(facts(), undefined, NOW);

    expect(setStatus(facts(), stored, LATER)).toBeUndefined();
  });

  it('the status of a ManagedClusterSet is written with the old times when only the number changes', () => {
    const stored = setStatus(facts(), undefined, NOW);

    expect(setStatus(facts({ members: 5 }), stored, LATER)).toEqual({ ...stored, numberOfClusters: 5 });
  });

  it.each<[string, unknown]>([
    ['conditions that are no list', 'odd'],
    ['a condition that is no object', [null]],
    ['a condition too many', [{ type: 'Odd' }, { type: 'ClusterSetEmpty' }]],
  ])('the status of a ManagedClusterSet is restored when another client left %s', (_sentence, conditions) => {
    const stored = { numberOfClusters: 2, conditions } as unknown as ManagedClusterSetStatus;

    expect(setStatus(facts(), stored, NOW)?.conditions).toMatchObject([
      { type: 'ClusterSetEmpty', status: 'False' },
      { type: 'InUse', status: 'False' },
    ]);
  });

  it('the transition time of a ManagedClusterSet changes with the status of its condition', () => {
    const stored = setStatus(facts(), undefined, NOW);

    expect(setStatus(facts({ members: 0 }), stored, LATER)?.conditions?.[0]?.lastTransitionTime).toBe(LATER);
  });
});

describe('bindingStatus', () => {
  it.each<[string, Partial<BindingStatusInput>, string, string, string]>([
    ['reports that the set is bound', {}, 'True', 'ClusterSetBound', 'ManagedClusterSet fleet'],
    [
      'names the set that does not exist',
      { set: 'missing' },
      'False',
      'ClusterSetNotFound',
      'ManagedClusterSet fleet does not exist',
    ],
    [
      'names the set that is being deleted',
      { set: 'deleting' },
      'False',
      'ClusterSetNotFound',
      'ManagedClusterSet fleet is being deleted',
    ],
    [
      'says that the binding itself is being deleted',
      { deleting: true },
      'False',
      'BindingDeleting',
      'the binding is being deleted',
    ],
    [
      'says so before what is wrong with its set',
      { deleting: true, set: 'missing' },
      'False',
      'BindingDeleting',
      'the binding is being deleted',
    ],
    [
      'says that a binding of another name is ignored',
      { name: 'other' },
      'False',
      'NameDiffers',
      'metadata.name other is not spec.clusterSet fleet',
    ],
  ])('the status of a ManagedClusterSetBinding %s', (_sentence, over, status, reason, message) => {
    const written = bindingStatus(bindingFacts(over), undefined, NOW);

    expect(written?.conditions).toMatchObject([
      { type: 'Bound', status, reason, message: expect.stringContaining(message) },
      { type: 'InUse', status: 'False' },
    ]);
    expect(bindingStatus(bindingFacts(over), written, LATER)).toBeUndefined();
  });
});
