import { describe, expect, it } from '@jest/globals';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { TAINTS } from '../../src/api/names.js';
import { drainedPlacements, type DrainedPlacement } from '../../src/answers/drain.js';
import { worldOf, type World } from '../../src/answers/world/world.js';
import { taint } from '../support/builders/taints.js';
import { rawBinding, rawCluster, rawDecision, rawPlacement, rawSet } from '../support/builders/world.js';

const AT = Date.parse('2026-11-22T10:00:00Z');
const fleet = { set: 'edge' };
const draining = (over: object = {}): object => ({ key: TAINTS.draining, operator: 'Exists', ...over });

function hub(spec: unknown, decided: readonly string[], clusters?: readonly RawObject[]): World {
  return worldOf(
    {
      placements: [rawPlacement(spec)],
      placementdecisions: [rawDecision(1, decided)],
      managedclusters: clusters ?? ['a', 'b', 'c'].map((name) => rawCluster(name, fleet)),
      managedclustersets: [rawSet('edge')],
      managedclustersetbindings: [rawBinding('edge')],
    },
    [],
    AT,
  );
}

function deleting(...names: readonly string[]): readonly RawObject[] {
  return names.map((name) => rawCluster(name, { ...fleet, deleting: true }));
}

/** The world whose Placements have the condition RemovalsHeld. */
function holding(world: World, reason: string): World {
  const conditions = [{ type: 'RemovalsHeld', status: 'True', reason, observedGeneration: 1 }];
  const placements = world.objects.placements.map((one) => ({ ...one, status: { phase: 'Held', conditions } }));
  return { ...world, objects: { ...world.objects, placements } };
}

describe('drainedPlacements', () => {
  it.each<[string, World, DrainedPlacement['kind'], boolean, string]>([
    ['is replaced', hub({ numberOfClusters: 2 }, ['a', 'b']), 'Replaced', false, 'a → c'],
    [
      'leaves without a replacement',
      hub({ numberOfClusters: 3 }, ['a', 'b', 'c']),
      'Leaves',
      false,
      'a leaves, unsatisfied 2 of 3',
    ],
    ['leaves where all clusters are wanted', hub({}, ['a', 'b', 'c']), 'Leaves', false, 'a leaves'],
    [
      'stays for the time of a toleration',
      hub({ tolerations: [draining({ tolerationSeconds: 60 })] }, ['a', 'b', 'c']),
      'Tolerated',
      false,
      'stays until 2026-11-22T10:01:00Z',
    ],
    [
      'stays with a toleration for ever',
      hub({ tolerations: [draining()] }, ['a', 'b', 'c']),
      'Tolerated',
      true,
      'stays: spec.tolerations tolerates the taint',
    ],
    [
      'stays because of a disruption budget',
      hub({ disruptionBudget: { maxRemovals: 0 } }, ['a', 'b', 'c']),
      'Held',
      true,
      'stays: maxRemovals 0 in 3600 s would be exceeded; to let it go: kubectl mce release placement web -n shop --clusters a',
    ],
    [
      'stays since it is deleted with most of the decision',
      hub({}, ['a', 'b', 'c', 'd'], [...deleting('a', 'b', 'c'), rawCluster('d', fleet)]),
      'Held',
      false,
      'stays: more than half of the decision was deleted within a minute and stays for 15 minutes; to let it go: kubectl mce release placement web -n shop --clusters a',
    ],
    [
      'stays since it is deleted with most of the decision, and then since that is paused',
      hub({ paused: true }, ['a', 'b', 'c', 'd'], [...deleting('a', 'b', 'c'), rawCluster('d', fleet)]),
      'Held',
      true,
      'stays: more than half of the decision was deleted within a minute and stays for 15 minutes; to let it go: kubectl mce release placement web -n shop --clusters a',
    ],
    [
      'stays since the definition of clusters was made anew',
      holding(hub({}, ['a', 'b', 'lost']), 'DefinitionsReplaced'),
      'Held',
      true,
      'stays: CustomResourceDefinition of clusters, sets or bindings was deleted with all its objects, and created again; to let it go: kubectl mce release placement web -n shop --clusters a',
    ],
    [
      'stays with an invalid spec',
      hub({ numberOfClusters: -1 }, ['a']),
      'Misconfigured',
      true,
      'stays: the spec is invalid',
    ],
  ])('a drained cluster that %s is planned as such', (_case, world, kind, isStaying, text) => {
    expect(drainedPlacements(world, 'a')).toEqual([{ namespace: 'shop', name: 'web', kind, text, isStaying }]);
  });

  it('a cluster that no decision holds, or that leaves anyway, concerns no Placement', () => {
    const leaving = ['a', 'b'].map((name) => rawCluster(name, { ...fleet, taints: [taint('maintenance')] }));

    expect(drainedPlacements(hub({ numberOfClusters: 1 }, ['b']), 'a')).toEqual([]);
    expect(drainedPlacements(hub({}, ['a'], leaving), 'a')).toEqual([]);
  });

  it('a drain is not known where clusters cannot be read', () => {
    const world = {
      ...hub({}, ['a'], []),
      withheld: [{ resource: 'managedclusters', verb: 'list', status: 403 }] as const,
    };

    expect(drainedPlacements(world, 'a')).toMatchObject([{ kind: 'Unknown' }]);
  });
});
