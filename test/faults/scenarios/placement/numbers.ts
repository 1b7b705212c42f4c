import type { Scenario } from '../../scenario.js';
import { fleet, leave, place } from '../fleet.js';
import { OPERATOR } from './words.js';

export const numbers: Scenario = {
  name: 'placement/numbers',
  programs: OPERATOR,
  given: (hands) => fleet(hands, 'abcdefgh'),
  steps: [
    place('web', { numberOfClusters: 2 }),
    place('web', { numberOfClusters: 5 }),
    place('web', { numberOfClusters: 3 }),
    place('web', {}),
    place('web', { numberOfClusters: 0 }),
    place('web', { numberOfClusters: 7 }),
    leave('a'),
  ],
};
