import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor, type Probe } from '@multicluster-engine/kube-apiserver/testing/wait';
import { AGENTS_NAMESPACE, CLUSTERS_LEASE, OPERATOR_NAMESPACE } from '../../src/api/names.js';
import { Leases } from '../../src/runtime/vocabulary/kinds.js';
import type { Lease } from '../../src/runtime/leaderelection/leaserecord.js';
import { deployAlone, startAlone } from '../support/hub/alone.js';
import { patchClusters } from '../support/hub/fleet.js';
import { inWords } from '../support/hub/hub.js';
import type { Pod } from '../support/hub/pod.js';
import { Agents } from '../support/rigs/server/health.js';

const MINUTE = 60_000;
/** The shortest lease duration: a cluster is Unknown after 30 s and tainted after 40 s. */
const PERIOD_SECONDS = 10;
const TAINTED_AFTER_MS = 4 * PERIOD_SECONDS * 1000;
const RENEW_MS = 4_000;
/** The other clusters: with fewer of them, one that is silent would be a silent fleet. */
const OTHERS = ['a', 'b', 'c'];

describeWithServer(
  'the health of clusters under two placement controllers',
  { own: true, capabilities: ['requestLog'] },
  (server) => {
    const pods: Pod[] = [];
    const renewing = new Set<string>([...OTHERS, 'edge']);
    let renewedAt = -Infinity;
    let agents: Agents;
    let first: Pod;
    let second: Pod;

    beforeAll(async () => {
      await deployAlone(server());
      agents = new Agents(server());
      for (const name of renewing)
        await agents.cluster(name, { hubAcceptsClient: true, leaseDurationSeconds: PERIOD_SECONDS });
      first = await start('placement-controller-a');
      await leads(first);
      second = await start('placement-controller-b');
      await stored('every cluster to be available', async () => {
        const all = await Promise.all([...renewing].map((name) => agents.summary(name)));
        return all.every((one) => one.join() === 'True the agent renews its Lease');
      });
    }, 6 * MINUTE);
    afterAll(async () => {
      await Promise.all(pods.map((pod) => pod.stop()));
      await agents.close();
    }, 2 * MINUTE);

    async function start(name: string): Promise<Pod> {
      const pod = await startAlone(server(), name);
      pods.push(pod);
      return pod;
    }

    /** Waits until the API server has stored something, while the agents of `renewing` renew their Leases. */
    function stored<T>(what: string, probe: Probe<T>): Promise<T> {
      const renewed: Probe<T> = async (seen) => {
        if (performance.now() - renewedAt > RENEW_MS) {
          renewedAt = performance.now();
          await agents.renew([...renewing], Date.now());
        }
        return probe(seen);
      };
      return waitFor(what, renewed, { deadlineMs: 4 * MINUTE, everyMs: 250 });
    }

    function leads({ name }: Pod): Promise<true> {
      return stored(`${name} to hold the Lease`, async (seen) => {
        const found = await agents.client.get<Lease>(Leases, { namespace: OPERATOR_NAMESPACE, name: CLUSTERS_LEASE });
        seen(found?.spec);
        return found?.spec?.holderIdentity?.includes(name) || undefined;
      });
    }

    /** Waits for the condition and the taints of edge (`Agents.summary`). */
    function edgeIs(...wanted: readonly RegExp[]): Promise<readonly string[]> {
      return stored(`edge to be ${wanted.join(', ')}`, (seen) => agents.summaryWhen('edge', wanted, seen));
    }

    /** When the API server has answered the last renewal of edge, ms since the epoch. */
    async function lastRenewal(): Promise<number> {
      const log = await server().requestLog({ verbs: ['patch'], namespace: AGENTS_NAMESPACE, name: 'edge' });
      return log.at(-1)?.answeredAt ?? Infinity;
    }

    /** The writes of clusters since `after` by the controllers, and when the first taint arrived. */
    async function written(after: number): Promise<{ readonly writes: readonly string[]; readonly taintedAt: number }> {
      const log = (await server().requestLog({ after, user: first.user, verbs: ['patch', 'update'] })).filter(
        ({ resource }) => resource === 'managedclusters',
      );
      const taint = log.find(({ subresource }) => subresource === '');
      return { writes: log.map(inWords), taintedAt: taint?.receivedAt ?? -Infinity };
    }

    it(
      'a replica that takes over has observed the cluster itself: it is tainted after four lease durations, once',
      async () => {
        const mark = await server().logMark();
        renewing.delete('edge');
        await edgeIs(/^Unknown no renewal of Lease .*\/edge seen since /);
        first.kill('SIGKILL');
        await first.exited;
        const killed = await server().logMark();
        await leads(second);
        await edgeIs(/^Unknown /, /^unreachable:NoSelect$/);

        const { writes, taintedAt } = await written(mark);
        expect(writes).toEqual([
          'patch managedclusters/status edge',
          'patch managedclusters edge',
          'patch managedclusters/status edge',
        ]);
        expect(taintedAt - (await lastRenewal())).toBeGreaterThanOrEqual(TAINTED_AFTER_MS);
        // Its ages have not begun with its term.
        const terms = await server().requestLog({ after: killed, verbs: ['update', 'patch'], name: CLUSTERS_LEASE });
        const acquired = terms.find(({ code }) => code < 300);
        expect(taintedAt - (acquired?.answeredAt ?? -Infinity)).toBeLessThan(TAINTED_AFTER_MS);
      },
      6 * MINUTE,
    );

    it(
      'a taint that somebody drops is written again, with the time that it had',
      async () => {
        const before = (await agents.get('edge'))?.spec?.taints;
        const { timeAdded = '' } = before?.[0] ?? {};
        // Its time has whole seconds: one of now would be another.
        await stored('the time of the taint to be over', () => Date.now() - Date.parse(timeAdded) > 2_000);
        await patchClusters(server(), ['edge'], { spec: { taints: [] } });
        await edgeIs(/^Unknown /, /^unreachable:NoSelect$/);

        expect(timeAdded).toMatch(/Z$/);
        expect((await agents.get('edge'))?.spec?.taints).toEqual(before);
      },
      6 * MINUTE,
    );

    it(
      'a process that begins while a cluster is silent taints it after four lease durations of its own, and changes nothing before',
      async () => {
        renewing.add('edge');
        await edgeIs(/^True /);
        renewing.delete('edge');
        const [unknown] = await edgeIs(/^Unknown /);
        second.kill('SIGKILL');
        await second.exited;
        const mark = await server().logMark();
        const third = await start('placement-controller-c');
        await leads(third);
        const [after] = await edgeIs(/^Unknown /, /^unreachable:NoSelect$/);

        const { writes, taintedAt } = await written(mark);
        expect(writes).toEqual(['patch managedclusters edge', 'patch managedclusters/status edge']);
        const [first] = await server().requestLog({
          after: mark,
          user: third.user,
          verbs: ['list', 'watch'],
          resources: ['leases'],
        });
        expect(taintedAt - (first?.receivedAt ?? Infinity)).toBeGreaterThanOrEqual(TAINTED_AFTER_MS);
        expect(after).toBe(unknown);
      },
      6 * MINUTE,
    );
  },
);
