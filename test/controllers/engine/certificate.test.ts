import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../src/api/meta.js';
import { EXPIRY_ANNOTATION, TRUST_ANNOTATION } from '../../../src/api/names.js';
import { ConfigMaps, Deployments, Namespaces, Secrets } from '../../../src/api/resources.js';
import { textAt } from '../../../src/domain/engine/manifest/manifest.js';
import { ApiError } from '../../../src/runtime/errors.js';
import { DAY_MS, KEY_CANARY } from '../../support/builders/certificate.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import type { FakeCall } from '../../support/fakes/api.js';
import { EngineRig } from '../../support/rigs/controllers/engine.js';

const SECRET = { namespace: NAMESPACE, name: 'gateway-tls' };
const TRUST = { namespace: NAMESPACE, name: 'gateway-ca' };

/** The certificates that clients trust, by number, in order. */
function trusted(stage: EngineRig): string[] {
  return [...textAt(stage.api.peek<KubeObject>(ConfigMaps, TRUST), 'data', 'ca.crt').matchAll(/^A*(\d+)$/gm)].map(
    ([, number = '']) => number,
  );
}

/** The certificate that is served, by number. */
function served(stage: EngineRig): string {
  const text = atob(textAt(stage.api.peek<KubeObject>(Secrets, SECRET), 'data', 'tls.crt'));
  return /^A*(\d+)$/m.exec(text)?.[1] ?? '';
}

