import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { bindingInUse, firstUsers, clusterSetInUse } from '../../../src/domain/clusters/status.js';

const someNames = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 20 });

/** Beside the conditions that golden/clusters records. */
describe('the users of a cluster set', () => {
  it('the users of a cluster set in a message are the first five by code units, whatever the order of the names', () => {
    fc.assert(
      fc.property(someNames, (names) => {
        expect(firstUsers(names)).toEqual({ names: [...names].sort().slice(0, 5), more: names.length > 5 });
      }),
    );
  });

  it('a cluster set with the longest names has a message that is not cut', () => {
    const names = Array.from({ length: 9 }, (_, index) => `${index}`.repeat(63));

    expect(clusterSetInUse('s'.repeat(63), firstUsers(names), 1).message.length).toBeLessThan(1024);
  });

  it('the names in the message of a binding are what stands before the words that a policy cuts at', () => {
    const { message } = bindingInUse('fleet', firstUsers(['web', 'api']), 1);

    expect(message.split(' select from ')).toEqual(['Placements api, web', 'ManagedClusterSet fleet']);
  });
});
