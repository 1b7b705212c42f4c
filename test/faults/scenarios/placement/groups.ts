import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import type { Scenario } from '../../scenario.js';
import { addCluster, fleet, join, label, leave, place } from '../fleet.js';
import { OPERATOR } from './words.js';

const canary = { labelSelector: { matchLabels: { wave: 'canary' } } };

function inPieces(clustersPerDecisionGroup: number | string): PlacementSpec {
  const decisionGroups = [{ groupName: 'canary', groupClusterSelector: canary }];
  return { decisionStrategy: { groupStrategy: { decisionGroups, clustersPerDecisionGroup } } };
}

/** One named group, and the others in pieces. */
export const groups: Scenario = {
  name: 'placement/groups',
  programs: OPERATOR,
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
};

/** A cluster of one group takes the place of one of another: never are both there. */
export const replacedGroup: Scenario = {
  name: 'placement/replaced-group',
  programs: OPERATOR,
  given: async (hands) => {
    await fleet(hands, 'abcde');
    for (const name of 'fg') await addCluster(hands, name, { labels: { wave: 'canary' } });
  },
  steps: [place('web', { ...inPieces(2), numberOfClusters: 3 }), leave('f')],
};
