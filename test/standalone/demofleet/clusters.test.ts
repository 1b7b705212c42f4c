import { describe, expect, it } from '@jest/globals';

import { claimsOf } from '../../../src/domain/agent/report/claims.js';
import { demoCluster } from '../../../src/standalone/demofleet/clusters.js';

/** The claims that its agent publishes, by name. */
function publishedBy(index: number): Readonly<Record<string, string>> {
  const { id: clusterId, version, nodes, claims: data } = demoCluster(index);
  const configMaps = [{ metadata: { name: 'claims' }, data }];
  const { claims, rejected } = claimsOf({ clusterId, version, nodes, configMaps });
  expect(rejected).toEqual([]);
  return Object.fromEntries(claims.map(({ name, value }) => [name, value]));
}

describe('the clusters of the demo fleet', () => {
  it('a simulated cluster publishes the claims of a real one', () => {
    expect(publishedBy(0)).toEqual({
      'id.k8s.io': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      'kubeversion.cluster.fleetmgmt.io': 'v1.36.3-eks-3cfe0ce',
      'platform.cluster.fleetmgmt.io': 'AWS',
      'product.cluster.fleetmgmt.io': 'EKS',
      'region.cluster.fleetmgmt.io': 'eu-west-1',
      tier: 'gold',
      'zones.cluster.fleetmgmt.io': 'eu-west-1a,eu-west-1b,eu-west-1c',
    });
  });

  it('a thousand clusters have names and ids of their own', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => demoCluster(index));

    expect(new Set(all.map(({ name }) => name)).size).toBe(1_000);
    expect(new Set(all.map(({ id }) => id)).size).toBe(1_000);
  });

  it('six clusters have each region with both tiers and both versions of its product', () => {
    const six = Array.from({ length: 6 }, (_, index) => publishedBy(index));
    const kinds = six.map((claims) => [
      claims['region.cluster.fleetmgmt.io'],
      claims['tier'],
      claims['kubeversion.cluster.fleetmgmt.io']?.slice(0, 5),
    ]);

    expect(kinds).toEqual([
      ['eu-west-1', 'gold', 'v1.36'],
      ['us-east1', 'gold', 'v1.36'],
      ['berlin', 'gold', 'v1.36'],
      ['eu-west-1', 'silver', 'v1.35'],
      ['us-east1', 'silver', 'v1.35'],
      ['berlin', 'silver', 'v1.35'],
    ]);
  });
});
