import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { WRITES } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { connectHub } from '../../src/agent/hub.js';
import type { ManagedCluster } from '../../src/api/generated/managedcluster.js';
import { AGENTS_NAMESPACE } from '../../src/api/names.js';
import { ManagedClusters } from '../../src/api/resources.js';
import { prepareJoin } from '../../src/cli/commands/cluster/join.js';
import { demoCluster } from '../../src/standalone/demofleet/clusters.js';
import { DemoHome, Member } from '../../src/standalone/demofleet/member.js';
import type { KubeClient } from '../../src/runtime/client/client.js';
import { createIdentityClient } from '../../src/runtime/client/identity.js';
import { createClient } from '../../src/runtime/client/rest.js';
import type { Transport } from '../../src/runtime/transport/transport.js';
import { systemClock, systemRandom } from '../../src/runtime/clock.js';
import { transportOf } from '../support/clients/transport.js';
import { RecordingLog } from '../support/fakes/log.js';
import { deployAlone, startAlone } from '../support/hub/alone.js';
import { inWords } from '../support/hub/hub.js';
import type { Pod } from '../support/hub/pod.js';

const MINUTE = 60_000;
const COUNT = 1_000;
/** Clusters that join at the same time: servers and agents share one machine. */
const JOINING = 8;
/** In which every agent renews twice at least. */
const REST_MS = 2.5 * MINUTE;
const TRUSTED_AFTER_MS = 5_000;
const AGENTS = new RegExp(`^system:serviceaccount:${AGENTS_NAMESPACE}:`);

/** The agents share this process and nothing else: each has connections, a token and timers of its own. */
describeWithServer(`${COUNT} agents in one process`, { own: true, capabilities: ['requestLog'] }, (server) => {
  const log = new RecordingLog();
  const members: Member[] = [];
  let controller: Pod;
  let transport: Transport;
  let client: KubeClient;

  beforeAll(async () => {
    await deployAlone(server());
    controller = await startAlone(server());
    transport = transportOf(server().adminKubeconfig);
    client = createClient(transport);
    const address = { hubUrl: server().url, hubCa: (await readFile(server().caFile, 'utf8')).trim() };
    const numbers = Array.from({ length: COUNT }, (_, index) => index).values();
    await Promise.all(
      Array.from({ length: JOINING }, async () => {
        for (const index of numbers) await join(index, address);
      }),
    );
    await waitFor(
      'every cluster to be available',
      async (seen) => {
        const clusters = await client.list<ManagedCluster>(ManagedClusters, undefined);
        const count = clusters.filter(isAvailable).length;
        seen(count);
        return count === COUNT;
      },
      { deadlineMs: 5 * MINUTE, everyMs: 1_000 },
    );
    await settled();
  }, 20 * MINUTE);
  afterAll(async () => {
    await Promise.all(members.map((member) => member.stop()));
    await controller.stop();
    await transport.close();
  }, 5 * MINUTE);

  async function join(index: number, address: { readonly hubUrl: string; readonly hubCa: string }): Promise<void> {
    const cluster = demoCluster(index);
    const request = { name: cluster.name, clusterSet: undefined, validSeconds: 3_600, renew: false };
    const joinHub = { client, identity: createIdentityClient(transport) };
    // A machine that is busy with a thousand joins may take longer for a request than its deadline; it can be repeated.
    const made = await waitFor(`${cluster.name} to be accepted`, () => prepareJoin(joinHub, request));
    const { clusterUid, secretUid: joinSecretUid, token: joinToken } = made;
    const connection = { clock: systemClock, random: systemRandom, log, userAgent: 'multicluster-engine-agent/test' };
    const home = new DemoHome(cluster, { cluster: cluster.name, clusterUid, joinSecretUid, joinToken, ...address });
    const member = new Member(cluster.name, home, {
      ...connection,
      openHub: (data, token) => connectHub(data, token, connection),
    });
    members.push(member);
    member.start();
    await member.reported;
  }

  /** The number of reconciliations by controller, from the metrics. */
  async function passes(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    const row = /^controller_runtime_reconcile_total\{.*controller="([^"]+)".*\} (\d+)$/gm;
    for (const [, name = '', count] of ((await controller.metrics()) ?? '').matchAll(row))
      counts[name] = (counts[name] ?? 0) + Number(count);
    return counts;
  }

  /** The controller's writes, without the renewals of its own Leases. */
  async function writes(after: number): Promise<string[]> {
    const entries = await server().requestLog({ after, user: controller.user, verbs: WRITES });
    return entries.filter(({ resource }) => resource !== 'leases').map(inWords);
  }

  /** Waits until nothing was written for a while, the agents' join Secrets included. */
  async function settled(): Promise<void> {
    let last = '';
    let since = performance.now();
    await waitFor(
      'the passes and writes of joining to end',
      async (seen) => {
        const requests = (await server().requestLog({ verbs: ['create', 'delete'] })).length;
        const now = JSON.stringify([await passes(), requests]);
        seen(now);
        if (now !== last) since = performance.now();
        last = now;
        return performance.now() - since > TRUSTED_AFTER_MS;
      },
      { deadlineMs: 5 * MINUTE, everyMs: 1_000 },
    );
  }

  it(
    'agents at rest cost a renewal of their Lease for each lease duration, and the hub nothing',
    async () => {
      const [before, mark] = [await passes(), await server().logMark()];
      await quietWindow(REST_MS);
      const after = await passes();
      const entries = await server().requestLog({ after: mark, user: AGENTS });

      expect(after).toEqual(before);
      expect(before['clusterhealth']).toBeGreaterThanOrEqual(COUNT);
      expect(await writes(mark)).toEqual([]);
      expect([
        ...new Set(
          entries.map(({ verb, resource, subresource, code }) => `${verb} ${resource}/${subresource} ${code}`),
        ),
      ]).toEqual(['patch leases/ 200']);
      expect(new Set(entries.map(({ user }) => user)).size).toBe(COUNT);
      // Between the starts of two renewals of an agent are at least 0.9 lease durations.
      expect(entries.length).toBeLessThanOrEqual(COUNT * Math.ceil(REST_MS / (0.9 * MINUTE)));
    },
    10 * MINUTE,
  );
});

function isAvailable({ status }: ManagedCluster): boolean {
  return (
    status?.conditions?.some((one) => one.type === 'ManagedClusterConditionAvailable' && one.status === 'True') === true
  );
}
