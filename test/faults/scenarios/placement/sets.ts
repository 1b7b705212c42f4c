import type { Scenario } from '../../scenario.js';
import { addCluster, fleet, label, place } from '../fleet.js';
import { addSet, move, OPERATOR, reselect } from './words.js';

/** Sets with a label of their own, and one whose members any label makes: a cluster can be in two. */
export const sets: Scenario = {
  name: 'placement/sets',
  programs: OPERATOR,
  given: async (hands) => {
    await fleet(hands, 'ab', { labels: { tier: 'gold' } });
    await addSet(hands, 'blue');
    await addSet(hands, 'precious', ['gold']);
    await addCluster(hands, 'c', { set: 'blue', labels: { tier: 'gold' } });
    await addCluster(hands, 'd', { set: 'blue', labels: { tier: 'silver' } });
    await addCluster(hands, 'e', { set: 'elsewhere', labels: { tier: 'gold' } });
    await addCluster(hands, 'f', { set: 'elsewhere', labels: { tier: 'silver' } });
  },
  steps: [
    place('web', { ClusterSets: ['blue', 'precious'] }),
    reselect('precious', ['silver']),
    label('e', { tier: 'silver' }),
    move('c', 'fleet'),
    place('web', {}),
  ],
};
