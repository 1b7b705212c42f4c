import { describe, expect, it } from '@jest/globals';

import type { ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import { PAUSED_ANNOTATION } from '../../../../src/api/names.js';
import { ManagedClusters, MultiClusterEngines } from '../../../../src/api/resources.js';
import { ApiError, type FailureKind } from '../../../../src/runtime/errors.js';
import { Nodes } from '../../../../src/runtime/vocabulary/kinds.js';
import { hub } from '../../../support/builders/engine.js';
import { EngineRig } from '../../../support/rigs/controllers/engine.js';

const ON = { localCluster: { enabled: true } };

function condition(rig: EngineRig, name = 'local-cluster') {
  return rig.api.peek<ManagedCluster>(ManagedClusters, { name })?.status?.conditions?.[0];
}

function rows(rig: EngineRig): readonly string[] {
  const found = (rig.engine().status?.components ?? []).filter(({ kind }) => kind === ManagedClusters.kind);
  return found.map(({ name, status, reason }) => `${name} ${status} ${reason}`);
}

function failure(kind: FailureKind): ApiError {
  return new ApiError({ kind, message: 'HTTP 500', call: { verb: 'get', resource: 'readyz' } });
}

/** Five looks at the hub, ten seconds apart. */
async function fiveLooks(rig: EngineRig): Promise<void> {
  for (let look = 0; look < 5; look++) {
    await rig.clock.advance(10_000);
    await rig.converge();
  }
}

describe('the hub as a cluster of its own', () => {
  it('asks nothing of the hub without the option', async () => {
    const asked: string[] = [];
    const probe = () => Promise.resolve(void asked.push('probe'));
    const rig = new EngineRig({ hub: { ...hub, probe } });
    await rig.install({ localCluster: { enabled: false } });
    await fiveLooks(rig);

    expect(asked).toEqual([]);
    expect(rig.api.all(ManagedClusters)).toEqual([]);
    expect(rows(rig)).toEqual([]);
  });

  it('looks every ten seconds and writes nothing while nothing changes', async () => {
    const rig = new EngineRig();
    await rig.install(ON);
    const before = rig.api.writes.length;
    const result = await rig.converge();
    await fiveLooks(rig);

    expect(result).toEqual({ ending: 'done', requeueAfterMs: expect.any(Number) });
    expect(rig.api.writes.slice(before)).toEqual([]);
    expect(condition(rig)?.status).toBe('True');
    expect(rows(rig)).toEqual(['local-cluster True Applied']);
  });

  it.each<[FailureKind, string]>([
    ['Unavailable', 'False'],
    ['Transport', 'True'],
    ['Throttled', 'True'],
    ['Forbidden', 'True'],
  ])('with answers of kind %s to /readyz the cluster becomes %s, and gets no taint', async (kind, status) => {
    const down = { now: false };
    const rig = new EngineRig({
      hub: { ...hub, probe: () => (down.now ? Promise.reject(failure(kind)) : Promise.resolve()) },
    });
    await rig.install(ON);
    down.now = true;
    await fiveLooks(rig);

    expect(condition(rig)?.status).toBe(status);
    expect(rig.api.peek<ManagedCluster>(ManagedClusters, { name: 'local-cluster' })?.spec).toEqual({});

    down.now = false;
    await fiveLooks(rig);
    expect(condition(rig)?.status).toBe('True');
  });

  it('remembers through a pause which cluster it reported for, and leaves it afterwards', async () => {
    const rig = new EngineRig();
    await rig.install(ON);
    rig.edit({ annotations: { [PAUSED_ANNOTATION]: 'true' } }, {});
    await rig.converge();
    expect(condition(rig)?.status).toBe('True');
    expect(rows(rig)).toEqual(['local-cluster True Applied']);

    rig.edit({ annotations: {} });
    await rig.converge();
    expect(condition(rig)?.reason).toBe('LocalClusterNotReported');
    expect(rows(rig)).toEqual([]);
  });

  it('says on Ready which right is missing when the nodes cannot be read any more, and goes on when they can', async () => {
    const lost = { now: false };
    const denied = (): ApiError =>
      new ApiError({
        kind: 'Forbidden',
        message: 'nodes is forbidden: User "operator" cannot list resource "nodes"',
        call: { verb: 'list', resource: 'nodes' },
      });
    const rig = new EngineRig({
      hub: { ...hub, nodes: () => (lost.now ? Promise.reject(denied()) : Promise.resolve([])) },
    });
    await rig.install(ON);
    lost.now = true;
    rig.api.reviewAccess = ({ type }) => type !== Nodes;
    await rig.clock.advance(300_000);
    await rig.converge();

    expect([rig.state(), rig.message()]).toEqual([
      'Error PermissionDenied',
      expect.stringContaining(
        'the operator may not list nodes cluster-wide; ClusterRoleBinding multicluster-engine-local-cluster',
      ),
    ]);

    lost.now = false;
    await rig.clock.advance(60_000);
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
  });

  it('is turned off after a minute where the operator may not write the cluster any more', async () => {
    const rig = new EngineRig();
    await rig.install(ON);
    rig.api.before = ({ type }) => {
      if (type === ManagedClusters) throw failure('Forbidden');
    };
    rig.edit({}, {});
    await expect(rig.pass()).rejects.toMatchObject({ kind: 'Forbidden' });
    await rig.clock.advance(60_000);
    await rig.converge();

    expect(rig.state()).toBe('Available EngineReady');
    expect(rows(rig)).toEqual([]);
  });

  it('names the binding that is missing where the operator may not bind roles, and goes on when it is there', async () => {
    const rig = new EngineRig();
    await rig.install();
    await rig.clock.advance(6_000);
    rig.api.before = ({ type, verb }) => {
      if (type === ManagedClusters && verb !== 'allowed') throw failure('Forbidden');
    };
    rig.api.reviewAccess = () => false;
    rig.edit({}, ON);
    await rig.pass();
    await rig.clock.advance(6_000);
    await rig.pass();

    expect(rig.state()).toBe('Error PermissionDenied');
    expect(rig.message()).toContain(
      'ClusterRoleBinding multicluster-engine-local-cluster to ClusterRole multicluster-engine-local-cluster would grant',
    );

    rig.api.before = () => {};
    await rig.clock.advance(30_000);
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
  });

  it('makes the cluster again when somebody has deleted it', async () => {
    const rig = new EngineRig();
    await rig.install(ON);
    rig.api.remove(ManagedClusters, { name: 'local-cluster' });
    await fiveLooks(rig);

    expect(condition(rig)?.status).toBe('True');
  });

  it('makes no cluster before the status of the engine names it, so that another process can leave it', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit({}, ON);
    rig.api.before = ({ type, verb }) => {
      if (type === MultiClusterEngines && verb === 'updateStatus') throw failure('Unavailable');
    };
    for (let pass = 0; pass < 3; pass++) await expect(rig.pass()).rejects.toThrow('HTTP 500');
    expect(rig.api.all(ManagedClusters)).toEqual([]);

    // The process ends between the report of the hub and the next status.
    rig.api.before = () => {};
    await rig.pass();
    rig.api.before = ({ type, verb }) => {
      if (type === MultiClusterEngines && verb === 'updateStatus') throw failure('Unavailable');
    };
    await rig.pass().catch(() => undefined);
    expect(condition(rig)?.status).toBe('True');
    rig.api.before = () => {};
    const next = new EngineRig({ api: rig.api, clock: rig.clock });
    next.edit({}, { localCluster: { enabled: true, name: 'hub-1' } });
    await next.converge();

    expect(condition(rig)?.reason).toBe('LocalClusterNotReported');
    expect(condition(rig, 'hub-1')?.status).toBe('True');
  });
});
