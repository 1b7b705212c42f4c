import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import type { Scenario } from '../../scenario.js';
import { addCluster, fleet, join, label, leave, place } from '../fleet.js';
import { OPERATOR } from './words.js';

const byRegion: PlacementSpec['spreadPolicy'] = {
  spreadConstraints: [
    {
      topologyKey: 'region',
      topologyKeyType: 'Claim',
      maxSkew: 1,
      minDomains: 3,
      whenUnsatisfiable: 'DoNotSchedule',
    },
  ],
};

/** Clusters that would make the spread too uneven stay out. */
export const spread: Scenario = {
  name: 'placement/spread',
  programs: OPERATOR,
  given: async (hands) => {
    await fleet(hands, 'abc', { claims: { region: 'eu' } });
    await addCluster(hands, 'd', { claims: { region: 'us' } });
    for (const name of 'ef') await addCluster(hands, name, { claims: { region: 'ap' } });
  },
  steps: [
    place('web', { numberOfClusters: 6, spreadPolicy: byRegion }),
    leave('d'),
    join('g', { claims: { region: 'us' } }),
    join('h', { claims: { region: 'us' } }),
    place('web', { numberOfClusters: 3, spreadPolicy: byRegion }),
  ],
};

const byZone: PlacementSpec['spreadPolicy'] = {
  spreadConstraints: [{ topologyKey: 'zone', topologyKeyType: 'Label', whenUnsatisfiable: 'ScheduleAnyway' }],
};

/** The spread is as even as the clusters that there are allow. */
export const anyway: Scenario = {
  name: 'placement/anyway',
  programs: OPERATOR,
  given: async (hands) => {
    await fleet(hands, 'abc', { labels: { zone: 'one' } });
    await addCluster(hands, 'd', { labels: { zone: 'two' } });
    await addCluster(hands, 'e', {});
  },
  steps: [
    place('web', { numberOfClusters: 3, spreadPolicy: byZone }),
    label('e', { zone: 'two' }),
    place('web', { numberOfClusters: 4, spreadPolicy: byZone }),
    leave('d'),
    join('f', { labels: { zone: 'three' } }),
    place('web', { numberOfClusters: 2, spreadPolicy: byZone }),
  ],
};
