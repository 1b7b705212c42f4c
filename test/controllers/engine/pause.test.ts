import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../src/api/meta.js';
import { Deployments, ServiceAccounts } from '../../../src/api/resources.js';
import { at, treeAt } from '../../../src/domain/engine/manifest/manifest.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import { EngineRig } from '../../support/rigs/controllers/engine.js';

const ACCOUNT = { namespace: NAMESPACE, name: 'placement-controller' };
const PAUSED = { annotations: { 'multicluster.platform.io/paused': 'true' } };

describe('the pause', () => {
  it('stops every write but status, and still reports drift', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.edit(PAUSED, { nodeSelector: { a: '1' } });
    stage.api.remove(ServiceAccounts, ACCOUNT);
    const before = stage.api.writes.length;
    await stage.settle();

    expect(stage.api.writes.slice(before)).toEqual(['updateStatus multiclusterengines hub']);
    expect(stage.state()).toBe('Paused Paused');
    expect(stage.message()).toBe(
      'annotation multicluster.platform.io/paused stops every write but status; held back: ' +
        'ServiceAccount multicluster-engine/placement-controller: does not exist; ' +
        'Deployment multicluster-engine/placement-controller: the desired state has changed; ' +
        'Deployment multicluster-engine/gateway: the desired state has changed',
    );
    expect(
      stage
        .engine()
        .status?.components?.filter((row) => row.reason !== 'Applied')
        .map((row) => `${row.kind} ${row.status} ${row.reason}`),
    ).toEqual(['Deployment True Drifted', 'Deployment True Drifted', 'ServiceAccount False Missing']);
  });

  it('keeps observedGeneration at the last applied generation', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.edit(PAUSED, { nodeSelector: { a: '1' } });
    await stage.settle();

    expect(stage.engine().metadata.generation).toBe(2);
    expect(stage.engine().status?.observedGeneration).toBe(1);
  });

  it('that ends lets everything through at once', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.edit(PAUSED, { nodeSelector: { a: '1' } });
    await stage.settle();
    stage.edit({ annotations: {} });
    await stage.settle();
    stage.rollOut();
    await stage.settle();

    expect(at(stage.api.peek(Deployments, ACCOUNT), 'spec', 'template', 'spec', 'nodeSelector')).toEqual({ a: '1' });
    expect(stage.state()).toBe('Available EngineReady');
    expect(stage.reasons()).toEqual(expect.arrayContaining(['EnginePaused', 'EngineResumed']));
  });

  it('from the first day touches nothing: no finalizer, no namespace, no look into it', async () => {
    const stage = new EngineRig();
    stage.create({}, PAUSED);
    await stage.settle();

    expect(stage.api.writes).toEqual(['updateStatus multiclusterengines hub']);
    expect(stage.state()).toBe('Paused Paused');
    expect(stage.engine().status?.observedGeneration).toBe(-1);
    expect(stage.opened).toEqual([]);
  });

  it('survives a restart of the operator without a write, and sees drift after it', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.edit(PAUSED);
    await stage.settle();
    const before = stage.api.writes.length;
    const restarted = new EngineRig({ api: stage.api, clock: stage.clock });
    await restarted.settle();
    expect(stage.api.writes).toHaveLength(before);

    const deployment = stage.api.peek<KubeObject>(Deployments, ACCOUNT);
    stage.api.put(
      Deployments,
      Object.assign(
        { ...deployment, metadata: { ...deployment?.metadata, ...ACCOUNT } },
        { spec: { ...treeAt(deployment, 'spec'), replicas: 1 } },
      ),
    );
    await restarted.settle();
    expect(restarted.message()).toContain('differs at spec.replicas');
  });

  it('while the namespace cannot be read says no more than it knows, and nothing twice', async () => {
    const stage = new EngineRig();
    await stage.install();
    for (const cache of stage.opened) cache.fail(new Error('away'));
    stage.edit(PAUSED);
    expect(await stage.pass()).toMatchObject({ ending: 'wait' });
    const before = stage.api.writes.length;
    await stage.pass();

    expect(stage.message()).toBe('annotation multicluster.platform.io/paused stops every write but status');
    expect(stage.api.writes).toHaveLength(before);
  });

  it.each(['True', '1', 'false', ''])('is not meant by the value %j', async (value) => {
    const stage = new EngineRig();
    stage.create({}, { annotations: { 'multicluster.platform.io/paused': value } });
    await stage.settle();

    expect(stage.state()).toBe('Progressing Installing');
  });

  it('shows a foreign object too', async () => {
    const stage = new EngineRig();
    await stage.install();
    const account = stage.api.peek<KubeObject>(ServiceAccounts, ACCOUNT);
    const ownerReferences = [{ apiVersion: 'x/v1', kind: 'Widget', name: 'w', uid: 'w', controller: true }];
    stage.api.put(ServiceAccounts, { ...account, metadata: { ...account?.metadata, ...ACCOUNT, ownerReferences } });
    stage.edit(PAUSED);
    await stage.settle();

    expect(stage.message()).toContain('belongs to Widget w');
  });
});

describe('the wish for a pass now', () => {
  it('is answered in the status', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.edit({ annotations: { 'multicluster.platform.io/reconcile-requested-at': 'today' } });
    expect(stage.enqueued.at(-1)).toBe('hub');
    await stage.settle();

    expect(stage.engine().status?.lastHandledReconcileAt).toBe('today');
  });
});
