import { ManagedClusters } from '../../../../src/api/resources.js';
import { step, type Scenario } from '../../scenario.js';
import { fleet, join, leave, place } from '../fleet.js';
import { OPERATOR } from './words.js';

/** A cluster leaves when it begins to be deleted, and another one of its name may follow it. */
export const deletion: Scenario = {
  name: 'placement/deletion',
  programs: OPERATOR,
  given: async (hands) => {
    await fleet(hands, 'abcde');
    for (const name of 'bd') await hands.patch(ManagedClusters, { name }, held(['example.com/cleanup']));
  },
  steps: [
    place('web', {}),
    leave('b'),
    step('what held cluster b is done', (hands) => hands.patch(ManagedClusters, { name: 'b' }, held([]))),
    join('b'),
    leave('d'),
  ],
};

function held(finalizers: readonly string[]): object {
  return { metadata: { finalizers } };
}
