import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import { wait, type Scenario } from '../../scenario.js';
import { fleet, gold, label, leave, place } from '../fleet.js';
import { edit, pending } from './words.js';

const programs = [{ name: 'operator', controllers: ['placement'] }] as const;

/** It is Sunday, 11:00 in Berlin: the window opens in two hours, for two hours. */
const lunch: PlacementSpec = {
  predicates: gold,
  changeWindows: [{ start: 'Sun 13:00', duration: '2h', timeZone: 'Europe/Berlin' }],
};

export const changeWindow: Scenario = {
  name: 'timed/change-window',
  programs,
  given: (hands) => fleet(hands, 'abcde', { labels: { tier: 'gold' } }),
  steps: [
    place('web', lunch),
    pending(label('a', { tier: 'silver' }), 140),
    pending(leave('b'), 140),
    wait(150),
    label('c', { tier: 'silver' }),
    wait(150),
    label('d', { tier: 'silver' }),
    edit('web', { changeWindows: null }),
  ],
};

export const pause: Scenario = {
  name: 'timed/pause',
  programs,
  given: (hands) => fleet(hands, 'abcdef', { labels: { tier: 'gold' } }),
  steps: [
    place('web', lunch),
    edit('web', { paused: true }),
    pending(label('a', { tier: 'silver' }), 320),
    pending(leave('b'), 320),
    pending(edit('web', { paused: false }), 140),
    pending(edit('web', { paused: true }), 320),
    pending(wait(150), 300),
    edit('web', { paused: null }),
  ],
};
