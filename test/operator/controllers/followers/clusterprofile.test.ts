import { describe, expect, it } from '@jest/globals';
import type { ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import { ClusterProfiles, ManagedClusters, SigPlacementDecisions } from '../../../../src/api/resources.js';
import type { ClusterProfile } from '../../../../src/domain/inventories/clusterprofile.js';
import type { SigDecision } from '../../../../src/domain/placement/publish/sigdecision.js';
import { addressedClusters, clusterCacheOptions } from '../../../../src/operator/controllers/clusters/caches.js';
import { CustomResourceDefinitions } from '../../../../src/runtime/vocabulary/kinds.js';
import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { failure } from '../../../support/fakes/api.js';
import { Followers } from '../../../support/rigs/controllers/followers.js';

const INVENTORY = 'inventory';
const MINUTE = 60_000;
const UNSERVED = failure('ResourceMissing', 'list', ClusterProfiles, { name: '' });
const DEFINITION = { name: 'managedclusters.cluster.fleetmgmt.io' };

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `c${String(index).padStart(5, '0')}`);

function report(on: Followers, name: string, status: 'True' | 'False'): void {
  const stored = on.hub.api.peek<ManagedCluster>(ManagedClusters, { name });
  if (stored === undefined) throw new Error(`no cluster ${name}`);
  const lastTransitionTime = '2026-11-22T10:00:00Z';
  const condition = {
    type: 'ManagedClusterConditionAvailable',
    status,
    reason: 'Seen',
    message: '',
    lastTransitionTime,
  };
  on.hub.api.put<ManagedCluster>(ManagedClusters, { ...stored, status: { ...stored.status, conditions: [condition] } });
}

const profilesIn = (on: Followers): readonly string[] =>
  on.hub.api.all<ClusterProfile>(ClusterProfiles).map(({ metadata }) => metadata.name);
const warnings = (on: Followers): readonly string[] =>
  on.hub.log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);

