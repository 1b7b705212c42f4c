import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../src/api/meta.js';
import {
  ConfigMaps,
  Deployments,
  MultiClusterEngines,
  Namespaces,
  RoleBindings,
  ClusterRoleBindings,
  ServiceAccounts,
} from '../../../src/api/resources.js';
import { createEngineController } from '../../../src/controllers/engine/controller.js';
import { EngineMemory } from '../../../src/controllers/engine/memory.js';
import { engineRights } from '../../../src/controllers/engine/rights.js';
import { targetTypes } from '../../../src/domain/engine/manifest/desired.js';
import type { GuardedWrite } from '../../../src/kube/guard/guard.js';
import { guardClient } from '../../../src/kube/guard/guard.js';
import { issueForTest } from '../../support/builders/certificate.js';
import { engine, objectState, NAMESPACE, settings, templates, wanted } from '../../support/builders/engine.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { failure, FakeApi } from '../../support/fakes/api.js';
import { RecordingLog } from '../../support/fakes/log.js';
import { EngineRig } from '../../support/rigs/controllers/engine.js';

describe('what wakes an engine', () => {
  it.each<[string, (stage: EngineRig) => void, string[]]>([
    ['its own change', (stage) => stage.edit({}), ['hub']],
    ['another engine that comes', (stage) => stage.create({}, { name: 'second' }), ['second', 'hub', 'second']],
    ['a change of its namespace', (stage) => stage.api.put(Namespaces, { metadata: { name: NAMESPACE } }), ['hub']],
    ['not a change of another namespace', (stage) => stage.api.put(Namespaces, { metadata: { name: 'other' } }), []],
    [
      'a change of a binding',
      (stage) => stage.api.remove(ClusterRoleBindings, { name: 'multicluster-engine-placement-controller' }),
      ['hub'],
    ],
    ['a change of one of its objects', (stage) => stage.rollOut({ available: 1 }), ['hub', 'hub']],
    [
      'not a change of an object without its label',
      (stage) => stage.api.put(ServiceAccounts, { metadata: { namespace: NAMESPACE, name: 'theirs' } }),
      [],
    ],
  ])('%s', async (_name, happens, woken) => {
    const stage = new EngineRig();
    await stage.install();
    stage.enqueued.length = 0;
    happens(stage);

    expect(stage.enqueued).toEqual(woken);
  });

  it('a cache that cannot be read, or can again', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.enqueued.length = 0;
    stage.opened[0]?.fail(new Error('away'));
    stage.opened[0]?.fail(undefined);

    expect(stage.enqueued).toEqual(['hub', 'hub']);
  });
});

describe('a pass', () => {
  it('decides nothing while a cache that gates the start is not current', async () => {
    const stage = new EngineRig();
    await stage.install();
    const [bindings] = stage.caches.bindings;
    if (bindings === undefined || !('fail' in bindings) || typeof bindings.fail !== 'function')
      throw new Error('no such cache');
    bindings.fail(new Error('away'));
    stage.api.remove(Deployments, { namespace: NAMESPACE, name: 'placement-controller' });
    const before = stage.api.calls.length;

    expect(await stage.pass()).toEqual({ ending: 'wait', reason: 'rolebindings cannot be read', afterMs: 5_000 });
    expect(stage.api.calls).toHaveLength(before);
  });

  it('over an engine that is gone closes its caches and forgets it', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.api.remove(MultiClusterEngines, { name: 'hub' });

    expect(await stage.pass()).toEqual({ ending: 'done' });
    expect(stage.opened.filter((cache) => cache.synced())).toEqual([]);
  });

  it('over an engine made anew under the same name begins anew', async () => {
    const stage = new EngineRig();
    await stage.install();
    const open = stage.opened.length;
    stage.api.remove(MultiClusterEngines, { name: 'hub' });
    stage.create();
    await stage.pass();

    expect(stage.opened.length).toBeGreaterThan(open);
    expect(stage.opened.filter((cache) => cache.synced())).toHaveLength(open);
    expect(stage.message()).toContain('belongs to an earlier engine of the same name');
  });

  it('with a status that meets a newer engine throws, tells no event, and is right the next time', async () => {
    const stage = new EngineRig();
    stage.create();
    let once = true;
    stage.api.before = (call) => {
      if (call.verb !== 'updateStatus' || !once) return;
      once = false;
      stage.edit({ labels: { more: '1' } });
    };
    await expect(stage.pass()).rejects.toThrow('Conflict');
    expect(stage.events).toEqual([]);
    await stage.pass();

    expect(stage.state()).toBe('Progressing Installing');
    expect(stage.engine().metadata.labels).toEqual({ more: '1' });
  });

  it('whose own status the cache does not show yet writes it no second time', async () => {
    const stage = new EngineRig();
    stage.create();
    const cache = stage.caches.engines;
    if (!('pause' in cache) || typeof cache.pause !== 'function') throw new Error('no such cache');
    cache.pause();
    await stage.pass();
    const before = stage.api.writes.length;
    await stage.pass();

    expect(stage.api.writes).toHaveLength(before);
  });

  it('whose finalizer the cache does not show yet, and whose status was refused, adds the finalizer no second time', async () => {
    const stage = new EngineRig();
    stage.create();
    const cache = stage.caches.engines;
    if (!('pause' in cache) || typeof cache.pause !== 'function') throw new Error('no such cache');
    cache.pause();
    stage.api.before = ({ verb, type, name }) => {
      if (verb === 'updateStatus') throw failure('Unavailable', verb, type, name);
    };
    await expect(stage.pass()).rejects.toThrow('Unavailable');
    stage.api.before = () => {};
    await stage.pass();

    expect(stage.api.writes.filter((write) => write.startsWith('patchMetadata'))).toEqual([
      'patchMetadata multiclusterengines hub',
    ]);
    expect(stage.state()).toBe('Progressing Installing');
  });

  it('gives up at once when the lease is gone', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.term.abort();
    await settle();
    const before = stage.api.writes.length;

    await expect(stage.pass()).rejects.toMatchObject({ kind: 'Fenced' });
    expect(stage.api.writes).toHaveLength(before);
    expect(stage.opened.filter((cache) => cache.synced())).toEqual([]);
    await stage.targets.stop();
  });
});

