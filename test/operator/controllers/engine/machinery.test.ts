import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { MultiClusterEngines } from '../../../../src/api/resources.js';
import {
  ConfigMaps,
  Deployments,
  Namespaces,
  RoleBindings,
  ClusterRoleBindings,
  ServiceAccounts,
} from '../../../../src/runtime/vocabulary/kinds.js';
import { createEngineController } from '../../../../src/operator/controllers/engine/controller.js';
import { EngineMemory } from '../../../../src/operator/controllers/engine/scope.js';
import { engineRights } from '../../../../src/operator/controllers/engine/rights.js';
import { targetTypes } from '../../../../src/domain/engine/catalogue.js';
import { guardClient, type GuardedWrite } from '../../../../src/runtime/client/guard.js';
import { issueForTest } from '../../../support/builders/certificate.js';
import {
  hub,
  engine,
  objectState,
  NAMESPACE,
  settings,
  specErrors,
  templates,
  wanted,
} from '../../../support/builders/engine.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';
import { failure, FakeApi } from '../../../support/fakes/api.js';
import { RecordingLog } from '../../../support/fakes/log.js';
import { EngineRig } from '../../../support/rigs/controllers/engine.js';

describe('the changes that enqueue an engine', () => {
  it.each<[string, (rig: EngineRig) => void, string[]]>([
    ['a change of the engine', (rig) => rig.edit({}), ['hub']],
    ['a new engine', (rig) => rig.create({}, { name: 'second' }), ['second', 'hub', 'second']],
    ['a change of its target namespace', (rig) => rig.api.put(Namespaces, { metadata: { name: NAMESPACE } }), ['hub']],
    ['no change of another namespace', (rig) => rig.api.put(Namespaces, { metadata: { name: 'other' } }), []],
    [
      'a change of a binding',
      (rig) => rig.api.remove(ClusterRoleBindings, { name: 'multicluster-engine-placement-controller' }),
      ['hub'],
    ],
    ['a change of one of its objects', (rig) => rig.rollOut({ available: 1 }), ['hub', 'hub']],
    [
      'no change of an object without its label',
      (rig) => rig.api.put(ServiceAccounts, { metadata: { namespace: NAMESPACE, name: 'theirs' } }),
      [],
    ],
  ])('the changes that enqueue an engine: %s', async (_name, happens, enqueued) => {
    const rig = new EngineRig();
    await rig.install();
    rig.enqueued.length = 0;
    happens(rig);

    expect(rig.enqueued).toEqual(enqueued);
  });

  it('an engine is enqueued when a cache fails and when it has synced again', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.enqueued.length = 0;
    rig.opened[0]?.fail(new Error('away'));
    rig.opened[0]?.fail(undefined);

    expect(rig.enqueued).toEqual(['hub', 'hub']);
  });
});

