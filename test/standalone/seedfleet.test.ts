import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../src/runtime/vocabulary/meta.js';
import { ManagedClusters } from '../../src/api/resources.js';
import { apiVersionOf } from '../../src/runtime/vocabulary/kinds.js';
import { seedFleet } from '../../src/standalone/install.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi } from '../support/fakes/api.js';

const manager = 'multicluster-engine-standalone';
const never = new AbortController().signal;

interface Cluster extends KubeObject {
  readonly status?: { readonly clusterClaims?: readonly unknown[] };
}

function cluster(name: string, managers: readonly string[], claims?: readonly unknown[]): Cluster {
  const metadata = { name, managedFields: managers.map((one) => ({ manager: one })) };
  return {
    apiVersion: apiVersionOf(ManagedClusters),
    kind: 'ManagedCluster',
    metadata,
    ...(claims === undefined ? {} : { status: { clusterClaims: claims } }),
  };
}

function claims(api: FakeApi): readonly (readonly [string, number])[] {
  return api
    .all<Cluster>(ManagedClusters)
    .map(({ metadata, status }) => [metadata.name, status?.clusterClaims?.length ?? 0]);
}

describe('an example fleet', () => {
  it('an example fleet gets the claims that an interrupted run did not write, and keeps clusters of others', async () => {
    const api = new FakeApi(new ManualClock());
    api.put(ManagedClusters, cluster('cluster-1', [manager]));
    api.put(ManagedClusters, cluster('cluster-2', ['kubectl']));
    api.put(ManagedClusters, cluster('cluster-3', [manager, manager], [{ name: 'one', value: 'x' }]));

    await seedFleet(api, 4, { count: () => undefined, signal: never });

    expect(claims(api)).toEqual([
      ['cluster-1', 2],
      ['cluster-2', 0],
      ['cluster-3', 1],
      ['cluster-4', 2],
    ]);
  });

  it('an example fleet is not continued after its signal has fired', async () => {
    const api = new FakeApi(new ManualClock());
    const stop = new AbortController();
    const seeding = seedFleet(api, 200, {
      count: (done) => done === 100 && stop.abort(new Error('enough')),
      signal: stop.signal,
    });

    await expect(seeding).rejects.toThrow('enough');
    expect(api.all(ManagedClusters)).toHaveLength(100);
  });
});
