import { ALLOW_REMOVALS_ANNOTATION } from '../../../../src/api/names.js';
import { wait, type Scenario } from '../../scenario.js';
import { fleet, gold, join, label, place } from '../fleet.js';
import { annotate, at, joinAll, leaveAtOnce, pending, redefine, taintSince } from './words.js';

const programs = [{ name: 'operator', controllers: ['placement'] }] as const;
const given = { labels: { tier: 'gold' } };

export const tolerations: Scenario = {
  name: 'timed/tolerations',
  programs,
  given: (hands) => fleet(hands, 'abcd', given),
  steps: [
    place('web', { tolerations: [{ key: 'repair', operator: 'Exists', tolerationSeconds: 3_600 }] }),
    pending(taintSince('a', [{ key: 'repair', effect: 'NoSelect' }]), 75),
    pending(taintSince('b', [{ key: 'repair', effect: 'NoSelect', timeAdded: at('10:30') }]), 120),
    pending(wait(40), 80),
    wait(80),
    taintSince('a', []),
    taintSince('c', [{ key: 'repair', effect: 'NoSelect', timeAdded: at('10:30') }]),
  ],
};

export const definitions: Scenario = {
  name: 'timed/definitions',
  programs,
  given: (hands) => fleet(hands, 'abcd', given),
  steps: [
    place('web', { predicates: gold }),
    redefine,
    joinAll('abc', given),
    annotate('web', { [ALLOW_REMOVALS_ANNOTATION]: `${at('23:00')}/d` }),
    label('a', { tier: 'silver' }),
  ],
};

export const bulkDeletion: Scenario = {
  name: 'timed/bulk-deletion',
  programs,
  given: (hands) => fleet(hands, 'abcdefgh', given),
  steps: [
    place('web', { predicates: gold }),
    pending(leaveAtOnce('abcde'), 40),
    pending(join('a', given), 40),
    pending(joinAll('bc', given), 40),
    wait(40),
    join('d', given),
  ],
};
