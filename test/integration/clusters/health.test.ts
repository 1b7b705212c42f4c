import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { AGENTS_NAMESPACE, TAINTS } from '../../../src/api/names.js';
import { Agents, HealthServerRig } from '../../support/rigs/server/health.js';

const LONG_MS = 120_000;
const MINUTE = 60_000;
const OTHERS = ['a', 'b'];

describeWithServer('the health of clusters with agents', { own: true }, (server) => {
  let agents: Agents;
  let hub: HealthServerRig;

  beforeAll(async () => {
    await installCrds(server());
    agents = new Agents(server());
    await agents.namespace();
    for (const name of [...OTHERS, 'edge']) await agents.cluster(name);
    hub = new HealthServerRig(server());
    await hub.synced();
  }, LONG_MS);
  afterAll(async () => {
    await hub.stop();
    await agents.close();
  }, LONG_MS);

  const summaryIs = (name: string, summary: readonly (string | RegExp)[]): Promise<readonly string[]> =>
    waitFor(`${name} to be ${summary.join(', ')}`, (seen) => agents.summaryWhen(name, summary, seen));
  const taintsOf = async (name: string): Promise<readonly object[]> => (await agents.get(name))?.spec?.taints ?? [];

  it(
    'a cluster that never joined is closed for new Placements, one that falls silent is tainted, and one that is back is open',
    async () => {
      await summaryIs('edge', ['unreachable:NoSelectIfNew']);
      await agents.live(hub, [...OTHERS, 'edge'], MINUTE);
      await summaryIs('edge', ['True the agent renews its Lease']);
      expect(
        (await agents.get('edge'))?.status?.conditions?.map(({ type, status, message }) => [type, status, message]),
      ).toEqual([
        ['HubAcceptedManagedCluster', 'True', 'spec.hubAcceptsClient is true'],
        ['ManagedClusterJoined', 'True', 'cluster id-edge joined'],
        ['ManagedClusterConditionAvailable', 'True', 'the agent renews its Lease'],
        ['ManagedClusterClockSynced', 'True', 'the clock of the agent agrees with the hub'],
      ]);
      const silentAt = hub.clock.now() - 10_000;

      await agents.live(hub, OTHERS, 3 * MINUTE);
      const text = `Unknown no renewal of Lease ${AGENTS_NAMESPACE}/edge seen since `;
      const [lost = ''] = await summaryIs('edge', [new RegExp(`^${text}`)]);
      // The clock goes on by some ms until the renewals of all are seen, perhaps into the next second.
      expect(Math.abs(Date.parse(lost.slice(text.length)) - silentAt)).toBeLessThan(2_000);
      await agents.live(hub, OTHERS, MINUTE);
      await summaryIs('edge', [lost, 'unreachable:NoSelect']);
      const [taint] = await taintsOf('edge');
      // The taint is written before the status.
      const times = await waitFor('the time of the taint', async () => (await agents.get('edge'))?.status?.taintTimes);
      expect(times).toEqual([
        { key: TAINTS.unreachable, effect: 'NoSelect', since: (taint as { timeAdded?: string }).timeAdded },
      ]);

      await agents.live(hub, [...OTHERS, 'edge'], MINUTE / 6);
      await summaryIs('edge', ['True the agent renews its Lease']);
      const reasons = (): string[] =>
        hub.events.filter(({ regarding }) => regarding.metadata.name === 'edge').map(({ reason }) => reason);
      await waitFor('the last event', () => reasons().includes('ClusterRecovered') || undefined);
      expect(reasons()).toEqual(['ClusterJoined', 'ClusterLost', 'ClusterTainted', 'ClusterRecovered']);
    },
    LONG_MS,
  );
});
