import type { Scenario } from '../../scenario.js';
import { addCluster, fleet, label, leave, place } from '../fleet.js';
import { byLabels, OPERATOR } from './words.js';

const broken = [{ requiredClusterSelector: { celSelector: { celExpressions: ['managedCluster.'] } } }];

/** A spec that cannot be read leaves the decision as it is, but for clusters that are gone. */
export const misconfigured: Scenario = {
  name: 'placement/misconfigured',
  programs: OPERATOR,
  given: async (hands) => {
    await fleet(hands, 'abcd', { labels: { tier: 'gold' } });
    await addCluster(hands, 'e', { labels: { tier: 'silver' } });
  },
  steps: [
    place('web', { predicates: [byLabels({ tier: 'gold' })] }),
    place('web', { predicates: broken }),
    leave('a'),
    label('b', { tier: 'silver' }),
    place('web', { predicates: [byLabels({ tier: 'silver' })] }),
    place('api', { predicates: broken }),
  ],
};
