import { describe, expect, it } from '@jest/globals';
import type { ManagedClusterSetStatus } from '../../../src/api/generated/managedclusterset.js';
import {
  NO_USERS,
  bindingStatus,
  clusterSetStatus,
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

describe('clusterSetStatus', () => {
  it('the status of a ManagedClusterSet is not written again when only the time differs', () => {
    const stored = clusterSetStatus(facts(), undefined, NOW);

    expect(clusterSetStatus(facts(), stored, LATER)).toBeUndefined();
  });

  it('the status of a ManagedClusterSet is written with the old times when only the number changes', () => {
    const stored = clusterSetStatus(facts(), undefined, NOW);

    expect(clusterSetStatus(facts({ members: 5 }), stored, LATER)).toEqual({ ...stored, numberOfClusters: 5 });
  });

  it.each<[string, unknown]>([
    ['conditions that are no list', 'odd'],
    ['a condition that is no object', [null]],
    ['a condition too many', [{ type: 'Odd' }, { type: 'ClusterSetEmpty' }]],
  ])('the status of a ManagedClusterSet is restored when another client left %s', (_sentence, conditions) => {
    const stored = { numberOfClusters: 2, conditions } as unknown as ManagedClusterSetStatus;

    expect(clusterSetStatus(facts(), stored, NOW)?.conditions).toMatchObject([
      { type: 'ClusterSetEmpty', status: 'False' },
      { type: 'InUse', status: 'False' },
    ]);
  });

  it('the transition time of a ManagedClusterSet changes with the status of its condition', () => {
    const stored = clusterSetStatus(facts(), undefined, NOW);

    expect(clusterSetStatus(facts({ members: 0 }), stored, LATER)?.conditions?.[0]?.lastTransitionTime).toBe(LATER);
  });
});

describe('bindingStatus', () => {
  it('the status of a ManagedClusterSetBinding is not written again when only the time differs', () => {
    const written = bindingStatus(bindingFacts(), undefined, NOW);

    expect(bindingStatus(bindingFacts(), written, LATER)).toBeUndefined();
  });
});
