import { expect, it } from '@jest/globals';
import { fleetSummary, fleetText, healthByName } from '../../src/answers/fleetsummary.js';
import { worldOf } from '../../src/answers/world/world.js';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';

function cluster(name: string, accepted: boolean, available: string): RawObject {
  const condition = (type: string, status: string): object => ({ type, status, reason: 'R', message: '' });
  const conditions = [
    condition('ManagedClusterJoined', 'True'),
    condition('ManagedClusterConditionAvailable', available),
  ];
  return { metadata: { name }, spec: { hubAcceptsClient: accepted }, status: { conditions } };
}

it('a cluster that is reported unavailable without an accepted agent is counted, and said not to be judged', () => {
  const managedclusters = [
    cluster('a', false, 'False'),
    cluster('b', false, 'True'),
    cluster('c', true, 'False'),
    cluster('d', true, 'True'),
  ];
  expect(fleetText(fleetSummary(managedclusters))).toBe(
    '1 available, 0 silent, 1 unavailable of 2 joined; 2 without an agent that the hub accepts; ' +
      '1 of them reported unavailable, not judged by the hub',
  );
  const healths = healthByName(worldOf({ managedclusters }));
  expect(['a', 'b', 'c'].map((name) => healths.get(name))).toEqual([
    { health: 'unavailable', isJudged: false },
    { health: 'noAgent' },
    { health: 'unavailable' },
  ]);
});
