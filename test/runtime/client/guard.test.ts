import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { ConfigMaps, Deployments, Events, Leases, Secrets } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeClient, CallOptions } from '../../../src/runtime/client/client.js';
import { eventRights } from '../../../src/runtime/events/recorder.js';
import { guardClient, type GuardRow } from '../../../src/runtime/client/guard.js';
import { leaseRights } from '../../../src/runtime/leaderelection/leaserecord.js';
import { isFailure } from '../../../src/runtime/errors.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi } from '../../support/fakes/api.js';
import { RecordingLog } from '../../support/fakes/log.js';

const owner = { apiVersion: 'example.com/v1', kind: 'Engine', name: 'e', uid: 'u', controller: true };
const rows: readonly GuardRow[] = [
  {
    verbs: ['create', 'update', 'apply', 'patchMetadata', 'updateStatus', 'delete'],
    type: ConfigMaps,
    namespace: (namespace) => namespace === 'ours',
    name: (name) => name.startsWith('my-'),
    owner: { group: 'example.com', kind: 'Engine' },
    check: ({ object }) =>
      object?.metadata.labels?.['bad'] === undefined ? undefined : 'the label "bad" is not for us',
  },
  { verbs: ['delete'], type: ConfigMaps, namespace: (namespace) => namespace === 'theirs' },
];

const preconditions = { uid: 'u', resourceVersion: '1' };
const fieldManager = 'test';

function map(changes: Partial<KubeObject['metadata']> = {}): KubeObject {
  return { metadata: { namespace: 'ours', name: 'my-map', ownerReferences: [owner], ...changes } };
}

let api: FakeApi;
let held: boolean;
let refused: string[];
let log: RecordingLog;
let client: KubeClient;
beforeEach(() => {
  api = new FakeApi(new ManualClock());
  held = true;
  refused = [];
  log = new RecordingLog();
  client = guardClient(api, rows, {
    leadership: { held: () => held, identity: 'me' },
    metrics: { refused: (verb, resource) => void refused.push(`${verb} ${resource}`) },
    log,
  });
});

async function kindOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isFailure(error, 'Guarded', 'Fenced') ? `${error.kind}: ${error.message}` : String(error);
}

describe('a permitted write', () => {
  it('a permitted write of any verb is sent', async () => {
    const created = await client.create(ConfigMaps, map(), { fieldManager });
    const updated = await client.update(
      ConfigMaps,
      { ...created, metadata: { ...created.metadata, labels: { a: 'b' } } },
      { fieldManager },
    );
    const { uid = '', resourceVersion = '' } = updated.metadata;
    await client.apply(ConfigMaps, map(), { fieldManager, force: false });
    await client.apply(ConfigMaps, map({ uid }), { fieldManager, force: true });
    await client.updateStatus(ConfigMaps, updated, { fieldManager });
    await client.patchMetadata(
      ConfigMaps,
      updated.metadata,
      { uid, resourceVersion, annotations: { c: 'd' } },
      { fieldManager },
    );
    const last = api.peek(ConfigMaps, updated.metadata);
    await client.delete(ConfigMaps, updated.metadata, {
      preconditions: { uid, resourceVersion: last?.metadata.resourceVersion ?? '' },
    });

    expect(api.writes).toHaveLength(7);
    expect(refused).toEqual([]);
  });

  it('a permitted write needs one row of several', async () => {
    expect(await client.delete(ConfigMaps, { namespace: 'theirs', name: 'any' }, { preconditions })).toBe('gone');
  });
});

