import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import { ALLOW_REMOVALS_ANNOTATION } from '../../../../src/api/names.js';
import { ManagedClusters, ManagedClusterSets, Placements } from '../../../../src/api/resources.js';
import type { Content } from '../../checks/contents.js';
import { TEAM } from '../../hub/base.js';
import { slowly, step, wait, scenarios } from '../../scenario.js';
import {
  addCluster,
  bindingOf,
  claim,
  gold,
  join,
  label,
  leave,
  place,
  setClaims,
  setOf,
  taint,
  tiers,
  unbind,
} from '../fleet.js';
import { byLabels } from '../placement/words.js';
import {
  AFTER_QUIET,
  annotate,
  atOnce,
  cheapest,
  edit,
  joinPriced,
  later,
  note,
  noted,
  pending,
  priced,
  redefine,
  selectedBy,
} from './words.js';

/** Placements that are held, paused or cannot be read, and two of these at once: what is done then, and what their status says. */

const [golden, silver] = [{ tier: 'gold' }, { tier: 'silver' }];
const web = { name: 'web', namespace: TEAM };

const says = (at: number, field: string, expect: string): Content => ({
  step: at,
  type: Placements,
  name: web,
  field: `status.${field}`,
  expect,
});

const moving: PlacementSpec = {
  prioritizerPolicy: cheapest,
  rebalance: { scoreMargin: 5, minSelectedSeconds: 0, intervalSeconds: 600 },
};

const window: PlacementSpec['changeWindows'] = [{ start: 'Sun 13:00', duration: '2h', timeZone: 'Europe/Berlin' }];

export const STATES = scenarios('timed', {
  /** Who waits for a bound that is taken out of the spec goes on to wait: nobody has released them. */
  'bound-taken-out': {
    selects: 'abc abc abc',
    given: tiers('abc', 'd'),
    steps: [
      place('web', { predicates: gold, disruptionBudget: { maxAdditions: 0 } }),
      label('d', golden),
      edit('web', { disruptionBudget: null }),
    ],
  },
  'held-and-paused': {
    selects: 'abc abc abc abc abc',
    given: tiers('abc'),
    steps: [
      place('web', { predicates: gold, disruptionBudget: { maxRemovals: 0 } }),
      label('a', silver),
      edit('web', { paused: true }),
      label('b', silver),
      edit('web', { paused: null }),
    ],
    stores: [says(2, 'phase', 'Held'), says(3, 'phase', 'Paused'), says(5, 'phase', 'Held')],
  },
  /** It has decided nothing, and does not say so. */
  'born-paused': {
    selects: '- - abc',
    given: tiers('ab'),
    steps: [
      place('web', { predicates: gold, paused: true }),
      join('c', { labels: golden }),
      edit('web', { paused: null }),
    ],
    stores: [says(1, 'conditions.Ready.status', 'False'), says(3, 'conditions.Ready.status', 'True')],
  },
  /** Who waits for the window of its set keeps nobody out who is better. */
  'better-than-waiting': {
    selects: '- a a',
    given: async (hands) => {
      await priced(hands, { a: '50' });
      await hands.create(setOf('late', { changeWindows: window }));
      await hands.create(bindingOf('late'));
      await addCluster(hands, 'b', { set: 'late', labels: golden, claims: { price: '10' } });
    },
    steps: [
      pending(place('web', { numberOfClusters: 1, prioritizerPolicy: cheapest }), 300),
      // Scores are looked at five seconds later.
      slowly(10, claim('a', { price: '1' })),
      claim('a', { price: '70' }),
    ],
  },
  /** What the budget holds of an edit waits for the window from then on, too, and for it alone when it is released. */
  'edit-held': {
    selects: 'abc abc abc abc abc',
    given: tiers('abc'),
    steps: [
      place('web', { disruptionBudget: { maxRemovals: 0 } }),
      edit('web', { predicates: [byLabels(silver)], changeWindows: later }),
      unbind('fleet'),
      // Until after the day of quiet: its end changes what the status says.
      ...'a*'.split('').map((names) => annotate('web', { [ALLOW_REMOVALS_ANNOTATION]: `${AFTER_QUIET}/${names}` })),
    ],
  },
  /** Nothing of a set whose spec cannot be read changes. */
  'invalid-set': {
    selects: 'abc abc abc bc',
    given: tiers('abc'),
    steps: [
      place('web', { predicates: gold }),
      step('a spec of the set is stored that admission refuses today', (hands) =>
        hands.overwrite(
          ManagedClusterSets,
          { name: 'fleet' },
          { changeWindows: [{ start: 'Someday 10:00', duration: '2h' }] },
        ),
      ),
      label('a', silver),
      step('the spec of the set can be read again', (hands) =>
        hands.patch(ManagedClusterSets, { name: 'fleet' }, { spec: { changeWindows: null } }),
      ),
    ],
  },
  /** While a spec cannot be read, the budget of the last decision binds. */
  'invalid-spec': {
    selects: 'abcd abcd abcd',
    given: tiers('abcd'),
    steps: [
      place('web', { predicates: gold, disruptionBudget: { maxRemovals: 0 } }),
      step('a spec is stored that admission refuses today', (hands) =>
        hands.overwrite(Placements, web, {
          predicates: gold,
          disruptionBudget: { maxRemovals: 0 },
          tolerations: [{ operator: 'Sometimes' }],
        }),
      ),
      leave('a'),
    ],
  },
  /** Nobody moves while deleted clusters are held. */
  'held-moves': {
    selects: 'abcdefgh fghi',
    given: (hands) =>
      priced(hands, { a: '10', b: '20', c: '30', d: '40', e: '50', f: '60', g: '70', h: '80', i: '90' }),
    steps: [
      place('web', { ...moving, numberOfClusters: 8 }),
      slowly(
        8 * 60,
        noted(
          12,
          atOnce('a, b, c, d and e are deleted, and i reports a lower price', async (hands) => {
            for (const name of 'abcde') await hands.remove(ManagedClusters, { name });
            await setClaims(hands, 'i', { price: '1' });
          }),
          selectedBy('web'),
        ),
      ),
    ],
    stores: [note(2, 'abcdefgh')],
  },
  /** Nobody moves while the clusters of a replaced definition are held. */
  'move-while-replaced': {
    selects: 'ab ab ab ab cd',
    given: (hands) => priced(hands, { a: '10', b: '20', c: '30' }),
    steps: [
      place('web', { ...moving, numberOfClusters: 2 }),
      redefine,
      joinPriced({ c: '1', d: '2' }),
      wait(60),
      slowly(30 * 60, joinPriced({ a: '10', b: '20' })),
    ],
  },
  /** Nobody moves to a cluster to which others are preferred. */
  'move-to-worse': {
    selects: 'ab ab ab ab',
    given: (hands) => priced(hands, { a: '10', b: '20', c: '30' }),
    steps: [
      place('web', { ...moving, numberOfClusters: 2 }),
      taint('c', [{ key: 'old', effect: 'PreferNoSelect' }]),
      claim('c', { price: '0' }),
      wait(30),
    ],
  },
});
