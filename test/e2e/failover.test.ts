import { beforeAll, expect, it } from '@jest/globals';

import { WRITES, type LoggedRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { Proxy } from '../support/proxy/proxy.js';
import { KEPT, withRig } from '../support/scenario/run/campaign.js';
import { Controller } from '../support/scenario/run/controller.js';
import { deploy } from '../support/scenario/run/deployed.js';
import type { ScenarioRig } from '../support/rigs/scenario.js';
import { report } from '../support/scenario/run/runner.js';
import { Scene } from '../support/scenario/run/scene.js';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
/**
 * From the last renewal of a killed leader to the first write of the next one. The documented limit is 17 s, which
 * test/runtime/leaderelection/leaderelector.test.ts checks with a manual clock; here a busy machine may delay a process further.
 */
const FAILOVER_MS = 15_000 + 15_000;
const A = 'operator-a';
const B = 'operator-b';

/** An accepted write of a controller. Each controller has a proxy, which marks its requests. */
async function accepted(server: ControlPlane, after = 0): Promise<LoggedRequest[]> {
  const log = await server.requestLog({ verbs: WRITES, after });
  return log.filter((one) => one.code < 300 && writerOf(one) !== '');
}

function writerOf({ userAgent }: LoggedRequest): string {
  return [A, B].find((mark) => userAgent.endsWith(` ${mark}`)) ?? '';
}

function isLease({ resource }: LoggedRequest): boolean {
  return resource === 'leases';
}

/** Accepted writes of a controller that was not the last writer of the Lease. */
function strayWrites(log: readonly LoggedRequest[]): string[] {
  const stray: string[] = [];
  let holder = '';
  for (const one of log) {
    if (isLease(one)) holder = writerOf(one);
    else if (writerOf(one) !== holder)
      stray.push(`${writerOf(one)} wrote ${one.verb} ${one.uri} while ${holder || 'nobody'} held the Lease`);
  }
  return stray;
}

async function withBoth(server: ControlPlane, body: (both: Both) => Promise<void>): Promise<void> {
  await withRig(server, A, async (rig) => {
    const scene = new Scene(rig);
    await scene.begin();
    const proxy = await Proxy.start({ url: server.url, caFile: server.caFile, mark: B });
    const other = await Controller.start({ server, url: proxy.url, identity: B });
    try {
      await waitFor('the other to know the fleet', () => proxy.count > 6);
      await body({ rig, scene, proxy, other });
      expect(report(await rig.judge(scene.frames))).toBe(KEPT);
    } finally {
      await other.stop();
      await proxy.stop();
    }
  });
}

interface Both {
  /** The first controller, A, with its proxy. */
  readonly rig: ScenarioRig;
  readonly scene: Scene;
  /** The proxy of the second, B. */
  readonly proxy: Proxy;
  readonly other: Controller;
}

describeWithServer('two controllers at once', { own: true, capabilities: ['requestLog'] }, (server) => {
  beforeAll(() => deploy(server(), 'strict'), 6 * MINUTE);

  it(
    'two controllers never write at the same time: when the leader is killed, the other one continues after the Lease has expired',
    async () => {
      const begun = await server().logMark();
      await withBoth(server(), async ({ rig, scene }) => {
        await scene.stir();
        expect(new Set((await accepted(server(), begun)).map(writerOf))).toEqual(new Set([A]));

        const killed = await server().logMark();
        await scene.resize('script-a/wide', 133, () => rig.controller.kill());
        const before = (await accepted(server(), begun)).filter((one) => one.sequence <= killed || writerOf(one) === A);
        const renewal = before.filter(isLease).at(-1);
        const first = (await accepted(server(), killed)).find((one) => writerOf(one) === B && !isLease(one));
        const tookMs = Math.round((first?.receivedAt ?? Infinity) - (renewal?.answeredAt ?? 0));
        process.stderr.write(`failover: ${tookMs} ms from the last renewal to the first write of the other\n`);
        expect(tookMs).toBeLessThanOrEqual(FAILOVER_MS);
        await scene.stir();
      });
      expect(strayWrites(await accepted(server(), begun))).toEqual([]);
    },
    6 * MINUTE,
  );

  it(
    'two controllers never write at the same time: a leader that is suspended in the middle of a decision and resumed later writes nothing more',
    async () => {
      const begun = await server().logMark();
      await withBoth(server(), async ({ rig, scene, other }) => {
        const { controller, proxy } = rig;
        const { pid } = controller;
        let stopped = false;
        proxy.plan = (request) => {
          if (stopped || request.resource !== 'placementdecisions' || !request.write) return undefined;
          stopped = true;
          return { kind: 'interrupt', applied: true, passOn: true, run: () => controller.signal('SIGSTOP') };
        };
        const mark = await server().logMark();
        // Both objects change, so the leader is suspended before the second write of its decision.
        await scene.step([{ kind: 'set', name: 'stage' }]);
        expect(stopped).toBe(true);
        await scene.step([{ kind: 'set', name: 'stage', to: {} }]);
        expect((await accepted(server(), mark)).some((one) => writerOf(one) === B && isLease(one))).toBe(true);

        const resumed = await server().logMark();
        controller.signal('SIGCONT');
        await scene.stir();
        await waitFor('the resumed controller to ask for something', async () => {
          const log = await server().requestLog({ after: resumed });
          return log.some((one) => writerOf(one) === A);
        });
        await quietWindow(3000);
        expect((await accepted(server(), resumed)).filter((one) => writerOf(one) === A)).toEqual([]);
        expect([controller.pid, controller.exit()]).toEqual([pid, undefined]);

        await scene.resize('script-a/wide', 104, () => other.kill());
        expect((await accepted(server(), resumed)).some((one) => writerOf(one) === A && !isLease(one))).toBe(true);
      });
      expect(strayWrites(await accepted(server(), begun))).toEqual([]);
    },
    8 * MINUTE,
  );
});
