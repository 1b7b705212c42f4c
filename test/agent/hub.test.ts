import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

import { TransportHub, type Hub } from '../../src/agent/hub.js';
import { afterProbe, reportOf } from '../../src/domain/agent/report/report.js';
import type { Call } from '../../src/runtime/transport/call.js';
import type { Transport } from '../../src/runtime/transport/transport.js';
import { joinData } from '../support/builders/joindata.js';
import { hubError } from '../support/fakes/agent.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/multicluster-engine-agents/leases';
const { signal } = new AbortController();

let calls: Call[];
let answer: (call: Call) => object;
let hub: Hub;

beforeEach(() => {
  calls = [];
  answer = () => ({});
  const transport: Transport = {
    call: async (call) => {
      calls.push(call);
      return { status: 200, body: { ...answer(call) } };
    },
    open: () => Promise.reject(new Error('an agent opens no stream')),
    close: async () => undefined,
  };
  hub = new TransportHub(transport, joinData(), new ManualClock());
});

/** The only request so far, or the one after `before` others. */
function sent(before = 0): { readonly line: string; readonly body: unknown; readonly contentType: string | undefined } {
  expect(calls).toHaveLength(before + 1);
  const call = calls[before];
  const search = new URLSearchParams(call?.query).toString();
  const line = [call?.method, [call?.path, search].filter((part) => part !== '').join('?')].join(' ');
  return { line, body: JSON.parse(call?.body ?? ''), contentType: call?.contentType };
}

function granted(expirationSeconds: number): object {
  return { spec: { expirationSeconds }, status: { token: 'own', expirationTimestamp: '2026-01-02T00:00:00Z' } };
}

