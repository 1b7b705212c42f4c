import { Placements } from '../../../../src/api/resources.js';
import { TEAM } from '../../hub/base.js';
import { step, type Scenario } from '../../scenario.js';
import { fleet, leave, place, placementOf, unplace } from '../fleet.js';
import { OPERATOR } from './words.js';

/** A Placement of the same name is another one, and begins anew. */
export const recreated: Scenario = {
  name: 'placement/recreated',
  programs: OPERATOR,
  given: (hands) => fleet(hands, 'abcdef'),
  steps: [
    place('web', { numberOfClusters: 3 }),
    leave('a'),
    step('Placement web is deleted, and created again at once', async (hands) => {
      await hands.remove(Placements, { name: 'web', namespace: TEAM });
      await hands.create(placementOf('web', { numberOfClusters: 4 }));
    }),
    unplace('web'),
    place('web', { numberOfClusters: 2 }),
  ],
};
