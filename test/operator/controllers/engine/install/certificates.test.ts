import { beforeAll, describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../../../src/runtime/vocabulary/meta.js';
import { EXPIRY_ANNOTATION, TRUST_ANNOTATION } from '../../../../../src/api/names.js';
import { ConfigMaps, Deployments, Namespaces, Secrets } from '../../../../../src/runtime/vocabulary/kinds.js';
import { textAt } from '../../../../../src/domain/engine/manifest/manifest.js';
import { issueServingCertificate } from '../../../../../src/runtime/tls/serving.js';
import { ApiError } from '../../../../../src/runtime/errors.js';
import { DAY_MS, KEY_CANARY } from '../../../../support/builders/certificate.js';
import { NAMESPACE } from '../../../../support/builders/engine.js';
import type { FakeCall } from '../../../../support/fakes/api.js';
import { EngineRig } from '../../../../support/rigs/controllers/engine.js';

const SECRET = { namespace: NAMESPACE, name: 'gateway-tls' };
const TRUST = { namespace: NAMESPACE, name: 'gateway-ca' };

/** The certificates that clients trust, by number, in order. */
function trusted(rig: EngineRig): string[] {
  return [...textAt(rig.api.peek<KubeObject>(ConfigMaps, TRUST), 'data', 'ca.crt').matchAll(/^A*(\d+)$/gm)].map(
    ([, number = '']) => number,
  );
}

/** The certificate that is served, by number. */
function served(rig: EngineRig): string {
  const text = atob(textAt(rig.api.peek<KubeObject>(Secrets, SECRET), 'data', 'tls.crt'));
  return /^A*(\d+)$/m.exec(text)?.[1] ?? '';
}

function row(rig: EngineRig, kind: string, name: string): string {
  const found = rig.engine().status?.components?.find((one) => one.kind === kind && one.name === name);
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

function secretMeta(rig: EngineRig): KubeObject['metadata'] {
  return rig.api.peek<KubeObject>(Secrets, SECRET)?.metadata ?? { name: '' };
}

/** Somebody else writes the Secret and becomes the owner of fields. */
function overwrite(rig: EngineRig, change: { data?: object; metadata?: object }): void {
  const stored = rig.api.peek<KubeObject>(Secrets, SECRET);
  if (stored === undefined) throw new Error('there is no Secret');
  rig.api.put(
    Secrets,
    Object.assign(
      { ...stored, metadata: { ...stored.metadata, ...change.metadata } },
      change.data === undefined ? {} : { data: change.data },
    ),
  );
}

async function installed(): Promise<EngineRig> {
  const rig = new EngineRig();
  await rig.install();
  return rig;
}

const writes = (rig: EngineRig, before: number): string[] =>
  rig.api.writes.slice(before).filter((one) => !one.startsWith('updateStatus'));
const BOTH = ['apply configmaps multicluster-engine/gateway-ca', 'apply secrets multicluster-engine/gateway-tls'];

describe('the serving certificate', () => {
  it('a serving certificate is published before it is stored, and both objects are rows of the status', async () => {
    const rig = await installed();

    expect(trusted(rig)).toEqual([served(rig)]);
    expect(secretMeta(rig).annotations?.[EXPIRY_ANNOTATION]).toBe('2026-04-01T00:00:00Z');
    expect(textAt(rig.api.peek<KubeObject>(Secrets, SECRET), 'type')).toBe('kubernetes.io/tls');
    expect([row(rig, 'Secret', 'gateway-tls'), row(rig, 'ConfigMap', 'gateway-ca')]).toEqual([
      'True Applied: applied',
      'True Applied: applied',
    ]);
  });

  it('a serving certificate is renewed at two thirds of its validity and not before, and the previous one stays trusted', async () => {
    const rig = await installed();
    const first = served(rig);
    await rig.clock.advance(60 * DAY_MS - 1_000);
    const before = rig.api.writes.length;
    expect(await rig.pass()).toEqual({ ending: 'done', requeueAfterMs: 1_000 });
    expect(rig.api.writes).toHaveLength(before);

    await rig.clock.advance(1_000);
    await rig.converge();
    expect(writes(rig, before)).toEqual(BOTH);
    expect(trusted(rig)).toEqual([first, served(rig)]);
    expect(served(rig)).not.toBe(first);
    expect(rig.reasons().at(-1)).toBe('CertificateRenewed');

    const second = served(rig);
    await rig.clock.advance(60 * DAY_MS);
    await rig.converge();
    expect(trusted(rig)).toEqual([second, served(rig)]);
  });

  it('a valid serving certificate requests a pass every 12 h, since no timer is as long as its validity', async () => {
    const rig = await installed();

    expect(await rig.pass()).toEqual({ ending: 'done', requeueAfterMs: 12 * 3600 * 1000 });
  });

  it('another version of the operator does not replace a serving certificate', async () => {
    const rig = await installed();
    const before = rig.api.writes.length;
    const newer = new EngineRig({ api: rig.api, clock: rig.clock, settings: { version: '2.0.0' } });
    await newer.converge();

    expect(writes(rig, before)).toContain('apply services multicluster-engine/gateway');
    expect(writes(rig, before)).not.toContain('apply secrets multicluster-engine/gateway-tls');
  });

  it.each<[string, (rig: EngineRig) => void]>([
    [
      'the key pair is overwritten',
      (rig) => overwrite(rig, { data: { 'tls.crt': 'eA==', 'tls.key': 'eA==' }, metadata: { managedFields: [] } }),
    ],
    [
      'the expiry annotation is set to a later time',
      (rig) =>
        overwrite(rig, {
          metadata: {
            annotations: { ...secretMeta(rig).annotations, [EXPIRY_ANNOTATION]: '2099-01-01T00:00:00Z' },
            managedFields: [],
          },
        }),
    ],
    ['a label is removed', (rig) => overwrite(rig, { metadata: { labels: {} } })],
    [
      'the owner reference is removed and its field stays in our managedFields',
      (rig) => overwrite(rig, { metadata: { ownerReferences: [] } }),
    ],
    ['the Secret is deleted', (rig) => rig.api.remove(Secrets, SECRET)],
  ])(
    'a new certificate is issued, and the one that may still be served stays trusted, when %s',
    async (_name, change) => {
      const rig = await installed();
      const first = served(rig);
      const before = rig.api.writes.length;
      rig.enqueued.length = 0;
      change(rig);
      expect(rig.enqueued).toEqual(['hub']);
      await rig.converge();

      expect(writes(rig, before)).toEqual(BOTH);
      expect(trusted(rig)).toEqual([first, served(rig)]);
      expect(served(rig)).not.toBe(first);
      expect(rig.reasons().at(-1)).toBe('DriftRepaired');
      expect(rig.state()).toBe('Available EngineReady');
    },
  );

  it('a serving certificate that is overwritten repeatedly is replaced with a growing delay', async () => {
    const rig = await installed();
    const change = (): void => overwrite(rig, { metadata: { managedFields: [] } });
    change();
    await rig.pass();
    change();
    const before = rig.api.writes.length;

    expect(await rig.pass()).toMatchObject({ ending: 'wait', afterMs: 250 });
    expect(writes(rig, before)).toEqual([]);
    await rig.clock.advance(250);
    await rig.pass();
    expect(writes(rig, before)).toEqual(BOTH);
  });

  it.each<[string, (rig: EngineRig) => void]>([
    ['deleted', (rig) => rig.api.remove(ConfigMaps, TRUST)],
    [
      'edited',
      (rig) =>
        rig.api.put(
          ConfigMaps,
          Object.assign(
            { ...rig.api.peek<KubeObject>(ConfigMaps, TRUST), metadata: TRUST },
            { data: { 'ca.crt': 'evil' } },
          ),
        ),
    ],
  ])('a serving certificate keeps its key when the ConfigMap is %s, which is applied again', async (_name, change) => {
    const rig = await installed();
    await rig.clock.advance(60 * DAY_MS);
    await rig.converge();
    const known = trusted(rig);
    const before = rig.api.writes.length;
    change(rig);
    await rig.converge();

    expect(writes(rig, before)).toEqual(['apply configmaps multicluster-engine/gateway-ca']);
    expect(trusted(rig)).toEqual(known);
    expect(secretMeta(rig).annotations?.[TRUST_ANNOTATION]).toBe(
      textAt(rig.api.peek<KubeObject>(ConfigMaps, TRUST), 'data', 'ca.crt'),
    );
  });

  it('a cache that lags does not lead to a second key pair', async () => {
    const rig = new EngineRig();
    rig.create();
    await rig.pass();
    for (const cache of rig.opened) cache.pause();
    rig.api.remove(Secrets, SECRET);
    for (const cache of rig.opened.filter((one) => one.type === Secrets)) cache.deliver(1);
    await rig.pass();
    const before = rig.api.writes.length;
    await rig.pass();

    expect(writes(rig, before)).toEqual([]);
  });

  it('a paused engine reports a serving certificate that is due and issues none', async () => {
    const rig = await installed();
    rig.edit({ annotations: { 'multicluster.platform.io/paused': 'true' } });
    await rig.pass();
    expect(row(rig, 'Secret', 'gateway-tls')).toContain('True Applied');
    await rig.clock.advance(61 * DAY_MS);
    const before = rig.api.writes.length;
    await rig.pass();

    expect(writes(rig, before)).toEqual([]);
    expect(row(rig, 'Secret', 'gateway-tls')).toBe('True Drifted: expires at 2026-04-01T00:00:00Z');
    expect(rig.message()).toContain('Secret multicluster-engine/gateway-tls: expires at');
    rig.api.remove(Secrets, SECRET);
    rig.api.remove(ConfigMaps, TRUST);
    await rig.pass();
    expect([row(rig, 'Secret', 'gateway-tls'), row(rig, 'ConfigMap', 'gateway-ca')]).toEqual([
      'False Missing: does not exist',
      'False Missing: does not exist',
    ]);
    expect(writes(rig, before)).toEqual([]);
  });

  it('a serving certificate waits while the namespace is being deleted', async () => {
    const rig = await installed();
    rig.api.remove(Secrets, SECRET);
    rig.api.put(Namespaces, { metadata: { name: NAMESPACE, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    const before = rig.api.writes.length;
    await rig.pass();

    expect(writes(rig, before)).toEqual([]);
    expect(row(rig, 'Secret', 'gateway-tls')).toBe('False Pending: Namespace multicluster-engine is being deleted');
  });
});

describe('a Secret that somebody else made', () => {
  let theirs: KubeObject & { readonly data: object };
  beforeAll(async () => {
    const { certificate, privateKey } = await issueServingCertificate({
      names: ['theirs'],
      now: new EngineRig().clock.now(),
    });
    const data = { 'tls.crt': btoa(certificate), 'tls.key': btoa(privateKey) };
    theirs = { metadata: { ...SECRET, labels: { theirs: 'x' } }, data };
  });

  it.each([
    ['without an owner', {}],
    [
      'of cert-manager',
      {
        ownerReferences: [
          { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', name: 'gateway', uid: 'c', controller: true },
        ],
      },
    ],
  ])(
    'a Secret %s that another client made is used unchanged, and the engine is ready with it',
    async (_name, owner) => {
      const rig = new EngineRig();
      rig.api.put(Namespaces, { metadata: { name: NAMESPACE } });
      const given = rig.api.put(Secrets, { ...theirs, metadata: { ...theirs.metadata, ...owner } });
      await rig.install();

      expect(rig.api.peek(Secrets, SECRET)).toEqual(given);
      expect(rig.api.peek(ConfigMaps, TRUST)).toBeUndefined();
      expect(rig.state()).toBe('Available EngineReady');
      expect(row(rig, 'Secret', 'gateway-tls')).toBe(
        'True Given: was created by somebody else and is used unchanged; valid until 2026-04-01T00:00:00Z, for theirs',
      );
      rig.edit({ annotations: { 'multicluster.platform.io/paused': 'true' } });
      await rig.pass();
      expect(row(rig, 'Secret', 'gateway-tls')).toContain('True Given');
    },
  );

  it('a given Secret in the place of ours removes our ConfigMap; after its deletion a certificate is issued again', async () => {
    const rig = await installed();
    rig.api.remove(Secrets, SECRET);
    rig.api.put(Secrets, theirs);
    await rig.converge();
    expect(rig.api.peek(ConfigMaps, TRUST)).toBeUndefined();
    expect(rig.engine().status?.components?.some((one) => one.name === 'gateway-ca')).toBe(false);

    rig.api.remove(Secrets, SECRET);
    await rig.converge();
    expect(trusted(rig)).toEqual([served(rig)]);
  });

  it('a given Secret survives the uninstall and keeps the namespace', async () => {
    const rig = new EngineRig();
    rig.create();
    rig.api.put(Secrets, theirs);
    await rig.converge();
    rig.remove();
    for (let round = 0; round < 5 && rig.exists(); round++) {
      await rig.pass();
      rig.collect();
    }

    expect(rig.exists()).toBe(false);
    expect(rig.made()).toEqual(expect.arrayContaining(['Namespace multicluster-engine', 'Secret gateway-tls']));
    expect(rig.made()).not.toContain('ConfigMap gateway-ca');
  });
});

describe('failures of serving certificates', () => {
  const refuse = (rig: EngineRig, type: typeof Secrets, kind: 'Invalid' | 'Forbidden', verb = 'apply'): void => {
    rig.api.before = (call: FakeCall) => {
      if (call.type === type && call.verb === verb)
        throw new ApiError({ kind, message: 'no', call: { verb: 'patch', resource: 'x' }, status: 403 });
    };
  };

  it('a foreign ConfigMap of the same name is named, and no certificate is stored that clients could not trust', async () => {
    const rig = new EngineRig();
    rig.api.put(ConfigMaps, { metadata: TRUST });
    rig.create();
    await rig.converge();

    expect(rig.state()).toBe('Error ForeignObject');
    expect(row(rig, 'Secret', 'gateway-tls')).toBe(
      'False Pending: waits for ConfigMap multicluster-engine/gateway-ca, which has to publish it first',
    );
    expect(rig.api.peek(Secrets, SECRET)).toBeUndefined();
    expect(rig.api.peek(Deployments, { namespace: NAMESPACE, name: 'gateway' })).toBeDefined();
  });

  it('a refused Secret is retried with the same key pair and a growing delay, and the phase becomes Error', async () => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, Secrets, 'Invalid');
    for (let pass = 0; pass < 12; pass++) {
      await rig.pass();
      await rig.clock.advance(1_000);
    }

    const tries = rig.api.writes.filter((one) => one.startsWith('apply secrets')).length;
    expect([tries > 2, tries < 7]).toEqual([true, true]);
    expect(rig.api.writes.filter((one) => one.startsWith('apply configmaps'))).toHaveLength(1);
    expect(rig.state()).toBe('Error ApplyFailed');
    rig.api.before = () => undefined;
    await rig.clock.advance(60_000);
    await rig.converge();
    expect(trusted(rig)).toEqual([served(rig)]);
  });

  it.each(['get', 'apply'])('a missing right to %s is reported with the binding that gives it', async (verb) => {
    const rig = new EngineRig();
    rig.create();
    rig.api.reviewAccess = (access) => access.type !== Secrets;
    refuse(rig, Secrets, 'Forbidden', verb);
    await rig.pass();
    await rig.clock.advance(6_000);
    await rig.pass();

    expect(rig.state()).toBe('Error PermissionDenied');
    expect(rig.message()).toContain('secrets');
  });

  it('a failed issue does not stop the other objects', async () => {
    const rig = new EngineRig({ issue: () => Promise.reject(new Error('no entropy')) });
    rig.create();
    await rig.pass();

    expect(row(rig, 'Secret', 'gateway-tls')).toBe('False ApplyFailed: no entropy');
    expect(rig.made()).toContain('Deployment gateway');
  });
});

describe('the private key', () => {
  it('the private key is in no log, event, status or ConfigMap', async () => {
    const rig = await installed();
    await rig.clock.advance(60 * DAY_MS);
    await rig.converge();
    overwrite(rig, { metadata: { managedFields: [] } });
    await rig.converge();
    const everything = JSON.stringify([rig.log, rig.events, rig.engine(), rig.api.all(ConfigMaps), secretMeta(rig)]);

    expect(everything).not.toContain(KEY_CANARY);
    expect(everything).not.toContain(btoa(KEY_CANARY).slice(0, 20));
    expect(atob(textAt(rig.api.peek<KubeObject>(Secrets, SECRET), 'data', 'tls.key'))).toContain(KEY_CANARY);
  });
});

describe('an operator that ends between the two writes', () => {
  it('a key pair that was published and not stored is replaced, at the first issue and at a renewal', async () => {
    let applyFails = false;
    const rig = await installed();
    const first = served(rig);
    rig.api.before = (call) => {
      if (applyFails && call.type === Secrets && call.verb === 'apply') throw new Error('dead');
    };
    await rig.clock.advance(60 * DAY_MS);
    applyFails = true;
    await rig.pass();
    const lost = trusted(rig).at(-1);
    expect([trusted(rig)[0], served(rig)]).toEqual([first, first]);
    applyFails = false;
    const next = new EngineRig({ api: rig.api, clock: rig.clock });
    await next.converge();

    expect(trusted(rig)).toEqual([first, served(rig)]);
    expect(served(rig)).not.toBe(lost);
  });
});
