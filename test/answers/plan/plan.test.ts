import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import { overlay, type Change } from '../../../src/answers/world/overlay.js';
import { planFleet } from '../../../src/answers/plan/fleetplan.js';
import type { PlacementPlan } from '../../../src/answers/plan/plan.js';
import type { World } from '../../../src/answers/world/world.js';
import { expectAsPlanned, someChanges } from '../../support/builders/changes.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import { rawDecision, rawSet, someWorld } from '../../support/builders/world.js';

function plan(world: World, ...changes: readonly Change[]): PlacementPlan {
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
    const { kind, before, after, removes, stays, adds } = plan(
      exampleWorld(),
      deleted('managedclustersets', 'production'),
    );

    expect([kind, before?.phase, after?.phase]).toEqual(['Changed', 'Satisfied', 'PartiallySatisfied']);
    expect(removes).toEqual([
      { name: 'prod-eu-2', cause: 'NotMember', why: 'there is no ManagedClusterSet production' },
      { name: 'prod-us-1', cause: 'NotMember', why: 'there is no ManagedClusterSet production' },
    ]);
    expect([stays, adds]).toEqual([['edge-eu-2'], []]);
  });

  it('clusters that the disruption budget keeps are held, and do not leave', () => {
    const disruptionBudget = { maxRemovals: 1 };
    const world = overlay(exampleWorld(), [placement({ ...EXAMPLE_SPEC, disruptionBudget })]);
    const { kind, removes, held, stays, after } = plan(world, deleted('managedclustersets', 'production'));

    expect([kind, removes, stays]).toEqual(['Changed', [], ['edge-eu-2']]);
    expect(held).toEqual([
      { name: 'prod-eu-2', cause: 'NotMember', why: 'there is no ManagedClusterSet production' },
      { name: 'prod-us-1', cause: 'NotMember', why: 'there is no ManagedClusterSet production' },
    ]);
    expect(after?.clusters).toEqual(['edge-eu-2', 'prod-eu-2', 'prod-us-1']);
  });

  it('a set that selects by labels is named for the clusters that it selected', () => {
    const world = exampleWorld();
    const managedclusters = world.objects.managedclusters.map((one) => {
      const { tier = '' } = one.metadata.labels ?? {};
      return tier === 'edge' ? { ...one, metadata: { ...one.metadata, labels: { tier } } } : one;
    });
    const changed = { ...world, objects: { ...world.objects, managedclusters } };

    expect(plan(changed, deleted('managedclustersets', 'edge')).removes).toEqual([
      { name: 'edge-eu-2', cause: 'NotMember', why: 'there is no ManagedClusterSet edge' },
    ]);
  });

  it('a cluster that gets a taint leaves, and the reason is the taint', () => {
    const taints = [{ key: 'maintenance', value: 'disks', effect: 'NoSelect' }];
    const object = { metadata: { name: 'prod-us-1' }, spec: { taints } };
    const { removes, adds } = plan(exampleWorld(), { kind: 'apply', resource: 'managedclusters', object });

    expect(removes).toEqual([{ name: 'prod-us-1', cause: 'Tainted', why: 'taint maintenance=disks:NoSelect' }]);
    expect(adds).toEqual([{ name: 'prod-eu-1', predicate: 0, why: 'predicate 0' }]);
  });

  it('the next cluster by rank comes in for one that leaves', () => {
    const { removes, adds } = plan(exampleWorld(), deleted('managedclusters', 'prod-us-1'));

    expect(removes).toEqual([{ name: 'prod-us-1', cause: 'Gone', why: 'was deleted' }]);
    expect(adds).toEqual([{ name: 'prod-eu-1', predicate: 0, why: 'predicate 0' }]);
  });

  it('a smaller number lets the last ones by rank leave', () => {
    const { removes } = plan(exampleWorld(), placement({ ...EXAMPLE_SPEC, numberOfClusters: 2 }));

    expect(removes).toEqual([{ name: 'prod-us-1', cause: 'NotNeeded', why: 'spec.numberOfClusters is 2' }]);
  });

  it('a deleted Placement loses all clusters, a new one gets its own', () => {
    const object = { namespace: 'shop', name: 'web' };
    const gone = plan(exampleWorld(), { kind: 'delete', resource: 'placements', object });
    const created = plan(exampleWorld(), placement({ numberOfClusters: 1 }, 'api'));

    expect([gone.kind, gone.after, gone.removes.map(({ why }) => why)]).toEqual([
      'Deleted',
      undefined,
      Array(3).fill('the Placement is deleted'),
    ]);
    expect([created.name, created.kind, created.before, created.adds]).toEqual([
      'api',
      'Created',
      undefined,
      [{ name: expect.any(String), predicate: undefined, why: 'every cluster matches' }],
    ]);
  });

  it('what would change anyway is no part of a plan', () => {
    const unpublished = exampleWorld(EXAMPLE_SPEC, { placementdecisions: [rawDecision(1, ['prod-ap-2'])] });

    expect(plan(unpublished)).toMatchObject({ kind: 'Unchanged', adds: [], removes: [] });
    expect(plan(unpublished).stays).toHaveLength(3);
  });

  it('clusters that a disruption budget holds stay, and are a change only when others are held', () => {
    const held = exampleWorld({ ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: 0 } });
    const label = (name: string, key: string): Change => {
      return { kind: 'label', resource: 'managedclusters', object: { name }, key, value: 'lost' };
    };
    const first = plan(held, label('prod-us-1', CLUSTER_SET_LABEL));
    const holding = overlay(held, [label('prod-us-1', CLUSTER_SET_LABEL)]);

    expect([first.kind, first.removes, first.stays, first.held]).toEqual([
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
    expect(plan(holding, label('prod-ap-2', 'zone')).kind).toBe('Unchanged');
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
      const { before, held, removes } = plan(overlay(budgeted, [moved]), deleted('managedclustersets', 'edge'));

      expect(before?.clusters).toEqual(['edge-eu-2', 'prod-eu-1', 'prod-eu-2']);
      expect([removes, held.map(({ name }) => name)]).toEqual([[], ['edge-eu-2']]);
    });

    it('a hold lasts although the rest would fit', () => {
      const restored: Change = { kind: 'apply', resource: 'managedclustersets', object: rawSet('production') };
      const holding = overlay(budgeted, [deleted('managedclustersets', 'production')]);
      const { before, held, removes } = plan(holding, restored, moved);

      expect(before?.held).toEqual(['prod-eu-2', 'prod-us-1']);
      expect([removes, held.map(({ name }) => name)]).toEqual([[], ['prod-us-1']]);
    });
  });

  it('a phase or a wanted number that changes is a change', () => {
    const { kind, adds, removes } = plan(exampleWorld({ numberOfClusters: 9 }), placement({ numberOfClusters: 10 }));

    expect([kind, adds, removes]).toEqual(['Changed', [], []]);
  });

  it.each([
    'managedclusters',
    'managedclustersets',
    'managedclustersetbindings',
    'placements',
    'placementdecisions',
  ] as const)('without the right to read %s nothing is known of a Placement', (resource) => {
    const world = exampleWorld(EXAMPLE_SPEC, {}, [{ resource, verb: 'list', status: 403 }]);

    expect(plan(world)).toMatchObject({ kind: 'Unknown', before: undefined, after: undefined, stays: [] });
  });

  it('after the change is carried out, the hub is as planned', () => {
    fc.assert(fc.property(someWorld, someChanges, expectAsPlanned), { numRuns: 150 });
  });
});
