import { describe, expect, it } from '@jest/globals';

import { nodeFacts, nodeTotals } from '../../../../src/domain/agent/report/nodes.js';

interface Changes {
  readonly ready?: string;
  readonly unschedulable?: boolean;
  readonly cpu?: string;
}

/** A Node as the API server returns it. */
function node({ ready = 'True', unschedulable, cpu = '4' }: Changes = {}): object {
  return {
    metadata: {
      name: 'n',
      labels: { 'topology.kubernetes.io/region': 'eu-west-1', 'topology.kubernetes.io/zone': 'eu-west-1a' },
    },
    spec: { providerID: 'aws:///eu-west-1a/i-0abc', ...(unschedulable === undefined ? {} : { unschedulable }) },
    status: {
      capacity: { cpu, memory: '16Gi', pods: '110' },
      allocatable: { cpu: '3920m', memory: '15Gi', pods: '110' },
      conditions: [
        { type: 'MemoryPressure', status: 'False' },
        { type: 'Ready', status: ready },
      ],
    },
  };
}

describe('the facts of a Node', () => {
  it('the facts of a Node are read from its labels, spec and status', () => {
    expect(nodeFacts(node())).toEqual({
      isReady: true,
      isSchedulable: true,
      providerId: 'aws:///eu-west-1a/i-0abc',
      region: 'eu-west-1',
      zone: 'eu-west-1a',
      capacity: { cpu: '4', memory: '16Gi', pods: '110' },
      allocatable: { cpu: '3920m', memory: '15Gi', pods: '110' },
    });
  });

  it('a Node without a status is not ready', () => {
    expect(nodeFacts({ metadata: { name: 'new' } })).toEqual({
      isReady: false,
      isSchedulable: true,
      providerId: '',
      region: '',
      zone: '',
      capacity: {},
      allocatable: {},
    });
  });
});

describe('the totals of Nodes', () => {
  it('all Nodes are counted, and the resources of those that are ready and schedulable are added up', () => {
    const nodes = [
      node(),
      node({ cpu: '8' }),
      node({ ready: 'False', cpu: '100' }),
      node({ ready: 'Unknown', cpu: '100' }),
      node({ unschedulable: true, cpu: '100' }),
    ].map(nodeFacts);

    expect(nodeTotals(nodes)).toEqual({
      nodes: { total: 5, ready: 3 },
      capacity: { cpu: '12', memory: '32Gi', pods: '220' },
      allocatable: { cpu: '7840m', memory: '30Gi', pods: '220' },
    });
  });

  it('a cluster without Nodes has no resources', () => {
    expect(nodeTotals([])).toEqual({ nodes: { total: 0, ready: 0 }, capacity: {}, allocatable: {} });
  });

  it('the order of the Nodes does not matter', () => {
    const [a, b] = [nodeFacts(node()), { ...nodeFacts(node()), capacity: { 'nvidia.com/gpu': '2' } }];

    expect(JSON.stringify(nodeTotals([a, b]))).toBe(JSON.stringify(nodeTotals([b, a])));
  });
});
