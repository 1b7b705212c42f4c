import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import type { Scenario } from '../../scenario.js';
import { addCluster, claim, fleet, label, leave, place } from '../fleet.js';
import { byLabels, OPERATOR } from './words.js';

const predicates = [byLabels({ tier: 'gold' }), byLabels({})];
const prioritizerPolicy: PlacementSpec['prioritizerPolicy'] = {
  configurations: [
    {
      weight: 3,
      scoreCoordinate: { type: 'Claim', claim: { name: 'cost', order: 'Ascending', min: '1', max: '5' } },
    },
    {
      weight: 2,
      scoreCoordinate: { type: 'Selector', selector: { labelSelector: { matchLabels: { near: 'yes' } } } },
    },
    { scoreCoordinate: { type: 'BuiltIn', builtIn: 'PredicateOrder' } },
  ],
};

/** Scores say who comes in; nobody leaves for them. */
export const scores: Scenario = {
  name: 'placement/scores',
  programs: OPERATOR,
  given: async (hands) => {
    await fleet(hands, 'ab', { labels: { tier: 'gold' }, claims: { cost: '4' } });
    await addCluster(hands, 'c', { labels: { near: 'yes' }, claims: { cost: '3' } });
    await addCluster(hands, 'd', { claims: { cost: '2' } });
    await addCluster(hands, 'e', { labels: { tier: 'gold' }, claims: { cost: '9' } });
    await addCluster(hands, 'f', {});
  },
  steps: [
    place('web', { numberOfClusters: 2, predicates, prioritizerPolicy }),
    claim('b', { cost: '1' }),
    place('web', { numberOfClusters: 3, predicates, prioritizerPolicy }),
    label('f', { near: 'yes' }),
    leave('c'),
    place('web', { numberOfClusters: 1, predicates, prioritizerPolicy }),
  ],
};
