import path from 'node:path';

import { beforeAll, beforeEach, expect, it } from '@jest/globals';

import { ManagedClusters } from '../../src/api/resources.js';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { ScenarioRig } from '../support/rigs/scenario.js';
import { bind, deploy } from '../support/scenario/run/deployed.js';
import { decisionWrites, withScene } from '../support/scenario/run/resting.js';
import { crds, install, lax } from '../support/scenario/run/stage.js';
import { pathOf } from '../support/scenario/script/requests.js';

const MINUTE = 60_000;

// The other faults of an API: brokenapi.test.ts. This one waits until every watch has been begun anew.
describeWithServer('a compacted API', { own: true, capabilities: ['requestLog', 'compaction'] }, (server) => {
  beforeAll(() => deploy(server(), 'lax'), 6 * MINUTE);
  beforeEach(async () => {
    await install(server(), crds().map(lax));
    await bind(server());
  }, 6 * MINUTE);

  it(
    'an API whose history is compacted, so that every watch is too old, shrinks no decision, and reconciliation continues',
    async () => {
      await withScene(server(), async ({ rig, scene }) => {
        const mark = await server().logMark();
        await server().compactHistory();
        await quietWindow(2000);
        expect(await decisionWrites(server(), mark)).toEqual([]);
        await scene.stir();

        // Changes that only a new list can show: they are made, and their history is compacted, while no request gets
        // through.
        await scene.step(
          [
            { kind: 'set', name: 'stage' },
            { kind: 'cluster', name: 'member-001' },
          ],
          () => {
            rig.proxy.plan = () => ({ kind: 'reset', applied: false });
            rig.proxy.cutAll();
            void reopen(server(), rig, ['managedclustersets/stage', 'managedclusters/member-001']);
          },
        );
        await scene.step([{ kind: 'set', name: 'stage', to: {} }]);
      });
    },
    8 * MINUTE,
  );
});

/** Waits until these objects are deleted, compacts the history and lets requests through again. */
async function reopen(server: ControlPlane, rig: ScenarioRig, gone: readonly string[]): Promise<void> {
  const base = path.posix.dirname(pathOf(ManagedClusters));
  for (const one of gone)
    await waitFor(`${one} to be gone`, async () => (await server.call({ path: `${base}/${one}` })).status === 404);
  await server.compactHistory();
  rig.proxy.plan = () => undefined;
}
