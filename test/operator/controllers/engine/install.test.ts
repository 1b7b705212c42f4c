import { describe, expect, it } from '@jest/globals';

import type { KubeObject, ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import {
  ClusterRoleBindings,
  ConfigMaps,
  Deployments,
  Namespaces,
  Secrets,
  ServiceAccounts,
} from '../../../../src/runtime/vocabulary/kinds.js';
import { at, treeAt } from '../../../../src/domain/engine/manifest/manifest.js';
import type { ApplyOptions } from '../../../../src/runtime/client/client.js';
import { ApiError } from '../../../../src/runtime/errors.js';
import { NAMESPACE } from '../../../support/builders/engine.js';
import { replaced, ROWS, EngineRig } from '../../../support/rigs/controllers/engine.js';

const DEPLOYMENT = { namespace: NAMESPACE, name: 'placement-controller' };

describe('an installation', () => {
  it('an installation sets the finalizer first, then applies in the declared order, with one status write per pass', async () => {
    const rig = new EngineRig();
    rig.create();
    await rig.pass();

    expect(rig.api.writes).toEqual([
      'patchMetadata multiclusterengines hub',
      'apply namespaces multicluster-engine',
      'apply rolebindings multicluster-engine/multicluster-engine-installer',
      'apply serviceaccounts multicluster-engine/placement-controller',
      'apply serviceaccounts multicluster-engine/gateway',
      'apply rolebindings multicluster-engine-agents/multicluster-engine-agent-leases',
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
    expect(rig.state()).toBe('Progressing Installing');
  });

  it('an engine is Available when its Deployments are, and events report it', async () => {
    const rig = new EngineRig();
    await rig.install();

    expect(rig.state()).toBe('Available EngineReady');
    expect(rig.engine().status).toMatchObject({
      observedGeneration: 1,
      currentVersion: '1.0.0',
      targetNamespace: NAMESPACE,
    });
    expect(rig.reasons()).toEqual(['EngineInstalling', 'EngineAvailable']);
  });

  it('a pass over an installed engine makes no request', async () => {
    const rig = new EngineRig();
    await rig.install();
    const before = rig.api.calls.length;

    expect(await rig.pass()).toMatchObject({ ending: 'done' });
    expect(rig.api.calls).toHaveLength(before);
  });

  it('a restarted operator writes nothing for an installed engine', async () => {
    const rig = new EngineRig();
    await rig.install();
    const before = rig.api.calls.length;
    const restarted = new EngineRig({ api: rig.api, clock: rig.clock });

    await restarted.converge();

    expect(rig.api.calls).toHaveLength(before);
    expect(restarted.events).toEqual([]);
  });

  it('an engine is installed in the namespace of its spec, and defaults are never written into the spec', async () => {
    const rig = new EngineRig();
    await rig.install({ targetNamespace: 'infra' });

    expect(rig.engine().spec).toEqual({ targetNamespace: 'infra' });
    expect(rig.engine().status?.targetNamespace).toBe('infra');
    expect(rig.api.peek(Namespaces, { name: 'infra' })?.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
  });

  it('an engine is installed in an existing namespace, which is not changed', async () => {
    const rig = new EngineRig();
    const before = rig.api.put(Namespaces, { metadata: { name: NAMESPACE, labels: { theirs: '1' } } });
    await rig.install();

    expect(rig.api.peek(Namespaces, { name: NAMESPACE })).toEqual(before);
    expect(rig.state()).toBe('Available EngineReady');
    expect(rig.engine().status?.components?.map((row) => row.kind)).not.toContain('Namespace');
  });

  it('an engine with --namespace neither reads nor writes the namespace and bindings', async () => {
    const rig = new EngineRig({ settings: { onlyNamespace: NAMESPACE } });
    await rig.install();

    expect(rig.state()).toBe('Available EngineReady');
    expect(rig.made()).toEqual([
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
    expect(new Set(rig.api.calls.map((call) => call.type.kind))).not.toContain('Namespace');
  });

  it('an engine with --namespace and another target namespace is refused', async () => {
    const rig = new EngineRig({ settings: { onlyNamespace: 'elsewhere' } });
    rig.create();
    await rig.converge();

    expect(rig.state()).toBe('Error InvalidSpec');
    expect(rig.message()).toBe(
      'spec.targetNamespace: "multicluster-engine": must be elsewhere: the operator runs with --namespace elsewhere',
    );
    expect(rig.made()).toEqual([]);
  });
});

describe('a changed spec', () => {
  it('a changed spec reaches the pods, and observedGeneration follows', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit(
      {},
      {
        nodeSelector: { infra: '' },
        tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 3 }],
      },
    );
    await rig.converge();

    expect(treeAt(rig.api.peek(Deployments, DEPLOYMENT), 'spec', 'template', 'spec')).toMatchObject({
      nodeSelector: { infra: '' },
      tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
    });
    expect(rig.state()).toBe('Progressing RollingOut');
    rig.rollOut();
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
    expect(rig.engine().status?.observedGeneration).toBe(2);
    expect(rig.reasons()).not.toContain('DriftRepaired');
  });

  it('a changed target namespace is refused, and the installed objects stay', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit({}, { targetNamespace: 'other' });
    await rig.converge();

    expect(rig.state()).toBe('Error InvalidSpec');
    expect(rig.message()).toContain('delete and recreate the engine');
    expect(rig.api.peek(Namespaces, { name: 'other' })).toBeUndefined();
  });

  it('an invalid spec is refused and does not change the components', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.api.put(
      rig.caches.engines.type,
      Object.assign({ ...rig.engine() }, { spec: { tolerations: 'all', nodeSelector: 5 } }),
    );
    await rig.converge();

    expect(rig.state()).toBe('Error InvalidSpec');
    expect(rig.message()).toContain('spec.tolerations: Invalid value: "string": ');
    expect(rig.engine().status?.components).toHaveLength(ROWS);
    rig.edit({}, {});
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
  });
});

describe('a new version of the operator', () => {
  it('a version with more replicas stays Available while the previous number is available, and reports when one is lost', async () => {
    const old = new EngineRig();
    await old.install();
    const rig = new EngineRig({ api: old.api, clock: old.clock, settings: { version: '2.0.0', replicas: 3 } });
    const growing = {
      wanted: 3,
      replicas: 4,
      updated: 1,
      conditions: [
        { type: 'Available', status: 'False' },
        { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' },
      ],
    };
    await rig.converge();
    rig.rollOut({ ...growing, available: 2 });
    await rig.converge();
    expect(rig.condition('Available')?.status).toBe('True');
    expect(rig.reasons()).toEqual(['EngineUpdating']);

    rig.rollOut({ ...growing, available: 1 });
    await rig.converge();
    expect(rig.condition('Available')?.status).toBe('False');
    expect(rig.reasons()).toEqual(['EngineUpdating', 'ComponentUnavailable', 'ComponentUnavailable']);
  });

  it('a new version of the operator is applied to every object, and currentVersion follows when every component is ready', async () => {
    const old = new EngineRig();
    await old.install();
    const rig = new EngineRig({
      api: old.api,
      clock: old.clock,
      settings: { version: '2.0.0', image: 'registry.example/engine:2.0.0' },
    });
    await rig.converge();

    expect(rig.state()).toBe('Updating Updating');
    expect(rig.engine().status).toMatchObject({ desiredVersion: '2.0.0', currentVersion: '1.0.0' });
    rig.rollOut();
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
    expect(rig.engine().status).toMatchObject({ desiredVersion: '2.0.0', currentVersion: '2.0.0' });
    expect(rig.reasons()).toEqual(['EngineUpdating', 'EngineAvailable']);
    for (const type of [ServiceAccounts, Deployments]) {
      expect(rig.api.peek(type, DEPLOYMENT)?.metadata.annotations).toMatchObject({
        'multicluster.platform.io/version': '2.0.0',
      });
    }
  });
});

describe('drift', () => {
  it.each<[string, (rig: EngineRig) => void, string]>([
    [
      'a changed field is restored',
      (rig) =>
        change(rig, (object) => Object.assign({ ...object }, { spec: { ...treeAt(object, 'spec'), replicas: 0 } })),
      'Deployment multicluster-engine/placement-controller differs at spec.replicas; restored',
    ],
    [
      'a removed label is restored',
      (rig) =>
        change(rig, (object) => ({
          ...object,
          metadata: { ...object.metadata, labels: { 'multicluster.platform.io/engine': 'hub' } },
        })),
      'metadata.labels[app.kubernetes.io/name]',
    ],
    [
      'a deleted object is created again',
      (rig) => rig.api.remove(Deployments, DEPLOYMENT),
      'Deployment multicluster-engine/placement-controller was deleted; recreated',
    ],
  ])('an event reports that %s', async (_name, drift, note) => {
    const rig = new EngineRig();
    await rig.install();
    const before = rig.api.peek(Deployments, DEPLOYMENT);
    drift(rig);
    expect(rig.enqueued.at(-1)).toBe('hub');
    await rig.converge();

    const after = rig.api.peek(Deployments, DEPLOYMENT);
    expect(at(after, 'spec')).toEqual(at(before, 'spec'));
    expect(after?.metadata.labels).toEqual(before?.metadata.labels);
    expect(
      rig.events
        .filter((event) => event.reason === 'DriftRepaired')
        .map((event) => event.note)
        .join(),
    ).toContain(note);
  });

  it('a field that the API refuses beside the desired one is taken over once', async () => {
    const rig = new EngineRig();
    await rig.install();
    const theirs = { manager: 'kubectl-edit', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } };
    change(rig, (object) =>
      Object.assign(
        { ...object },
        { metadata: { ...object.metadata, managedFields: [theirs] }, spec: { ...treeAt(object, 'spec'), replicas: 0 } },
      ),
    );
    const before = rig.api.writes.length;
    rig.api.before = ({ verb, type }) => {
      if (verb === 'apply' && type === Deployments)
        throw new ApiError({
          kind: 'Invalid',
          message: 'only one of both',
          call: { verb: 'patch', resource: 'deployments.apps' },
        });
    };
    await rig.pass();

    const place = 'deployments multicluster-engine/placement-controller';
    expect(rig.api.writes.slice(before)).toEqual([
      `apply ${place}`,
      `patchMetadata ${place}`,
      `apply ${place}`,
      'updateStatus multiclusterengines hub',
    ]);
    expect(rig.message()).toContain('only one of both');
  });

  it('a repair of drift is one write and keeps the fields that others have added', async () => {
    const rig = new EngineRig();
    await rig.install();
    change(rig, (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        labels: { ...object.metadata.labels, theirs: '1', 'app.kubernetes.io/version': 'x' },
      },
    }));
    const before = rig.api.writes.length;
    await rig.pass();

    expect(rig.api.writes.slice(before)).toEqual(['apply deployments multicluster-engine/placement-controller']);
    expect(rig.api.peek(Deployments, DEPLOYMENT)?.metadata.labels).toMatchObject({
      theirs: '1',
      'app.kubernetes.io/version': '1.0.0',
    });
  });

  it('drift that only the cache still shows leads to no write', async () => {
    const rig = new EngineRig();
    await rig.install();
    const cache = rig.opened.find((one) => one.type === Deployments);
    const good = rig.api.peek<KubeObject>(Deployments, DEPLOYMENT);
    if (good === undefined || cache === undefined) throw new Error('not installed');
    change(rig, (object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { 'multicluster.platform.io/engine': 'hub' } },
    }));
    cache.pause();
    rig.api.put(Deployments, good);
    const before = rig.api.writes.length;
    await rig.pass();

    expect(rig.api.writes).toHaveLength(before);
    expect(rig.state()).toBe('Available EngineReady');
  });

  it('drift of our namespace is repaired, and the loss of its label is final', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.api.put(Namespaces, { metadata: { name: NAMESPACE, labels: { 'multicluster.platform.io/engine': 'hub' } } });
    await rig.converge();
    expect(rig.api.peek(Namespaces, { name: NAMESPACE })?.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });

    rig.api.put(Namespaces, { metadata: { name: NAMESPACE, labels: {} } });
    await rig.converge();
    expect(rig.api.peek(Namespaces, { name: NAMESPACE })?.metadata.labels).toEqual({});
    expect(rig.state()).toBe('Available EngineReady');
  });

  it('drift that occurs repeatedly is repaired with a growing delay of less than 5 s', async () => {
    const rig = new EngineRig();
    await rig.install();
    const waits: number[] = [];
    for (let round = 0; round < 8; round++) {
      change(rig, (object) => Object.assign({ ...object }, { spec: { ...treeAt(object, 'spec'), replicas: 0 } }));
      const result = await rig.pass();
      const wait = result.ending === 'wait' ? result.afterMs : 0;
      waits.push(wait);
      await rig.clock.advance(wait);
      await rig.pass();
      expect(at(rig.api.peek(Deployments, DEPLOYMENT), 'spec', 'replicas')).toBe(2);
    }

    expect(waits).toEqual([0, 250, 500, 1000, 2000, 4000, 4000, 4000]);
  });

  it('a field that admission changes in each apply is reported as a failure and not applied in every pass', async () => {
    const rig = new EngineRig({
      wrap: (client) =>
        replaced(client, 'apply', async (type: ResourceType, object: KubeObject, options: ApplyOptions) => {
          const answer = await client.apply<KubeObject>(type, object, options);
          return type === Deployments
            ? Object.assign({ ...answer }, { spec: { ...treeAt(answer, 'spec'), replicas: 1 } })
            : answer;
        }),
    });
    rig.create();
    const result = await rig.pass();

    expect(rig.state()).toBe('Progressing ApplyFailed');
    expect(rig.message()).toContain('spec.replicas is changed by admission or by another controller after each apply');
    expect(result).toMatchObject({ ending: 'wait', afterMs: 1000 });
  });
});

