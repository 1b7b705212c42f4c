import type { Scenario } from '../../scenario.js';
import { addCluster, fleet, join, leave, place } from '../fleet.js';
import { OPERATOR } from './words.js';

/** More clusters than one object of a decision holds. */
export const large: Scenario = {
  name: 'placement/large',
  programs: OPERATOR,
  given: async (hands) => {
    await fleet(hands, '');
    for (let n = 101; n <= 205; n++) await addCluster(hands, `c${n}`, {});
  },
  steps: [place('web', {}), leave('c150'), join('c206'), place('web', { numberOfClusters: 99 })],
};
