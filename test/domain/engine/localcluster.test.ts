import { describe, expect, it } from '@jest/globals';

import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import { AVAILABLE_CONDITION } from '../../../src/api/clusterreasons.js';
import { LOCAL_CLUSTER_ANNOTATION, LOCAL_CLUSTER_FIELD_MANAGER, SOURCE_ANNOTATION } from '../../../src/api/names.js';
import { afterProbe } from '../../../src/domain/agent/report/report.js';
import {
  hasStatus,
  hubStatus,
  newLocalCluster,
  reportedBy,
  statusForAgent,
  unreportedStatus,
  withStatus,
} from '../../../src/domain/engine/localcluster.js';

const NOW = '2026-01-01T00:00:00Z';
const LATER = '2026-01-02T00:00:00Z';
const SAMPLE = { clusterId: 'hub-id', version: 'v1.36.3', nodes: [] };
const HEALTHY = afterProbe(undefined, { sentAt: 0, now: Date.parse(NOW), failure: undefined });
const FAILING = [0, 30_000].reduce(
  (before, sentAt) => afterProbe(before, { sentAt, now: Date.parse(NOW), failure: 'HTTP 500' }),
  HEALTHY,
);
const MARKED = { [LOCAL_CLUSTER_ANNOTATION]: 'true' };
const WRITTEN = [{ manager: LOCAL_CLUSTER_FIELD_MANAGER, subresource: 'status' }];

function cluster(part: Partial<ManagedCluster> & { annotations?: Record<string, string> } = {}): ManagedCluster {
  const { annotations = MARKED, ...rest } = part;
  return { metadata: { name: 'a', uid: 'u', annotations }, spec: {}, ...rest };
}

function withAgent(id: string | undefined): Partial<ManagedCluster> {
  if (id === undefined) return { spec: { hubAcceptsClient: true } };
  const conditions = [{ type: 'ControlPlaneHealthy', status: 'True' as const }];
  return {
    spec: { hubAcceptsClient: true },
    status: { conditions, clusterClaims: [{ name: 'id.k8s.io', value: id }] },
  };
}

describe('who reports for a cluster', () => {
  it.each<[string, ManagedCluster, object]>([
    ['the hub, for one that is marked', cluster(), { kind: 'ours' }],
    ['nobody yet, where an agent is expected', cluster(withAgent(undefined)), { kind: 'agent', hasReported: false }],
    ['its agent, once it has reported', cluster(withAgent('hub-id')), { kind: 'agent', hasReported: true }],
    [
      'its agent, for a cluster that was never the hub’s',
      cluster({ annotations: {}, ...withAgent('hub-id') }),
      { kind: 'agent', hasReported: true },
    ],
    ['a foreign agent, of another cluster', cluster(withAgent('other')), { kind: 'foreign' }],
    [
      'a foreign agent that is only expected',
      cluster({ annotations: {}, ...withAgent(undefined) }),
      { kind: 'foreign' },
    ],
    ['people, for one without a mark', cluster({ annotations: {} }), { kind: 'foreign' }],
    [
      'nobody, where the mark is taken back',
      cluster({ annotations: { ...MARKED, [LOCAL_CLUSTER_ANNOTATION]: 'false' } }),
      { kind: 'foreign' },
    ],
    ['another inventory', cluster({ annotations: { [SOURCE_ANNOTATION]: 'x/a' } }), { kind: 'foreign' }],
  ])('it is %s', (_who, given, reporter) => {
    expect(reportedBy(given, 'hub-id')).toMatchObject(reporter);
  });

  it('what to do about a foreign cluster is said with its name', () => {
    const remedy = 'not changed; choose another spec.localCluster.name, or remove it (kubectl mce cluster remove a)';
    const handOver = 'hand it over (kubectl annotate mcl a cluster.fleetmgmt.io/local-cluster=true)';

    expect(reportedBy(cluster({ annotations: {} }), 'hub-id')).toEqual({
      kind: 'foreign',
      message: `was created by somebody else; ${handOver}; ${remedy}`,
    });
  });
});

describe('the status of the cluster that stands for the hub', () => {
  const reported = hubStatus(undefined, { sample: SAMPLE, health: HEALTHY }, NOW);

  it('it has the claims of an agent, no empty field, and says that the API server answers', () => {
    expect(reported).toEqual({
      clusterClaims: [
        { name: 'id.k8s.io', value: 'hub-id' },
        { name: 'kubeversion.cluster.fleetmgmt.io', value: 'v1.36.3' },
      ],
      version: { kubernetes: 'v1.36.3' },
      nodes: { total: 0, ready: 0 },
      conditions: [expect.objectContaining({ type: AVAILABLE_CONDITION, status: 'True', lastTransitionTime: NOW })],
    });
  });

  it('it keeps its times while nothing changes, and claims of others do not count as a difference', () => {
    const clusterClaims = [{ name: 'cost', value: '7' }, ...(reported.clusterClaims ?? [])];
    const stored = { ...reported, clusterClaims };
    const again = hubStatus(stored, { sample: SAMPLE, health: HEALTHY }, LATER);

    expect(again).toEqual(reported);
    expect(hasStatus(stored, again)).toBe(true);
    expect(
      hasStatus(stored, hubStatus(stored, { sample: { ...SAMPLE, version: 'v1.37.0' }, health: HEALTHY }, LATER)),
    ).toBe(false);
  });

  it('it says what /readyz has answered', () => {
    const [condition] = hubStatus(reported, { sample: SAMPLE, health: FAILING }, LATER).conditions ?? [];

    expect(condition).toMatchObject({ status: 'False', lastTransitionTime: LATER });
    expect(condition?.message).toContain('HTTP 500');
  });

  it('it keeps every claim when nobody reports any more, says so once, and from when on', () => {
    const left = unreportedStatus('a', reported, 'it is off', LATER);

    expect({ ...left, conditions: undefined }).toEqual({ ...reported, conditions: undefined });
    expect(left?.conditions).toEqual([
      expect.objectContaining({
        status: 'Unknown',
        reason: 'LocalClusterNotReported',
        message: `nobody reports for this cluster since ${LATER}: it is off; kubectl mce cluster remove a removes it`,
      }),
    ]);
    expect(unreportedStatus('a', left, 'another cause', LATER)).toBeUndefined();
  });

  it('an agent gets the condition at once, and the claims when it has reported', () => {
    const metadata = Object.assign({ name: 'a' }, { managedFields: WRITTEN });
    const { conditions: _, ...claims } = reported;

    expect(statusForAgent({ metadata, spec: {}, status: reported }, false)).toEqual(claims);
    expect(statusForAgent({ metadata, spec: {}, status: claims }, false)).toBeUndefined();
    expect(statusForAgent({ metadata, spec: {}, status: claims }, true)).toEqual({});
    expect(statusForAgent({ metadata: { name: 'a' }, spec: {}, status: reported }, true)).toBeUndefined();
  });

  it('fields are given up by an apply without a status', () => {
    expect(Object.keys(withStatus(cluster(), {}))).toEqual(['metadata', 'spec']);
    expect(newLocalCluster('a').metadata.labels).toEqual({ 'local-cluster': 'true' });
  });
});
