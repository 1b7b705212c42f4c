import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import { ManagedClusters } from '../../../../src/api/resources.js';
import { scenarios } from '../../scenario.js';
import { addCluster, fleet, join, label, leave, place } from '../fleet.js';

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

const byZone: PlacementSpec['spreadPolicy'] = {
  spreadConstraints: [{ topologyKey: 'zone', topologyKeyType: 'Label', whenUnsatisfiable: 'ScheduleAnyway' }],
};

export const SPREAD = scenarios('placement', {
  /** Clusters that would make the spread too uneven stay out. */
  spread: {
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
  },
  /** The spread is as even as the clusters that there are allow. */
  anyway: {
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
  },
  /** The only cluster of a domain comes in last, and lets further ones of the others in. */
  'spread-last': {
    given: async (hands) => {
      await fleet(hands, 'abc', { claims: { region: 'eu' } });
      await addCluster(hands, 'd', { claims: { region: 'us' } });
      for (const name of 'ef') await addCluster(hands, name, { claims: { region: 'ap' } });
      await hands.patch(
        ManagedClusters,
        { name: 'd' },
        { spec: { taints: [{ key: 'slow', effect: 'PreferNoSelect' }] } },
      );
    },
    steps: [place('web', { numberOfClusters: 5, spreadPolicy: byRegion }), leave('e')],
  },
  /** Two keys, of which each cluster has another pair of values. */
  'two-spreads': {
    given: async (hands) => {
      const regions = { a: 'eu', b: 'eu', c: 'eu', d: 'us', e: 'us', f: 'ap', g: 'ap' };
      const zones = { a: 'one', b: 'two', c: 'three', d: 'one', e: 'two', f: 'one', g: 'three' };
      await fleet(hands, '');
      for (const name of 'abcdefg') {
        const [region, zone] = [regions, zones].map((all) => all[name as keyof typeof all]) as [string, string];
        await addCluster(hands, name, { claims: { region }, labels: { zone } });
      }
    },
    steps: [2, 4, 6, 3].map((numberOfClusters) => {
      const topologies = [
        { topologyKey: 'region', topologyKeyType: 'Claim' },
        { topologyKey: 'zone', topologyKeyType: 'Label' },
      ] as const;
      const spreadConstraints = topologies.map((one) => ({ ...one, whenUnsatisfiable: 'ScheduleAnyway' as const }));
      return place('web', { numberOfClusters, spreadPolicy: { spreadConstraints } });
    }),
  },
});
