import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { AVAILABLE_CONDITION, JOINED_CONDITION } from '../../../src/api/clusterreasons.js';
import { CLUSTER_SET_LABEL } from '../../../src/api/names.js';
import { rawCluster } from './world.js';

const condition = (type: string, status: string, message = ''): object => ({ type, status, reason: 'Reason', message });
/** A cluster that serves, one that is silent and drained, one that has not joined, one that is denied, one without an agent. */
export const exampleAgents: readonly RawObject[] = [
  {
    metadata: { name: 'edge-2', labels: { [CLUSTER_SET_LABEL]: 'prod' } },
    spec: {
      hubAcceptsClient: true,
      taints: [
        { key: 'cluster.fleetmgmt.io/draining', effect: 'NoSelect' },
        { key: 'cluster.fleetmgmt.io/unreachable', effect: 'NoSelect' },
      ],
    },
    status: {
      conditions: [condition(JOINED_CONDITION, 'True'), condition(AVAILABLE_CONDITION, 'Unknown', 'no renewal')],
      version: { kubernetes: 'v1.35.1' },
    },
  },
  {
    metadata: { name: 'edge-1', labels: { [CLUSTER_SET_LABEL]: 'prod' } },
    spec: { hubAcceptsClient: true },
    status: {
      conditions: [condition(JOINED_CONDITION, 'True'), condition(AVAILABLE_CONDITION, 'True', 'serves')],
      version: { kubernetes: 'v1.36.3' },
    },
  },
  {
    metadata: { name: 'edge-3' },
    spec: { hubAcceptsClient: true },
    status: { conditions: [condition(JOINED_CONDITION, 'False', 'no agent has reported yet')] },
  },
  { metadata: { name: 'edge-4' }, spec: { hubAcceptsClient: false } },
  rawCluster('hand', { set: 'edge' }),
];
