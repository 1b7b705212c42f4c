import { describe, expect, it } from '@jest/globals';

import { reportOf, type ReportInput, afterProbe } from '../../../../src/domain/agent/report/report.js';
import { nodeFacts } from '../../../../src/domain/agent/report/nodes.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const input: ReportInput = {
  claims: [{ name: 'id.k8s.io', value: 'id' }],
  version: 'v1.36.3',
  nodes: [nodeFacts({ status: { capacity: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'True' }] } })],
  clientConfig: { url: 'https://edge-1:6443', caBundle: 'LS0t' },
  controlPlane: afterProbe(undefined, { sentAt: 0, now: NOW, failure: undefined }),
};

describe('the report of an agent', () => {
  it('the report has every field of the status that an agent writes', () => {
    expect(reportOf(input)).toEqual({
      clusterClaims: [{ name: 'id.k8s.io', value: 'id' }],
      version: { kubernetes: 'v1.36.3' },
      nodes: { total: 1, ready: 1 },
      capacity: { cpu: '4' },
      allocatable: {},
      managedClusterClientConfigs: [{ url: 'https://edge-1:6443', caBundle: 'LS0t' }],
      conditions: [
        {
          type: 'ControlPlaneHealthy',
          status: 'True',
          reason: 'ControlPlaneReady',
          message: '/readyz of the API server succeeds',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
  });

  it('the report has no address that nobody knows, and no condition while the health is unknown', () => {
    const controlPlane = afterProbe(undefined, { sentAt: 0, now: NOW, failure: 'HTTP 500' });
    const report = reportOf({ ...input, clientConfig: undefined, controlPlane });

    expect(Object.keys(report)).toEqual(['clusterClaims', 'version', 'nodes', 'capacity', 'allocatable']);
  });

  it('the report of an unhealthy control plane says so', () => {
    const before = afterProbe(undefined, { sentAt: 0, now: NOW, failure: 'HTTP 500' });
    const controlPlane = afterProbe(before, { sentAt: 30_000, now: NOW + 30_000, failure: 'HTTP 500' });

    expect(reportOf({ ...input, controlPlane }).conditions).toEqual([
      expect.objectContaining({ status: 'False', reason: 'ControlPlaneNotReady' }),
    ]);
  });
});
