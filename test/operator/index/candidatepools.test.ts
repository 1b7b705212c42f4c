import { describe, expect, it } from '@jest/globals';

import { Bitset } from '../../../src/operator/index/bitset.js';
import { CandidatePools, type CandidatePoolChange } from '../../../src/operator/index/candidates.js';
import { MembershipIndex, type MembershipChange } from '../../../src/operator/index/membershipindex.js';

const JOINED: MembershipChange = { ordinal: 7, before: [], after: ['prod'], affected: ['prod'] };

describe('a pool of candidates', () => {
  function pools(): CandidatePools {
    return new CandidatePools(new MembershipIndex(), new Bitset());
  }

  function keysOf(changes: readonly CandidatePoolChange[]): string[][] {
    return changes.map(({ pool }) => [...pool.placements]);
  }

  it('a pool of candidates is shared by the Placements that select from the same sets', () => {
    const index = pools();

    expect(index.join('team/one', ['prod'])).toBe(index.join('team/two', ['prod']));
    expect(keysOf(index.updateCluster(JOINED, true))).toEqual([['team/one', 'team/two']]);
  });

  it('a pool of candidates stays while another Placement uses it', () => {
    const index = pools();
    const pool = index.join('team/one', ['prod']);
    index.join('team/two', ['prod']);

    index.leave('team/one', pool);

    expect(keysOf(index.updateCluster(JOINED, true))).toEqual([['team/two']]);
  });

  it('a pool of candidates is removed with its last Placement', () => {
    const index = pools();

    index.leave('team/one', index.join('team/one', ['prod']));

    expect(index.updateCluster(JOINED, true)).toEqual([]);
  });
});