describe('the write guard of the engine', () => {
  const client = guardClient(new FakeApi(new ManualClock()), engineRights(targetTypes(templates), undefined), {
    log: new RecordingLog(),
  });
  const options = { fieldManager: 'x', force: false };
  const preconditions = { preconditions: { uid: 'u', resourceVersion: '1' } };
  const account = wanted('ServiceAccount').object;
  const namespace = wanted('Namespace').object;
  const moved = (object: KubeObject, metadata: Partial<KubeObject['metadata']>): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, ...metadata },
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'an object in kube-system',
      () => client.apply(ServiceAccounts, moved(account, { namespace: 'kube-system' }), options),
    ],
    ['an object in default', () => client.apply(ServiceAccounts, moved(account, { namespace: 'default' }), options)],
    [
      'an object without our owner',
      () => client.apply(ServiceAccounts, moved(account, { ownerReferences: [] }), options),
    ],
    ['an object without our label', () => client.apply(ServiceAccounts, moved(account, { labels: {} }), options)],
    ['a forced apply without uid', () => client.apply(ServiceAccounts, account, { ...options, force: true })],
    ['a kind that no component has', () => client.apply(ConfigMaps, moved(account, {}), options)],
    [
      'a namespace with an owner',
      () =>
        client.apply(
          Namespaces,
          moved(namespace, { ownerReferences: account.metadata.ownerReferences ?? [] }),
          options,
        ),
    ],
    [
      'a namespace without restricted Pod Security',
      () =>
        client.apply(Namespaces, moved(namespace, { labels: { 'multicluster.platform.io/engine': 'hub' } }), options),
    ],
    ['a namespace of Kubernetes', () => client.delete(Namespaces, { name: 'kube-system' }, preconditions)],
    [
      'a binding of another name',
      () => client.apply(RoleBindings, moved(wanted('RoleBinding').object, { name: 'other' }), options),
    ],
    [
      'a cluster-wide binding of another name',
      () => client.delete(ClusterRoleBindings, { name: 'cluster-admin' }, preconditions),
    ],
    ["an engine's spec", () => client.update(MultiClusterEngines, engine(), options)],
    ['a new engine', () => client.create(MultiClusterEngines, engine(), options)],
  ])('refuses %s', async (_name, write) => {
    await expect(write()).rejects.toMatchObject({ kind: 'Guarded' });
  });

  it('with --namespace refuses every other namespace, and all that is cluster-wide', () => {
    const rows = engineRights(targetTypes(templates), 'mine');
    const passes = (write: Pick<GuardedWrite, 'type' | 'name' | 'verb'>): boolean =>
      rows.some(
        (row) => row.type === write.type && row.verbs.includes(write.verb) && row.namespace(write.name.namespace ?? ''),
      );

    expect(passes({ verb: 'delete', type: Deployments, name: { namespace: 'mine', name: 'x' } })).toBe(true);
    expect(passes({ verb: 'delete', type: Deployments, name: { namespace: 'other', name: 'x' } })).toBe(false);
    expect(passes({ verb: 'delete', type: Namespaces, name: { name: 'mine' } })).toBe(false);
    expect(passes({ verb: 'updateStatus', type: MultiClusterEngines, name: { name: 'hub' } })).toBe(true);
  });
});