describe('the requests of an agent to a hub', () => {
  it('a token is requested with its lifetime, and the lifetime that the hub has given counts', async () => {
    answer = () => granted(86_400);

    expect(await hub.requestToken(604_800, signal)).toEqual({ token: 'own', lifetimeSeconds: 86_400 });
    expect(sent()).toMatchObject({
      line: 'POST /api/v1/namespaces/multicluster-engine-agents/serviceaccounts/edge-1/token',
      body: { kind: 'TokenRequest', spec: { expirationSeconds: 604_800 } },
    });
  });

  it('a response without a token is no token', async () => {
    answer = () => ({ spec: { expirationSeconds: 86_400 }, status: {} });

    await expect(hub.requestToken(600, signal)).rejects.toMatchObject({ kind: 'Malformed' });
  });

  it('the Lease is created with the holder, and owned by the ManagedCluster', async () => {
    await hub.createLease({ holder: 'cluster-id', seconds: 120 }, signal);

    expect(sent()).toMatchObject({
      line: `POST ${LEASES}`,
      body: {
        kind: 'Lease',
        metadata: {
          name: 'edge-1',
          namespace: 'multicluster-engine-agents',
          ownerReferences: [
            {
              apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
              kind: 'ManagedCluster',
              name: 'edge-1',
              uid: 'uid-of-cluster',
            },
          ],
        },
        spec: {
          holderIdentity: 'cluster-id',
          leaseDurationSeconds: 120,
          acquireTime: '2026-01-01T00:00:00.000000Z',
          renewTime: '2026-01-01T00:00:00.000000Z',
        },
      },
    });
  });

  it('an existing Lease is renewed with the holder, which the hub compares, and the response names its duration', async () => {
    answer = () => ({ spec: { leaseDurationSeconds: 120 } });

    expect(await hub.takeLease('cluster-id', signal)).toBe(120);
    expect(sent()).toEqual({
      line: `PATCH ${LEASES}/edge-1`,
      contentType: 'application/merge-patch+json',
      body: { spec: { holderIdentity: 'cluster-id', renewTime: '2026-01-01T00:00:00.000000Z' } },
    });
  });

  it('a renewal is a merge patch of 108 bytes, with the holder and the duration by which the agent renews', async () => {
    await hub.renewLease({ holder: 'cluster-id', seconds: 60 }, signal);

    expect(sent()).toEqual({
      line: `PATCH ${LEASES}/edge-1`,
      contentType: 'application/merge-patch+json',
      body: {
        spec: { holderIdentity: 'cluster-id', leaseDurationSeconds: 60, renewTime: '2026-01-01T00:00:00.000000Z' },
      },
    });
    expect(calls[0]?.body).toHaveLength(108);
  });

  it('the report is applied to the ManagedCluster with the known uid, and the response names the duration of the lease', async () => {
    answer = () => ({ spec: { leaseDurationSeconds: 120 } });
    const controlPlane = afterProbe(undefined, { sentAt: 0, now: 0, failure: 'no' });
    const report = reportOf({ claims: [], version: 'v1.36.3', nodes: [], clientConfig: undefined, controlPlane });

    expect(await hub.applyStatus(report, signal)).toBe(120);
    // The first request reads what is stored.
    expect(sent(1)).toEqual({
      line: 'PATCH /apis/cluster.fleetmgmt.io/v1alpha1/managedclusters/edge-1/status?fieldManager=multicluster-engine-agent&force=true',
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
        kind: 'ManagedCluster',
        metadata: { name: 'edge-1', uid: 'uid-of-cluster' },
        // Without nodes there are no resources, and an empty object would become null later.
        status: { clusterClaims: [], version: { kubernetes: 'v1.36.3' }, nodes: { total: 0, ready: 0 } },
      },
    });
  });

  it('a condition whose status is the stored one keeps its time: that of the last answer, or of a patch without fields', async () => {
    const healthy = (since: string, status = 'True') => ({
      status: { conditions: [{ type: 'ControlPlaneHealthy', status, lastTransitionTime: since }] },
    });
    const report = (now: string, failure?: string) => {
      const at = Date.parse(now);
      const controlPlane = {
        ...afterProbe(undefined, { sentAt: 0, now: at, failure }),
        isHealthy: failure === undefined,
      };
      return reportOf({ claims: [], version: 'v1.36.3', nodes: [], clientConfig: undefined, controlPlane });
    };
    const times = () =>
      calls.map(({ body = '' }) => (JSON.parse(body) as Partial<ReturnType<typeof healthy>>).status?.conditions[0]);
    answer = () => healthy('2026-01-01T00:00:00Z');

    await hub.applyStatus(report('2026-01-02T00:00:00Z'), signal);
    await hub.applyStatus(report('2026-01-03T00:00:00Z', 'no'), signal);
    answer = () => {
      throw hubError('Transport');
    };
    await expect(hub.applyStatus(report('2026-01-04T00:00:00Z'), signal)).rejects.toThrow('the hub answers Transport');
    answer = () => healthy('2026-01-03T00:00:00Z', 'False');
    await hub.applyStatus(report('2026-01-05T00:00:00Z', 'no'), signal);
    // The clock of the machine has been set back.
    await hub.applyStatus(report('2026-01-02T00:00:00Z', 'no'), signal);

    expect(times()).toMatchObject([
      undefined,
      { status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
      { status: 'False', lastTransitionTime: '2026-01-03T00:00:00Z' },
      { status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
      undefined,
      { status: 'False', lastTransitionTime: '2026-01-03T00:00:00Z' },
      { status: 'False', lastTransitionTime: '2026-01-03T00:00:00Z' },
    ]);
  });

  it('the duration of the lease is 60 s for a ManagedCluster without one', async () => {
    const controlPlane = afterProbe(undefined, { sentAt: 0, now: 0, failure: undefined });
    const report = reportOf({ claims: [], version: 'v1.36.3', nodes: [], clientConfig: undefined, controlPlane });
    answer = () => ({ spec: {} });

    expect(await hub.applyStatus(report, signal)).toBe(60);
  });

  it.each([
    ['it is deleted', undefined],
    ['there is none', 'NotFound'],
    ['another one has its name', 'Conflict'],
  ] as const)('the join Secret is deleted by its uid: %s', async (_name, error) => {
    answer = () => {
      if (error !== undefined) throw hubError(error);
      return { kind: 'Status', status: 'Success' };
    };

    await hub.deleteJoinSecret(signal);
    expect(sent()).toMatchObject({
      line: 'DELETE /api/v1/namespaces/multicluster-engine-agents/secrets/edge-1',
      body: { preconditions: { uid: 'uid-of-secret' } },
    });
  });

  it('each request is sent once and ends within 10 s, since the agent has its own back-off', async () => {
    answer = () => granted(600);
    await hub.requestToken(600, signal);
    await hub.createLease({ holder: 'id', seconds: 60 }, signal);
    await hub.renewLease({ holder: 'id', seconds: 60 }, signal);
    await hub.deleteJoinSecret(signal);

    expect(calls.map(({ attempts, deadlineMs }) => [attempts, deadlineMs])).toEqual(Array(4).fill([1, 10_000]));
  });
});
