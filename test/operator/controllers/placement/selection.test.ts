import { describe, expect, it } from '@jest/globals';
import type { Placement } from '../../../../src/api/generated/placement.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  Placements,
} from '../../../../src/api/resources.js';
import { CustomResourceDefinitions } from '../../../../src/runtime/vocabulary/kinds.js';
import { failure } from '../../../support/fakes/api.js';
import { PlacementRig, NAMESPACE } from '../../../support/rigs/controllers/placement.js';

const wantsEu = { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } }] };
const broken = {
  predicates: [{ requiredClusterSelector: { labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } } }],
};
const definition = (plural: string): { name: string } => ({ name: `${plural}.cluster.fleetmgmt.io` });

function selected(hub: PlacementRig, placement = 'web'): string[] {
  return Object.values(hub.decision(placement)).flat().sort();
}

/** A hub at rest with Placement `web` and these clusters in set `fleet`. */
async function converged(spec: unknown, ...clusters: readonly string[]): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.clusters(...clusters);
  hub.place('web', spec);
  return hub.start();
}

describe('reconcile after a change of the fleet', () => {
  it('a change of labels and claims that no Placement names causes no reconcile and no write', async () => {
    const hub = await converged(wantsEu, 'a', 'b');
    const [calls, passes] = [hub.api.calls.length, hub.infos.length];

    for (const name of ['a', 'b']) hub.cluster(name, { colour: 'red' });
    for (const name of ['a', 'b']) hub.cluster(name, { colour: 'red' }, { claims: { heartbeat: '1' } });
    await hub.untilIdle(20_000);

    expect([hub.api.calls.length, hub.infos.length]).toEqual([calls, passes]);
  });

  it('a change that affects one Placement causes a reconcile of that one alone', async () => {
    const hub = await converged(wantsEu, 'a', 'b');
    for (let n = 0; n < 20; n++)
      hub.place(`other-${n}`, {
        numberOfClusters: 1,
        predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: String(n) } } } }],
      });
    await hub.untilIdle();
    hub.infos.length = 0;
    const mark = hub.mark;

    hub.cluster('a', { region: 'eu' });
    await hub.untilIdle();

    expect(hub.infos.map((one) => one.name)).toEqual(['web']);
    expect(hub.writesSince(mark)).toEqual([
      'update placementdecisions team/web-decision-1',
      'updateStatus placements team/web',
    ]);
    expect(hub.events.at(-1)).toMatchObject({ reason: 'DecisionChanged', note: 'added 1 cluster: a' });
  });

  it('changes of a hundred clusters within a settle window are published together', async () => {
    const hub = await converged({});
    const mark = hub.mark;

    for (let n = 0; n < 100; n++) hub.cluster(`c${n}`);
    await hub.untilIdle();

    expect(hub.writesSince(mark)).toEqual([
      'update placementdecisions team/web-decision-1',
      'updateStatus placements team/web',
    ]);
    expect(selected(hub)).toHaveLength(100);
  });

  it('a cluster that is being deleted is dropped, and so is one that is gone', async () => {
    const hub = await converged({}, 'a', 'b', 'c');

    hub.deleting('a');
    hub.api.remove(ManagedClusters, { name: 'b' });
    await hub.untilIdle();

    expect(selected(hub)).toEqual(['c']);
  });

  it('a cluster that left is replaced by one write, and the others keep their places', async () => {
    const hub = await converged({ numberOfClusters: 3 }, 'a', 'b', 'c', 'd', 'e', 'f');
    const before = selected(hub);
    const mark = hub.mark;

    hub.deleting(before[1] ?? '');
    await hub.untilIdle();

    expect(hub.writesSince(mark).filter((write) => write.includes('decision'))).toHaveLength(1);
    expect(selected(hub)).toEqual(expect.arrayContaining([before[0], before[2]]));
    expect(selected(hub)).toHaveLength(3);
  });

  it('claims are compared as free strings, not as label values', async () => {
    const claim = 'Google Cloud / ~€';
    const hub = new PlacementRig();
    hub.cluster('a', {}, { claims: { platform: claim } });
    hub.cluster('b', {}, { claims: { platform: 'other' } });
    hub.place('web', {
      predicates: [
        {
          requiredClusterSelector: {
            claimSelector: { matchExpressions: [{ key: 'platform', operator: 'In', values: [claim] }] },
          },
        },
      ],
    });
    await hub.start();

    expect(selected(hub)).toEqual(['a']);
  });

  it('Placements with the same spec select different clusters, not the first by name', async () => {
    const hub = new PlacementRig();
    hub.clusters(...Array.from({ length: 40 }, (_, index) => `c${String(index).padStart(2, '0')}`));
    for (let n = 0; n < 10; n++) hub.place(`p${n}`, { numberOfClusters: 1 });
    await hub.start();

    const chosen = new Set(Array.from({ length: 10 }, (_, n) => selected(hub, `p${n}`)[0]));
    expect(chosen.size).toBeGreaterThan(4);
  });
});