describe('what is remembered of an engine', () => {
  const tried = (now: number, revision = 'r', before = 0) => ({
    revision,
    state: objectState('Deployment', { state: 'failed', message: 'm' }),
    now,
    before,
  });

  it('counts a failure when the pass has ended, and forgets it with a success', () => {
    const memory = new EngineMemory('u');
    expect(memory.failed('a', tried(0)).failures).toBe(1);
    expect(memory.failed('a', tried(0)).failures).toBe(1);
    memory.countFailures();
    memory.countFailures();
    expect(memory.failed('a', tried(0)).failures).toBe(2);
    memory.succeeded('a');
    expect(memory.failed('a', tried(0)).failures).toBe(1);
  });

  it('begins to count anew for another revision', () => {
    const memory = new EngineMemory('u');
    memory.failed('a', tried(0));
    memory.countFailures();
    expect(memory.failed('a', tried(0, 'other')).failures).toBe(1);
    expect(memory.backedOff('a', 'r', 0)).toBeUndefined();
    expect(memory.backedOff('a', 'other', 999)).toBeDefined();
    expect(memory.backedOff('a', 'other', 1_000)).toBeUndefined();
    expect(memory.retryDelayMs('a', 400)).toBe(600);
    expect(memory.retryDelayMs('b', 400)).toBeUndefined();
  });

  it('forgets repairs after a minute', () => {
    const memory = new EngineMemory('u');
    memory.repaired('a', 0);
    memory.repaired('a', 0);
    expect(memory.repairDelayMs('a', 0)).toBe(500);
    expect(memory.repairDelayMs('a', 60_001)).toBe(0);
    memory.repaired('a', 60_001);
    expect(memory.repairDelayMs('a', 60_001)).toBe(250);
  });
});

describe('the controller as a whole', () => {
  it('refuses components that cannot be installed', () => {
    const api = new FakeApi(new ManualClock());
    expect(() => create(api, new ManualClock(), {})).toThrow(
      'components that cannot be installed: deploy/components/placement-controller: holds no object',
    );
  });

  it('installs an engine from its first event on, and lets go when the tenure ends', async () => {
    const clock = new ManualClock();
    const api = new FakeApi(clock);
    const phases: string[] = [];
    const { controller, sources, onStartedLeading } = create(api, clock, templates, phases);
    const tenure = new AbortController();
    for (const source of sources) source.start();
    await Promise.all(sources.map((source) => source.whenSynced()));
    onStartedLeading(tenure.signal);
    controller.start();
    api.put(MultiClusterEngines, engine({ metadata: { finalizers: [] } }));
    await clock.advance(1_000);

    expect(api.peek(Deployments, { namespace: NAMESPACE, name: 'placement-controller' })).toBeDefined();
    expect(new Set(phases)).toEqual(new Set(['Progressing']));
    api.remove(MultiClusterEngines, { name: 'hub' });
    await clock.advance(1_000);
    expect(phases.at(-1)).toBe('gone');

    tenure.abort();
    await controller.stop(0);
    for (const source of sources) await source.stop();
    expect(clock.pending).toBe(0);
  });

  it('does not begin a tenure that is over already', async () => {
    const stage = new EngineRig();
    const late = new EngineRig({ api: stage.api, clock: stage.clock });
    late.term.abort();
    late.targets.startTerm(AbortSignal.abort());
    stage.create();

    await expect(late.pass()).rejects.toMatchObject({ kind: 'Fenced' });
  });
});

function create(
  api: FakeApi,
  clock: ManualClock,
  given: typeof templates,
  phases: string[] = [],
): ReturnType<typeof createEngineController> {
  return createEngineController({
    client: api,
    openCache: (options) => api.cache(options),
    templates: given,
    settings,
    issueKeyPair: issueForTest,
    recorder: { record: () => undefined, flush: () => Promise.resolve() },
    clock,
    random: () => 0,
    log: new RecordingLog(),
    engineMetrics: { engine: ({ phase }) => void phases.push(phase), engineGone: () => void phases.push('gone') },
    workers: 1,
    settleMs: 100,
  });
}
