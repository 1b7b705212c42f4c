import { describe, expect, it } from '@jest/globals';

import type { KubeObject, ResourceType } from '../../../src/api/meta.js';
import {
  ClusterRoleBindings,
  ConfigMaps,
  Deployments,
  Namespaces,
  Secrets,
  ServiceAccounts,
} from '../../../src/api/resources.js';
import { at, treeAt } from '../../../src/domain/engine/manifest/manifest.js';
import type { ApplyOptions } from '../../../src/kube/client/client.js';
import { ApiError } from '../../../src/runtime/errors.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import { replaced, ROWS, EngineRig } from '../../support/rigs/controllers/engine.js';

const DEPLOYMENT = { namespace: NAMESPACE, name: 'placement-controller' };

describe('an engine is installed', () => {
  it('finalizer first, then everything in the declared order, one status write a pass', async () => {
    const stage = new EngineRig();
    stage.create();
    await stage.pass();

    expect(stage.api.writes).toEqual([
      'patchMetadata multiclusterengines hub',
      'apply namespaces multicluster-engine',
      'apply rolebindings multicluster-engine/multicluster-engine-installer',
      'apply serviceaccounts multicluster-engine/placement-controller',
      'apply serviceaccounts multicluster-engine/gateway',
      'apply clusterrolebindings multicluster-engine-placement-controller',
      'apply configmaps multicluster-engine/gateway-ca',
      'apply secrets multicluster-engine/gateway-tls',
      'apply services multicluster-engine/gateway',
      'apply poddisruptionbudgets multicluster-engine/placement-controller',
      'apply poddisruptionbudgets multicluster-engine/gateway',
      'apply networkpolicies multicluster-engine/placement-controller',
      'apply networkpolicies multicluster-engine/gateway',
      'apply deployments multicluster-engine/placement-controller',
      'apply deployments multicluster-engine/gateway',
      'updateStatus multiclusterengines hub',
    ]);
    expect(stage.state()).toBe('Progressing Installing');
  });

  it('and is Available when its Deployment is, having said so by events', async () => {
    const stage = new EngineRig();
    await stage.install();

    expect(stage.state()).toBe('Available EngineReady');
    expect(stage.engine().status).toMatchObject({
      observedGeneration: 1,
      currentVersion: '1.0.0',
      targetNamespace: NAMESPACE,
    });
    expect(stage.reasons()).toEqual(['EngineInstalling', 'EngineAvailable']);
  });

  it('with nothing left to write or ask', async () => {
    const stage = new EngineRig();
    await stage.install();
    const before = stage.api.calls.length;

    expect(await stage.pass()).toMatchObject({ ending: 'done' });
    expect(stage.api.calls).toHaveLength(before);
  });

  it('and a restarted operator writes nothing', async () => {
    const stage = new EngineRig();
    await stage.install();
    const before = stage.api.calls.length;
    const restarted = new EngineRig({ api: stage.api, clock: stage.clock });

    await restarted.settle();

    expect(stage.api.calls).toHaveLength(before);
    expect(restarted.events).toEqual([]);
  });

  it('into the namespace of its spec, whose defaults are never written back', async () => {
    const stage = new EngineRig();
    await stage.install({ targetNamespace: 'infra' });

    expect(stage.engine().spec).toEqual({ targetNamespace: 'infra' });
    expect(stage.engine().status?.targetNamespace).toBe('infra');
    expect(stage.api.peek(Namespaces, { name: 'infra' })?.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
  });

  it('into a namespace that was there before, which is left as it is', async () => {
    const stage = new EngineRig();
    const before = stage.api.put(Namespaces, { metadata: { name: NAMESPACE, labels: { theirs: '1' } } });
    await stage.install();

    expect(stage.api.peek(Namespaces, { name: NAMESPACE })).toEqual(before);
    expect(stage.state()).toBe('Available EngineReady');
    expect(stage.engine().status?.components?.map((row) => row.kind)).not.toContain('Namespace');
  });

  it('with --namespace: neither namespace nor bindings are looked at', async () => {
    const stage = new EngineRig({ settings: { onlyNamespace: NAMESPACE } });
    await stage.install();

    expect(stage.state()).toBe('Available EngineReady');
    expect(stage.made()).toEqual([
      'ConfigMap gateway-ca',
      'Deployment gateway',
      'Deployment placement-controller',
      'NetworkPolicy gateway',
      'NetworkPolicy placement-controller',
      'PodDisruptionBudget gateway',
      'PodDisruptionBudget placement-controller',
      'Secret gateway-tls',
      'Service gateway',
      'ServiceAccount gateway',
      'ServiceAccount placement-controller',
    ]);
    expect(new Set(stage.api.calls.map((call) => call.type.kind))).not.toContain('Namespace');
  });

  it('and with --namespace refused when it names another', async () => {
    const stage = new EngineRig({ settings: { onlyNamespace: 'elsewhere' } });
    stage.create();
    await stage.settle();

    expect(stage.state()).toBe('Error InvalidSpec');
    expect(stage.message()).toBe(
      'spec.targetNamespace: "multicluster-engine": must be elsewhere: the operator runs with --namespace elsewhere',
    );
    expect(stage.made()).toEqual([]);
  });
});

describe('a changed spec', () => {
  it('reaches the pods, and observedGeneration follows', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.edit(
      {},
      {
        nodeSelector: { infra: '' },
        tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 3 }],
      },
    );
    await stage.settle();

    expect(treeAt(stage.api.peek(Deployments, DEPLOYMENT), 'spec', 'template', 'spec')).toMatchObject({
      nodeSelector: { infra: '' },
      tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
    });
    expect(stage.state()).toBe('Progressing RollingOut');
    stage.rollOut();
    await stage.settle();
    expect(stage.state()).toBe('Available EngineReady');
    expect(stage.engine().status?.observedGeneration).toBe(2);
    expect(stage.reasons()).not.toContain('DriftRepaired');
  });

  it('of the target namespace is refused: the engine stays where it is', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.edit({}, { targetNamespace: 'other' });
    await stage.settle();

    expect(stage.state()).toBe('Error InvalidSpec');
    expect(stage.message()).toContain('delete and recreate the engine');
    expect(stage.api.peek(Namespaces, { name: 'other' })).toBeUndefined();
  });

  it('that cannot be read is refused without a trace in the components', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.api.put(
      stage.caches.engines.type,
      Object.assign({ ...stage.engine() }, { spec: { tolerations: 'all', nodeSelector: 5 } }),
    );
    await stage.settle();

    expect(stage.state()).toBe('Error InvalidSpec');
    expect(stage.engine().status?.components).toHaveLength(ROWS);
    stage.edit({}, {});
    await stage.settle();
    expect(stage.state()).toBe('Available EngineReady');
  });
});