describe('an object that is no longer desired', () => {
  const owner = (rig: EngineRig) => [
    {
      apiVersion: 'multicluster.platform.io/v1alpha1',
      kind: 'MultiClusterEngine',
      name: 'hub',
      uid: rig.engine().metadata.uid ?? '',
      controller: true,
    },
  ];
  const labels = { 'multicluster.platform.io/engine': 'hub' };

  it('an object that is no longer desired is deleted, and an event reports it', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.api.put(ServiceAccounts, {
      metadata: { namespace: NAMESPACE, name: 'old', labels, ownerReferences: owner(rig) },
    });
    await rig.converge();

    expect(rig.api.peek(ServiceAccounts, { namespace: NAMESPACE, name: 'old' })).toBeUndefined();
    expect(rig.events.at(-1)).toMatchObject({
      reason: 'ObjectPruned',
      note: 'ServiceAccount multicluster-engine/old is no longer desired; deleted',
    });
  });

  it('an object that is not ours is not pruned, with or without our label', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.api.put(ServiceAccounts, { metadata: { namespace: NAMESPACE, name: 'theirs', labels } });
    rig.api.put(ConfigMaps, { metadata: { namespace: NAMESPACE, name: 'theirs' } });
    await rig.converge();

    expect(rig.api.peek(ServiceAccounts, { namespace: NAMESPACE, name: 'theirs' })).toBeDefined();
    expect(rig.state()).toBe('Available EngineReady');
  });

  it('an object that has another owner by now is not pruned, although the cache still shows ours', async () => {
    const rig = new EngineRig();
    await rig.install();
    const old = { namespace: NAMESPACE, name: 'old' };
    rig.api.put(ServiceAccounts, { metadata: { ...old, labels, ownerReferences: owner(rig) } });
    for (const cache of rig.opened) cache.pause();
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'w', controller: true };
    rig.api.put(ServiceAccounts, { metadata: { ...old, labels, ownerReferences: [widget] } });
    const before = rig.api.calls.length;
    await rig.pass();

    const calls = rig.api.calls.slice(before).filter(({ name }) => name.name === old.name);
    expect(calls.map(({ verb }) => verb)).toEqual(['get']);
    expect(rig.api.peek(ServiceAccounts, old)?.metadata.ownerReferences).toEqual([widget]);
  });

  it('an object that cannot be pruned has a row', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.api.put(ServiceAccounts, {
      metadata: { namespace: NAMESPACE, name: 'old', labels, ownerReferences: owner(rig) },
    });
    rig.api.before = (call) => {
      if (call.verb === 'delete') throw new Error('a webhook says no');
    };
    await rig.pass();

    expect(rig.state()).toBe('Progressing ApplyFailed');
    expect(rig.message()).toBe('ServiceAccount multicluster-engine/old: a webhook says no');
  });
});

