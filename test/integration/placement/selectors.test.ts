import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ManagedCluster, ManagedClusterStatus } from '../../../src/api/generated/managedcluster.js';
import type { PlacementSpec } from '../../../src/api/generated/placement.js';
import { ManagedClusters } from '../../../src/api/resources.js';
import { sameJson } from '../../../src/runtime/vocabulary/json.js';
import { apiVersionOf } from '../../../src/runtime/vocabulary/kinds.js';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { Fleet, PlacementServerRig } from '../../support/rigs/server/placement.js';

const LONG_MS = 300_000;
const claims = (key: string, operator: string, ...values: readonly string[]): PlacementSpec =>
  ({
    predicates: [{ requiredClusterSelector: { claimSelector: { matchExpressions: [{ key, operator, values }] } } }],
  }) as unknown as PlacementSpec;
const expressions = (...celExpressions: readonly string[]): PlacementSpec => ({
  predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: [...celExpressions] } } }],
});
const statusOf = (cpu: string, kubernetes: string, ready: number): ManagedClusterStatus => ({
  allocatable: { cpu },
  version: { kubernetes },
  nodes: { total: 3, ready },
});

describeWithServer('selectors that compare, and expressions', { own: true }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;

  const report = async (name: string, status: ManagedClusterStatus): Promise<void> => {
    const stored = await fleet.client.get<ManagedCluster>(ManagedClusters, { name });
    if (stored === undefined) throw new Error(`there is no cluster ${name}`);
    const object = { ...stored, apiVersion: apiVersionOf(ManagedClusters), kind: ManagedClusters.kind };
    await fleet.client.updateStatus(ManagedClusters, { ...object, status }, { fieldManager: 'agent' });
  };
  const selects = (name: string, ...clusters: readonly string[]): Promise<true> =>
    waitFor(`${name} to select ${clusters.join(' ')}`, async (seen) => {
      const selected = await fleet.selected('team', name);
      seen(selected);
      return selected?.join() === clusters.join() || undefined;
    });

  beforeAll(async () => {
    await installCrds(server());
    fleet = new Fleet(server());
    await fleet.set('farm');
    await fleet.namespace('team', 'farm');
    for (const name of ['large', 'small']) await fleet.cluster(name, 'farm');
    await report('large', statusOf('64', 'v1.31.2+k3s1', 3));
    await report('small', statusOf('4', 'v1.29.9', 3));
    running = new PlacementServerRig(server());
    await running.synced();
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  it(
    'selectors that compare, and expressions, follow the status of the clusters',
    async () => {
      await fleet.place('team', 'capacity', claims('allocatable/cpu', 'Ge', '16'));
      await fleet.place('team', 'version', claims('kubernetes-version', 'Lt', 'v1.31'));
      await fleet.place('team', 'named', claims('cluster-name', 'In', 'small'));
      await fleet.place('team', 'healthy', expressions('managedCluster.status.nodes.ready >= 3'));
      await Promise.all([
        selects('capacity', 'large'),
        selects('version', 'small'),
        selects('named', 'small'),
        selects('healthy', 'large', 'small'),
      ]);

      await report('large', statusOf('8', 'v1.31.2+k3s1', 2));
      await report('small', statusOf('16000m', 'v1.31.0', 3));
      await Promise.all([selects('capacity', 'small'), selects('version'), selects('healthy', 'small')]);
    },
    LONG_MS,
  );

  it(
    'items of a decision have labels, claims and facts of their clusters: another value is one write, and a report of the same none',
    async () => {
      const decisionDetails = { labels: ['region'], claims: ['nodes/ready', 'platform'] };
      await fleet.place('team', 'detailed', { ...claims('cluster-name', 'In', 'large'), decisionDetails });
      const has = (region: string, ready: number): Promise<true> =>
        waitFor(`region ${region} and ${ready} nodes in the item`, async (seen) => {
          const items = (await fleet.decision('team', 'detailed-decision-1'))?.status.decisions;
          seen(items);
          const further = { 'label/region': region, 'claim/nodes/ready': String(ready), 'claim/platform': '' };
          return sameJson(items, [{ clusterName: 'large', reason: '', ...further }]) || undefined;
        });
      await has('', 2);
      const mark = await fleet.mark();

      await fleet.cluster('large', 'farm', { region: 'eu' });
      await has('eu', 2);
      await report('large', { ...statusOf('9', 'v1.31.2', 2), clusterClaims: [{ name: 'other', value: '1' }] });
      await report('large', statusOf('8', 'v1.31.2+k3s1', 1));
      await has('eu', 1);
      const writes = (await fleet.writes(mark)).filter((one) => one.includes('detailed'));
      expect(writes.map((one) => one.split(' ')[0])).toEqual(['update', 'update']);
    },
    LONG_MS,
  );

  it('an expression that does not compile makes the Placement misconfigured, and its decision stays', async () => {
    await fleet.place('team', 'typo', claims('cluster-name', 'In', 'large'));
    await selects('typo', 'large');
    await fleet.place('team', 'typo', expressions('managedcluster.metadata.name == "small"'));

    await waitFor('the Placement to be misconfigured', async () => {
      return (await fleet.reason('team', 'typo', 'PlacementMisconfigured')) === 'Misconfigured' || undefined;
    });
    await selects('typo', 'large');
  });

  it.each([
    ['two values', claims('cost', 'Gt', '1', '2'), 'must have exactly one item with operator Gt'],
    [
      'a value that is no number',
      claims('cost', 'Lt', 'cheap'),
      'value "cheap" must be a version of two or three numbers',
    ],
    ['nine expressions', expressions(...Array.from({ length: 9 }, () => 'true')), 'Too many: 9'],
    ['an expression of 2,049 characters', expressions('t'.repeat(2_049)), 'Too long'],
  ])('the API server refuses %s', async (_what, spec, message) => {
    await expect(fleet.place('team', 'refused', spec)).rejects.toThrow(message);
  });
});
