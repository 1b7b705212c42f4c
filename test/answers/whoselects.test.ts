import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { selectionsOf } from '../../src/answers/whoselects.js';
import { explainInputOf, type World } from '../../src/answers/world/world.js';
import { selectedClusters } from '../../src/domain/placement/select/decision.js';
import { schedule } from '../../src/domain/placement/select/schedule.js';
import { EXAMPLE_SPEC, exampleWorld } from '../support/builders/examplefleet.js';
import { NAMESPACE, rawDecision, someWorld } from '../support/builders/world.js';

function scheduledIn(world: World): readonly string[] {
  const input = explainInputOf(world, NAMESPACE, 'web');
  if (input === undefined) throw new Error('the world has no Placement web');
  return selectedClusters(schedule(input.snapshot));
}

function worldWithout(world: World, name: string): World {
  const managedclusters = world.objects.managedclusters.filter(({ metadata }) => metadata.name !== name);
  return { ...world, objects: { ...world.objects, managedclusters } };
}

describe('selectionsOf', () => {
  it('what a Placement selects without the cluster is its schedule after the ManagedCluster was deleted', () => {
    let compared = 0;
    fc.assert(
      fc.property(someWorld, fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5', 'c6'), (world, cluster) => {
        const [selection] = selectionsOf(world, cluster);
        const without = selection?.without;
        if (without === undefined) return;
        compared += 1;
        const before = new Set(scheduledIn(world));
        const after = scheduledIn(worldWithout(world, cluster));
        expect(without.selected).toBe(after.length);
        expect([...without.added].sort()).toEqual(after.filter((one) => !before.has(one)).sort());
      }),
      { numRuns: 500 },
    );
    expect(compared).toBeGreaterThan(50);
  });

  it('a decision of a Placement that does not exist counts only where Placements cannot be read', () => {
    const placements = { placements: [] };
    expect(selectionsOf(exampleWorld(EXAMPLE_SPEC, placements), 'prod-us-1')).toEqual([]);

    const world = exampleWorld(EXAMPLE_SPEC, placements, [{ resource: 'placements', verb: 'list', status: 403 }]);
    expect(selectionsOf(world, 'prod-us-1')).toEqual([
      { namespace: 'shop', placement: 'web', objects: ['web-decision-1'], why: 'not readable' },
    ]);
  });

  it('an object of another owner is no decision', () => {
    const foreign = rawDecision(1, ['prod-us-1']);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y', controller: true }];
    const placementdecisions = [{ ...foreign, metadata: { ...foreign.metadata, ownerReferences } }];

    expect(selectionsOf(exampleWorld(EXAMPLE_SPEC, { placementdecisions }), 'prod-us-1')).toEqual([]);
  });
});
