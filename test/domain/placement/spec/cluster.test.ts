import { describe, expect, it } from '@jest/globals';
import { clusterView } from '../../../../src/domain/placement/spec/cluster.js';
import { valueOf } from '../../../../src/domain/selectors.js';

describe('clusterView', () => {
  it('the view of a cluster has its name, labels and claims', () => {
    const status = {
      clusterClaims: [
        { name: 'platform', value: 'aws' },
        { name: 'zone', value: '' },
      ],
    };

    expect(clusterView({ metadata: { name: 'a', labels: { region: 'eu' } }, status })).toEqual({
      name: 'a',
      deleting: false,
      labels: { region: 'eu' },
      claims: { platform: 'aws', zone: '' },
      taints: [],
    });
  });

  it('the view of a cluster is deleting from its deletion timestamp on', () => {
    expect(clusterView({ metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' } }).deleting).toBe(true);
  });

  it.each([
    undefined,
    null,
    'x',
    {},
    { clusterClaims: 'x' },
    { clusterClaims: [null, 'x', { name: 'a' }, { name: 1, value: 'b' }] },
  ])('the view of a cluster has no claims with the status %j', (status) => {
    expect(clusterView({ metadata: { name: 'a' }, status }).claims).toEqual({});
  });

  it('the view of a cluster has the first of two claims with one name', () => {
    const status = {
      clusterClaims: [
        { name: 'a', value: '1' },
        { name: 'a', value: '2' },
      ],
    };

    expect(clusterView({ metadata: { name: 'a' }, status }).claims).toEqual({ a: '1' });
  });

  it.each(['__proto__', 'toString', 'constructor'])('the view of a cluster has a claim with the name %s', (name) => {
    const view = clusterView({ metadata: { name: 'a' }, status: { clusterClaims: [{ name, value: 'mine' }] } });

    expect(valueOf(view.claims, name)).toBe('mine');
    expect(valueOf(view.claims, 'hasOwnProperty')).toBeUndefined();
  });
});