describe('a pass', () => {
  it('a pass decides nothing while a cache that gates the start is not current', async () => {
    const rig = new EngineRig();
    await rig.install();
    const [bindings] = rig.caches.bindings;
    if (bindings === undefined || !('fail' in bindings) || typeof bindings.fail !== 'function')
      throw new Error('no such cache');
    bindings.fail(new Error('away'));
    rig.api.remove(Deployments, { namespace: NAMESPACE, name: 'placement-controller' });
    const before = rig.api.calls.length;

    expect(await rig.pass()).toEqual({ ending: 'wait', reason: 'caches not current: rolebindings', afterMs: 5_000 });
    expect(rig.api.calls).toHaveLength(before);
  });

  it('a pass over a deleted engine closes its caches', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.api.remove(MultiClusterEngines, { name: 'hub' });

    expect(await rig.pass()).toEqual({ ending: 'done' });
    expect(rig.opened.filter((cache) => cache.current())).toEqual([]);
  });

  it('a pass over an engine that was created again opens new caches', async () => {
    const rig = new EngineRig();
    await rig.install();
    const open = rig.opened.length;
    rig.api.remove(MultiClusterEngines, { name: 'hub' });
    rig.create();
    await rig.pass();

    expect(rig.opened.length).toBeGreaterThan(open);
    expect(rig.opened.filter((cache) => cache.current())).toHaveLength(open);
    expect(rig.message()).toContain('belongs to an earlier engine of the same name');
  });

  it('a pass whose status write conflicts throws and records no event of its change, and the next one succeeds', async () => {
    const rig = new EngineRig();
    rig.create();
    let once = true;
    rig.api.before = (call) => {
      if (call.verb !== 'updateStatus' || !once) return;
      once = false;
      rig.edit({ labels: { more: '1' } });
    };
    await expect(rig.pass()).rejects.toThrow('Conflict');
    expect(rig.events).toEqual([]);
    await rig.pass();

    expect(rig.state()).toBe('Progressing Installing');
    expect(rig.engine().metadata.labels).toEqual({ more: '1' });
  });

  it('a pass does not repeat a status write that the cache does not show yet', async () => {
    const rig = new EngineRig();
    rig.create();
    const cache = rig.caches.engines;
    if (!('pause' in cache) || typeof cache.pause !== 'function') throw new Error('no such cache');
    cache.pause();
    await rig.pass();
    const before = rig.api.writes.length;
    await rig.pass();

    expect(rig.api.writes).toHaveLength(before);
  });

  it('a pass does not repeat a finalizer that the cache does not show yet, when the status write was refused', async () => {
    const rig = new EngineRig();
    rig.create();
    const cache = rig.caches.engines;
    if (!('pause' in cache) || typeof cache.pause !== 'function') throw new Error('no such cache');
    cache.pause();
    rig.api.before = ({ verb, type, name }) => {
      if (verb === 'updateStatus') throw failure('Unavailable', verb, type, name);
    };
    await expect(rig.pass()).rejects.toThrow('Unavailable');
    rig.api.before = () => {};
    await rig.pass();

    expect(rig.api.writes.filter((write) => write.startsWith('patchMetadata'))).toEqual([
      'patchMetadata multiclusterengines hub',
    ]);
    expect(rig.state()).toBe('Progressing Installing');
  });

  it('a pass after the end of the leadership term throws Fenced and writes nothing', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.term.abort();
    await settle();
    const before = rig.api.writes.length;

    await expect(rig.pass()).rejects.toMatchObject({ kind: 'Fenced' });
    expect(rig.api.writes).toHaveLength(before);
    expect(rig.opened.filter((cache) => cache.current())).toEqual([]);
    await rig.targets.stop();
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
  ])('the write guard refuses %s', async (_name, write) => {
    await expect(write()).rejects.toMatchObject({ kind: 'Guarded' });
  });

  it('the write guard with --namespace refuses every other namespace and cluster-scoped objects', () => {
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

describe('the memory of an engine', () => {
  const tried = (now: number, revision = 'r', before = 0) => ({
    revision,
    state: objectState('Deployment', { state: 'failed', message: 'm' }),
    now,
    before,
  });

  it('a failure counts when its pass has ended, and a success resets the count', () => {
    const memory = new EngineMemory('u', new ManualClock());
    expect(memory.failed('a', tried(0)).failures).toBe(1);
    expect(memory.failed('a', tried(0)).failures).toBe(1);
    memory.countFailures();
    memory.countFailures();
    expect(memory.failed('a', tried(0)).failures).toBe(2);
    memory.succeeded('a');
    expect(memory.failed('a', tried(0)).failures).toBe(1);
  });

  it('the failures of another revision are counted from the start', () => {
    const memory = new EngineMemory('u', new ManualClock());
    memory.failed('a', tried(0));
    memory.countFailures();
    expect(memory.failed('a', tried(0, 'other')).failures).toBe(1);
    expect(memory.backedOff('a', 'r', 0)).toBeUndefined();
    expect(memory.backedOff('a', 'other', 999)).toBeDefined();
    expect(memory.backedOff('a', 'other', 1_000)).toBeUndefined();
    expect(memory.retryDelayMs('a', 400)).toBe(600);
    expect(memory.retryDelayMs('b', 400)).toBeUndefined();
  });

  it('the delay of repairs is reset after a minute', () => {
    const memory = new EngineMemory('u', new ManualClock());
    memory.repaired('a', 0);
    memory.repaired('a', 0);
    expect(memory.repairDelayMs('a', 0)).toBe(500);
    expect(memory.repairDelayMs('a', 60_001)).toBe(0);
    memory.repaired('a', 60_001);
    expect(memory.repairDelayMs('a', 60_001)).toBe(250);
  });
});

describe('the controller as a whole', () => {
  it('the controller refuses components that cannot be installed', () => {
    const api = new FakeApi(new ManualClock());
    expect(() => create(api, new ManualClock(), {})).toThrow(
      'components that cannot be installed: deploy/components/placement-controller: holds no object',
    );
  });

  it('the controller installs an engine after its first event, and stops everything when the leadership term ends', async () => {
    const clock = new ManualClock();
    const api = new FakeApi(clock);
    const phases: string[] = [];
    const { controller, sources, onStartedLeading } = create(api, clock, templates, phases);
    const term = new AbortController();
    for (const source of sources) source.start();
    await Promise.all(sources.map((source) => source.whenSynced()));
    onStartedLeading(term.signal);
    controller.start();
    api.put(MultiClusterEngines, engine({ metadata: { finalizers: [] } }));
    await clock.advance(1_000);

    expect(api.peek(Deployments, { namespace: NAMESPACE, name: 'placement-controller' })).toBeDefined();
    expect(new Set(phases)).toEqual(new Set(['Progressing']));
    api.remove(MultiClusterEngines, { name: 'hub' });
    await clock.advance(1_000);
    expect(phases.at(-1)).toBe('gone');

    term.abort();
    await controller.stop(0);
    for (const source of sources) await source.stop();
    expect(clock.pending).toBe(0);
  });

  it('a leadership term that has already ended does not start', async () => {
    const rig = new EngineRig();
    const late = new EngineRig({ api: rig.api, clock: rig.clock });
    late.term.abort();
    late.targets.startTerm(AbortSignal.abort());
    rig.create();

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
    specErrors,
    settings,
    hub,
    issueKeyPair: issueForTest,
    recorder: { record: () => undefined, flush: () => Promise.resolve() },
    clock,
    random: () => 0,
    log: new RecordingLog(),
    engineMetrics: { engine: ({ phase }) => void phases.push(phase), engineGone: () => void phases.push('gone') },
    workers: 1,
    settleWindowMs: 100,
  });
}
