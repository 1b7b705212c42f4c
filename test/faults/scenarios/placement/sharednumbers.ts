import type { Scenario } from '../../scenario.js';
import { addCluster, fleet, label, leave, place } from '../fleet.js';
import { byLabels, OPERATOR } from './words.js';

/** Each predicate has its own number. */
export const sharedNumbers: Scenario = {
  name: 'placement/shared-numbers',
  programs: OPERATOR,
  given: async (hands) => {
    await fleet(hands, 'abcd', { labels: { tier: 'gold' } });
    for (const name of 'efg') await addCluster(hands, name, { labels: { tier: 'silver' } });
  },
  steps: [
    place('web', { predicates: [byLabels({ tier: 'gold' }, 2), byLabels({ tier: 'silver' }, 2)] }),
    place('web', { predicates: [byLabels({ tier: 'gold' }, 3), byLabels({ tier: 'silver' }, 1)] }),
    label('f', { tier: 'gold' }),
    leave('c'),
    place('web', { numberOfClusters: 2, predicates: [byLabels({ tier: 'gold' }, 3), byLabels({ tier: 'silver' }, 1)] }),
  ],
};
