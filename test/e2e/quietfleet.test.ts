import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { WRITES } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { deployAlone, startAlone } from '../support/hub/alone.js';
import { createAll, fleetObject, fleetPath, patchClusters, placementsReady } from '../support/hub/fleet.js';
import { inWords } from '../support/hub/hub.js';
import type { Pod } from '../support/hub/pod.js';
import { fields, items } from '../support/scenario/checks/reading.js';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const CLUSTERS = 1000;
const PLACEMENTS = 200;
/** Many times the window in which changes are batched: all writes have happened by then. */
const QUIET_MS = 4000;
const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

describeWithServer(
  `${CLUSTERS} clusters and ${PLACEMENTS} placements`,
  { own: true, capabilities: ['requestLog'] },
  (server) => {
    let controller: Pod;

    beforeAll(async () => {
      await deployAlone(server());
      await server().call({
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      });
      await createAll(server(), [
        fleetObject('ManagedClusterSet', { name: 'prod' }),
        fleetObject('ManagedClusterSetBinding', { name: 'prod', namespace: 'shop' }, { clusterSet: 'prod' }),
      ]);
      await createAll(
        server(),
        names('c', CLUSTERS).map((name, n) =>
          fleetObject('ManagedCluster', {
            name,
            labels: {
              'cluster.fleetmgmt.io/clusterset': 'prod',
              [`own-${n % PLACEMENTS}`]: 'yes',
              tier: n % 2 === 0 ? 'gold' : 'silver',
            },
          }),
        ),
      );
      await patchClusters(
        server(),
        names('c', CLUSTERS),
        { status: { clusterClaims: [{ name: 'platform', value: 'aws' }] } },
        '/status',
      );
      await createAll(
        server(),
        names('p', PLACEMENTS).map((name, n) => {
          const own = {
            labelSelector: { matchLabels: { [`own-${n}`]: 'yes' } },
            claimSelector: { matchExpressions: [{ key: 'platform', operator: 'In', values: ['aws'] }] },
          };
          return fleetObject(
            'Placement',
            { name, namespace: 'shop' },
            { predicates: [{ requiredClusterSelector: own }] },
          );
        }),
      );
      controller = await startAlone(server());
      await placementsReady(server(), 'shop', PLACEMENTS, { deadlineMs: 2 * MINUTE, everyMs: 500 });
      await settled();
    }, 10 * MINUTE);
    afterAll(() => controller.stop(), 3 * MINUTE);

    /** The number of reconciliations by controller, from the metrics. */
    async function passes(): Promise<Readonly<Record<string, number>>> {
      const metrics = (await controller.metrics()) ?? '';
      const counts: Record<string, number> = {};
      for (const [, name = '', count] of metrics.matchAll(
        /^controller_runtime_reconcile_total\{.*controller="([^"]+)".*\} (\d+)$/gm,
      )) {
        counts[name] = (counts[name] ?? 0) + Number(count);
      }
      return counts;
    }

    async function writes(after: number): Promise<string[]> {
      const log = await server().requestLog({ after, user: controller.user, verbs: WRITES });
      return log
        .filter(({ resource }) => resource !== 'leases')
        .map((one) => (one.resource === 'events' ? `${one.verb} events` : inWords(one)));
    }

    /** Events are rate-limited and written long after the change that they report. */
    async function settled(): Promise<void> {
      let last = '';
      let since = performance.now();
      await waitFor(
        'the passes and the events to end',
        async (seen) => {
          const now = JSON.stringify([await passes(), (await writes(0)).length]);
          seen(now);
          if (now !== last) since = performance.now();
          last = now;
          return performance.now() - since > QUIET_MS;
        },
        { deadlineMs: 3 * MINUTE, everyMs: 200 },
      );
    }

    it(`the first decisions of ${PLACEMENTS} placements are counted as reconciliations`, async () => {
      expect((await passes())['placement']).toBeGreaterThanOrEqual(PLACEMENTS);
    });

    it(
      'a label that no placement selects by causes no reconciliation and no write',
      async () => {
        const [before, mark] = [await passes(), await server().logMark()];
        await patchClusters(server(), names('c', 20), { metadata: { labels: { colour: 'red' } } });
        await quietWindow(QUIET_MS);

        expect([await passes(), await writes(mark)]).toEqual([before, []]);
      },
      3 * MINUTE,
    );

    it(
      'a new status of every cluster without a changed claim causes no reconciliation and no write',
      async () => {
        const [before, mark] = [await passes(), await server().logMark()];
        const conditions = [
          {
            type: 'Available',
            status: 'True',
            reason: 'Heard',
            message: 'just now',
            lastTransitionTime: new Date().toISOString(),
          },
        ];
        await patchClusters(
          server(),
          names('c', CLUSTERS),
          { status: { conditions, version: { kubernetes: 'v1.36.3' } } },
          '/status',
        );
        await quietWindow(QUIET_MS);

        expect([await passes(), await writes(mark)]).toEqual([before, []]);
        expect(
          await server().requestLog({ after: mark, resources: ['managedclusters/status'], verbs: ['patch'] }),
        ).toHaveLength(CLUSTERS);
      },
      5 * MINUTE,
    );

    it(
      'a claim and a label that are selected by but change no decision cause no write',
      async () => {
        const mark = await server().logMark();
        await patchClusters(server(), ['c-8'], { metadata: { labels: { 'own-9': 'no' } } });
        await patchClusters(
          server(),
          ['c-8'],
          {
            status: {
              clusterClaims: [
                { name: 'platform', value: 'aws' },
                { name: 'id', value: 'x' },
              ],
            },
          },
          '/status',
        );
        await quietWindow(QUIET_MS);

        expect(await writes(mark)).toEqual([]);
      },
      3 * MINUTE,
    );

    it(
      'a label that changes one decision causes one reconciliation, two writes and one event',
      async () => {
        await settled();
        const [before, mark] = [await passes(), await server().logMark()];
        await patchClusters(server(), ['c-8'], { metadata: { labels: { 'own-7': 'yes' } } });
        const selected = await waitFor('the cluster to be selected', async () => {
          const { body } = await server().call({ path: fleetPath('PlacementDecision', 'p-7-decision-1', 'shop') });
          const chosen = items(fields(body.status)['decisions']).map((one) => String(one['clusterName']));
          return chosen.includes('c-8') ? chosen : undefined;
        });
        await waitFor('what follows', async () => (await writes(mark)).length >= 3);
        await quietWindow(QUIET_MS);

        expect(selected).toHaveLength(CLUSTERS / PLACEMENTS + 1);
        expect(await passes()).toEqual({ ...before, placement: (before['placement'] ?? 0) + 1 });
        expect((await writes(mark)).sort()).toEqual([
          'create events',
          'update placementdecisions shop/p-7-decision-1',
          'update placements/status shop/p-7',
        ]);
      },
      3 * MINUTE,
    );
  },
);
