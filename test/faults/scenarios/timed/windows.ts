import { CLUSTER_SET_LABEL, TAINTS } from '../../../../src/api/names.js';
import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import { wait, scenarios } from '../../scenario.js';
import { bind, fleet, gold, join, label, leave, place, setOf, tiers, unbind } from '../fleet.js';
import { at, edit, editSet, later, pending, taintSince } from './words.js';

/** It is Sunday, 11:00 in Berlin: the window opens in two hours, for two hours. */
const lunch: PlacementSpec = {
  predicates: gold,
  changeWindows: [{ start: 'Sun 13:00', duration: '2h', timeZone: 'Europe/Berlin' }],
};

export const WINDOWS = scenarios('timed', {
  'change-window': {
    selects: 'abcde abcde acde cde de de de e',
    given: tiers('abcde'),
    steps: [
      place('web', lunch),
      pending(label('a', { tier: 'silver' }), 140),
      pending(leave('b'), 140),
      // A minute after the window opens.
      wait(121),
      label('c', { tier: 'silver' }),
      wait(150),
      label('d', { tier: 'silver' }),
      edit('web', { changeWindows: null }),
    ],
  },
  pause: {
    selects: 'abcdef abcdef abcdef abcdef acdef acdef acdef cdef',
    given: tiers('abcdef'),
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
  },
  /** What a pause holds in an open window waits for the next one from the moment in which that closes. */
  'window-closes': {
    selects: 'abc abc abc abc abc',
    isTimed: true,
    given: tiers('abc'),
    steps: [
      place('web', { predicates: gold, changeWindows: [{ start: 'Sun 10:02', duration: '2m', timeZone: 'UTC' }] }),
      edit('web', { paused: true }),
      wait(3),
      pending(label('a', { tier: 'silver' }), 2),
      wait(2),
    ],
  },
  /** A cluster that the hub itself has tainted waits for no window. */
  'window-and-health': {
    selects: 'abc bc bc',
    given: tiers('abc'),
    steps: [
      place('web', { ...lunch, tolerations: [{ key: TAINTS.unreachable, operator: 'Exists', tolerationSeconds: 60 }] }),
      taintSince('a', [{ key: TAINTS.unreachable, effect: 'NoSelect', timeAdded: at('09:00') }]),
      pending(label('b', { tier: 'silver' }), 140),
    ],
  },
  /** The owner of the clusters has windows, and the owner of the Placement has none. */
  'set-window': {
    selects: 'abcde abcde acde acde acdef adef adef adef aef',
    given: tiers('abcde'),
    steps: [
      place('web', { predicates: gold }),
      editSet('fleet', { changeWindows: lunch.changeWindows }),
      leave('b'),
      pending(join('f', { labels: { tier: 'gold' } }), 140),
      // A minute after the window opens.
      wait(121),
      label('c', { tier: 'silver' }),
      wait(150),
      label('d', { tier: 'silver' }),
      editSet('fleet', { changeWindows: null }),
    ],
  },
  /** Neither a label nor a binding takes clusters out of a paused set, and an edit of the Placement brings none in. */
  'set-pause': {
    selects: 'abcd abcd abcd abcd abcd abcd acd acd acd cde',
    given: tiers('abcd'),
    steps: [
      place('web', { predicates: gold }),
      editSet('fleet', { paused: true }),
      // Of what is on its way when a set is paused nobody can tell.
      wait(1),
      unbind('fleet'),
      bind('fleet'),
      label('a', { [CLUSTER_SET_LABEL]: null }),
      leave('b'),
      join('e', { labels: { tier: 'gold' } }),
      edit('web', { numberOfClusters: 9 }),
      editSet('fleet', { paused: null }),
    ],
  },
  /** A cluster of two sets waits for both, and so does the first decision. */
  'two-sets': {
    selects: '- - abc abc abc abc bc',
    given: async (hands) => {
      await fleet(hands, 'abc', { labels: { tier: 'gold' } });
      const changeWindows = [{ start: 'Sun 00:00', duration: '96h', timeZone: 'UTC' }];
      const clusterSelector = { selectorType: 'LabelSelector', labelSelector: {} };
      await hands.create(setOf('all', { clusterSelector, changeWindows }));
    },
    steps: [
      editSet('fleet', { paused: true }),
      place('web', { predicates: gold }),
      editSet('fleet', { paused: null }),
      editSet('fleet', { paused: true }),
      wait(1),
      label('a', { tier: 'silver' }),
      editSet('fleet', { paused: null }),
    ],
  },
  /** What is edited in a pause is an edit at its end: what has waited for the window is made with it. */
  'edit-in-pause': {
    selects: 'abc abc abc abc bc',
    given: tiers('abc'),
    steps: [
      place('web', lunch),
      pending(label('a', { tier: 'silver' }), 140),
      pending(edit('web', { paused: true }), 320),
      pending(edit('web', { numberOfClusters: 3 }), 320),
      edit('web', { paused: null }),
    ],
  },
  /** What an edit of a paused Placement brings about, the end of the pause does, and no window. */
  'windows-in-pause': {
    selects: 'abc abc abc abc bc',
    given: tiers('abc'),
    steps: [
      place('web', { predicates: gold }),
      edit('web', { paused: true }),
      label('a', { tier: 'silver' }),
      edit('web', { changeWindows: later }),
      edit('web', { paused: null }),
    ],
  },
});
