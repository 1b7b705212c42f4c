import { describe, expect, it } from '@jest/globals';

import type { MultiClusterEngineSpec } from '../../../../src/api/generated/multiclusterengine.js';
import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { ConfigMaps, Deployments, Secrets } from '../../../../src/runtime/vocabulary/kinds.js';
import { NAMESPACE } from '../../../support/builders/engine.js';
import { EngineRig, ROWS } from '../../../support/rigs/controllers/engine.js';

const off = (...names: readonly string[]): MultiClusterEngineSpec => ({
  components: names.map((name) => ({ name: name as 'gateway', enabled: false })),
});
const GATEWAY = { namespace: NAMESPACE, name: 'gateway' };
const TLS = { namespace: NAMESPACE, name: 'gateway-tls' };
const rows = (rig: EngineRig) =>
  (rig.engine().status?.components ?? []).map(
    (row) => `${row.kind} ${row.name} ${row.type} ${row.status} ${row.reason}`,
  );

describe('a component that is turned off', () => {
  it('is removed with its certificate, and its row says what does not happen meanwhile', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit({}, off('gateway'));
    await rig.converge();

    expect(rows(rig).filter((row) => row.includes('gateway'))).toEqual(['Deployment gateway Disabled True Disabled']);
    expect(rig.api.peek(Deployments, GATEWAY)).toBeUndefined();
    expect(rig.api.peek(Secrets, TLS)).toBeUndefined();
    expect(rig.api.peek(ConfigMaps, { namespace: NAMESPACE, name: 'gateway-ca' })).toBeUndefined();
    expect(rig.state()).toBe('Available EngineReady');
    expect(rig.message()).toBe(
      'every component is applied and available; gateway is off: nobody answers at the HTTPS interface',
    );
    expect(rig.reasons().filter((reason) => reason === 'ComponentDisabled')).toHaveLength(1);
  });

  it('that is turned on again is as new', async () => {
    const rig = new EngineRig();
    await rig.install(off('gateway'));
    rig.edit({}, {});
    await rig.converge();
    rig.rollOut();
    await rig.converge();

    expect(rows(rig)).toHaveLength(ROWS);
    expect(rig.state()).toBe('Available EngineReady');
    expect(rig.api.peek(Secrets, TLS)).toBeDefined();
  });

  it('leaves a certificate that somebody else made', async () => {
    const rig = new EngineRig();
    rig.api.put<KubeObject>(Secrets, { metadata: TLS });
    await rig.install(off('gateway'));

    expect(rig.api.peek(Secrets, TLS)).toBeDefined();
  });

  it('keeps the engine from being ready until its Deployment is gone', async () => {
    const rig = new EngineRig();
    await rig.install();
    const stored = rig.api.peek<KubeObject>(Deployments, GATEWAY);
    rig.api.put<KubeObject>(Deployments, {
      ...stored,
      metadata: { ...GATEWAY, ...stored?.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x.io/y'] },
    });
    rig.edit({}, off('gateway'));
    await rig.converge();

    expect(rig.state()).toBe('Progressing RollingOut');
    expect(rig.message()).toContain('it is being removed (finalizers: x.io/y)');
  });

  it('stays during a pause, which says so', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit({ annotations: { 'multicluster.platform.io/paused': 'true' } }, off('gateway'));
    await rig.converge();

    expect(rig.api.peek(Deployments, GATEWAY)).toBeDefined();
    expect(rig.message()).toContain('spec.components turns it off; the pause delays its removal');
  });

  it('takes every component with it and the engine is still ready', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit({}, off('gateway', 'placement-controller'));
    await rig.converge();

    expect(rows(rig)).toEqual([
      'Deployment gateway Disabled True Disabled',
      'Deployment placement-controller Disabled True Disabled',
      `Namespace ${NAMESPACE} Applied True Applied`,
      'RoleBinding multicluster-engine-installer Applied True Applied',
    ]);
    expect(rig.message()).toContain('placement-controller is off: each Placement keeps its last decision');
    expect(rig.state()).toBe('Available EngineReady');
  });
});

describe('a component that is off by default', () => {
  const withConsole: MultiClusterEngineSpec = { components: [{ name: 'console', enabled: true }] };
  const CONSOLE = { namespace: NAMESPACE, name: 'console' };
  const ofConsole = (rig: EngineRig) => rows(rig).filter((row) => row.includes(' console'));

  it('is no news where nobody names it: no object, no row, no request about its certificate', async () => {
    const rig = new EngineRig();
    await rig.install();

    expect(ofConsole(rig)).toEqual([]);
    expect(rig.api.peek(Deployments, CONSOLE)).toBeUndefined();
    expect(rig.api.secretReads).toEqual([]);
  });

  it('runs with a certificate of its own where it is turned on, and leaves nothing where its item is taken away', async () => {
    const rig = new EngineRig();
    await rig.install(withConsole);
    expect(ofConsole(rig)).toEqual([
      'ConfigMap console-ca Applied True Applied',
      'Deployment console Available True Available',
      'NetworkPolicy console Applied True Applied',
      'PodDisruptionBudget console Applied True Applied',
      'Secret console-tls Applied True Applied',
      'Service console Applied True Applied',
      'ServiceAccount console Applied True Applied',
    ]);
    rig.edit({}, {});
    await rig.converge();

    expect(ofConsole(rig)).toEqual([]);
    for (const [type, name] of [
      [Deployments, 'console'],
      [Secrets, 'console-tls'],
      [ConfigMaps, 'console-ca'],
    ] as const)
      expect(rig.api.peek(type, { namespace: NAMESPACE, name })).toBeUndefined();
    expect(rig.state()).toBe('Available EngineReady');
  });

  it('is removed where the operator does not run it, whatever the spec says, and the engine names the flag', async () => {
    const before = new EngineRig();
    await before.install(withConsole);
    const { api, clock } = before;
    const rig = new EngineRig({ api, clock, settings: { without: ['console'] } });
    await rig.converge();

    expect(ofConsole(rig)).toEqual(['Deployment console Disabled True Disabled']);
    expect(rig.api.peek(Secrets, { namespace: NAMESPACE, name: 'console-tls' })).toBeUndefined();
    expect(rig.state()).toBe('Available EngineReady');
    expect(rig.message()).toContain("console is off: the operator's flag --without=console turns it off");
  });

  it('is named where its certificate is of somebody else and of no use', async () => {
    const rig = new EngineRig();
    rig.api.put<KubeObject>(Secrets, { metadata: { namespace: NAMESPACE, name: 'console-tls' } });
    await rig.install(withConsole);

    expect(rig.message()).toContain(
      `Secret ${NAMESPACE}/console-tls: is empty: it has no data; a running console keeps the pair that it has loaded`,
    );
  });
});