describe('clusters as ClusterProfiles of SIG Multicluster', () => {
  it('each cluster has one, decisions name it, and a change of a cluster writes its profile alone', async () => {
    const on = await new Followers(INVENTORY).start();
    const { hub } = on;
    hub.clusters('a', 'b');
    report(on, 'a', 'True');
    hub.place('web');
    await hub.untilIdle();
    expect(profilesIn(on)).toEqual(['a', 'b']);
    const decision = hub.api.all<SigDecision>(SigPlacementDecisions)[0]?.decisions ?? [];
    expect(decision.map(({ clusterProfileRef }) => clusterProfileRef).toSorted(byName)).toEqual([
      { name: 'a', namespace: INVENTORY },
      { name: 'b', namespace: INVENTORY },
    ]);

    const { length } = on.writesOf(ClusterProfiles);
    report(on, 'a', 'False');
    await hub.untilIdle();
    expect(on.writesOf(ClusterProfiles).slice(length)).toEqual(['applyStatus a']);
    expect(on.profile('a')?.status?.conditions).toMatchObject([{ type: 'ControlPlaneHealthy', status: 'False' }]);

    await hub.untilIdle(25 * MINUTE);
    expect(on.writesOf(ClusterProfiles)).toHaveLength(length + 1);
  });

  it('what others change or delete is put right', async () => {
    const on = await new Followers(INVENTORY).start();
    const { hub } = on;
    hub.cluster('a', { tier: 'gold' });
    report(on, 'a', 'True');
    await hub.untilIdle();
    const stored = on.profile('a');
    if (stored === undefined) throw new Error('nothing was published');
    hub.api.put<ClusterProfile>(ClusterProfiles, { ...stored, status: {} });
    await hub.untilIdle();
    expect(on.profile('a')?.status).toEqual(stored.status);

    hub.api.remove(ClusterProfiles, { namespace: INVENTORY, name: 'a' });
    await hub.untilIdle();
    expect(on.profile('a')).toMatchObject({ status: stored.status });
    expect(on.profile('a')?.metadata.labels).toEqual(stored.metadata.labels);
  });

  it('a profile of the name of a cluster that others made is never written, which is reported once', async () => {
    const on = await new Followers(INVENTORY).start();
    const { hub } = on;
    const theirs = { metadata: { namespace: INVENTORY, name: 'a' }, spec: { clusterManager: { name: 'manager' } } };
    const stored = hub.api.put<ClusterProfile>(ClusterProfiles, theirs);
    hub.clusters('a');
    await hub.untilIdle(25 * MINUTE);
    report(on, 'a', 'False');
    await hub.untilIdle();
    hub.api.remove(ManagedClusters, { name: 'a' });
    await hub.untilIdle(10 * MINUTE);

    expect(on.profile('a')).toEqual(stored);
    expect(on.writesOf(ClusterProfiles)).toEqual([]);
    expect(warnings(on)).toEqual(['a ClusterProfile of the name of the cluster is made by others: not written']);
  });

  it('one that somebody makes meanwhile is not taken over, although the cache does not show it', async () => {
    const on = await new Followers(INVENTORY).start();
    const { hub, profiles } = on;
    profiles.pause();
    const theirs = { metadata: { namespace: INVENTORY, name: 'a' }, spec: { clusterManager: { name: 'manager' } } };
    const stored = hub.api.put<ClusterProfile>(ClusterProfiles, theirs);
    hub.clusters('a');
    await hub.untilIdle(5_000);
    profiles.deliver();
    await hub.untilIdle(MINUTE);

    expect(on.profile('a')).toEqual(stored);
    expect(new Set(on.writesOf(ClusterProfiles))).toEqual(new Set(['create a']));
  });

  it('a process that ends between two writes leaves what the next one completes', async () => {
    const on = await new Followers(INVENTORY).start();
    const { hub } = on;
    let refuses = true;
    hub.api.before = ({ verb, type, name }) => {
      if (type === ClusterProfiles && verb !== 'create' && refuses) throw failure('Unavailable', verb, type, name);
    };
    hub.cluster('a', { tier: 'gold' });
    report(on, 'a', 'True');
    await hub.untilIdle();
    expect(on.profile('a')?.metadata.labels).toEqual({ 'x-k8s.io/cluster-manager': 'multicluster-engine' });
    refuses = false;
    await hub.untilIdle(MINUTE);

    expect(on.profile('a')?.metadata.labels).toMatchObject({ tier: 'gold' });
    expect(on.profile('a')?.status?.conditions).toHaveLength(1);
  });

  it('only the process that holds the Lease writes', async () => {
    const on = await new Followers(INVENTORY).start();
    on.leads = false;
    on.hub.clusters('a');
    await on.hub.untilIdle();
    expect(profilesIn(on)).toEqual([]);

    const other = await new Followers(INVENTORY, on.hub).start();
    await other.hub.untilIdle();
    expect(profilesIn(on)).toEqual(['a']);
    expect(on.writesOf(ClusterProfiles).filter((write) => write === 'create a')).toHaveLength(1);
  });

  it('while the API is not served nothing is written, and all is published once it is', async () => {
    const on = await new Followers(INVENTORY).start();
    const { hub, profiles } = on;
    profiles.fail(UNSERVED);
    hub.clusters('a');
    await hub.untilIdle(MINUTE);
    expect(on.writesOf(ClusterProfiles)).toEqual([]);

    profiles.fail(undefined);
    await hub.untilIdle();
    expect(profilesIn(on)).toEqual(['a']);
  });
});

