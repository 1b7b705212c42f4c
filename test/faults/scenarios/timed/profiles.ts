import { ClusterProfiles } from '../../../../src/api/resources.js';
import type { ObjectName } from '../../../../src/runtime/vocabulary/meta.js';
import type { Content } from '../../checks/contents.js';
import { TEAM } from '../../hub/base.js';
import type { Hands } from '../../hub/hands.js';
import { slowly, scenarios } from '../../scenario.js';
import { fleet, join, label, leave, place } from '../fleet.js';
import { createAll, leaveAtOnce, note, noted } from './words.js';

/** Longer than what is gone is waited for, s. */
const GONE_SECONDS = 90;

/** Letters, one each. */
const published = async (hands: Hands): Promise<string> =>
  (await hands.list(ClusterProfiles))
    .map(({ metadata }) => metadata.name)
    .sort()
    .join('');

const profile = (name: string): ObjectName => ({ name, namespace: TEAM });

const profilesOf = (at: number, names: string): Content => ({
  step: at,
  type: ClusterProfiles,
  expect: names.split(''),
});

export const PROFILES = scenarios('timed', {
  /** The clusters as ClusterProfiles: one that is gone goes after a minute, and none while most are gone. */
  profiles: {
    programs: [{ name: 'operator', controllers: ['placement'], config: { publishProfiles: TEAM } }],
    given: async (hands) => {
      await createAll(hands, 'test/support/definitions/clusterprofiles.yaml');
      await fleet(hands, 'abcde');
    },
    steps: [
      place('web', { numberOfClusters: 1 }),
      label('b', { tier: 'gold' }),
      slowly(GONE_SECONDS, noted(0.5, leave('a'), published)),
      slowly(GONE_SECONDS, leaveAtOnce('cde')),
      // After a brake they are looked at every five minutes.
      slowly(330, join('c')),
    ],
    stores: [
      profilesOf(1, 'abcde'),
      { step: 2, type: ClusterProfiles, name: profile('b'), field: 'metadata.labels.tier', expect: 'gold' },
      note(3, 'abcde'),
      profilesOf(3, 'bcde'),
      profilesOf(4, 'bcde'),
      profilesOf(5, 'bc'),
    ],
  },
});
