import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import { overlay, type Change } from '../../../src/answers/world/overlay.js';
import { planFleet, unknownPlan } from '../../../src/answers/plan/plan.js';
import { planReport } from '../../../src/answers/plan/report.js';
import type { PlannedPlacement } from '../../../src/answers/plan/document.js';
import { headlineText, planLines } from '../../../src/answers/plan/text.js';
import type { World } from '../../../src/answers/world/world.js';
import { clustersAfter, expectAsPlanned, someChanges } from '../../support/builders/changes.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import { readingOf } from '../../support/builders/hubinput.js';
import { rawDecision, rawSet, someWorld } from '../../support/builders/world.js';
import { runs } from '../../support/runs.js';

function plan(world: World, ...changes: readonly Change[]): PlannedPlacement {
  const [first] = planFleet(world, overlay(world, changes));
  if (first === undefined) throw new Error('the worlds have no Placement');
  return first;
}

const deleted = (resource: 'managedclustersets' | 'managedclusters', name: string): Change => {
  return { kind: 'delete', resource, object: { name } };
};
const placement = (spec: unknown, name = 'web'): Change => {
  return { kind: 'apply', resource: 'placements', object: { metadata: { name, namespace: 'shop' }, spec } };
};

describe('planFleet', () => {
  it('clusters of a deleted set leave, and the reason is the set', () => {
    const { change, before, after, remove, stay, add } = plan(
      exampleWorld(),
      deleted('managedclustersets', 'production'),
    );

    expect([change, before?.phase, after?.phase]).toEqual(['Changed', 'Satisfied', 'PartiallySatisfied']);
    expect(remove).toEqual([
      { name: 'prod-eu-2', cause: 'NotMember', why: 'there is no ManagedClusterSet production' },
      { name: 'prod-us-1', cause: 'NotMember', why: 'there is no ManagedClusterSet production' },
    ]);
    expect([stay, add]).toEqual([['edge-eu-2'], []]);
  });

  it('clusters that the disruption budget keeps are held, and do not leave', () => {
    const disruptionBudget = { maxRemovals: 1 };
    const world = overlay(exampleWorld(), [placement({ ...EXAMPLE_SPEC, disruptionBudget })]);
    const planned = plan(world, deleted('managedclustersets', 'production'));
    const { change, remove, held, stay } = planned;

    expect([change, remove, stay]).toEqual(['Changed', [], ['edge-eu-2']]);
    expect(held).toEqual([
      { name: 'prod-eu-2', cause: 'NotMember', why: 'there is no ManagedClusterSet production' },
      { name: 'prod-us-1', cause: 'NotMember', why: 'there is no ManagedClusterSet production' },
    ]);
    expect(clustersAfter(planned)).toEqual(['edge-eu-2', 'prod-eu-2', 'prod-us-1']);
  });

  it('a set that selects by labels is named for the clusters that it selected', () => {
    const world = exampleWorld();
    const managedclusters = world.objects.managedclusters.map((one) => {
      const { tier = '' } = one.metadata.labels ?? {};
      return tier === 'edge' ? { ...one, metadata: { ...one.metadata, labels: { tier } } } : one;
    });
    const changed = { ...world, objects: { ...world.objects, managedclusters } };

    expect(plan(changed, deleted('managedclustersets', 'edge')).remove).toEqual([
      { name: 'edge-eu-2', cause: 'NotMember', why: 'there is no ManagedClusterSet edge' },
    ]);
  });

  it('a cluster that gets a taint leaves, and the reason is the taint', () => {
    const taints = [{ key: 'maintenance', value: 'disks', effect: 'NoSelect' }];
    const object = { metadata: { name: 'prod-us-1' }, spec: { taints } };
    const { remove, add } = plan(exampleWorld(), { kind: 'apply', resource: 'managedclusters', object });

    expect(remove).toEqual([{ name: 'prod-us-1', cause: 'Tainted', why: 'taint maintenance=disks:NoSelect' }]);
    expect(add).toEqual([{ name: 'prod-eu-1', predicate: 0, why: 'predicate 0' }]);
  });

  it('the next cluster by rank comes in for one that leaves', () => {
    const { remove, add } = plan(exampleWorld(), deleted('managedclusters', 'prod-us-1'));

    expect(remove).toEqual([{ name: 'prod-us-1', cause: 'Gone', why: 'was deleted' }]);
    expect(add).toEqual([{ name: 'prod-eu-1', predicate: 0, why: 'predicate 0' }]);
  });

  it('a smaller number lets the last ones by rank leave', () => {
    const { remove } = plan(exampleWorld(), placement({ ...EXAMPLE_SPEC, numberOfClusters: 2 }));

    expect(remove).toEqual([{ name: 'prod-us-1', cause: 'NotNeeded', why: 'spec.numberOfClusters is 2' }]);
  });

  it('a deleted Placement loses all clusters, a new one gets its own', () => {
    const object = { namespace: 'shop', name: 'web' };
    const gone = plan(exampleWorld(), { kind: 'delete', resource: 'placements', object });
    const created = plan(exampleWorld(), placement({ numberOfClusters: 1 }, 'api'));

    expect([gone.change, gone.after, gone.remove.map(({ why }) => why)]).toEqual([
      'Deleted',
      undefined,
      Array(3).fill('the Placement is deleted'),
    ]);
    expect([created.name, created.change, created.before, created.add]).toEqual([
      'api',
      'Created',
      undefined,
      [{ name: expect.any(String), predicate: undefined, why: 'every cluster matches' }],
    ]);
  });

  it('what would change anyway is no part of a plan', () => {
    const unpublished = exampleWorld(EXAMPLE_SPEC, { placementdecisions: [rawDecision(1, ['prod-ap-2'])] });

    expect(plan(unpublished)).toMatchObject({ change: 'Unchanged', add: [], remove: [] });
    expect(plan(unpublished).stay).toHaveLength(3);
  });

  it('clusters that a disruption budget holds stay, and are a change only when others are held', () => {
    const held = exampleWorld({ ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: 0 } });
    const label = (name: string, key: string): Change => {
      return { kind: 'label', resource: 'managedclusters', object: { name }, key, value: 'lost' };
    };
    const first = plan(held, label('prod-us-1', CLUSTER_SET_LABEL));
    const holding = overlay(held, [label('prod-us-1', CLUSTER_SET_LABEL)]);

    expect([first.change, first.remove, first.stay, first.held]).toEqual([
      'Changed',
      [],
      ['edge-eu-2', 'prod-eu-2'],
      [
        {
          name: 'prod-us-1',
          cause: 'NotMember',
          why: `label ${CLUSTER_SET_LABEL}=lost names none of cluster sets production`,
        },
      ],
    ]);
    expect(plan(holding, label('prod-ap-2', 'zone')).change).toBe('Unchanged');
  });

  it('what was held before is marked, and is no part of the first sentence', () => {
    const spec = { ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: 0 } };
    const holding = overlay(exampleWorld(spec), [deleted('managedclusters', 'prod-us-1')]);
    const textOf = (change: Change): readonly string[] => {
      const after = overlay(holding, [change]);
      const { document } = planReport(readingOf(holding), { after, writes: [change], hasAllWrites: true }, {});
      const lines = planLines(document, readingOf(holding), { colored: false, wide: false });
      return [headlineText(document.placements), ...lines.slice(1)];
    };

    expect(textOf(deleted('managedclusters', 'prod-eu-2'))).toEqual([
      'shop/web: nothing comes in or leaves, 1 held',
      '  NotAllDecisionsScheduled: 2 of 3 wanted clusters no longer match and are held',
      '  ! prod-eu-2  was deleted',
      '  ! prod-us-1  was deleted (before, too)',
      'Plan: 0 to add, 0 to remove, 1 to stay, 2 held (1 of them before, too), in 1 of 1 Placements.',
    ]);
    expect(textOf(placement({ ...spec, numberOfClusters: 4 }))).toEqual([
      'shop/web: +1, nothing leaves',
      '  NotAllDecisionsScheduled: 1 of 4 wanted clusters no longer matches and is held',
      '  ! prod-us-1  was deleted (before, too)',
      '  + prod-eu-1  predicate 0',
      'Plan: 1 to add, 0 to remove, 2 to stay, 1 held (before, too), in 1 of 1 Placements.',
    ]);
  });

  describe('with decisions of the controller that are not carried out yet', () => {
    const budgeted = exampleWorld({ ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: 1 } });
    const moved: Change = {
      kind: 'label',
      resource: 'managedclusters',
      object: { name: 'prod-us-1' },
      key: CLUSTER_SET_LABEL,
      value: 'lost',
    };

    it('their removals count against the disruption budget', () => {
      const { before, held, remove, stay } = plan(overlay(budgeted, [moved]), deleted('managedclustersets', 'edge'));

      expect([before?.selected, stay]).toEqual([3, ['prod-eu-1', 'prod-eu-2']]);
      expect([remove, held.map(({ name }) => name)]).toEqual([[], ['edge-eu-2']]);
    });

    it('a hold lasts although the rest would fit', () => {
      const restored: Change = { kind: 'apply', resource: 'managedclustersets', object: rawSet('production') };
      const holding = overlay(budgeted, [deleted('managedclustersets', 'production')]);
      const { held, remove } = plan(holding, restored, moved);

      expect(plan(budgeted, deleted('managedclustersets', 'production')).held).toMatchObject([
        { name: 'prod-eu-2' },
        { name: 'prod-us-1' },
      ]);
      expect([remove, held.map(({ name }) => name)]).toEqual([[], ['prod-us-1']]);
    });
  });

  it('a phase or a wanted number that changes is a change', () => {
    const { change, add, remove } = plan(exampleWorld({ numberOfClusters: 9 }), placement({ numberOfClusters: 10 }));

    expect([change, add, remove]).toEqual(['Changed', [], []]);
  });

  it.each([
    'managedclusters',
    'managedclustersets',
    'managedclustersetbindings',
    'placements',
    'placementdecisions',
  ] as const)('without the right to read %s nothing is known of a Placement', (resource) => {
    const world = exampleWorld(EXAMPLE_SPEC, {}, [{ resource, verb: 'list', status: 403 }]);

    expect(plan(world)).toEqual({
      namespace: 'shop',
      name: 'web',
      change: 'Unknown',
      add: [],
      remove: [],
      stay: [],
      held: [],
    });
  });

  it('after the change is carried out, the hub is as planned', () => {
    fc.assert(fc.property(someWorld, someChanges, expectAsPlanned), { numRuns: runs(150) });
  });
});

it('the first sentence of a plan is about what changes alone', () => {
  const more = plan(exampleWorld(), placement({ ...EXAMPLE_SPEC, numberOfClusters: 5 }));
  const fewer = plan(exampleWorld(), placement({ ...EXAMPLE_SPEC, numberOfClusters: 1 }));
  const bounded = overlay(exampleWorld(), [placement({ ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: 0 } })]);
  const held = plan(bounded, deleted('managedclustersets', 'production'));
  const same = plan(exampleWorld());
  const unknown = unknownPlan({ namespace: 'shop', name: 'api' });

  expect([[same], [unknown], [more, same], [fewer, unknown], [held], [more, fewer]].map(headlineText)).toEqual([
    'Nothing changes',
    'What changes is not known of 1 Placement',
    'shop/web: +2, nothing leaves',
    'shop/web: nothing comes in, −2, of 1 it is not known',
    'shop/web: nothing comes in or leaves, 2 held',
    '2 Placements change: +2, −2',
  ]);
});
