import { beforeAll, expect, it } from '@jest/globals';

import { ManagedClusters, ManagedClusterSets } from '../../src/api/resources.js';
import { objectPath } from '../../src/runtime/client/path.js';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { deployOn } from '../faults/real/hub.js';
import { decisionWrites, makeStage, memberName, stir, unmakeStage, wideFleet, withFleet } from './widefleet.js';
import { leave } from '../faults/scenarios/fleet.js';
import type { Proxy } from '../support/proxy/proxy.js';

const MINUTE = 60_000;
/** Each is deleted in a step of its own. */
const GONE = [objectPath(ManagedClusters, { name: memberName(1) }), objectPath(ManagedClusterSets, { name: 'stage' })];

const FLEET = await wideFleet([...stir(0), leave(memberName(1)), unmakeStage, makeStage]);

// The other faults of an API: brokenapi.nightly.test.ts. This one waits until every watch has been begun anew.
describeWithServer('a compacted API', { own: true, capabilities: ['requestLog', 'compaction'] }, (server) => {
  beforeAll(() => deployOn(server()), 6 * MINUTE);

  it(
    'an API whose history is compacted, so that every watch is too old, shrinks no decision, and reconciliation continues',
    async () => {
      await withFleet(server(), FLEET, async (run, { proxy }) => {
        const mark = await server().logMark();
        await server().compactHistory();
        await quietWindow(2000);
        expect(await decisionWrites(server(), mark)).toEqual([]);
        for (const _ of stir(0)) await run.next();

        // Changes that only a new list can show: they are made, and their history is compacted, while no request gets
        // through.
        for (const path of GONE)
          await run.next(() => {
            proxy.plan = () => ({ kind: 'reset', applied: false });
            proxy.cutAll();
            void reopen(server(), proxy, path);
          });
        await run.next();
      });
    },
    8 * MINUTE,
  );
});

/** Waits until the object is deleted, compacts the history and lets requests through again. */
async function reopen(server: ControlPlane, proxy: Proxy, path: string): Promise<void> {
  await waitFor(`${path} to be gone`, async () => (await server.call({ path })).status === 404);
  await server.compactHistory();
  proxy.plan = () => undefined;
}