describe('reconcile of an invalid spec', () => {
  it.each<[string, unknown, string]>([
    [
      'with an operator that does not exist',
      broken,
      'spec.predicates[0].requiredClusterSelector.labelSelector.matchExpressions[0].operator',
    ],
    ['with a negative number of clusters', { numberOfClusters: -3 }, 'spec.numberOfClusters'],
    ['with the lower-case spelling of ClusterSets', { clusterSets: ['fleet'] }, 'spec.clusterSets'],
  ])(
    'an invalid spec %s keeps the last decision, is reported with the field, and is not retried',
    async (_sentence, spec, field) => {
      const hub = await converged({}, 'a', 'b');
      hub.place('web', spec);
      await hub.untilIdle();
      const calls = hub.api.calls.length;

      await hub.untilIdle(300_000);

      expect(selected(hub)).toEqual(['a', 'b']);
      expect(hub.condition('web', 'PlacementMisconfigured')).toMatchObject({
        status: 'True',
        message: expect.stringContaining(field),
      });
      expect(hub.condition('web', 'Stalled')?.status).toBe('True');
      expect(hub.status('web')).toMatchObject({ phase: 'Misconfigured', numberOfSelectedClusters: 2 });
      expect(hub.api.calls).toHaveLength(calls);
      expect(hub.log.lines.filter((line) => line.level === 'error')).toEqual([]);
    },
  );

  it('an invalid spec keeps the decision without clusters that are deleted', async () => {
    const hub = await converged({}, 'a', 'b');
    hub.place('web', broken);
    await hub.untilIdle();

    hub.deleting('a');
    await hub.untilIdle();

    expect(selected(hub)).toEqual(['b']);
  });

  it('a Placement recovers when its invalid spec is corrected', async () => {
    const hub = await converged(broken, 'a');

    hub.place('web', {});
    await hub.untilIdle();

    expect(selected(hub)).toEqual(['a']);
    expect(hub.status('web').phase).toBe('Satisfied');
    expect(hub.condition('web', 'Stalled')).toBeUndefined();
  });
});

describe('reconcile after a change of sets and bindings', () => {
  it('a binding with another name than its set is ignored, and the message names it', async () => {
    const hub = new PlacementRig();
    hub.set('vault');
    hub.cluster('secret', {}, { set: 'vault' });
    hub.api.remove(ManagedClusterSetBindings, { namespace: NAMESPACE, name: 'fleet' });
    hub.bind('mine', 'vault');
    hub.place('web');
    await hub.start();

    expect(selected(hub)).toEqual([]);
    expect(hub.condition('web', 'PlacementSatisfied')).toMatchObject({
      reason: 'NoManagedClusterSetBindings',
      message: expect.stringContaining('mine'),
    });
  });

  it('an unreadable set drops no cluster, adds none, and does not affect other sets', async () => {
    const hub = await converged({}, 'a', 'b');
    hub.set('more');
    hub.bind('more');
    await hub.untilIdle();

    hub.set('fleet', { clusterSelector: { selectorType: 'Sorting' } });
    hub.cluster('late');
    hub.cluster('other', {}, { set: 'more' });
    await hub.untilIdle();

    expect(selected(hub)).toEqual(['a', 'b', 'other']);
    expect(hub.condition('web', 'PlacementSatisfied')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('fleet'),
    });

    hub.deleting('a');
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['b', 'other']);

    hub.set('fleet');
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['b', 'late', 'other']);
  });

  it('a deleted set or binding removes its clusters, and a new one adds them again', async () => {
    const hub = await converged({}, 'a');

    hub.api.remove(ManagedClusterSetBindings, { namespace: NAMESPACE, name: 'fleet' });
    await hub.untilIdle();
    expect(selected(hub)).toEqual([]);

    hub.bind('fleet');
    await hub.untilIdle();
    expect(selected(hub)).toEqual(['a']);

    hub.api.remove(ManagedClusterSets, { name: 'fleet' });
    await hub.untilIdle();
    expect(hub.decision('web')).toEqual({ 'decision-1': [] });
  });

  it('a binding of another namespace does not count', async () => {
    const hub = new PlacementRig();
    hub.set('theirs');
    hub.bind('theirs', 'theirs', 'other');
    hub.cluster('x', {}, { set: 'theirs' });
    hub.place('web');
    await hub.start();

    expect(selected(hub)).toEqual([]);
  });
});

