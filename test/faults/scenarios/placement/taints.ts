import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import type { Scenario } from '../../scenario.js';
import { fleet, leave, place, taint } from '../fleet.js';
import { OPERATOR } from './words.js';

const repair = { key: 'repair', effect: 'NoSelect' };
const tolerations: PlacementSpec['tolerations'] = [{ key: 'repair', operator: 'Exists' }];

/** Clusters leave for a taint that is not tolerated, and come back. */
export const taints: Scenario = {
  name: 'placement/taints',
  programs: OPERATOR,
  given: (hands) => fleet(hands, 'abcd'),
  steps: [
    place('web', {}),
    taint('b', [repair]),
    place('web', { tolerations }),
    taint('c', [repair, { key: 'old', effect: 'NoSelectIfNew' }]),
    place('web', {}),
    taint('b', []),
  ],
};

const slow = { key: 'slow', effect: 'PreferNoSelect' };

/** Clusters with a taint that others are preferred to come in last, and stay where they are. */
export const preferred: Scenario = {
  name: 'placement/preferred',
  programs: OPERATOR,
  given: (hands) => fleet(hands, 'abcdef'),
  steps: [
    place('web', { numberOfClusters: 2 }),
    taint('a', [slow]),
    taint('b', [slow, { key: 'loud', effect: 'PreferNoSelect' }]),
    place('web', { numberOfClusters: 4 }),
    leave('c'),
    place('web', { numberOfClusters: 5 }),
    place('web', { numberOfClusters: 2 }),
  ],
};