function row(stage: EngineRig, kind: string, name: string): string {
  const found = stage.engine().status?.components?.find((one) => one.kind === kind && one.name === name);
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

function secretMeta(stage: EngineRig): KubeObject['metadata'] {
  return stage.api.peek<KubeObject>(Secrets, SECRET)?.metadata ?? { name: '' };
}

/** Somebody else writes the Secret, taking fields from us. */
function overwrite(stage: EngineRig, change: { data?: object; metadata?: object }): void {
  const stored = stage.api.peek<KubeObject>(Secrets, SECRET);
  if (stored === undefined) throw new Error('there is no Secret');
  stage.api.put(
    Secrets,
    Object.assign(
      { ...stored, metadata: { ...stored.metadata, ...change.metadata } },
      change.data === undefined ? {} : { data: change.data },
    ),
  );
}

async function installed(): Promise<EngineRig> {
  const stage = new EngineRig();
  await stage.install();
  return stage;
}

const writes = (stage: EngineRig, before: number): string[] =>
  stage.api.writes.slice(before).filter((one) => !one.startsWith('updateStatus'));
const BOTH = ['apply configmaps multicluster-engine/gateway-ca', 'apply secrets multicluster-engine/gateway-tls'];

describe('the serving certificate', () => {
  it('is published before it is stored, and both are rows of the status', async () => {
    const stage = await installed();

    expect(trusted(stage)).toEqual([served(stage)]);
    expect(secretMeta(stage).annotations?.[EXPIRY_ANNOTATION]).toBe('2026-04-01T00:00:00Z');
    expect(textAt(stage.api.peek<KubeObject>(Secrets, SECRET), 'type')).toBe('kubernetes.io/tls');
    expect([row(stage, 'Secret', 'gateway-tls'), row(stage, 'ConfigMap', 'gateway-ca')]).toEqual([
      'True Applied: applied',
      'True Applied: applied',
    ]);
  });

  it('is renewed at two thirds of its life and not before, the one before staying trusted', async () => {
    const stage = await installed();
    const first = served(stage);
    await stage.clock.advance(60 * DAY_MS - 1_000);
    const before = stage.api.writes.length;
    expect(await stage.pass()).toEqual({ ending: 'done', requeueAfterMs: 1_000 });
    expect(stage.api.writes).toHaveLength(before);

    await stage.clock.advance(1_000);
    await stage.settle();
    expect(writes(stage, before)).toEqual(BOTH);
    expect(trusted(stage)).toEqual([first, served(stage)]);
    expect(served(stage)).not.toBe(first);
    expect(stage.reasons().at(-1)).toBe('CertificateRenewed');

    const second = served(stage);
    await stage.clock.advance(60 * DAY_MS);
    await stage.settle();
    expect(trusted(stage)).toEqual([second, served(stage)]);
  });

  it('wakes the engine again and again until then: no timer reaches so far', async () => {
    const stage = await installed();

    expect(await stage.pass()).toEqual({ ending: 'done', requeueAfterMs: 12 * 3600 * 1000 });
  });

  it('is left alone by another version of the operator', async () => {
    const stage = await installed();
    const before = stage.api.writes.length;
    const newer = new EngineRig({ api: stage.api, clock: stage.clock, settings: { version: '2.0.0' } });
    await newer.settle();

    expect(writes(stage, before)).toContain('apply services multicluster-engine/gateway');
    expect(writes(stage, before)).not.toContain('apply secrets multicluster-engine/gateway-tls');
  });

  it.each<[string, (stage: EngineRig) => void]>([
    [
      'the pair overwritten',
      (stage) => overwrite(stage, { data: { 'tls.crt': 'eA==', 'tls.key': 'eA==' }, metadata: { managedFields: [] } }),
    ],
    [
      'the end put off',
      (stage) =>
        overwrite(stage, {
          metadata: {
            annotations: { ...secretMeta(stage).annotations, [EXPIRY_ANNOTATION]: '2099-01-01T00:00:00Z' },
            managedFields: [],
          },
        }),
    ],
    ['a label taken off', (stage) => overwrite(stage, { metadata: { labels: {} } })],
    ['the owner taken off, and still booked to us', (stage) => overwrite(stage, { metadata: { ownerReferences: [] } })],
    ['the Secret deleted', (stage) => stage.api.remove(Secrets, SECRET)],
  ])('%s: another one takes its place, and what may still be served stays trusted', async (_name, spoil) => {
    const stage = await installed();
    const first = served(stage);
    const before = stage.api.writes.length;
    stage.enqueued.length = 0;
    spoil(stage);
    expect(stage.enqueued).toEqual(['hub']);
    await stage.settle();

    expect(writes(stage, before)).toEqual(BOTH);
    expect(trusted(stage)).toEqual([first, served(stage)]);
    expect(served(stage)).not.toBe(first);
    expect(stage.reasons().at(-1)).toBe('DriftRepaired');
    expect(stage.state()).toBe('Available EngineReady');
  });

  it('overwritten again and again is answered ever more slowly', async () => {
    const stage = await installed();
    const spoil = (): void => overwrite(stage, { metadata: { managedFields: [] } });
    spoil();
    await stage.pass();
    spoil();
    const before = stage.api.writes.length;

    expect(await stage.pass()).toMatchObject({ ending: 'wait', afterMs: 250 });
    expect(writes(stage, before)).toEqual([]);
    await stage.clock.advance(250);
    await stage.pass();
    expect(writes(stage, before)).toEqual(BOTH);
  });

  it.each<[string, (stage: EngineRig) => void]>([
    ['deleted', (stage) => stage.api.remove(ConfigMaps, TRUST)],
    [
      'edited',
      (stage) =>
        stage.api.put(
          ConfigMaps,
          Object.assign(
            { ...stage.api.peek<KubeObject>(ConfigMaps, TRUST), metadata: TRUST },
            { data: { 'ca.crt': 'evil' } },
          ),
        ),
    ],
  ])('keeps its key when the ConfigMap is %s: what is trusted is put back', async (_name, spoil) => {
    const stage = await installed();
    await stage.clock.advance(60 * DAY_MS);
    await stage.settle();
    const known = trusted(stage);
    const before = stage.api.writes.length;
    spoil(stage);
    await stage.settle();

    expect(writes(stage, before)).toEqual(['apply configmaps multicluster-engine/gateway-ca']);
    expect(trusted(stage)).toEqual(known);
    expect(secretMeta(stage).annotations?.[TRUST_ANNOTATION]).toBe(
      textAt(stage.api.peek<KubeObject>(ConfigMaps, TRUST), 'data', 'ca.crt'),
    );
  });

  it('is not made twice because a cache lags', async () => {
    const stage = new EngineRig();
    stage.create();
    await stage.pass();
    for (const cache of stage.opened) cache.pause();
    stage.api.remove(Secrets, SECRET);
    for (const cache of stage.opened.filter((one) => one.type === Secrets)) cache.deliver(1);
    await stage.pass();
    const before = stage.api.writes.length;
    await stage.pass();

    expect(writes(stage, before)).toEqual([]);
  });

  it('is told of, and nothing else, while the engine is paused', async () => {
    const stage = await installed();
    stage.edit({ annotations: { 'multicluster.platform.io/paused': 'true' } });
    await stage.pass();
    expect(row(stage, 'Secret', 'gateway-tls')).toContain('True Applied');
    await stage.clock.advance(61 * DAY_MS);
    const before = stage.api.writes.length;
    await stage.pass();

    expect(writes(stage, before)).toEqual([]);
    expect(row(stage, 'Secret', 'gateway-tls')).toBe('True Drifted: expires at 2026-04-01T00:00:00Z');
    expect(stage.message()).toContain('Secret multicluster-engine/gateway-tls: expires at');
    stage.api.remove(Secrets, SECRET);
    stage.api.remove(ConfigMaps, TRUST);
    await stage.pass();
    expect([row(stage, 'Secret', 'gateway-tls'), row(stage, 'ConfigMap', 'gateway-ca')]).toEqual([
      'False Missing: does not exist',
      'False Missing: does not exist',
    ]);
    expect(writes(stage, before)).toEqual([]);
  });

  it('waits while the namespace goes', async () => {
    const stage = await installed();
    stage.api.remove(Secrets, SECRET);
    stage.api.put(Namespaces, { metadata: { name: NAMESPACE, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    const before = stage.api.writes.length;
    await stage.pass();

    expect(writes(stage, before)).toEqual([]);
    expect(row(stage, 'Secret', 'gateway-tls')).toBe('False Pending: Namespace multicluster-engine is being deleted');
  });
});

describe('a Secret that somebody else made', () => {
  const theirs = { metadata: { ...SECRET, labels: { theirs: 'x' } }, data: { 'tls.crt': 'eA==' } };

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
  ])('%s is taken as it is, and the engine is ready with it', async (_name, owner) => {
    const stage = new EngineRig();
    stage.api.put(Namespaces, { metadata: { name: NAMESPACE } });
    const given = stage.api.put(Secrets, { ...theirs, metadata: { ...theirs.metadata, ...owner } });
    await stage.install();

    expect(stage.api.peek(Secrets, SECRET)).toEqual(given);
    expect(stage.api.peek(ConfigMaps, TRUST)).toBeUndefined();
    expect(stage.state()).toBe('Available EngineReady');
    expect(row(stage, 'Secret', 'gateway-tls')).toBe('True Given: was made by somebody else and is taken as it is');
    stage.edit({ annotations: { 'multicluster.platform.io/paused': 'true' } });
    await stage.pass();
    expect(row(stage, 'Secret', 'gateway-tls')).toContain('True Given');
  });

  it('in the place of ours ends what we published; gone, ours takes its place again', async () => {
    const stage = await installed();
    stage.api.remove(Secrets, SECRET);
    stage.api.put(Secrets, theirs);
    await stage.settle();
    expect(stage.api.peek(ConfigMaps, TRUST)).toBeUndefined();
    expect(stage.engine().status?.components?.some((one) => one.name === 'gateway-ca')).toBe(false);

    stage.api.remove(Secrets, SECRET);
    await stage.settle();
    expect(trusted(stage)).toEqual([served(stage)]);
  });

  it('survives the engine, and keeps the namespace', async () => {
    const stage = new EngineRig();
    stage.create();
    stage.api.put(Secrets, theirs);
    await stage.settle();
    stage.remove();
    for (let round = 0; round < 5 && stage.exists(); round++) {
      await stage.pass();
      stage.collect();
    }

    expect(stage.exists()).toBe(false);
    expect(stage.made()).toEqual(expect.arrayContaining(['Namespace multicluster-engine', 'Secret gateway-tls']));
    expect(stage.made()).not.toContain('ConfigMap gateway-ca');
  });
});

describe('what stands in the way of a certificate', () => {
  const refuse = (stage: EngineRig, type: typeof Secrets, kind: 'Invalid' | 'Forbidden', verb = 'apply'): void => {
    stage.api.before = (call: FakeCall) => {
      if (call.type === type && call.verb === verb)
        throw new ApiError({ kind, message: 'no', call: { verb: 'patch', resource: 'x' }, status: 403 });
    };
  };

  it('a ConfigMap of the same name that is foreign: it is named, and nothing is served that nobody could trust', async () => {
    const stage = new EngineRig();
    stage.api.put(ConfigMaps, { metadata: TRUST });
    stage.create();
    await stage.settle();

    expect(stage.state()).toBe('Error ForeignObject');
    expect(row(stage, 'Secret', 'gateway-tls')).toBe(
      'False Pending: waits for ConfigMap multicluster-engine/gateway-ca, which has to publish it first',
    );
    expect(stage.api.peek(Secrets, SECRET)).toBeUndefined();
    expect(stage.api.peek(Deployments, { namespace: NAMESPACE, name: 'gateway' })).toBeDefined();
  });

  it('a refused Secret is tried again with the same pair, ever more slowly, and then counts as an error', async () => {
    const stage = new EngineRig();
    stage.create();
    refuse(stage, Secrets, 'Invalid');
    for (let pass = 0; pass < 12; pass++) {
      await stage.pass();
      await stage.clock.advance(1_000);
    }

    const tries = stage.api.writes.filter((one) => one.startsWith('apply secrets')).length;
    expect([tries > 2, tries < 7]).toEqual([true, true]);
    expect(stage.api.writes.filter((one) => one.startsWith('apply configmaps'))).toHaveLength(1);
    expect(stage.state()).toBe('Error ApplyFailed');
    stage.api.before = () => undefined;
    await stage.clock.advance(60_000);
    await stage.settle();
    expect(trusted(stage)).toEqual([served(stage)]);
  });

  it.each(['get', 'apply'])('a missing right to %s is told with its cure', async (verb) => {
    const stage = new EngineRig();
    stage.create();
    stage.api.may = (access) => access.type !== Secrets;
    refuse(stage, Secrets, 'Forbidden', verb);
    await stage.pass();
    await stage.clock.advance(6_000);
    await stage.pass();

    expect(stage.state()).toBe('Error PermissionDenied');
    expect(stage.message()).toContain('secrets');
  });

  it('an issuer that fails stops nothing else', async () => {
    const stage = new EngineRig({ issue: () => Promise.reject(new Error('no entropy')) });
    stage.create();
    await stage.pass();

    expect(row(stage, 'Secret', 'gateway-tls')).toBe('False ApplyFailed: no entropy');
    expect(stage.made()).toContain('Deployment gateway');
  });
});

describe('the private key', () => {
  it('is in no log, event, status or ConfigMap', async () => {
    const stage = await installed();
    await stage.clock.advance(60 * DAY_MS);
    await stage.settle();
    overwrite(stage, { metadata: { managedFields: [] } });
    await stage.settle();
    const everything = JSON.stringify([
      stage.log,
      stage.events,
      stage.engine(),
      stage.api.all(ConfigMaps),
      secretMeta(stage),
    ]);

    expect(everything).not.toContain(KEY_CANARY);
    expect(everything).not.toContain(btoa(KEY_CANARY).slice(0, 20));
    expect(atob(textAt(stage.api.peek<KubeObject>(Secrets, SECRET), 'data', 'tls.key'))).toContain(KEY_CANARY);
  });
});

describe('an operator that dies between the two writes', () => {
  it('lost a pair that nobody serves: the next one replaces it, at the first issue and at a renewal', async () => {
    let dies = false;
    const stage = await installed();
    const first = served(stage);
    stage.api.before = (call) => {
      if (dies && call.type === Secrets && call.verb === 'apply') throw new Error('dead');
    };
    await stage.clock.advance(60 * DAY_MS);
    dies = true;
    await stage.pass();
    const lost = trusted(stage).at(-1);
    expect([trusted(stage)[0], served(stage)]).toEqual([first, first]);
    dies = false;
    const next = new EngineRig({ api: stage.api, clock: stage.clock });
    await next.settle();

    expect(trusted(stage)).toEqual([first, served(stage)]);
    expect(served(stage)).not.toBe(lost);
  });
});
