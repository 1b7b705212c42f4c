import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import type { Scenario } from '../../scenario.js';
import { fleet, join, place, unplace } from '../fleet.js';
import { OPERATOR } from './words.js';

const prioritizerPolicy: PlacementSpec['prioritizerPolicy'] = {
  configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } }],
};

/** Clusters that fewer other Placements select come first. In each step one Placement changes: which is first is no matter. */
export const balance: Scenario = {
  name: 'placement/balance',
  programs: OPERATOR,
  given: (hands) => fleet(hands, 'abcdef'),
  steps: [
    place('web', { numberOfClusters: 3 }),
    place('api', { numberOfClusters: 2, prioritizerPolicy }),
    place('web', { numberOfClusters: 5 }),
    place('api', { numberOfClusters: 4, prioritizerPolicy }),
    join('g'),
    unplace('web'),
    place('api', { numberOfClusters: 5, prioritizerPolicy }),
  ],
};