describe('the ClusterProfile of a cluster that is gone', () => {
  /** Five clusters with their profiles. */
  async function five(): Promise<Followers> {
    const on = await new Followers(INVENTORY).start();
    on.hub.api.put<KubeObject>(CustomResourceDefinitions, {
      metadata: { ...DEFINITION, creationTimestamp: '2025-06-01T00:00:00Z' },
    });
    on.hub.clusters('a', 'b', 'c', 'd', 'e');
    await on.hub.untilIdle();
    return on;
  }

  it('is deleted a minute later', async () => {
    const on = await five();
    on.hub.api.remove(ManagedClusters, { name: 'a' });
    await on.hub.untilIdle(50_000);
    expect(profilesIn(on)).toContain('a');
    await on.hub.untilIdle(15_000);
    expect(profilesIn(on)).toEqual(['b', 'c', 'd', 'e']);
  });

  it('stays when the cluster is back within that time', async () => {
    const on = await five();
    on.hub.api.remove(ManagedClusters, { name: 'a' });
    await on.hub.untilIdle(30_000);
    on.hub.clusters('a');
    await on.hub.untilIdle(5 * MINUTE);
    expect(profilesIn(on)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(on.writesOf(ClusterProfiles).filter((write) => write.startsWith('delete'))).toEqual([]);
  });

  it('stays while most clusters are gone, which is reported, and goes when they are back', async () => {
    const on = await five();
    for (const name of ['a', 'b', 'c']) on.hub.api.remove(ManagedClusters, { name });
    await on.hub.untilIdle(2 * MINUTE);
    expect(profilesIn(on)).toHaveLength(5);
    expect(warnings(on)).toContain('most clusters of the ClusterProfiles are gone: none is deleted');

    on.hub.clusters('a', 'b');
    await on.hub.untilIdle(6 * MINUTE);
    expect(profilesIn(on)).toEqual(['a', 'b', 'd', 'e']);
  });

  it('stays while the definition of clusters is missing', async () => {
    const on = await five();
    on.hub.api.remove(CustomResourceDefinitions, DEFINITION);
    on.hub.api.remove(ManagedClusters, { name: 'a' });
    await on.hub.untilIdle(10 * MINUTE);
    expect(profilesIn(on)).toContain('a');
  });

  it('stays while clusters cannot be read', async () => {
    const on = await five();
    on.hub.caches.clusters.fail(UNSERVED);
    await on.hub.untilIdle(10 * MINUTE);
    expect(profilesIn(on)).toHaveLength(5);
  });
});

it('of a fleet of 2,000 clusters that all report their resources nothing is written, and one whose health changes costs one', async () => {
  const on = new Followers(INVENTORY);
  const { hub } = on;
  const fleet = names(2_000);
  const last = fleet.at(-1) ?? '';
  const writes = (): readonly string[] => on.writesOf(ClusterProfiles);
  /** Profiles are written one after the other: when the last one has what it waits for, so have the others. */
  const until = async (isSo: () => boolean): Promise<void> => {
    for (let rounds = 0; !isSo() && rounds < 1_000; rounds += 1) await hub.clock.advance(1_000);
  };
  hub.clusters(...fleet);
  report(on, last, 'True');
  await on.start();
  await until(() => writes().at(-1) === `apply ${last}`);
  expect(profilesIn(on)).toHaveLength(2_000);
  const { length } = writes();

  for (const name of fleet) {
    const stored = hub.api.peek<ManagedCluster>(ManagedClusters, { name });
    const status = { ...stored?.status, allocatable: { cpu: '3' } };
    hub.api.put<ManagedCluster>(ManagedClusters, { metadata: { name }, spec: {}, ...stored, status });
  }
  report(on, last, 'False');
  await until(() => writes().length > length);
  await hub.untilIdle();
  expect(writes().slice(length)).toEqual([`applyStatus ${last}`]);
});

it('the addresses of clusters are kept in memory only where profiles have them', () => {
  const managedClusterClientConfigs = [{ url: 'https://a' }];
  const cluster = { metadata: { name: 'a' }, spec: {}, status: { managedClusterClientConfigs } };

  expect(addressedClusters.transform?.(cluster)).toEqual(cluster);
  expect(clusterCacheOptions.clusters.transform?.(cluster).status).toBeUndefined();
});

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
