import { expect, it } from '@jest/globals';
import * as cluster from '../../../src/api/clusterreasons.js';
import { EngineConditions } from '../../../src/api/enginereasons.js';
import { PlacementConditions } from '../../../src/api/placementreasons.js';
import { conditionLook } from '../../../src/console/web/conditionlook.js';

const TYPES = [
  ...Object.values(PlacementConditions),
  ...Object.values(EngineConditions),
  ...Object.entries(cluster).flatMap(([name, value]) =>
    name.endsWith('_CONDITION') && typeof value === 'string' ? [value] : [],
  ),
];
/** Conditions whose True is good news. Every other one is looked at here before it is shown with a check. */
const GOOD = [
  'PlacementSatisfied',
  'Ready',
  'Available',
  'Bound',
  'InUse',
  'HubAcceptedManagedCluster',
  'ManagedClusterJoined',
  'ManagedClusterConditionAvailable',
  'ManagedClusterClockSynced',
  'ControlPlaneHealthy',
];

it.each([...new Set(TYPES)])('%s has a check where it is good news, and nowhere else', (type) => {
  const isGood = GOOD.includes(type);
  expect(conditionLook({ type, status: 'True' }).word === 'True').toBe(isGood);
  expect(conditionLook({ type, status: 'False' }).word).toBe(isGood ? 'False' : 'Off');
  expect(conditionLook({ type, status: 'Unknown' }).word).toBe('Warning');
});