describe('a write that no row permits', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    [
      'of another type',
      () => client.create(Secrets, map(), { fieldManager }),
      'no row of the write guard has this verb and type',
    ],
    [
      'with another verb',
      () => client.update(ConfigMaps, map({ namespace: 'theirs', resourceVersion: '1' }), { fieldManager }),
      'namespace "theirs" is not permitted by the write guard',
    ],
    [
      'in another namespace',
      () => client.create(ConfigMaps, map({ namespace: 'kube-system' }), { fieldManager }),
      'namespace "kube-system" is not permitted by the write guard',
    ],
    [
      'under another name',
      () => client.create(ConfigMaps, map({ name: 'your-map' }), { fieldManager }),
      'name "your-map" is not permitted by the write guard',
    ],
    [
      'without an owner',
      () => client.create(ConfigMaps, map({ ownerReferences: [] }), { fieldManager }),
      'its controller owner is not a Engine of example.com',
    ],
    [
      'with an owner that is no controller',
      () => client.create(ConfigMaps, map({ ownerReferences: [{ ...owner, controller: false }] }), { fieldManager }),
      'its controller owner',
    ],
    [
      'with an owner of another kind',
      () =>
        client.apply(ConfigMaps, map({ ownerReferences: [{ ...owner, kind: 'Other' }] }), {
          fieldManager,
          force: false,
        }),
      'its controller owner',
    ],
    [
      'with an owner of another group',
      () =>
        client.create(ConfigMaps, map({ ownerReferences: [{ ...owner, apiVersion: 'example.com.evil/v1' }] }), {
          fieldManager,
        }),
      'its controller owner',
    ],
    [
      'against a check',
      () => client.create(ConfigMaps, map({ labels: { bad: '' } }), { fieldManager }),
      'the label "bad" is not for us',
    ],
    [
      'an update without resourceVersion',
      () => client.update(ConfigMaps, map(), { fieldManager }),
      'resourceVersion is missing',
    ],
    [
      'a status without resourceVersion',
      () => client.updateStatus(ConfigMaps, map({ resourceVersion: '' }), { fieldManager }),
      'resourceVersion is missing',
    ],
    [
      'a forced apply without uid',
      () => client.apply(ConfigMaps, map(), { fieldManager, force: true }),
      'uid is missing',
    ],
    [
      'metadata without uid',
      () => client.patchMetadata(ConfigMaps, map().metadata, { uid: '', resourceVersion: '1' }, { fieldManager }),
      'uid is missing',
    ],
    [
      'metadata without resourceVersion',
      () => client.patchMetadata(ConfigMaps, map().metadata, { uid: 'u', resourceVersion: '' }, { fieldManager }),
      'resourceVersion is missing',
    ],
    [
      'a deletion without uid',
      () => client.delete(ConfigMaps, map().metadata, { preconditions: { ...preconditions, uid: '' } }),
      'uid is missing',
    ],
    [
      'a deletion without resourceVersion',
      () => client.delete(ConfigMaps, map().metadata, { preconditions: { ...preconditions, resourceVersion: '' } }),
      'resourceVersion is missing',
    ],
  ])('a write that no row permits (%s) is not sent, and counted', async (_, write, why) => {
    expect(await kindOf(write())).toContain(`Guarded: `);
    expect(await kindOf(write())).toContain(why);
    expect(api.writes).toEqual([]);
    expect(refused).toHaveLength(2);
    expect(log.lines.map((line) => line.level)).toEqual(['error', 'error']);
  });

  it('a write that no row permits is named by verb and resource in error and metric', async () => {
    expect(await kindOf(client.create(Deployments, map(), { fieldManager }))).toBe(
      'Guarded: create deployments.apps ours/my-map: not sent: no row of the write guard has this verb and type',
    );
    expect(refused).toEqual(['create deployments.apps']);
  });
});

