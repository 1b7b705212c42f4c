import { expect, it } from '@jest/globals';

import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { Secrets, ServiceAccounts, Services } from '../../../../src/runtime/vocabulary/kinds.js';
import { NAMESPACE } from '../../../support/builders/engine.js';
import { EngineRig } from '../../../support/rigs/controllers/engine.js';

const SERVICE = { namespace: NAMESPACE, name: 'gateway' };
const row = (rig: EngineRig) =>
  rig.engine().status?.components?.find(({ kind, name }) => kind === 'Service' && name === 'gateway');

it('an engine says what it could take over, takes it over where the spec lets it, and says what it took', async () => {
  const rig = new EngineRig();
  rig.api.put<KubeObject>(Services, { metadata: SERVICE });
  rig.create();
  await rig.converge();
  expect(rig.state()).toBe('Error ForeignObject');
  expect(rig.message()).toContain('or let the engine take it over (spec.adoption: IfUnowned)');

  rig.edit({}, { adoption: 'IfUnowned' });
  await rig.converge();
  rig.rollOut();
  await rig.converge();

  expect(rig.state()).toBe('Available EngineReady');
  expect(row(rig)).toMatchObject({
    status: 'True',
    reason: 'Adopted',
    message: expect.stringMatching(/^taken over at /),
  });
  expect(rig.events.filter(({ reason }) => reason === 'ObjectAdopted').map(({ note }) => note)).toEqual([
    'Service multicluster-engine/gateway had no owner and was taken over',
  ]);

  rig.edit({}, {});
  await rig.converge();
  expect(row(rig)?.reason).toBe('Adopted');
});

it('what was taken over is told once, also where somebody writes to the engine before its status is stored', async () => {
  const rig = new EngineRig();
  rig.api.put<KubeObject>(Services, { metadata: SERVICE });
  rig.create();
  await rig.converge();
  rig.edit({}, { adoption: 'IfUnowned' });
  let isWritten = false;
  rig.api.before = ({ verb }) => {
    if (verb === 'updateStatus' && !isWritten) rig.edit({ labels: { more: '1' } });
    isWritten ||= verb === 'updateStatus';
  };

  await expect(rig.pass()).rejects.toThrow('Conflict');
  await rig.converge();

  expect(rig.reasons().filter((reason) => reason === 'ObjectAdopted')).toHaveLength(1);
});

it('an engine that may take over neither changes what somebody owns nor the Secret of a certificate', async () => {
  const rig = new EngineRig();
  const owned = { labels: { 'app.kubernetes.io/managed-by': 'Helm' } };
  const theirs = rig.api.put<KubeObject>(ServiceAccounts, { metadata: { ...SERVICE, ...owned } });
  const secret = rig.api.put<KubeObject>(Secrets, { metadata: { namespace: NAMESPACE, name: 'gateway-tls' } });
  rig.create({ adoption: 'IfUnowned' });
  await rig.converge();

  expect(rig.message()).toBe(
    'ServiceAccount multicluster-engine/gateway: is managed by Helm (label app.kubernetes.io/managed-by) and is not ' +
      'changed; delete or rename it',
  );
  expect(rig.api.peek(ServiceAccounts, SERVICE)).toEqual(theirs);
  expect(rig.api.peek(Secrets, { namespace: NAMESPACE, name: 'gateway-tls' })).toEqual(secret);
});

it('an adoption that was interrupted is completed by the next pass', async () => {
  const rig = new EngineRig();
  rig.api.put<KubeObject>(Services, { metadata: SERVICE });
  rig.create({ adoption: 'IfUnowned' });
  let writes = 0;
  rig.api.before = ({ verb, type }) => {
    if (verb === 'apply' && type === Services && ++writes === 2) throw new Error('the process ends');
  };
  await rig.pass();
  const at = () =>
    rig.api.peek<KubeObject>(Services, SERVICE)?.metadata.annotations?.['multicluster.platform.io/adopted-at'];
  expect(at()).toBe('');

  await rig.clock.advance(60_000);
  await rig.converge();
  expect(at()).toBe('2026-01-01T00:01:00Z');
});
