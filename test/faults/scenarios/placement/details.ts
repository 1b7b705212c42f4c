import type { Scenario } from '../../scenario.js';
import { claim, fleet, label, leave, place } from '../fleet.js';
import { OPERATOR } from './words.js';

/** The decision says the values of a label and of a claim, as they are now. */
export const details: Scenario = {
  name: 'placement/details',
  programs: OPERATOR,
  // Other values alone are written within five seconds.
  quietMs: 6_000,
  given: (hands) => fleet(hands, 'abcd', { labels: { tier: 'gold' }, claims: { region: 'eu' } }),
  steps: [
    place('web', { decisionDetails: { labels: ['tier'], claims: ['region'] } }),
    label('a', { tier: 'silver' }),
    claim('b', { region: 'us' }),
    leave('c'),
    label('b', { tier: null }),
    place('web', { decisionDetails: { claims: ['region'] } }),
  ],
};
