import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { Deployments, ServiceAccounts } from '../../../../src/runtime/vocabulary/kinds.js';
import { at, treeAt } from '../../../../src/domain/engine/manifest/manifest.js';
import { NAMESPACE } from '../../../support/builders/engine.js';
import { EngineRig } from '../../../support/rigs/controllers/engine.js';

const ACCOUNT = { namespace: NAMESPACE, name: 'placement-controller' };
const PAUSED = { annotations: { 'multicluster.platform.io/paused': 'true' } };

describe('the pause', () => {
  it('a pause stops every write except that of status, and drift is still reported', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit(PAUSED, { nodeSelector: { a: '1' } });
    rig.api.remove(ServiceAccounts, ACCOUNT);
    const before = rig.api.writes.length;
    await rig.converge();

    expect(rig.api.writes.slice(before)).toEqual(['updateStatus multiclusterengines hub']);
    expect(rig.state()).toBe('Paused Paused');
    expect(rig.message()).toBe(
      'annotation multicluster.platform.io/paused stops every write except that of status; pending: ' +
        'ServiceAccount multicluster-engine/placement-controller: does not exist; ' +
        'Deployment multicluster-engine/placement-controller: the desired state has changed; ' +
        'Deployment multicluster-engine/gateway: the desired state has changed',
    );
    expect(
      rig
        .engine()
        .status?.components?.filter((row) => row.reason !== 'Applied')
        .map((row) => `${row.kind} ${row.status} ${row.reason}`),
    ).toEqual(['Deployment True Drifted', 'Deployment True Drifted', 'ServiceAccount False Missing']);
  });

  it('a paused engine keeps observedGeneration at the last applied generation', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit(PAUSED, { nodeSelector: { a: '1' } });
    await rig.converge();

    expect(rig.engine().metadata.generation).toBe(2);
    expect(rig.engine().status?.observedGeneration).toBe(1);
  });

  it('the end of a pause applies everything at once', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit(PAUSED, { nodeSelector: { a: '1' } });
    await rig.converge();
    rig.edit({ annotations: {} });
    await rig.converge();
    rig.rollOut();
    await rig.converge();

    expect(at(rig.api.peek(Deployments, ACCOUNT), 'spec', 'template', 'spec', 'nodeSelector')).toEqual({ a: '1' });
    expect(rig.state()).toBe('Available EngineReady');
    expect(rig.reasons()).toEqual(expect.arrayContaining(['EnginePaused', 'EngineResumed']));
  });

  it('an engine that is created paused gets no finalizer and no namespace, and no cache is opened', async () => {
    const rig = new EngineRig();
    rig.create({}, PAUSED);
    await rig.converge();

    expect(rig.api.writes).toEqual(['updateStatus multiclusterengines hub']);
    expect(rig.state()).toBe('Paused Paused');
    expect(rig.engine().status?.observedGeneration).toBe(-1);
    expect(rig.opened).toEqual([]);
  });

  it('a paused engine after a restart of the operator leads to no write, and drift is reported', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit(PAUSED);
    await rig.converge();
    const before = rig.api.writes.length;
    const restarted = new EngineRig({ api: rig.api, clock: rig.clock });
    await restarted.converge();
    expect(rig.api.writes).toHaveLength(before);

    const deployment = rig.api.peek<KubeObject>(Deployments, ACCOUNT);
    rig.api.put(
      Deployments,
      Object.assign(
        { ...deployment, metadata: { ...deployment?.metadata, ...ACCOUNT } },
        { spec: { ...treeAt(deployment, 'spec'), replicas: 1 } },
      ),
    );
    await restarted.converge();
    expect(restarted.message()).toContain('differs at spec.replicas');
  });

  it('a paused engine whose namespace cannot be read keeps its status, without a repeated write', async () => {
    const rig = new EngineRig();
    await rig.install();
    for (const cache of rig.opened) cache.fail(new Error('away'));
    rig.edit(PAUSED);
    expect(await rig.pass()).toMatchObject({ ending: 'wait' });
    const before = rig.api.writes.length;
    await rig.pass();

    expect(rig.message()).toBe('annotation multicluster.platform.io/paused stops every write except that of status');
    expect(rig.api.writes).toHaveLength(before);
  });

  it.each(['True', '1', 'false', ''])('the annotation with the value %j is no pause', async (value) => {
    const rig = new EngineRig();
    rig.create({}, { annotations: { 'multicluster.platform.io/paused': value } });
    await rig.converge();

    expect(rig.state()).toBe('Progressing Installing');
  });

  it('a paused engine reports a foreign object', async () => {
    const rig = new EngineRig();
    await rig.install();
    const account = rig.api.peek<KubeObject>(ServiceAccounts, ACCOUNT);
    const ownerReferences = [{ apiVersion: 'x/v1', kind: 'Widget', name: 'w', uid: 'w', controller: true }];
    rig.api.put(ServiceAccounts, { ...account, metadata: { ...account?.metadata, ...ACCOUNT, ownerReferences } });
    rig.edit(PAUSED);
    await rig.converge();

    expect(rig.message()).toContain('belongs to Widget w');
  });
});

describe('the reconcile annotation', () => {
  it('the reconcile annotation is acknowledged in the status', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit({ annotations: { 'multicluster.platform.io/reconcile-requested-at': 'today' } });
    expect(rig.enqueued.at(-1)).toBe('hub');
    await rig.converge();

    expect(rig.engine().status?.lastHandledReconcileAt).toBe('today');
  });
});