describe('a new version of the operator', () => {
  it('with more replicas than before stays Available while those of before serve, and says when one of them is lost', async () => {
    const old = new EngineRig();
    await old.install();
    const stage = new EngineRig({ api: old.api, clock: old.clock, settings: { version: '2.0.0', replicas: 3 } });
    const growing = {
      wanted: 3,
      replicas: 4,
      updated: 1,
      conditions: [
        { type: 'Available', status: 'False' },
        { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' },
      ],
    };
    await stage.settle();
    stage.rollOut({ ...growing, available: 2 });
    await stage.settle();
    expect(stage.condition('Available')?.status).toBe('True');
    expect(stage.reasons()).toEqual(['EngineUpdating']);

    stage.rollOut({ ...growing, available: 1 });
    await stage.settle();
    expect(stage.condition('Available')?.status).toBe('False');
    expect(stage.reasons()).toEqual(['EngineUpdating', 'ComponentUnavailable', 'ComponentUnavailable']);
  });

  it('brings every object to it, and currentVersion follows when every component is ready on it', async () => {
    const old = new EngineRig();
    await old.install();
    const stage = new EngineRig({
      api: old.api,
      clock: old.clock,
      settings: { version: '2.0.0', image: 'registry.example/engine:2.0.0' },
    });
    await stage.settle();

    expect(stage.state()).toBe('Updating Updating');
    expect(stage.engine().status).toMatchObject({ desiredVersion: '2.0.0', currentVersion: '1.0.0' });
    stage.rollOut();
    await stage.settle();
    expect(stage.state()).toBe('Available EngineReady');
    expect(stage.engine().status).toMatchObject({ desiredVersion: '2.0.0', currentVersion: '2.0.0' });
    expect(stage.reasons()).toEqual(['EngineUpdating', 'EngineAvailable']);
    for (const type of [ServiceAccounts, Deployments]) {
      expect(stage.api.peek(type, DEPLOYMENT)?.metadata.annotations).toMatchObject({
        'multicluster.platform.io/version': '2.0.0',
      });
    }
  });
});

describe('drift', () => {
  it.each<[string, (stage: EngineRig) => void, string]>([
    [
      'a changed field is put back',
      (stage) =>
        change(stage, (object) => Object.assign({ ...object }, { spec: { ...treeAt(object, 'spec'), replicas: 0 } })),
      'Deployment multicluster-engine/placement-controller differs at spec.replicas; put back',
    ],
    [
      'a label taken off is put back',
      (stage) =>
        change(stage, (object) => ({
          ...object,
          metadata: { ...object.metadata, labels: { 'multicluster.platform.io/engine': 'hub' } },
        })),
      'metadata.labels[app.kubernetes.io/name]',
    ],
    [
      'a deleted object is made again',
      (stage) => stage.api.remove(Deployments, DEPLOYMENT),
      'Deployment multicluster-engine/placement-controller was gone; made again',
    ],
  ])('%s, and told', async (_name, drift, note) => {
    const stage = new EngineRig();
    await stage.install();
    const before = stage.api.peek(Deployments, DEPLOYMENT);
    drift(stage);
    expect(stage.enqueued.at(-1)).toBe('hub');
    await stage.settle();

    const after = stage.api.peek(Deployments, DEPLOYMENT);
    expect(at(after, 'spec')).toEqual(at(before, 'spec'));
    expect(after?.metadata.labels).toEqual(before?.metadata.labels);
    expect(
      stage.events
        .filter((event) => event.reason === 'DriftRepaired')
        .map((event) => event.note)
        .join(),
    ).toContain(note);
  });

  it('that the API refuses to have beside what is wanted is taken over, once', async () => {
    const stage = new EngineRig();
    await stage.install();
    const theirs = { manager: 'kubectl-edit', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } };
    change(stage, (object) =>
      Object.assign(
        { ...object },
        { metadata: { ...object.metadata, managedFields: [theirs] }, spec: { ...treeAt(object, 'spec'), replicas: 0 } },
      ),
    );
    const before = stage.api.writes.length;
    stage.api.before = ({ verb, type }) => {
      if (verb === 'apply' && type === Deployments)
        throw new ApiError({
          kind: 'Invalid',
          message: 'only one of both',
          call: { verb: 'patch', resource: 'deployments.apps' },
        });
    };
    await stage.pass();

    const place = 'deployments multicluster-engine/placement-controller';
    expect(stage.api.writes.slice(before)).toEqual([
      `apply ${place}`,
      `patchMetadata ${place}`,
      `apply ${place}`,
      'updateStatus multiclusterengines hub',
    ]);
    expect(stage.message()).toContain('only one of both');
  });

  it('costs one write, and leaves what others added', async () => {
    const stage = new EngineRig();
    await stage.install();
    change(stage, (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        labels: { ...object.metadata.labels, theirs: '1', 'app.kubernetes.io/version': 'x' },
      },
    }));
    const before = stage.api.writes.length;
    await stage.pass();

    expect(stage.api.writes.slice(before)).toEqual(['apply deployments multicluster-engine/placement-controller']);
    expect(stage.api.peek(Deployments, DEPLOYMENT)?.metadata.labels).toMatchObject({
      theirs: '1',
      'app.kubernetes.io/version': '1.0.0',
    });
  });

  it('that only the cache still shows is no reason to write', async () => {
    const stage = new EngineRig();
    await stage.install();
    const cache = stage.opened.find((one) => one.type === Deployments);
    const good = stage.api.peek<KubeObject>(Deployments, DEPLOYMENT);
    if (good === undefined || cache === undefined) throw new Error('not installed');
    change(stage, (object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { 'multicluster.platform.io/engine': 'hub' } },
    }));
    cache.pause();
    stage.api.put(Deployments, good);
    const before = stage.api.writes.length;
    await stage.pass();

    expect(stage.api.writes).toHaveLength(before);
    expect(stage.state()).toBe('Available EngineReady');
  });

  it('of our namespace is put back, and of its label is final', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.api.put(Namespaces, { metadata: { name: NAMESPACE, labels: { 'multicluster.platform.io/engine': 'hub' } } });
    await stage.settle();
    expect(stage.api.peek(Namespaces, { name: NAMESPACE })?.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });

    stage.api.put(Namespaces, { metadata: { name: NAMESPACE, labels: {} } });
    await stage.settle();
    expect(stage.api.peek(Namespaces, { name: NAMESPACE })?.metadata.labels).toEqual({});
    expect(stage.state()).toBe('Available EngineReady');
  });

  it('that somebody makes again and again is answered ever more slowly, but within 5 s', async () => {
    const stage = new EngineRig();
    await stage.install();
    const waits: number[] = [];
    for (let round = 0; round < 8; round++) {
      change(stage, (object) => Object.assign({ ...object }, { spec: { ...treeAt(object, 'spec'), replicas: 0 } }));
      const result = await stage.pass();
      const wait = result.ending === 'wait' ? result.afterMs : 0;
      waits.push(wait);
      await stage.clock.advance(wait);
      await stage.pass();
      expect(at(stage.api.peek(Deployments, DEPLOYMENT), 'spec', 'replicas')).toBe(2);
    }

    expect(waits).toEqual([0, 250, 500, 1000, 2000, 4000, 4000, 4000]);
  });

  it('that admission makes at once is told as a failure, not fought', async () => {
    const stage = new EngineRig({
      wrap: (client) =>
        replaced(client, 'apply', async (type: ResourceType, object: KubeObject, options: ApplyOptions) => {
          const answer = await client.apply<KubeObject>(type, object, options);
          return type === Deployments
            ? Object.assign({ ...answer }, { spec: { ...treeAt(answer, 'spec'), replicas: 1 } })
            : answer;
        }),
    });
    stage.create();
    const result = await stage.pass();

    expect(stage.state()).toBe('Progressing ApplyFailed');
    expect(stage.message()).toContain(
      'spec.replicas is changed by admission or by another controller after each apply',
    );
    expect(result).toMatchObject({ ending: 'wait', afterMs: 1000 });
  });
});

