import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import { ManagedClusters, PlacementDecisions, Placements } from '../../../../src/api/resources.js';
import { TEAM } from '../../hub/base.js';
import { scenarios, step } from '../../scenario.js';
import {
  addCluster,
  claim,
  deleteDecision,
  fleet,
  gold,
  join,
  label,
  leave,
  place,
  placementOf,
  taint,
  tiers,
  unlabelDecision,
  unplace,
} from '../fleet.js';
import { editDecision } from './words.js';

/** How a decision is published: its objects, and what becomes of them. */

function held(finalizers: readonly string[]): object {
  return { metadata: { finalizers } };
}

const OBJECT = 'web-decision-1';

const canary = { labelSelector: { matchLabels: { wave: 'canary' } } };

function inPieces(clustersPerDecisionGroup: number | string): PlacementSpec {
  const decisionGroups = [{ groupName: 'canary', groupClusterSelector: canary }];
  return { decisionStrategy: { groupStrategy: { decisionGroups, clustersPerDecisionGroup } } };
}

export const OBJECTS = scenarios('placement', {
  plain: {
    given: tiers('abcdef'),
    steps: [
      place('web', { numberOfClusters: 3, predicates: gold }),
      // Here, since who was selected is stored nowhere else, and a process that is started meanwhile chooses anew: as long as
      // nothing else has happened, that is the same decision in the same order.
      deleteDecision('web-decision-1'),
      label('a', { tier: 'silver' }),
      label('b', { tier: 'silver' }),
      join('g', { labels: { tier: 'gold' } }),
      place('web', { numberOfClusters: 5, predicates: gold }),
      leave('c'),
      place('web', { numberOfClusters: 1, predicates: gold }),
      // The first of two events is there before its object is gone: a watch can be late between them.
      step('Placement web is annotated, and deleted', async (hands) => {
        await hands.patch(
          Placements,
          { name: 'web', namespace: TEAM },
          { metadata: { annotations: { note: 'gone' } } },
        );
        await hands.remove(Placements, { name: 'web', namespace: TEAM });
      }),
    ],
  },
  /** A Placement of the same name is another one, and begins anew. */
  recreated: {
    given: (hands) => fleet(hands, 'abcdef'),
    steps: [
      place('web', { numberOfClusters: 3 }),
      leave('f'),
      // It does not take back its place, but in another Placement it would have it.
      join('f'),
      step('Placement web is deleted, and created again at once', async (hands) => {
        await hands.remove(Placements, { name: 'web', namespace: TEAM });
        await hands.create(placementOf('web', { numberOfClusters: 3 }));
      }),
      unplace('web'),
      place('web', { numberOfClusters: 2 }),
    ],
  },
  /** A cluster leaves when it begins to be deleted, and another one of its name may follow it. */
  deletion: {
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
  },
  /**
   * Others delete and edit the object of a decision, which is put right. Who was selected is stored nowhere else: a process that is
   * started meanwhile chooses anew. So the decision is one that is chosen again in the same order, f, e and a: nothing has changed since.
   */
  edited: {
    othersEdit: true,
    given: (hands) => fleet(hands, 'abcdef'),
    steps: [
      place('web', { numberOfClusters: 3 }),
      deleteDecision(OBJECT),
      editDecision(OBJECT, ''),
      editDecision(OBJECT, 'feabcd'),
      unlabelDecision(OBJECT),
    ],
  },
  /** The decision says the values of a label and of a claim, as they are now. */
  details: {
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
  },
  /** One named group, and the others in pieces. */
  groups: {
    given: async (hands) => {
      await fleet(hands, 'abcde');
      await addCluster(hands, 'f', { labels: { wave: 'canary' } });
    },
    steps: [
      place('web', inPieces(2)),
      label('c', { wave: 'canary' }),
      leave('a'),
      join('g'),
      place('web', inPieces('50%')),
      label('f', { wave: null }),
      place('web', {}),
    ],
  },
  /** Pieces of a share of the selected clusters. */
  'group-shares': {
    given: (hands) => fleet(hands, 'abcdefgh'),
    steps: [
      place('web', inPieces('25%')),
      ...'ij'.split('').map((name) => join(name)),
      place('web', inPieces('60%')),
      leave('a'),
    ],
    // A quarter of nine and of ten is two, too. Clusters stay in their objects when these become one piece.
    stores: [
      { step: 1, type: PlacementDecisions, expect: [1, 2, 3, 4].map((n) => `web-decision-${n}`) },
      { step: 3, type: PlacementDecisions, expect: [1, 2, 3, 4, 5].map((n) => `web-decision-${n}`) },
    ],
  },
  /** A cluster of one group takes the place of one of another: never are both there. */
  'replaced-group': {
    given: async (hands) => {
      await fleet(hands, 'abcde');
      for (const name of 'fg') await addCluster(hands, name, { labels: { wave: 'canary' } });
    },
    steps: [place('web', { ...inPieces(2), numberOfClusters: 3 }), leave('f')],
  },
  /** An object that is no longer needed has recorded when a cluster came in that has moved to another one. */
  'emptied-piece': {
    given: async (hands) => {
      await fleet(hands, 'ab');
      await addCluster(hands, 'f', { labels: { wave: 'canary' } });
    },
    steps: [
      place('web', inPieces(2)),
      label('a', { wave: 'canary' }),
      taint('b', [{ key: 'repair', effect: 'NoSelect' }]),
      join('g'),
    ],
  },
  /** More clusters than one object of a decision holds. */
  large: {
    given: async (hands) => {
      await fleet(hands, '');
      for (let n = 101; n <= 205; n++) await addCluster(hands, `c${n}`, {});
    },
    steps: [place('web', {}), leave('c150'), join('c206'), place('web', { numberOfClusters: 99 })],
  },
});
