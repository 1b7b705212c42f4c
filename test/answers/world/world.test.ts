import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { explainInputOf, WorldInputs, worldOf } from '../../../src/answers/world/world.js';
import { expectIndexEqual } from '../../support/builders/explained.js';
import {
  explainInput,
  rawBinding,
  rawCluster,
  rawDecision,
  rawPlacement,
  rawSet,
  someWorld,
} from '../../support/builders/world.js';

describe('explainInputOf', () => {
  it('a world gives the inputs that the index of the controller has', () => {
    fc.assert(fc.property(someWorld, expectIndexEqual), { numRuns: 300 });
  });

  it('bindings and decisions of other namespaces, and of other Placements, do not count', () => {
    const elsewhere = rawDecision(1, ['a']);
    const world = worldOf({
      placements: [rawPlacement({}, 'other'), rawPlacement({})],
      placementdecisions: [
        { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'bank' } },
        {
          metadata: { name: 'unrelated', namespace: 'shop' },
          status: { decisions: [{ clusterName: 'b', reason: '' }] },
        },
      ],
      managedclusters: [rawCluster('a', { set: 'edge' })],
      managedclustersets: [rawSet('edge')],
      managedclustersetbindings: [rawBinding('edge', { namespace: 'bank' })],
    });
    const { snapshot, members } = explainInput(world);

    expect(snapshot.stored).toEqual([]);
    expect(snapshot.bindings).toEqual([]);
    expect(members).toEqual([]);
  });

  it('a Placement that the world does not have gives nothing', () => {
    expect(explainInputOf(worldOf({ placements: [rawPlacement({})] }), 'shop', 'nope')).toBeUndefined();
    expect(explainInputOf(worldOf({ placements: [rawPlacement({})] }), 'bank', 'web')).toBeUndefined();
  });

  it.each([
    ['counts for the scores of others', [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } }], 1],
    ['is not kept where no score asks for it', [], 0],
  ])('what was decided last of a Placement %s', (_what, configurations, count) => {
    const placements = [rawPlacement({ prioritizerPolicy: { configurations } }, 'web'), rawPlacement({}, 'api')];
    const inputs = new WorldInputs(worldOf({ placements, managedclusters: [rawCluster('a', { set: 'edge' })] }));

    inputs.decided({ namespace: 'shop', name: 'api' }, ['a']);

    expect(inputs.othersSelecting('shop', 'web')('a')).toBe(count);
    expect(inputs.othersSelecting('shop', 'api')('a')).toBe(0);
  });
});
