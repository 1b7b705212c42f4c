import { ALLOW_REMOVALS_ANNOTATION } from '../../../../src/api/names.js';
import { ManagedClusters } from '../../../../src/api/resources.js';
import { wait, type Scenario, type Step } from '../../scenario.js';
import { fleet, gold, join, label, place } from '../fleet.js';
import { annotate, at, joinAll, leaveAtOnce, pending, redefine, taintSince } from './words.js';

const programs = [{ name: 'operator', controllers: ['placement'] }] as const;
const given = { labels: { tier: 'gold' } };

export const tolerations: Scenario = {
  name: 'timed/tolerations',
  selects: 'abcd abcd abcd abcd acd acd ad',
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
  selects: 'abcd abcd abcd abc bc',
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
  selects: 'abcdefgh abcdefgh abcdefgh abcdefgh abcfgh abcdfgh',
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

/** A release that was given for something else. */
export const releaseBefore: Scenario = {
  name: 'timed/release-before-loss',
  selects: 'abc abc abc abc',
  programs,
  given: (hands) => fleet(hands, 'abc', given),
  steps: [
    place('web', { predicates: gold }),
    annotate('web', { [ALLOW_REMOVALS_ANNOTATION]: `${at('23:00')}/*` }),
    redefine,
    joinAll('ab', given),
  ],
};

const SECONDS_BETWEEN = 5;

/** Each deletion is seen before the next one. */
const leaveInTurn = (names: string): Step => ({
  title: `clusters ${names} are deleted, one every ${SECONDS_BETWEEN} s`,
  act: async ({ hands, simulation }) => {
    for (const name of names) {
      await hands.remove(ManagedClusters, { name });
      await simulation.pass(SECONDS_BETWEEN * 1_000);
    }
  },
});

export const deletionsInTurn: Scenario = {
  name: 'timed/deletions-in-turn',
  selects: 'abcdefgh efgh',
  isTimed: true,
  mostPasses: 12,
  programs,
  given: (hands) => fleet(hands, 'abcdefgh', given),
  steps: [place('web', { predicates: gold }), pending(leaveInTurn('abcde'), 40)],
};

/** One command that writes several clusters, which together are more than the budget lets through. */
export const oneCommand: Scenario = {
  name: 'timed/one-command',
  selects: 'abcdef abcdef',
  isTimed: true,
  programs,
  given: (hands) => fleet(hands, 'abcdef', given),
  steps: [
    place('web', { predicates: gold, disruptionBudget: { maxRemovals: 2 } }),
    {
      title: 'clusters a, b and c are labelled, one every second',
      act: async (stage) => {
        for (const name of 'abc') {
          await label(name, { tier: 'silver' }).act(stage);
          await stage.simulation.pass(1_000);
        }
      },
    },
  ],
};