describe('reconcile with caches that are not current or deletions that are unconfirmed', () => {
  it.each(['clusters', 'sets', 'bindings', 'decisions', 'placements'] as const)(
    'while the cache of %s is not current nothing is dropped, and reconciles continue as soon as it is',
    async (kind) => {
      const hub = await converged({}, 'a', 'b');
      const mark = hub.mark;

      hub.caches[kind].fail(new Error('404'));
      hub.deleting('a');
      await hub.untilIdle();
      expect(hub.writesSince(mark)).toEqual([]);

      hub.caches[kind].fail(undefined);
      await hub.clock.advance(100);
      expect(selected(hub)).toEqual(['b']);
    },
  );

  it.each<[string, (hub: PlacementRig) => void, (hub: PlacementRig) => void]>([
    [
      'is missing',
      (hub) => hub.api.remove(CustomResourceDefinitions, definition('managedclusters')),
      (hub) =>
        void hub.api.put(CustomResourceDefinitions, {
          metadata: { ...definition('managedclusters'), creationTimestamp: '2025-06-01T00:00:00Z' },
        }),
    ],
    [
      'is being deleted',
      (hub) =>
        void hub.api.put(CustomResourceDefinitions, {
          metadata: { ...definition('managedclusters'), deletionTimestamp: '2026-01-01T00:00:00Z' },
        }),
      (hub) => {
        hub.api.remove(CustomResourceDefinitions, definition('managedclusters'));
        hub.api.put(CustomResourceDefinitions, {
          metadata: { ...definition('managedclusters'), creationTimestamp: '2025-06-01T00:00:00Z' },
        });
      },
    ],
  ])(
    'the decision is kept while the definition of clusters %s, and when it was made anew',
    async (_sentence, take, give) => {
      const hub = await converged({}, 'a', 'b');
      const mark = hub.mark;

      take(hub);
      hub.api.remove(ManagedClusters, { name: 'a' });
      await hub.untilIdle(10_000);
      expect(hub.writesSince(mark)).toEqual([]);
      expect(selected(hub)).toEqual(['a', 'b']);

      give(hub);
      await hub.untilIdle(3_600_000);
      expect(selected(hub)).toEqual(['a', 'b']);
      expect(hub.condition('web', 'RemovalsHeld')?.reason).toBe('DefinitionsReplaced');
    },
  );

  it.each([
    [
      'a decision of an earlier release that is not newer than the definitions stays',
      '2026-01-01T00:00:05Z',
      ['a', 'b'],
    ],
    [
      'a decision of an earlier release that is newer than the definitions loses a missing cluster',
      '2026-01-01T00:00:06Z',
      ['b'],
    ],
  ])('%s', async (_sentence, creationTimestamp, kept) => {
    const hub = new PlacementRig();
    for (const plural of ['managedclusters', 'managedclustersets', 'managedclustersetbindings']) {
      hub.api.remove(CustomResourceDefinitions, definition(plural));
      hub.api.put(CustomResourceDefinitions, {
        metadata: { ...definition(plural), creationTimestamp: '2026-01-01T00:00:05Z' },
      });
    }
    hub.clusters('b');
    const placement = hub.place('web', {}, { creationTimestamp });
    hub.store(placement, 1, ['a', 'b'], { creationTimestamp });
    await hub.clock.advance(6_000);
    await hub.start();
    await hub.untilIdle(3_600_000);

    expect(selected(hub)).toEqual(kept);
  });

  it('the definitions are read once for one missing object, however many Placements it affects', async () => {
    const hub = new PlacementRig();
    hub.clusters('a', 'b');
    for (let n = 0; n < 20; n++) hub.place(`p${n}`);
    await hub.start();
    hub.api.calls.length = 0;

    hub.api.remove(ManagedClusters, { name: 'a' });
    await hub.untilIdle();

    expect(hub.api.calls.filter((call) => call.type === CustomResourceDefinitions)).toHaveLength(3);
    for (let n = 0; n < 20; n++) expect(selected(hub, `p${n}`)).toEqual(['b']);
  });

  it('the decision is kept while the definitions cannot be read', async () => {
    const hub = await converged({}, 'a', 'b');
    hub.api.before = (call) => {
      if (call.type === CustomResourceDefinitions)
        throw failure('Forbidden', 'get', CustomResourceDefinitions, call.name);
    };

    hub.api.remove(ManagedClusters, { name: 'a' });
    await hub.untilIdle();

    expect(selected(hub)).toEqual(['a', 'b']);
  });
});

