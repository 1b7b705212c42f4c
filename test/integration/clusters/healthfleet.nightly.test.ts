import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import { ManagedClusters } from '../../../src/api/resources.js';
import { namesOf } from '../../support/rigs/fleethealth.js';
import { Agents, HealthServerRig } from '../../support/rigs/server/health.js';

const LONG_MS = 240_000;
const MINUTE = 60_000;
const COUNT = 1_000;
const LOOK_MS = 10_000;
/** A long lease duration, so that few renewals show much time. */
const PERIOD_SECONDS = 300;

describeWithServer('the health of 1,000 clusters', { own: true }, (server) => {
  const all = namesOf('edge', COUNT);
  let agents: Agents;
  let hub: HealthServerRig;

  beforeAll(async () => {
    await installCrds(server());
    agents = new Agents(server());
    await agents.namespace();
    for (const name of all)
      await agents.cluster(name, { hubAcceptsClient: true, leaseDurationSeconds: PERIOD_SECONDS });
    hub = new HealthServerRig(server());
    await hub.synced();
    await hub.clock.advance(LOOK_MS);
    await agents.renew(all, hub.clock.now());
    await agents.seen(hub, all);
    await hub.clock.advance(LOOK_MS);
    await available(COUNT);
  }, LONG_MS);
  afterAll(async () => {
    await hub.stop();
    await agents.close();
  }, LONG_MS);

  async function counted(): Promise<{ readonly available: number; readonly tainted: number }> {
    const clusters = await agents.client.list<ManagedCluster>(ManagedClusters, undefined);
    const isAvailable = ({ status }: ManagedCluster): boolean =>
      status?.conditions?.some((one) => one.type === 'ManagedClusterConditionAvailable' && one.status === 'True') ===
      true;
    const isTainted = ({ spec }: ManagedCluster): boolean => (spec?.taints ?? []).length > 0;
    return { available: clusters.filter(isAvailable).length, tainted: clusters.filter(isTainted).length };
  }

  /** Waits for this number of available clusters, none of them tainted. */
  function available(count: number): Promise<true> {
    return waitFor(`${count} available clusters`, async (seen) => {
      const found = await counted();
      seen(found);
      return (found.available === count && found.tainted === 0) || undefined;
    });
  }

  /** Advances the clock. These clusters renew at once and then every four minutes, and one every minute. */
  async function minutes(count: number, alive: readonly string[]): Promise<void> {
    for (let minute = 0; minute < count; minute++) {
      const renewing = minute % 4 === 0 ? alive : alive.slice(0, 1);
      await agents.renew(renewing, hub.clock.now());
      await agents.seen(hub, renewing);
      for (let passed = 0; passed < MINUTE; passed += LOOK_MS) await hub.clock.advance(LOOK_MS);
    }
  }

  it(
    'renewals cost neither a reconcile nor a write',
    async () => {
      hub.passes = 0;
      const mark = await agents.mark();

      await minutes(5, all);

      expect(hub.passes).toBe(0);
      expect(await agents.writes(mark)).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'a hub that is blind for five minutes taints nobody, and calls nobody Unknown',
    async () => {
      const mark = await agents.mark();
      for (let passed = 0; passed < 5 * MINUTE; passed += LOOK_MS) await hub.clock.advance(LOOK_MS);
      expect(hub.observer.counts().blind).toBe(true);

      await minutes(2, all);

      expect(hub.observer.counts().blind).toBe(false);
      expect(await agents.writes(mark)).toEqual([]);
    },
    LONG_MS,
  );
});
