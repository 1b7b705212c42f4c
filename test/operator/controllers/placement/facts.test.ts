import { describe, expect, it } from '@jest/globals';
import type { ManagedCluster, ManagedClusterStatus } from '../../../../src/api/generated/managedcluster.js';
import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import { ManagedClusters } from '../../../../src/api/resources.js';
import { PlacementRig } from '../../../support/rigs/controllers/placement.js';

const where = (key: string, operator: string, value: string): object => ({
  predicates: [
    { requiredClusterSelector: { claimSelector: { matchExpressions: [{ key, operator, values: [value] }] } } },
  ],
});

function report(hub: PlacementRig, name: string, status: ManagedClusterStatus): void {
  const metadata = { name, labels: { [CLUSTER_SET_LABEL]: 'fleet' } };
  hub.api.put<ManagedCluster>(ManagedClusters, { metadata, spec: {}, status });
}

function statusOf(cpu: string, version = 'v1.30.2+k3s1'): ManagedClusterStatus {
  return { allocatable: { cpu, memory: '8Gi' }, version: { kubernetes: version }, nodes: { total: 3, ready: 2 } };
}

function selected(hub: PlacementRig): readonly string[] {
  return Object.values(hub.decision('web')).flat().sort();
}

/** Two clusters, of 4 and 64 processors, and a Placement of this spec. */
async function hubWith(spec: object): Promise<PlacementRig> {
  const hub = new PlacementRig();
  report(hub, 'small', statusOf('4'));
  report(hub, 'large', statusOf('64', 'v1.31.0'));
  hub.place('web', spec);
  await hub.start();
  return hub;
}

describe('facts of the status as claims', () => {
  it.each([
    ['cluster-name', 'In', 'small', ['small']],
    ['kubernetes-version', 'Ge', 'v1.31', ['large']],
    ['allocatable/cpu', 'Gt', '4000m', ['large']],
    ['allocatable/memory', 'Ge', '8Gi', ['large', 'small']],
    ['nodes/ready', 'Lt', '3', ['large', 'small']],
    ['capacity/cpu', 'Gt', '0', []],
  ])('a Placement on the claim %s %s %s selects %j', async (key, operator, value, names) => {
    const hub = await hubWith(where(key, operator, value));

    expect(selected(hub)).toEqual(names);
  });

  it('a fact that no Placement names causes no pass, and one that is named counts from the edit of the Placement on', async () => {
    const hub = await hubWith(where('cluster-name', 'In', 'small'));
    hub.place('web', where('nodes/total', 'Ge', '3'));
    await hub.untilIdle();
    const passes = hub.infos.length;

    report(hub, 'small', statusOf('16'));
    await hub.untilIdle();
    expect(hub.infos).toHaveLength(passes);

    hub.place('web', where('allocatable/cpu', 'Ge', '16'), { generation: 7 });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['large', 'small']);

    report(hub, 'small', statusOf('8'));
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['large']);
  });

  it('an expression counts from the edit of the Placement on, and a changed annotation or fact of a cluster with it', async () => {
    const expression =
      'managedCluster.metadata.annotations.?tier.orValue("") == "a" || managedCluster.status.nodes.total > 3';
    const hub = await hubWith(where('cluster-name', 'In', 'small'));
    const predicates = [{ requiredClusterSelector: { celSelector: { celExpressions: [expression] } } }];
    hub.place('web', { predicates }, { generation: 7 });
    await hub.untilIdle();
    expect(selected(hub)).toEqual([]);

    const stored = hub.api.peek<ManagedCluster>(ManagedClusters, { name: 'small' });
    if (stored === undefined) throw new Error('there is no cluster small');
    hub.api.put<ManagedCluster>(ManagedClusters, {
      ...stored,
      metadata: { ...stored.metadata, annotations: { tier: 'a' } },
    });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['small']);

    report(hub, 'large', { nodes: { total: 4 } });
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['large', 'small']);
    const passes = hub.infos.length;
    report(hub, 'large', { nodes: { total: 5 } });
    await hub.untilIdle();
    expect(hub.infos).toHaveLength(passes);
  });

  it('a claim of such a name that is published is ignored, and a condition of the cluster says so until it is gone', async () => {
    const hub = await hubWith(where('cluster-name', 'In', 'prod'));
    const clusterClaims = [{ name: 'cluster-name', value: 'prod' }];
    const conditionOf = (name: string): unknown =>
      hub.api
        .peek<ManagedCluster>(ManagedClusters, { name })
        ?.status?.conditions?.map(({ type, message }) => `${type}: ${message}`);

    report(hub, 'small', { ...statusOf('4'), clusterClaims });
    await hub.untilIdle(10_000);
    expect(selected(hub)).toEqual([]);
    expect(conditionOf('small')).toEqual([
      'ClaimsIgnored: claims cluster-name: what is published under these names is ignored, they stand for facts of the cluster',
    ]);
    const { mark } = hub;
    await hub.untilIdle(60_000);
    expect(hub.api.writes.slice(mark)).toEqual([]);

    const { status = {} } = hub.api.peek<ManagedCluster>(ManagedClusters, { name: 'small' }) ?? {};
    report(hub, 'small', { ...status, clusterClaims: [] });
    await hub.untilIdle(10_000);
    expect(conditionOf('small')).toBeUndefined();
  });
});
