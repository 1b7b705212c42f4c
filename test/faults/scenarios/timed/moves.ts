import { wait, scenarios } from '../../scenario.js';
import { claim, fleet, gold, label, place } from '../fleet.js';
import { cheapest, edit, pending, priced } from './words.js';

export const MOVES = scenarios('timed', {
  moves: {
    selects: 'ab ab ad ad ad ab ab ab',
    given: (hands) => priced(hands, { a: '10', b: '20', c: '30', d: '40' }),
    steps: [
      place('web', {
        numberOfClusters: 2,
        prioritizerPolicy: cheapest,
        rebalance: { scoreMargin: 5, minSelectedSeconds: 3_600, intervalSeconds: 1_800 },
      }),
      pending(claim('d', { price: '1' }), 75),
      wait(75),
      pending(claim('d', { price: '95' }), 75),
      pending(wait(30), 45),
      wait(45),
      // Better by less than the margin.
      claim('c', { price: '18' }),
      wait(75),
    ],
  },
  'moves-in-budget': {
    selects: 'abc bcd bcd bcd bcf bcf',
    given: (hands) => priced(hands, { a: '10', b: '20', c: '30', d: '60', e: '70', f: '80' }),
    steps: [
      place('web', {
        numberOfClusters: 3,
        predicates: gold,
        prioritizerPolicy: cheapest,
        rebalance: { scoreMargin: 5, minSelectedSeconds: 0, intervalSeconds: 600 },
        disruptionBudget: { maxRemovals: 1, windowSeconds: 7_200 },
      }),
      label('a', { tier: 'silver' }),
      pending(claim('f', { price: '0' }), 135),
      pending(wait(60), 90),
      wait(90),
      pending(claim('e', { price: '1' }), 150),
    ],
  },
  'paused-moves': {
    selects: 'ab ab ab ab ac',
    given: (hands) => priced(hands, { a: '10', b: '20', c: '30' }),
    steps: [
      place('web', {
        numberOfClusters: 2,
        prioritizerPolicy: cheapest,
        rebalance: { scoreMargin: 5, minSelectedSeconds: 0, intervalSeconds: 600 },
      }),
      edit('web', { paused: true }),
      wait(30),
      claim('c', { price: '0' }),
      edit('web', { paused: null }),
    ],
  },
  /** A Placement does not make room for itself. */
  'balanced-moves': {
    selects: 'ac ac',
    given: (hands) => fleet(hands, 'abcd'),
    steps: [
      place('web', {
        numberOfClusters: 2,
        prioritizerPolicy: { configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } }] },
        rebalance: { scoreMargin: 5, minSelectedSeconds: 0, intervalSeconds: 600 },
      }),
      wait(30),
    ],
  },
  /** Two better clusters, one after the other. */
  'moves-apart': {
    selects: 'ab ab ac ac cd',
    given: (hands) => priced(hands, { a: '10', b: '20', c: '30', d: '40' }),
    steps: [
      place('web', {
        numberOfClusters: 2,
        prioritizerPolicy: cheapest,
        rebalance: { scoreMargin: 5, minSelectedSeconds: 0, intervalSeconds: 1_800 },
      }),
      pending(claim('c', { price: '0' }), 40),
      wait(40),
      pending(claim('d', { price: '1' }), 40),
      wait(40),
    ],
  },
});
