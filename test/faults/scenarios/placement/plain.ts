import type { Scenario } from '../../scenario.js';
import { deleteDecision, fleet, gold, join, label, leave, place, unplace } from '../fleet.js';

export const plain: Scenario = {
  name: 'placement/plain',
  programs: [{ name: 'operator', controllers: ['placement'] }],
  given: (hands) => fleet(hands, 'abcdef', { labels: { tier: 'gold' } }),
  steps: [
    place('web', { numberOfClusters: 3, predicates: gold }),
    // Here, since who was selected is stored nowhere else, and a process that is started meanwhile chooses anew: as long as
    // nothing else has happened, that is the same decision in the same order.
    deleteDecision('web-decision-1'),
    label('a', { tier: 'silver' }),
    label('b', { tier: 'silver' }),
    join('g', { labels: { tier: 'gold' } }),
    place('web', { numberOfClusters: 5, predicates: gold }),
    leave('c'),
    place('web', { numberOfClusters: 1, predicates: gold }),
    unplace('web'),
  ],
};