describe('what is wanted no more', () => {
  const owner = (stage: EngineRig) => [
    {
      apiVersion: 'multicluster.platform.io/v1alpha1',
      kind: 'MultiClusterEngine',
      name: 'hub',
      uid: stage.engine().metadata.uid ?? '',
      controller: true,
    },
  ];
  const labels = { 'multicluster.platform.io/engine': 'hub' };

  it('goes, and an event says so', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.api.put(ServiceAccounts, {
      metadata: { namespace: NAMESPACE, name: 'old', labels, ownerReferences: owner(stage) },
    });
    await stage.settle();

    expect(stage.api.peek(ServiceAccounts, { namespace: NAMESPACE, name: 'old' })).toBeUndefined();
    expect(stage.events.at(-1)).toMatchObject({
      reason: 'ObjectPruned',
      note: 'ServiceAccount multicluster-engine/old is no longer wanted; deleted',
    });
  });

  it('stays when it is not ours, label or not', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.api.put(ServiceAccounts, { metadata: { namespace: NAMESPACE, name: 'theirs', labels } });
    stage.api.put(ConfigMaps, { metadata: { namespace: NAMESPACE, name: 'theirs' } });
    await stage.settle();

    expect(stage.api.peek(ServiceAccounts, { namespace: NAMESPACE, name: 'theirs' })).toBeDefined();
    expect(stage.state()).toBe('Available EngineReady');
  });

  it('stays when it has another owner by now, although the cache still shows ours', async () => {
    const stage = new EngineRig();
    await stage.install();
    const old = { namespace: NAMESPACE, name: 'old' };
    stage.api.put(ServiceAccounts, { metadata: { ...old, labels, ownerReferences: owner(stage) } });
    for (const cache of stage.opened) cache.pause();
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'w', controller: true };
    stage.api.put(ServiceAccounts, { metadata: { ...old, labels, ownerReferences: [widget] } });
    const before = stage.api.calls.length;
    await stage.pass();

    const calls = stage.api.calls.slice(before).filter(({ name }) => name.name === old.name);
    expect(calls.map(({ verb }) => verb)).toEqual(['get']);
    expect(stage.api.peek(ServiceAccounts, old)?.metadata.ownerReferences).toEqual([widget]);
  });

  it('has a row while it cannot be deleted', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.api.put(ServiceAccounts, {
      metadata: { namespace: NAMESPACE, name: 'old', labels, ownerReferences: owner(stage) },
    });
    stage.api.before = (call) => {
      if (call.verb === 'delete') throw new Error('a webhook says no');
    };
    await stage.pass();

    expect(stage.state()).toBe('Progressing ApplyFailed');
    expect(stage.message()).toBe('ServiceAccount multicluster-engine/old: a webhook says no');
  });
});

