import type { Scenario } from '../../scenario.js';
import { addCluster, bind, fleet, place, unbind } from '../fleet.js';
import { addSet, OPERATOR } from './words.js';

export const bindings: Scenario = {
  name: 'placement/bindings',
  programs: OPERATOR,
  given: async (hands) => {
    await fleet(hands, 'abc');
    await addSet(hands, 'blue');
    for (const name of 'def') await addCluster(hands, name, { set: 'blue' });
  },
  steps: [place('web', { numberOfClusters: 5 }), unbind('blue'), bind('blue'), unbind('fleet'), unbind('blue')],
};