describe('the pull secret', () => {
  it('a missing pull secret is named while everything else is applied, and its creation enqueues the engine', async () => {
    const rig = new EngineRig();
    await rig.install({ imagePullSecret: 'pull' });
    expect(rig.state()).toBe('Progressing PullSecretNotFound');
    expect(rig.message()).toContain('Secret multicluster-engine/pull');
    expect(rig.made()).toContain('Deployment placement-controller');

    const before = rig.enqueued.length;
    const metadata = { namespace: NAMESPACE, name: 'pull' };
    rig.api.put(Secrets, Object.assign({ metadata }, { type: 'kubernetes.io/dockerconfigjson' }));
    expect(rig.enqueued.length).toBeGreaterThan(before);
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
  });

  it('the pull secret is watched by name, metadata only', async () => {
    const rig = new EngineRig();
    await rig.install({ imagePullSecret: 'pull' });
    rig.edit({}, { imagePullSecret: 'other' });
    rig.api.put(
      Secrets,
      Object.assign(
        { metadata: { namespace: NAMESPACE, name: 'other' } },
        { type: 'kubernetes.io/dockerconfigjson', data: { x: 'secret' } },
      ),
    );
    await rig.converge();
    const cache = rig.opened.filter((one) => one.type === Secrets).at(-1);

    expect([...(cache?.store.values() ?? [])]).toEqual([expect.not.objectContaining({ data: expect.anything() })]);
    expect(rig.condition('Ready')?.reason).toBe('RollingOut');
    rig.edit({}, {});
    await rig.converge();
    expect(
      rig.opened
        .filter((one) => one.type === Secrets && one.current())
        .map((one) => [...one.store.values()].map(({ metadata }) => metadata.name)),
    ).toEqual([['gateway-tls']]);
  });
});

it('component bindings are cluster-scoped and owned by the engine', async () => {
  const rig = new EngineRig();
  await rig.install();

  expect(rig.api.all<KubeObject>(ClusterRoleBindings).map((one) => one.metadata.ownerReferences?.[0]?.name)).toEqual([
    'hub',
  ]);
});

function change(rig: EngineRig, made: (object: KubeObject) => KubeObject): void {
  const object = rig.api.peek<KubeObject>(Deployments, DEPLOYMENT);
  if (object === undefined) throw new Error('there is no Deployment');
  rig.api.put(Deployments, made(object));
}
