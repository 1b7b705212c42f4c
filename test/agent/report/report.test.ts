import { describe, expect, it } from '@jest/globals';

import { clusterInfoConfig, reportOf, type ReportInput } from '../../../src/agent/report/report.js';
import { afterProbe } from '../../../src/agent/report/controlplane.js';
import { nodeFacts } from '../../../src/agent/report/nodes.js';

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

describe('the address in kube-public/cluster-info', () => {
  const kubeconfig = (server: string): object => ({
    data: {
      kubeconfig: `clusters:\n- name: ""\n  cluster:\n    server: ${server}\n    certificate-authority-data: LS0t\n`,
    },
  });

  it('the address is that of the first cluster of the kubeconfig', () => {
    expect(clusterInfoConfig(kubeconfig('https://10.0.0.1:6443'))).toEqual({
      url: 'https://10.0.0.1:6443',
      caBundle: 'LS0t',
    });
  });

  it('the certificates may be on several lines, as kubectl reads them', () => {
    const text = 'clusters: [{name: "", cluster: {server: "https://a", certificate-authority-data: "LS0t\\nLS0t\\n"}}]';

    expect(clusterInfoConfig({ data: { kubeconfig: text } })).toEqual({ url: 'https://a', caBundle: 'LS0tLS0t' });
  });

  it.each([
    ['no ConfigMap', undefined],
    ['a ConfigMap without a kubeconfig', { data: {} }],
    ['a text that is not YAML', { data: { kubeconfig: '{' } }],
    ['a kubeconfig without clusters', { data: { kubeconfig: 'clusters: []' } }],
    ['an address without TLS', kubeconfig('http://10.0.0.1')],
  ])('there is no address in %s', (_name, found) => {
    expect(clusterInfoConfig(found)).toBeUndefined();
  });
});
