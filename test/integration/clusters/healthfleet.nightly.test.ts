import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import { AGENTS_NAMESPACE } from '../../../src/api/names.js';
import { ManagedClusters, ManagedClusterSets } from '../../../src/api/resources.js';
import { patchClusters } from '../../support/hub/fleet.js';
import { namesOf } from '../../support/rigs/fleethealth.js';
import { Agents, HealthServerRig } from '../../support/rigs/server/health.js';

const LONG_MS = 600_000;
const MINUTE = 60_000;
const COUNT = 1_000;
const EVALUATION_MS = 10_000;
/** A long lease duration, so that few renewals show much time. */
const PERIOD_SECONDS = 300;
/** The clusters of the only set. */
const MEMBERS = 100;
/** 1 % of the joined clusters. */
const TAINTS_A_MINUTE = 10;

describeWithServer('the health of 1,000 clusters', { own: true, capabilities: ['requestLog', 'restart'] }, (server) => {
  const all = namesOf('edge', COUNT);
  const members = all.slice(0, MEMBERS);
  let agents: Agents;
  let hub: HealthServerRig;

  beforeAll(async () => {
    await installCrds(server());
    agents = new Agents(server());
    await agents.namespace();
    await agents.client.apply(
      ManagedClusterSets,
      { metadata: { name: 'west' }, spec: {} },
      { fieldManager: 'test', force: false },
    );
    const spec = { hubAcceptsClient: true, leaseDurationSeconds: PERIOD_SECONDS };
    for (const name of all) await agents.cluster(name, spec, members.includes(name) ? 'west' : undefined);
    hub = new HealthServerRig(server());
    await hub.synced();
    await hub.clock.advance(EVALUATION_MS);
    await agents.renew(all, hub.clock.now());
    await agents.seen(hub, all);
    await hub.clock.advance(EVALUATION_MS);
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

  /** Waits for these numbers of available and tainted clusters. The clock goes on: some writes wait for their turn. */
  function available(count: number, tainted = 0): Promise<true> {
    return waitFor(`${count} available clusters`, async (seen) => {
      await hub.clock.advance(100);
      const found = await counted();
      seen(found);
      return (found.available === count && found.tainted === tainted) || undefined;
    });
  }

  /** `REASON name` of the events about the fleet and the set since the first `from` events. */
  function scopes(from: number): readonly string[] {
    return hub.events
      .slice(from)
      .filter(({ reason }) => reason.startsWith('Fleet'))
      .map(({ reason, regarding }) => `${reason} ${regarding.metadata.name}`);
  }

  /** Advances the clock. These clusters renew at once and then every four minutes, and one every minute. */
  async function minutes(count: number, alive: readonly string[]): Promise<void> {
    for (let minute = 0; minute < count; minute++) {
      const renewing = minute % 4 === 0 ? alive : alive.slice(0, 1);
      await agents.renew(renewing, hub.clock.now());
      await agents.seen(hub, renewing);
      for (let passed = 0; passed < MINUTE; passed += EVALUATION_MS) await hub.clock.advance(EVALUATION_MS);
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
    'a hub whose watch is interrupted for five minutes taints nobody, and calls nobody Unknown',
    async () => {
      const mark = await agents.mark();
      for (let passed = 0; passed < 5 * MINUTE; passed += EVALUATION_MS) await hub.clock.advance(EVALUATION_MS);
      expect(hub.observer.counts().stale).toBe(true);

      await minutes(2, all);

      expect(hub.observer.counts().stale).toBe(false);
      expect(await agents.writes(mark)).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'an API server that is killed for 25 minutes costs no cluster its condition, also before the agents renew again',
    async () => {
      const mark = await agents.mark();
      await server().stopServer('SIGKILL');
      // Longer than the four lease durations after which a cluster is tainted.
      for (let passed = 0; passed < 25 * MINUTE; passed += EVALUATION_MS) await hub.clock.advance(EVALUATION_MS);
      expect(hub.observer.counts().stale).toBe(true);

      await server().startServer();
      // Not faster: the lists that the caches send have deadlines by the same clock.
      await waitFor(
        'the Leases to be observed again',
        async () => {
          await hub.clock.advance(200);
          return !hub.observer.counts().stale;
        },
        { deadlineMs: 3 * MINUTE },
      );
      for (let passed = 0; passed < MINUTE; passed += EVALUATION_MS) await hub.clock.advance(EVALUATION_MS);
      expect(await agents.writes(mark)).toEqual([]);

      await minutes(2, all);
      expect(await agents.writes(mark)).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'of a fleet of which 60 % falls silent nobody is tainted, each silent cluster is called Unknown once, and all are back at once',
    async () => {
      const [cut, alive] = [all.slice(400), all.slice(0, 400)];
      const [mark, events] = [await agents.mark(), hub.events.length];
      // Silent after 10 minutes, Unknown after 15, tainted after 20 if the brake did not hold.
      await minutes(26, alive);
      await available(alive.length);

      expect(hub.observer.counts().braked).toEqual({ fleet: 1, set: 0 });
      expect((await agents.summary('edge-999')).join()).toMatch(
        /^Unknown .*; not tainted: most of the fleet is silent$/,
      );
      expect((await agents.writes(mark)).sort()).toEqual(
        cut.map((name) => `patch managedclusters/status ${name}`).sort(),
      );
      expect(scopes(events)).toEqual([`FleetSilent ${AGENTS_NAMESPACE}`]);

      await minutes(5, all);
      await available(COUNT);

      expect(hub.observer.counts().braked).toEqual({ fleet: 0, set: 0 });
      expect(scopes(events)).toEqual([`FleetSilent ${AGENTS_NAMESPACE}`, `FleetRecovered ${AGENTS_NAMESPACE}`]);
    },
    LONG_MS,
  );

  it(
    'a set that falls silent is tainted 15 minutes later, at most ten clusters a minute, and all of it is back at once',
    async () => {
      const others = all.slice(MEMBERS);
      const events = hub.events.length;
      const tainted = (): number => Object.values(hub.observer.counts().taints).reduce((sum, count) => sum + count, 0);
      // Silent after 10 minutes, less the one since the last renewal; held for 15 more.
      await minutes(22, others);
      await available(others.length);
      expect(hub.observer.counts().braked).toEqual({ fleet: 0, set: 1 });
      expect((await agents.summary('edge-0')).join()).toMatch(/^Unknown .*; not tainted: most of set west is silent$/);
      expect(scopes(events)).toEqual(['FleetSilent west']);

      const counts = [tainted()];
      for (let minute = 0; minute < 16; minute++) {
        await minutes(1, minute % 4 === 0 ? others : others.slice(0, 1));
        counts.push(tainted());
      }
      await available(others.length, MEMBERS);
      const steps = counts.slice(1).map((count, at) => count - (counts[at] ?? 0));
      expect([counts[0], Math.max(...steps), counts.at(-1)]).toEqual([0, TAINTS_A_MINUTE, MEMBERS]);

      const before = (await agents.get('edge-7'))?.spec?.taints;
      await patchClusters(server(), ['edge-7'], { spec: { taints: [] } });
      await available(others.length, MEMBERS);
      expect((await agents.get('edge-7'))?.spec?.taints).toEqual(before);

      await minutes(1, all);
      await available(COUNT);
      expect(scopes(events)).toEqual(['FleetSilent west', 'FleetRecovered west']);
    },
    LONG_MS,
  );
});
