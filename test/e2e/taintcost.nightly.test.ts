import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { deployAlone, startAlone } from '../support/hub/alone.js';
import { createAll, fleetObject, fleetPath, patchClusters, placementsReady } from '../support/hub/fleet.js';
import { inWords } from '../support/hub/hub.js';
import type { Pod } from '../support/hub/pod.js';
import { fields, items } from '../support/scenario/checks/reading.js';

const MINUTE = 60_000;
const SIZE = 1000;
const WANTED = 3;
/** Many times the window in which changes are batched: all requests have been sent by then. */
const QUIET_MS = 4000;
const TAINT = { key: 'example.com/maintenance', effect: 'NoSelect' };
const names = (prefix: string): string[] => Array.from({ length: SIZE }, (_, n) => `${prefix}-${n}`);

// Every Placement may select every cluster: without an index of the holders, a taint would concern each of them.
describeWithServer(
  `a taint at ${SIZE} clusters and ${SIZE} placements`,
  { own: true, capabilities: ['requestLog'] },
  (server) => {
    let controller: Pod;
    /** Cluster → the Placements whose decision names it, sorted. */
    let holders: ReadonlyMap<string, readonly string[]>;

    beforeAll(async () => {
      await deployAlone(server());
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
      await server().call({ method: 'POST', path: '/api/v1/namespaces', body: namespace });
      await createAll(server(), [
        fleetObject('ManagedClusterSet', { name: 'prod' }),
        fleetObject('ManagedClusterSetBinding', { name: 'prod', namespace: 'shop' }, { clusterSet: 'prod' }),
      ]);
      const labels = { 'cluster.fleetmgmt.io/clusterset': 'prod' };
      await createAll(
        server(),
        names('c').map((name) => fleetObject('ManagedCluster', { name, labels })),
      );
      await createAll(
        server(),
        names('p').map((name) => fleetObject('Placement', { name, namespace: 'shop' }, { numberOfClusters: WANTED })),
      );
      controller = await startAlone(server());
      await placementsReady(server(), 'shop', SIZE, { deadlineMs: 6 * MINUTE, everyMs: 1000 });
      holders = await readHolders();
      await quietWindow(QUIET_MS);
    }, 12 * MINUTE);
    afterAll(() => controller.stop(), 3 * MINUTE);

    async function readHolders(): Promise<ReadonlyMap<string, readonly string[]>> {
      const { body } = await server().call({ path: fleetPath('PlacementDecision', undefined, 'shop') });
      const found = new Map<string, string[]>(names('c').map((name) => [name, []]));
      for (const decision of body.items ?? []) {
        const placement = (decision.metadata?.name ?? '').replace(/-decision-1$/, '');
        for (const { clusterName } of items(fields(decision.status)['decisions']))
          found.get(String(clusterName))?.push(placement);
      }
      return new Map([...found].map(([name, all]) => [name, all.sort()]));
    }

    /** The number of reconciliations of Placements so far. */
    async function passes(): Promise<number> {
      const counts = ((await controller.metrics()) ?? '').matchAll(
        /^controller_runtime_reconcile_total\{.*controller="placement".*\} (\d+)$/gm,
      );
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    }

    /**
     * All requests of the controller since `after`, reads included. Without Leases, watches that restart, and events: those
     * of the first decisions are limited in their rate, and written for minutes.
     */
    async function requests(after: number): Promise<string[]> {
      const log = await server().requestLog({ after, user: controller.user });
      return log
        .filter(({ verb, resource }) => verb !== 'watch' && resource !== 'leases' && resource !== 'events')
        .map((one) => `${inWords(one)} ${one.code}`)
        .sort();
    }

    function taint(name: string, ...taints: readonly object[]): Promise<void> {
      return patchClusters(server(), [name], { spec: { taints } });
    }

    it(
      'a taint reconciles its holders once each, with two writes and no read, and none of the other Placements',
      async () => {
        const [cluster, held] = [...holders].reduce((most, one) => (one[1].length > most[1].length ? one : most));
        const [before, mark] = [await passes(), await server().logMark()];
        // With its time: otherwise the group `clusters` writes when it has seen the taint, as the next test shows.
        await taint(cluster, { ...TAINT, timeAdded: new Date().toISOString().replace(/\.\d+/, '') });
        const after = await waitFor(`no decision to name ${cluster}`, async (seen) => {
          const now = await readHolders();
          seen(now.get(cluster));
          return now.get(cluster)?.length === 0 && now;
        });
        await quietWindow(QUIET_MS);

        expect(held.length).toBeGreaterThanOrEqual(WANTED);
        expect(await requests(mark)).toEqual(
          held
            .flatMap((name) => [
              `update placementdecisions shop/${name}-decision-1 200`,
              `update placements/status shop/${name} 200`,
            ])
            .sort(),
        );
        expect((await passes()) - before).toBe(held.length);
        expect([...after.values()].flat()).toHaveLength(SIZE * WANTED);

        const [settled, gone] = [await passes(), await server().logMark()];
        await taint(cluster);
        await quietWindow(QUIET_MS);

        // No Placement has room: the cluster is not needed back.
        expect([(await passes()) - settled, await requests(gone)]).toEqual([0, []]);
      },
      5 * MINUTE,
    );

    it(
      'a taint on a cluster that nobody holds reconciles no Placement, and costs one write: the time at which it was seen',
      async () => {
        const [cluster = ''] = [...(await readHolders())].find(([, held]) => held.length === 0) ?? [];
        expect(cluster).not.toBe('');
        const [before, mark] = [await passes(), await server().logMark()];
        await taint(cluster, TAINT);
        await waitFor('the time of the taint', async () => (await requests(mark)).length > 0);
        await quietWindow(QUIET_MS);

        expect(await requests(mark)).toEqual([`patch managedclusters/status ${cluster} 200`]);
        expect((await passes()) - before).toBe(0);
      },
      5 * MINUTE,
    );
  },
);
