import { describe, expect, it } from '@jest/globals';
import { ManagedClusterSetBindings, PlacementDecisions } from '../../src/api/resources.js';
import { failure } from '../support/fakes/api.js';
import { NAMESPACE, PlacementRig } from '../support/rigs/controllers/placement.js';

/**
 * A Placement with `maxAdditions` was applied with a faulty expression, or a moment before its binding, its sets or its clusters.
 * When that was mended, all clusters were held back: the pass before, which had decided nothing, counted as its first decision.
 * Made anew, the same Placement was satisfied at once.
 *
 * Right: the first decision is the first that is made with a valid spec, unpaused and from a cluster at least, and is stored as a
 * whole. It does not count, whatever came before. What comes after it counts, also while nothing is selected.
 */

const names = Array.from({ length: 6 }, (_, at) => `c${at}`);
const disruptionBudget = { maxAdditions: '20%' };
const faulty = { predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: ['nothing.like'] } } }] };

async function newHub(clusters: readonly string[] = names): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.clusters(...clusters);
  return hub.start();
}

function selected(hub: PlacementRig): string[] {
  return Object.values(hub.decision('web')).flat().sort();
}

interface Case {
  readonly title: string;
  readonly before: (hub: PlacementRig) => void;
  readonly mend: (hub: PlacementRig) => void;
  readonly clusters?: readonly string[];
}

const cases: readonly Case[] = [
  {
    title: 'an invalid spec',
    before: (hub) => hub.place('web', { ...faulty, disruptionBudget }),
    mend: (hub) => hub.place('web', { disruptionBudget }),
  },
  {
    title: 'an invalid spec with a number of clusters',
    before: (hub) => hub.place('web', { ...faulty, numberOfClusters: 6, disruptionBudget }),
    mend: (hub) => hub.place('web', { numberOfClusters: 6, disruptionBudget }),
  },
  {
    title: 'a pause',
    before: (hub) => hub.place('web', { paused: true, disruptionBudget }),
    mend: (hub) => hub.place('web', { disruptionBudget }),
  },
  {
    title: 'a pause of what has no cluster to select from',
    before: (hub) => {
      hub.place('web', { ClusterSets: ['late'], disruptionBudget });
    },
    mend: (hub) => {
      hub.place('web', { paused: true, disruptionBudget });
      hub.place('web', { disruptionBudget });
    },
  },
  {
    title: 'a missing binding',
    before: (hub) => {
      hub.api.remove(ManagedClusterSetBindings, { namespace: NAMESPACE, name: 'fleet' });
      hub.place('web', { disruptionBudget });
    },
    mend: (hub) => hub.bind('fleet'),
  },
  {
    title: 'a missing set',
    before: (hub) => {
      hub.bind('late');
      hub.place('web', { ClusterSets: ['late'], disruptionBudget });
    },
    mend: (hub) => {
      hub.set('late');
      for (const name of names) hub.cluster(name, {}, { set: 'late' });
    },
  },
  {
    title: 'sets without clusters',
    before: (hub) => hub.place('web', { disruptionBudget }),
    mend: (hub) => hub.clusters(...names),
    clusters: [],
  },
];

describe('the first decision of a Placement with maxAdditions', () => {
  it.each(cases)('is uncounted after $title', async ({ before, mend, clusters }) => {
    const hub = await newHub(clusters);
    before(hub);
    await hub.untilIdle();
    expect(selected(hub)).toEqual([]);

    mend(hub);
    await hub.untilIdle();
    expect(selected(hub)).toEqual(names);
    expect(hub.status('web').phase).toBe('Satisfied');
    expect(hub.events.map(({ reason }) => reason)).toContain('DecisionPublished');
  });

  it.each(cases)(
    'is uncounted after $title in a process that was not there before',
    async ({ before, mend, clusters }) => {
      const first = await newHub(clusters);
      before(first);
      await first.untilIdle();
      await first.loseLease();

      const second = await new PlacementRig(first).start();
      mend(second);
      await second.untilIdle();
      expect(selected(second)).toEqual(names);
    },
  );

  it('is uncounted as a whole when the API refuses a part of it at first', async () => {
    const many = Array.from({ length: 230 }, (_, at) => `m${String(at).padStart(3, '0')}`);
    const hub = await newHub(many);
    hub.api.before = ({ verb, name }) => {
      if (verb === 'create' && name.name === 'web-decision-2')
        throw failure('Forbidden', verb, PlacementDecisions, name);
    };
    hub.place('web', { disruptionBudget });
    await hub.untilIdle();
    expect(selected(hub).length).toBeLessThan(230);
    expect(hub.condition('web', 'Ready')?.reason).toBe('PublishFailed');

    hub.api.before = () => {};
    await hub.untilIdle(600_000);
    expect(selected(hub)).toEqual(many);
  });

  it('has no object while the spec has never been valid, and the status says that there is none', async () => {
    const hub = await newHub();
    hub.place('web', { ...faulty, disruptionBudget });
    await hub.untilIdle();

    expect(hub.decision('web')).toEqual({});
    expect(hub.status('web')).toMatchObject({ phase: 'Misconfigured', decisions: [] });
    expect(hub.status('web').basis).toBeUndefined();
    expect(hub.condition('web', 'PlacementSatisfied')?.message).toMatch(/^there is no decision yet: spec\./);
  });
});

describe('a later decision of a Placement with maxAdditions', () => {
  it('counts when the first found clusters of which none matched', async () => {
    const hub = await newHub();
    const predicates = [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } }];
    hub.place('web', { predicates, disruptionBudget });
    await hub.untilIdle();
    for (const name of names) hub.cluster(name, { tier: 'gold' });
    await hub.untilIdle(60_000);
    expect(selected(hub)).toEqual([]);
    expect(hub.status('web').phase).toBe('Held');
  });

  it('counts when the clusters of another set come in for those whose binding is gone', async () => {
    const hub = await newHub();
    hub.set('other');
    for (const name of ['o1', 'o2', 'o3']) hub.cluster(name, {}, { set: 'other' });
    hub.place('web', { disruptionBudget });
    await hub.untilIdle();
    hub.api.remove(ManagedClusterSetBindings, { namespace: NAMESPACE, name: 'fleet' });
    await hub.untilIdle();
    hub.bind('other');
    await hub.untilIdle(60_000);
    expect(selected(hub)).toEqual([]);
    expect(hub.status('web').phase).toBe('Held');
  });
});
