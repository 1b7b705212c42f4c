import { ALLOW_ADDITIONS_ANNOTATION, ALLOW_REMOVALS_ANNOTATION } from '../../../../src/api/names.js';
import { releaseText } from '../../../../src/domain/placement/spec/budget.js';
import { ManagedClusters, PlacementDecisions } from '../../../../src/api/resources.js';
import { wait, scenarios } from '../../scenario.js';
import { addCluster, fleet, gold, join, label, place, taint, tiers } from '../fleet.js';
import { byLabels } from '../placement/words.js';
import { annotate, at, atOnce, edit, editSet, later, pending } from './words.js';

const [golden, silver] = [{ tier: 'gold' }, { tier: 'silver' }];

const MANY = ['d', ...Array.from({ length: 70 }, (_, n) => `another-cluster-${n}`.padEnd(250, '-x'))];

export const BUDGETS = scenarios('timed', {
  removals: {
    selects: 'abcdef bcdef bcdef bcdef bcdef bdef bdef bef bef bef',
    given: tiers('abcdef'),
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
  },
  additions: {
    selects: 'abcd abcde abcdef abcdef abcdef abcdef abcdefg',
    given: tiers('abcd', 'efg'),
    steps: [
      place('web', { predicates: gold, disruptionBudget: { maxAdditions: 2, windowSeconds: 3_600 } }),
      label('e', golden),
      label('f', golden),
      label('g', golden),
      wait(65),
      label('g', silver),
      label('g', golden),
    ],
  },
  'both-bounds': {
    selects: 'aefg acdefg acdefg acdefg acdefgh bcdefgh cdefgh fg',
    given: tiers('abcdefgh'),
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
  },
  release: {
    selects: 'abcde abcde abcde bcde bcde cde de de de e',
    given: tiers('abcde'),
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
      // In place of more names than fit, it has digests.
      annotate('web', { [ALLOW_REMOVALS_ANNOTATION]: releaseText(Date.parse(at('23:00')), MANY) ?? '' }),
    ],
  },
  'additions-released': {
    selects: 'abc abc abcd abcd',
    given: tiers('abc', 'de'),
    steps: [
      place('web', { predicates: gold, disruptionBudget: { maxAdditions: 0 } }),
      label('d', golden),
      annotate('web', { [ALLOW_ADDITIONS_ANNOTATION]: `${at('23:00')}/d` }),
      label('e', golden),
    ],
  },
  'held-first': {
    selects: 'abcd abcd abcd abd',
    given: tiers('abcd'),
    steps: [
      place('web', { numberOfClusters: 4, predicates: gold, disruptionBudget: { maxRemovals: 0 } }),
      label('a', silver),
      label('c', silver),
      edit('web', { numberOfClusters: 3 }),
    ],
  },
  /** What comes in makes a percentage larger: of what is held already nothing leaves for that. */
  'hold-and-additions': {
    selects: 'abc abcdefg',
    given: tiers('abc'),
    steps: [
      place('web', { predicates: gold, disruptionBudget: { maxRemovals: '30%' } }),
      atOnce('a and b are silver, and four clusters join', async (hands) => {
        for (const name of 'ab') await hands.patch(ManagedClusters, { name }, { metadata: { labels: silver } });
        for (const name of 'defg') await addCluster(hands, name, { labels: golden });
      }),
    ],
  },
  /** A percentage is of the clusters that were there before those that have left within the window. */
  percentage: {
    selects: 'abcdef bcdef cdef def def',
    given: tiers('abcdef'),
    steps: [
      place('web', { predicates: gold, disruptionBudget: { maxRemovals: '50%' } }),
      ...'abcd'.split('').map((name) => label(name, silver)),
    ],
  },
  /** A percentage is of the clusters that were there before those that have come in within the window. */
  'share-of-additions': {
    selects: 'abcd abcde abcdef abcdef',
    given: tiers('abcd'),
    steps: [
      place('web', { predicates: gold, disruptionBudget: { maxAdditions: '50%', windowSeconds: 7_200 } }),
      ...'efg'.split('').map((name) => join(name, { labels: golden })),
    ],
  },
  /** Where one is above the number of its predicate, one that fails another rule does not leave for that. */
  'above-number': {
    selects: 'abc abc abc',
    given: tiers('ab', 'c'),
    steps: [
      place('web', { predicates: [byLabels(golden, 2), byLabels(silver, 1)], disruptionBudget: { maxRemovals: 0 } }),
      label('c', golden),
      taint('a', [{ key: 'repair', effect: 'NoSelect' }]),
    ],
  },
  /** What its set keeps of an edit waits for the window that the edit sets, too. */
  'above-number-waits': {
    selects: 'abc abc abc abc',
    given: tiers('ab', 'c'),
    steps: [
      place('web', { predicates: [byLabels(golden, 2), byLabels(silver, 1)] }),
      editSet('fleet', { paused: true }),
      label('c', golden),
      edit('web', { changeWindows: later }),
    ],
  },
  /** Who would come in next, where none may, is told anew when another one is preferred. */
  'next-in-order': {
    selects: '- - - -',
    given: (hands) => fleet(hands, 'ab'),
    steps: [
      place('web', { numberOfClusters: 0, disruptionBudget: { maxAdditions: 0 } }),
      edit('web', { numberOfClusters: 1 }),
      taint('a', [{ key: 'old', effect: 'PreferNoSelect' }]),
      taint(
        'b',
        ['old', 'older'].map((key) => ({ key, effect: 'PreferNoSelect' })),
      ),
    ],
  },
  /** Without a budget, an object that records removals goes when they count no longer. */
  'record-ends': {
    selects: 'ab a a a',
    given: tiers('ab'),
    steps: [
      place('web', {
        predicates: gold,
        disruptionBudget: { maxRemovals: 2, windowSeconds: 604_800 },
        decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: 1 } },
      }),
      label('b', silver),
      // The record has a time within two hours.
      pending(edit('web', { disruptionBudget: null }), 130),
      wait(130),
    ],
    stores: [{ step: 4, type: PlacementDecisions, expect: ['web-decision-1'] }],
  },
});
