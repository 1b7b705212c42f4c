import { beforeAll, expect, it } from '@jest/globals';

import { WRITES, type LoggedRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { deployOn } from '../faults/real/hub.js';
import type { RealProcess } from '../faults/real/process.js';
import type { RealRun } from '../faults/real/run.js';
import { place } from '../faults/scenarios/fleet.js';
import { makeStage, resize, stir, unmakeStage, wideFleet, withFleet } from './widefleet.js';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
/**
 * From the last renewal of a killed leader to the first write of the next one. The documented limit is 17 s, which
 * test/runtime/leaderelection/leaderelector.test.ts checks with a manual clock; here a busy machine may delay a process further.
 */
const FAILOVER_MS = 15_000 + 15_000;
const A = 'operator-a';
const B = 'operator-b';

/**
 * An accepted write of a controller, but for Events: they tell, a moment later, of what was written while it held the Lease. Each
 * controller has a proxy, which marks its requests.
 */
async function accepted(server: ControlPlane, after = 0): Promise<LoggedRequest[]> {
  const log = await server.requestLog({ verbs: WRITES, after });
  return log.filter((one) => one.code < 300 && one.resource !== 'events' && writerOf(one) !== '');
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

/** A decision of two objects, which loses the second one. */
const WAVES = [
  place('waves', { numberOfClusters: 4, decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: 2 } } }),
  resize('waves', 2),
];
const FLEET = await wideFleet([...WAVES, unmakeStage, makeStage, ...stir(0), resize('large', 133), ...stir(1)], [A, B]);

/** The first controller holds the Lease. */
async function withBoth(
  server: ControlPlane,
  body: (run: RealRun, first: RealProcess, second: RealProcess) => Promise<void>,
): Promise<void> {
  await withFleet(server, FLEET, async (run, first) => {
    const second = run.processes[1] as RealProcess;
    await waitFor('the other to know the fleet', () => second.proxy.count > 6);
    await body(run, first, second);
  });
}

describeWithServer('two controllers at once', { own: true, capabilities: ['requestLog'] }, (server) => {
  beforeAll(() => deployOn(server()), 6 * MINUTE);

  it(
    'two controllers never write at the same time: when the leader is killed, the other one continues after the Lease has expired',
    async () => {
      const begun = await server().logMark();
      await withBoth(server(), async (run, first) => {
        for (const _ of [...WAVES, unmakeStage, makeStage, ...stir(0)]) await run.next();
        expect(new Set((await accepted(server(), begun)).map(writerOf))).toEqual(new Set([A]));

        const killed = await server().logMark();
        await run.next(() => first.killed());
        const before = (await accepted(server(), begun)).filter((one) => one.sequence <= killed || writerOf(one) === A);
        const renewal = before.filter(isLease).at(-1);
        const next = (await accepted(server(), killed)).find((one) => writerOf(one) === B && !isLease(one));
        const tookMs = Math.round((next?.receivedAt ?? Infinity) - (renewal?.answeredAt ?? 0));
        process.stderr.write(`failover: ${tookMs} ms from the last renewal to the first write of the other\n`);
        expect(tookMs).toBeLessThanOrEqual(FAILOVER_MS);
        await run.finish();
      });
      expect(strayWrites(await accepted(server(), begun))).toEqual([]);
    },
    6 * MINUTE,
  );

  it(
    'two controllers never write at the same time: a leader that is suspended in the middle of a decision and resumed later writes nothing more',
    async () => {
      const begun = await server().logMark();
      await withBoth(server(), async (run, first, second) => {
        for (const _ of WAVES) await run.next();
        const { controller, proxy } = first;
        const { pid } = controller;
        let stopped = false;
        proxy.plan = (request) => {
          if (stopped || request.resource !== 'placementdecisions' || !request.write) return undefined;
          stopped = true;
          return { kind: 'interrupt', applied: true, passOn: true, run: () => controller.signal('SIGSTOP') };
        };
        const mark = await server().logMark();
        // Both objects change, so the leader is suspended before the second write of its decision.
        await run.next();
        expect(stopped).toBe(true);
        await run.next();
        expect((await accepted(server(), mark)).some((one) => writerOf(one) === B && isLease(one))).toBe(true);

        const resumed = await server().logMark();
        controller.signal('SIGCONT');
        for (const _ of stir(0)) await run.next();
        await waitFor('the resumed controller to ask for something', async () => {
          const log = await server().requestLog({ after: resumed });
          return log.some((one) => writerOf(one) === A);
        });
        await quietWindow(3000);
        expect((await accepted(server(), resumed)).filter((one) => writerOf(one) === A)).toEqual([]);
        expect([controller.pid, controller.exit()]).toEqual([pid, undefined]);

        await run.next(() => second.killed());
        expect((await accepted(server(), resumed)).some((one) => writerOf(one) === A && !isLease(one))).toBe(true);
      });
      expect(strayWrites(await accepted(server(), begun))).toEqual([]);
    },
    8 * MINUTE,
  );
});