describe('the lease', () => {
  it('the write guard refuses every write while the lease is not held, without counting it as a fault of the program', async () => {
    held = false;

    expect(await kindOf(client.create(ConfigMaps, map(), { fieldManager }))).toBe(
      'Fenced: create configmaps ours/my-map: not sent: the lease is not held',
    );
    expect(api.writes).toEqual([]);
    expect(refused).toEqual([]);
  });

  it('the write guard checks the lease before every attempt', async () => {
    let beforeAttempt: CallOptions['beforeAttempt'];
    const seeing = guardClient(
      { ...fake(), create: async (_, object, options) => ((beforeAttempt = options.beforeAttempt), object) },
      rows,
      { leadership: { held: () => held, identity: 'me' }, log },
    );
    await seeing.create(ConfigMaps, map(), { fieldManager });
    held = false;

    expect(() => beforeAttempt?.()).toThrow('the lease is not held');
  });

  it('the write guard also calls the hook of the caller', async () => {
    const hooks: string[] = [];
    const seeing = guardClient(
      { ...fake(), create: async (_, object, options) => (options.beforeAttempt?.(), object) },
      rows,
      { log },
    );
    await seeing.create(ConfigMaps, map(), { fieldManager, beforeAttempt: () => void hooks.push('asked') });

    expect(hooks).toEqual(['asked', 'asked']);
  });

  it('the write guard needs no lease when none is configured', async () => {
    const free = guardClient(api, rows, { log });

    await expect(free.create(ConfigMaps, map(), { fieldManager })).resolves.toBeDefined();
  });

  function fake(): KubeClient {
    return {
      get: api.get.bind(api),
      list: api.list.bind(api),
      allowed: api.allowed.bind(api),
      create: api.create.bind(api),
      update: api.update.bind(api),
      updateStatus: api.updateStatus.bind(api),
      apply: api.apply.bind(api),
      applyStatus: api.applyStatus.bind(api),
      patchMetadata: api.patchMetadata.bind(api),
      delete: api.delete.bind(api),
    };
  }
});

it('reads and access reviews need neither a row nor the lease', async () => {
  held = false;
  await client.get(Secrets, { namespace: 'n', name: 'x' });
  await client.list(Secrets, 'n');

  expect(await client.allowed({ verb: 'get', type: Secrets })).toBe(true);
});

describe('the guard rows of events and leases', () => {
  const name = { namespace: 'n', name: 'lease' };
  const rights = leaseRights(name, 'me');
  const lease = (holderIdentity: string, more: object = {}): KubeObject & { spec: object } => ({
    metadata: { ...name, resourceVersion: '1', ...more },
    spec: { holderIdentity },
  });

  it.each<[string, (guarded: KubeClient) => Promise<unknown>, boolean]>([
    [
      'may create the lease for itself',
      (guarded) => guarded.apply(Leases, lease('me'), { fieldManager, force: false }),
      true,
    ],
    [
      'may not create it for nobody',
      (guarded) => guarded.apply(Leases, lease(''), { fieldManager, force: false }),
      false,
    ],
    [
      'may not create it for another',
      (guarded) => guarded.apply(Leases, lease('you'), { fieldManager, force: false }),
      false,
    ],
    ['may not take it for another', (guarded) => guarded.update(Leases, lease('you'), { fieldManager }), false],
    [
      'may not take another lease',
      (guarded) => guarded.apply(Leases, lease('me', { name: 'kube-scheduler' }), { fieldManager, force: false }),
      false,
    ],
    [
      'may not take it in another namespace',
      (guarded) => guarded.apply(Leases, lease('me', { namespace: 'kube-system' }), { fieldManager, force: false }),
      false,
    ],
    ['may not delete it', (guarded) => guarded.delete(Leases, name, { preconditions }), false],
  ])('an elector %s', async (_, write, may) => {
    const guarded = guardClient(api, rights, { log });

    expect((await kindOf(write(guarded))).startsWith('Guarded')).toBe(!may);
  });

  it('an elector may renew its lease and give it up', async () => {
    const guarded = guardClient(api, rights, { log });
    const made = await guarded.apply(Leases, lease('me', { resourceVersion: undefined }), {
      fieldManager,
      force: false,
    });
    const renewed = await guarded.update(Leases, made, { fieldManager });

    await expect(
      guarded.update(Leases, { ...renewed, spec: { holderIdentity: '' } }, { fieldManager }),
    ).resolves.toBeDefined();
  });

  it('a recorder may create events and join series, and nothing else', async () => {
    const guarded = guardClient(api, eventRights, { log });
    const event = { metadata: { namespace: 'n', name: 'e' } };

    await guarded.create(Events, event, { fieldManager });
    expect(await kindOf(guarded.delete(Events, event.metadata, { preconditions }))).toContain('Guarded');
    expect(await kindOf(guarded.create(Events, { metadata: { name: 'e' } }, { fieldManager }))).toContain('Guarded');
    expect(await kindOf(guarded.create(ConfigMaps, event, { fieldManager }))).toContain('Guarded');
  });
});
