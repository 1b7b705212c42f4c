import { describe, expect, it } from '@jest/globals';
import type { ManagedCluster, ManagedClusterStatus } from '../../../../src/api/generated/managedcluster.js';
import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import { ManagedClusters, Placements } from '../../../../src/api/resources.js';
import { PlacementRig } from '../../../support/rigs/controllers/placement.js';

type Configuration = NonNullable<NonNullable<PlacementSpec['prioritizerPolicy']>['configurations']>[number];

const BALANCE: Configuration = { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } };
const CHEAPEST: Configuration = { scoreCoordinate: { type: 'Claim', claim: { name: 'price', order: 'Ascending' } } };

function best(...configurations: readonly Configuration[]): PlacementSpec {
  return { numberOfClusters: 1, prioritizerPolicy: { configurations: [...configurations] } };
}

function only(...names: readonly string[]): PlacementSpec {
  const matchExpressions = [{ key: 'cluster-name', operator: 'In' as const, values: [...names] }];
  return { predicates: [{ requiredClusterSelector: { claimSelector: { matchExpressions } } }] };
}

function report(hub: PlacementRig, name: string, status: ManagedClusterStatus): void {
  const metadata = { name, labels: { [CLUSTER_SET_LABEL]: 'fleet' } };
  hub.api.put<ManagedCluster>(ManagedClusters, { metadata, spec: {}, status });
}

function selected(hub: PlacementRig, name: string): readonly string[] {
  return Object.values(hub.decision(name)).flat().sort();
}

describe('scores', () => {
  it('facts of the status are scores without anybody publishing them', async () => {
    const hub = new PlacementRig();
    for (const [name, cpu] of [
      ['a', '4'],
      ['b', '64'],
      ['c', '8000m'],
    ] as const)
      report(hub, name, { allocatable: { cpu } });
    const mostCpu = { type: 'BuiltIn', builtIn: 'ResourceAllocatableCPU' } as const;
    hub.place('most', best({ scoreCoordinate: mostCpu }));
    hub.place('least', best({ scoreCoordinate: mostCpu, weight: -1 }));
    await hub.start();

    expect([selected(hub, 'most'), selected(hub, 'least')]).toEqual([['b'], ['a']]);
  });

  it('a change of a score alone causes no pass and no write, and counts when a cluster comes in', async () => {
    const hub = new PlacementRig();
    const price = (name: string, value: string): void => hub.cluster(name, {}, { claims: { price: value } });
    for (const [name, value] of [
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
    ] as const)
      price(name, value);
    hub.place('web', best(CHEAPEST));
    await hub.start();
    expect(selected(hub, 'web')).toEqual(['a']);

    const [passes, writes] = [hub.infos.length, hub.api.writes.length];
    price('a', '9');
    price('c', '1.5');
    await hub.untilIdle();
    expect([hub.infos.length, hub.api.writes.length]).toEqual([passes, writes]);

    hub.place('web', { ...best(CHEAPEST), numberOfClusters: 2 }, { generation: 2 });
    await hub.untilIdle();
    expect(selected(hub, 'web')).toEqual(['a', 'c']);
    hub.place('web', best(CHEAPEST), { generation: 3 });
    await hub.untilIdle();
    expect(selected(hub, 'web')).toEqual(['c']);
  });

  it('Balance prefers the cluster that fewest other Placements select, and a decision of another wakes nobody', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b', 'c');
    hub.place('one', only('a', 'b'));
    hub.place('two', only('b', 'c'));
    await hub.start();
    hub.place('free', best(BALANCE));
    await hub.untilIdle();
    expect(['a', 'c']).toContainEqual(selected(hub, 'free')[0]);

    const passes = hub.infos.filter(({ name }) => name === 'free').length;
    hub.place('three', only('a', 'c'));
    await hub.untilIdle();
    expect(hub.infos.filter(({ name }) => name === 'free')).toHaveLength(passes);
  });

  it('where clusters move, Balance is looked at an interval after others begin or cease to select a candidate', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    hub.set('elsewhere');
    hub.bind('elsewhere');
    hub.cluster('other', {}, { set: 'elsewhere' });
    hub.place('one', only('a'));
    const rebalance = { scoreMargin: 20, minSelectedSeconds: 0, intervalSeconds: 30 };
    hub.place('free', { ...best(BALANCE), ClusterSets: ['fleet'], rebalance });
    await hub.start();
    const passes = (): number => hub.infos.filter(({ name }) => name === 'free').length;
    await hub.untilIdle(60_000);
    const [first, before] = [selected(hub, 'free'), passes()];

    hub.place('elsewhere', only('other'));
    await hub.untilIdle(60_000);
    expect([first, passes()]).toEqual([['b'], before]);

    const others = ['two', 'three'].map((name) => hub.place(name, only('b')));
    await hub.untilIdle(20_000);
    expect(selected(hub, 'free')).toEqual(['b']);
    await hub.untilIdle(10_000);
    expect(selected(hub, 'free')).toEqual(['a']);

    for (const { metadata } of others) hub.api.remove(Placements, metadata);
    await hub.untilIdle(60_000);
    expect(selected(hub, 'free')).toEqual(['b']);
  });

  it.each(['a', 'b', 'c'])(
    'Balance counts what is stored before the other Placements are decided: by a process that starts, %s is free',
    async (free) => {
      const hub = new PlacementRig();
      hub.clusters('a', 'b', 'c');
      hub.place('web', only(...['a', 'b', 'c'].filter((name) => name !== free)));
      await hub.start();
      await hub.loseLease();

      const next = new PlacementRig(hub);
      hub.place('first', best(BALANCE));
      await next.start();
      expect(selected(hub, 'first')).toEqual([free]);
    },
  );
});
