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

  it('the view of a cluster has the facts that are asked for, and never a published claim of such a name', () => {
    const status = {
      clusterClaims: [
        { name: 'nodes/ready', value: '9' },
        { name: 'capacity/cpu', value: '9' },
        { name: 'capacity/', value: 'mine' },
      ],
      version: { kubernetes: 'v1.30.2' },
      capacity: { cpu: 8, memory: '32Gi' },
      allocatable: 'none',
      nodes: { total: 3 },
    };
    const cluster = { metadata: { name: 'a' }, status };
    const claimsWith = (...names: readonly string[]): object => clusterView(cluster, new Set(names)).claims;

    expect(clusterView(cluster, 'all').claims).toEqual({
      'cluster-name': 'a',
      'kubernetes-version': 'v1.30.2',
      'capacity/cpu': '8',
      'capacity/memory': '32Gi',
      'nodes/total': '3',
      'capacity/': 'mine',
    });
    expect(claimsWith()).toEqual({ 'capacity/': 'mine' });
    expect(claimsWith('nodes/total', 'nodes/ready', 'allocatable/cpu', 'capacity/toString', 'region')).toEqual({
      'nodes/total': '3',
      'capacity/': 'mine',
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
