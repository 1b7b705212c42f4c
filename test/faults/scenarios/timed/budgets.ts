import { ALLOW_REMOVALS_ANNOTATION } from '../../../../src/api/names.js';
import { wait, type Scenario } from '../../scenario.js';
import { addCluster, fleet, gold, label, place } from '../fleet.js';
import { annotate, at, edit } from './words.js';

const programs = [{ name: 'operator', controllers: ['placement'] }] as const;
const [golden, silver] = [{ tier: 'gold' }, { tier: 'silver' }];

export const removals: Scenario = {
  name: 'timed/removals',
  programs,
  given: (hands) => fleet(hands, 'abcdef', { labels: golden }),
  steps: [
    place('web', { predicates: gold, disruptionBudget: { maxRemovals: 1, windowSeconds: 3_600 } }),
    label('a', silver),
    label('b', silver),
    wait(65),
    label('b', golden),
    label('c', silver),
    edit('web', { disruptionBudget: { maxRemovals: 2 } }),
    label('d', silver),
    label('e', silver),
    edit('web', { disruptionBudget: null }),
  ],
};

export const additions: Scenario = {
  name: 'timed/additions',
  programs,
  given: async (hands) => {
    await fleet(hands, 'abcd', { labels: golden });
    for (const name of 'efg') await addCluster(hands, name, { labels: silver });
  },
  steps: [
    place('web', { predicates: gold, disruptionBudget: { maxAdditions: 2, windowSeconds: 3_600 } }),
    label('e', golden),
    label('f', golden),
    label('g', golden),
    wait(65),
    label('g', silver),
    label('g', golden),
  ],
};

export const bothBounds: Scenario = {
  name: 'timed/both-bounds',
  programs,
  given: (hands) => fleet(hands, 'abcdefgh', { labels: golden }),
  steps: [
    place('web', {
      numberOfClusters: 4,
      predicates: gold,
      disruptionBudget: { maxRemovals: '25%', maxAdditions: '50%', windowSeconds: 3_600 },
    }),
    edit('web', { numberOfClusters: 6 }),
    edit('web', { numberOfClusters: 8 }),
    wait(65),
    edit('web', { numberOfClusters: 7 }),
    label('a', silver),
    label('b', silver),
    edit('web', { numberOfClusters: 2 }),
  ],
};

export const release: Scenario = {
  name: 'timed/release',
  programs,
  given: (hands) => fleet(hands, 'abcde', { labels: golden }),
  steps: [
    place('web', { predicates: gold, disruptionBudget: { maxRemovals: 0 } }),
    label('a', silver),
    label('b', silver),
    annotate('web', { [ALLOW_REMOVALS_ANNOTATION]: `${at('11:30')}/a` }),
    wait(100),
    annotate('web', { [ALLOW_REMOVALS_ANNOTATION]: `${at('14:30')}/*` }),
    label('c', silver),
    wait(240),
    label('d', silver),
  ],
};