describe('the pull secret', () => {
  it('that is missing is named while all else is applied, and its arrival is noticed', async () => {
    const stage = new EngineRig();
    await stage.install({ imagePullSecret: 'pull' });
    expect(stage.state()).toBe('Progressing PullSecretNotFound');
    expect(stage.message()).toContain('Secret multicluster-engine/pull');
    expect(stage.made()).toContain('Deployment placement-controller');

    const woken = stage.enqueued.length;
    stage.api.put(Secrets, { metadata: { namespace: NAMESPACE, name: 'pull' } });
    expect(stage.enqueued.length).toBeGreaterThan(woken);
    await stage.settle();
    expect(stage.state()).toBe('Available EngineReady');
  });

  it('is followed by its name, and its metadata alone', async () => {
    const stage = new EngineRig();
    await stage.install({ imagePullSecret: 'pull' });
    stage.edit({}, { imagePullSecret: 'other' });
    stage.api.put(
      Secrets,
      Object.assign({ metadata: { namespace: NAMESPACE, name: 'other' } }, { data: { x: 'secret' } }),
    );
    await stage.settle();
    const cache = stage.opened.filter((one) => one.type === Secrets).at(-1);

    expect([...(cache?.store.values() ?? [])]).toEqual([expect.not.objectContaining({ data: expect.anything() })]);
    expect(stage.condition('Ready')?.reason).toBe('RollingOut');
    stage.edit({}, {});
    await stage.settle();
    expect(
      stage.opened
        .filter((one) => one.type === Secrets && one.synced())
        .map((one) => [...one.store.values()].map(({ metadata }) => metadata.name)),
    ).toEqual([['gateway-tls']]);
  });
});

it('component bindings are cluster-scoped and owned by the engine', async () => {
  const stage = new EngineRig();
  await stage.install();

  expect(stage.api.all<KubeObject>(ClusterRoleBindings).map((one) => one.metadata.ownerReferences?.[0]?.name)).toEqual([
    'hub',
  ]);
});

function change(stage: EngineRig, made: (object: KubeObject) => KubeObject): void {
  const object = stage.api.peek<KubeObject>(Deployments, DEPLOYMENT);
  if (object === undefined) throw new Error('there is no Deployment');
  stage.api.put(Deployments, made(object));
}