describe('reconcile after a change of the leader', () => {
  it('a new leader writes nothing when everything is published', async () => {
    const hub = await converged({ numberOfClusters: 2 }, 'a', 'b', 'c', 'd');
    const mark = hub.mark;

    await new PlacementRig(hub).start();

    expect(hub.mark).toBe(mark);
  });

  it('a new leader keeps the stored selection, whatever ranks higher', async () => {
    const hub = await converged({ numberOfClusters: 1 }, 'z');
    await hub.loseLease();
    hub.clusters(...Array.from({ length: 30 }, (_, index) => `c${index}`));

    await new PlacementRig(hub).start();

    expect(selected(hub)).toEqual(['z']);
  });

  it('a leader that loses the lease and acquires it again forgets what it had published', async () => {
    const hub = await converged({ numberOfClusters: 1 }, 'a', 'b', 'c');
    await hub.loseLease();
    const other = await new PlacementRig(hub).start();
    hub.place('web', { numberOfClusters: 3 });
    await other.untilIdle();
    hub.place('web', { numberOfClusters: 2 });
    await other.untilIdle();
    const published = hub.decision('web');
    await other.loseLease();
    const mark = hub.mark;

    hub.acquireLease();
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual(published);
    expect(hub.writesSince(mark)).toEqual([]);
  });
});

describe('status', () => {
  it('a status that another client edited is restored', async () => {
    const hub = await converged({}, 'a');
    const stored = hub.api.peek<Placement>(Placements, { namespace: NAMESPACE, name: 'web' });

    hub.api.put<Placement>(Placements, {
      metadata: { namespace: NAMESPACE, name: 'web' },
      spec: {},
      status: { ...stored?.status, phase: 'Unsatisfied', numberOfSelectedClusters: 7 },
    });
    await hub.untilIdle();

    expect(hub.status('web')).toEqual(stored?.status);
  });

  it('a Placement that becomes unsatisfied is reported by one event per change of the condition', async () => {
    const hub = await converged({ numberOfClusters: 2 }, 'a', 'b', 'c');
    hub.events.length = 0;

    hub.deleting('a');
    hub.deleting('b');
    await hub.untilIdle();
    hub.deleting('c');
    await hub.untilIdle();

    expect(hub.events.map((one) => one.reason)).toEqual([
      'DecisionChanged',
      'PlacementUnsatisfied',
      'DecisionChanged',
      'PlacementUnsatisfied',
    ]);
    expect(hub.condition('web', 'PlacementSatisfied')?.reason).toBe('AllManagedClusterSetsEmpty');
  });

  it('the metrics of a Placement end when it is gone', async () => {
    const hub = await converged({}, 'a');

    hub.api.remove(Placements, { namespace: NAMESPACE, name: 'web' });
    await hub.untilIdle();

    expect(hub.infos.at(-1)).toMatchObject({ name: 'web', phase: 'gone' });
  });
});
