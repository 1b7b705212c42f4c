import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../src/api/meta.js';
import {
  ClusterRoleBindings,
  ConfigMaps,
  Deployments,
  MultiClusterEngines,
  Namespaces,
  PersistentVolumeClaims,
  Pods,
  RoleBindings,
  Secrets,
  ServiceAccounts,
} from '../../../src/api/resources.js';
import { ApiError } from '../../../src/runtime/errors.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import { failure } from '../../support/fakes/api.js';
import { ROWS, EngineRig } from '../../support/rigs/controllers/engine.js';

const ACCOUNT = { namespace: NAMESPACE, name: 'placement-controller' };

function forbidden(): ApiError {
  return new ApiError({
    kind: 'Forbidden',
    message: 'the words of the server',
    call: { verb: 'delete', resource: 'x' },
    status: 403,
    reason: 'Forbidden',
  });
}

async function installed(): Promise<EngineRig> {
  const stage = new EngineRig();
  await stage.install();
  await stage.clock.advance(10_000);
  return stage;
}

/** Passes and garbage collection in turn until the engine is gone; at most ten. */
async function removeAll(stage: EngineRig): Promise<void> {
  for (let round = 0; round < 10 && stage.exists(); round++) {
    await stage.pass();
    stage.collect();
  }
}

describe('an uninstall', () => {
  it('goes in the reverse order of applying, Deployments first and waited for', async () => {
    const stage = await installed();
    stage.remove();
    const before = stage.api.writes.length;
    const result = await stage.pass();

    expect(stage.api.writes.slice(before)).toEqual([
      'delete deployments multicluster-engine/gateway',
      'delete deployments multicluster-engine/placement-controller',
      'updateStatus multiclusterengines hub',
    ]);
    expect(stage.state()).toBe('Uninstalling Uninstalling');
    expect(stage.message()).toBe(
      '12 objects left; waits: Deployment multicluster-engine/gateway is being deleted; Deployment multicluster-engine/placement-controller is being deleted',
    );
    expect(stage.condition('Reconciling')?.reason).toBe('Uninstalling');
    expect(result).toEqual({ ending: 'wait', reason: 'uninstalling', afterMs: 2_000 });

    stage.collect();
    const then = stage.api.writes.length;
    await stage.pass();
    expect(stage.api.writes.slice(then)).toEqual([
      'delete networkpolicies multicluster-engine/gateway',
      'delete networkpolicies multicluster-engine/placement-controller',
      'delete poddisruptionbudgets multicluster-engine/gateway',
      'delete poddisruptionbudgets multicluster-engine/placement-controller',
      'delete services multicluster-engine/gateway',
      'delete secrets multicluster-engine/gateway-tls',
      'delete configmaps multicluster-engine/gateway-ca',
      'delete clusterrolebindings multicluster-engine-placement-controller',
      'delete serviceaccounts multicluster-engine/gateway',
      'delete serviceaccounts multicluster-engine/placement-controller',
      'delete namespaces multicluster-engine',
      'patchMetadata multiclusterengines hub',
    ]);
    expect(stage.exists()).toBe(false);
    expect(stage.events.at(-1)).toMatchObject({ reason: 'EngineUninstalled', note: 'everything is removed' });
  });

  it('leaves the installer binding to garbage collection', async () => {
    const stage = await installed();
    stage.remove();
    await removeAll(stage);

    expect(stage.made()).toEqual(['RoleBinding multicluster-engine-installer']);
  });

  it('says nothing new while nothing moves', async () => {
    const stage = await installed();
    stage.remove();
    await stage.pass();
    const before = stage.api.writes.length;
    await stage.pass();
    await stage.clock.advance(60_000);
    await stage.pass();

    expect(stage.api.writes.slice(before)).toEqual(['updateStatus multiclusterengines hub']);
    expect(stage.message()).toContain(
      'Deployment multicluster-engine/placement-controller is being deleted (finalizers: foregroundDeletion)',
    );
  });

  it('names the pods that a Deployment waits for', async () => {
    const stage = await installed();
    stage.api.put(Pods, {
      metadata: {
        namespace: NAMESPACE,
        name: 'p-1',
        labels: { 'multicluster.platform.io/engine': 'hub' },
        deletionTimestamp: '2026-01-01T00:00:00Z',
        finalizers: ['x/y'],
      },
    });
    stage.remove();
    await stage.pass();

    expect(stage.message()).toContain('Pod multicluster-engine/p-1 is being deleted (finalizers: x/y)');
  });

  it('has a row for what is left', async () => {
    const stage = await installed();
    stage.remove();
    await stage.pass();

    expect(stage.engine().status?.components?.map((row) => `${row.kind} ${row.reason}`)).toEqual([
      'ClusterRoleBinding Uninstalling',
      'ConfigMap Uninstalling',
      'Deployment Uninstalling',
      'Deployment Uninstalling',
      'NetworkPolicy Uninstalling',
      'NetworkPolicy Uninstalling',
      'PodDisruptionBudget Uninstalling',
      'PodDisruptionBudget Uninstalling',
      'Secret Uninstalling',
      'Service Uninstalling',
      'ServiceAccount Uninstalling',
      'ServiceAccount Uninstalling',
    ]);
  });

  it('asks for each deletion with uid and resourceVersion, and looks again after a conflict', async () => {
    const stage = await installed();
    stage.remove();
    let changed = false;
    stage.api.before = (call) => {
      if (call.verb !== 'delete' || call.type !== Deployments || call.name.name !== ACCOUNT.name || changed) return;
      changed = true;
      const object = stage.api.peek<KubeObject>(Deployments, ACCOUNT);
      if (object !== undefined)
        stage.api.put(Deployments, {
          ...object,
          metadata: { ...object.metadata, labels: { ...object.metadata.labels, more: '1' } },
        });
    };
    await stage.pass();
    await stage.pass();

    expect(stage.api.peek(Deployments, ACCOUNT)?.metadata.deletionTimestamp).toBeDefined();
  });

  it('touches nothing that is not ours, and keeps a namespace in which it lies', async () => {
    const stage = await installed();
    const theirs = stage.api.put(ConfigMaps, {
      metadata: { namespace: NAMESPACE, name: 'theirs', labels: { 'multicluster.platform.io/engine': 'hub' } },
    });
    stage.remove();
    await removeAll(stage);

    expect(stage.api.peek(ConfigMaps, theirs.metadata)).toEqual(theirs);
    expect(stage.api.peek(Namespaces, { name: NAMESPACE })).toBeDefined();
    expect(stage.events.at(-1)?.note).toBe(
      'Namespace multicluster-engine stays, since it holds ConfigMap multicluster-engine/theirs',
    );
  });

  it('says in its last message that the namespace stays', async () => {
    const stage = await installed();
    stage.api.put(Secrets, { metadata: { namespace: NAMESPACE, name: 'theirs' } });
    stage.remove();
    await stage.pass();
    stage.collect();
    const statuses: string[] = [];
    stage.api.before = (call) => {
      if (call.verb === 'updateStatus') statuses.push(JSON.stringify(call.object));
    };
    await stage.pass();

    expect(statuses.at(-1)).toContain(
      'Namespace multicluster-engine stays, since it holds Secret multicluster-engine/theirs',
    );
    expect(stage.exists()).toBe(false);
  });

  it('takes furniture for nothing', async () => {
    const stage = await installed();
    stage.api.put(ServiceAccounts, { metadata: { namespace: NAMESPACE, name: 'default' } });
    stage.api.put(ConfigMaps, { metadata: { namespace: NAMESPACE, name: 'kube-root-ca.crt' } });
    stage.remove();
    await removeAll(stage);

    expect(stage.api.peek(Namespaces, { name: NAMESPACE })).toBeUndefined();
  });

  it('takes kinds that the server does not have for empty', async () => {
    const stage = await installed();
    stage.api.before = ({ verb, type }) => {
      if (type === Pods || type === PersistentVolumeClaims) throw failure('ResourceMissing', verb, type, { name: '' });
    };
    stage.remove();
    await removeAll(stage);
    expect(stage.api.peek(Namespaces, { name: NAMESPACE })).toBeUndefined();
  });

  it('waits for what is on its way out of the namespace', async () => {
    const stage = await installed();
    stage.api.put(Pods, {
      metadata: { namespace: NAMESPACE, name: 'theirs', deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    stage.remove();
    await stage.pass();
    stage.collect();
    await stage.pass();

    expect(stage.message()).toBe('1 object left; waits: Pod multicluster-engine/theirs is being deleted');
    stage.api.remove(Pods, { namespace: NAMESPACE, name: 'theirs' });
    await removeAll(stage);
    expect(stage.api.peek(Namespaces, { name: NAMESPACE })).toBeUndefined();
  });

  it('keeps a namespace that was there before', async () => {
    const stage = new EngineRig();
    stage.api.put(Namespaces, { metadata: { name: NAMESPACE } });
    await stage.install();
    stage.remove();
    await removeAll(stage);

    expect(stage.exists()).toBe(false);
    expect(stage.made()).toEqual(['Namespace multicluster-engine', 'RoleBinding multicluster-engine-installer']);
    expect(stage.events.at(-1)?.note).toBe('Namespace multicluster-engine was not made by the operator and stays');
  });

  it('keeps a namespace whose contents cannot be listed', async () => {
    const stage = await installed();
    stage.remove();
    stage.api.before = (call) => {
      if (call.verb === 'list' && call.type === Secrets) throw forbidden();
    };
    stage.api.may = () => false;
    await removeAll(stage);

    expect(stage.exists()).toBe(false);
    expect(stage.events.at(-1)?.note).toContain(
      'Namespace multicluster-engine stays: the operator may not list secrets in namespace multicluster-engine',
    );
  });

  it('waits for a namespace to be gone, naming what Kubernetes says keeps it', async () => {
    const stage = await installed();
    const status = {
      conditions: [{ type: 'NamespaceFinalizersRemaining', status: 'True', message: 'x/y in 1 resource instances' }],
    };
    const namespace = stage.api.peek<KubeObject>(Namespaces, { name: NAMESPACE });
    stage.api.put(
      Namespaces,
      Object.assign(
        { ...namespace },
        { metadata: { ...namespace?.metadata, name: NAMESPACE, deletionTimestamp: '2026-01-01T00:00:00Z' }, status },
      ),
    );
    stage.remove();
    await stage.pass();

    expect(stage.message()).toBe(
      '2 objects left; waits: Namespace multicluster-engine is being deleted (x/y in 1 resource instances)',
    );
    expect(stage.exists()).toBe(true);
    stage.api.remove(Namespaces, { name: NAMESPACE });
    await removeAll(stage);
    expect(stage.exists()).toBe(false);
    expect(stage.api.all(ClusterRoleBindings)).toEqual([]);
  });

  it('makes sure of the installer binding first', async () => {
    const stage = await installed();
    stage.api.remove(RoleBindings, { namespace: NAMESPACE, name: 'multicluster-engine-installer' });
    stage.remove();
    const before = stage.api.writes.length;
    await stage.pass();

    expect(stage.api.writes[before]).toBe('apply rolebindings multicluster-engine/multicluster-engine-installer');
  });

  it('without the right to bind is Stalled, and recovers', async () => {
    const stage = await installed();
    stage.api.remove(RoleBindings, { namespace: NAMESPACE, name: 'multicluster-engine-installer' });
    stage.remove();
    stage.api.before = (call) => {
      if (call.verb === 'apply') throw forbidden();
    };
    stage.api.may = () => false;
    expect(await stage.pass()).toMatchObject({ ending: 'stalled', afterMs: 30_000 });
    expect(stage.state()).toBe('Uninstalling PermissionDenied');
    expect(stage.condition('Stalled')?.message).toContain(
      'RoleBinding multicluster-engine/multicluster-engine-installer: the operator may not patch',
    );

    stage.api.before = () => {};
    await removeAll(stage);
    expect(stage.exists()).toBe(false);
  });

  it('names a binding of somebody else in the place of its own, where the right is missing', async () => {
    const stage = await installed();
    const name = { namespace: NAMESPACE, name: 'multicluster-engine-installer' };
    stage.api.remove(RoleBindings, name);
    stage.api.put(RoleBindings, { metadata: name });
    stage.remove();
    stage.api.before = (call) => {
      if (call.verb === 'list') throw forbidden();
    };
    stage.api.may = () => false;
    await stage.pass();
    expect(stage.state()).toBe('Uninstalling PermissionDenied');
    expect(stage.message()).toContain(
      'RoleBinding multicluster-engine/multicluster-engine-installer: was made by somebody else and is not touched; delete or rename it',
    );

    stage.api.before = () => {};
    stage.api.remove(RoleBindings, name);
    await removeAll(stage);
    expect(stage.exists()).toBe(false);
  });

  it('goes through all the same where such a binding gives the right', async () => {
    const stage = await installed();
    const name = { namespace: NAMESPACE, name: 'multicluster-engine-installer' };
    const binding = stage.api.peek<KubeObject>(RoleBindings, name);
    stage.api.put(RoleBindings, {
      ...binding,
      metadata: { ...binding?.metadata, ...name, labels: {}, ownerReferences: [] },
    });
    stage.remove();
    await removeAll(stage);

    expect(stage.exists()).toBe(false);
  });

  it.each([
    ['list', 'the operator may not list serviceaccounts in namespace multicluster-engine'],
    [
      'delete',
      'Deployment multicluster-engine/placement-controller cannot be deleted: the operator may not delete deployments.apps in namespace multicluster-engine',
    ],
  ])('without the right to %s says so', async (verb, message) => {
    const stage = await installed();
    stage.remove();
    stage.api.before = (call) => {
      if (call.verb === verb) throw forbidden();
    };
    stage.api.may = () => false;
    await stage.pass();

    expect(stage.message()).toContain(message);
    expect(stage.exists()).toBe(true);
  });

  it('without the right to delete the namespace is Stalled; refused by a policy, the namespace stays', async () => {
    const stage = await installed();
    stage.remove();
    stage.api.before = (call) => {
      if (call.verb === 'delete' && call.type === Namespaces) throw forbidden();
    };
    stage.api.may = () => false;
    await stage.pass();
    stage.collect();
    await stage.pass();
    expect(stage.condition('Stalled')?.message).toContain('may not delete namespaces cluster-wide');

    stage.api.may = () => true;
    await stage.pass();
    expect(stage.exists()).toBe(false);
    expect(stage.events.at(-1)?.note).toBe(
      'Namespace multicluster-engine stays: it cannot be deleted: the words of the server',
    );
  });

  it('held by the pause touches nothing, and says so', async () => {
    const stage = await installed();
    stage.edit({ annotations: { 'multicluster.platform.io/paused': 'true' } });
    stage.remove();
    const before = stage.api.writes.length;
    await stage.pass();
    await stage.pass();

    expect(stage.api.writes.slice(before)).toEqual(['updateStatus multiclusterengines hub']);
    expect(stage.state()).toBe('Uninstalling Paused');
    expect(stage.message()).toContain('holds the uninstall back; the objects in namespace multicluster-engine stay');
    expect(stage.engine().status?.components).toHaveLength(ROWS);
    stage.edit({ annotations: {} });
    await removeAll(stage);
    expect(stage.exists()).toBe(false);
  });

  it('lets an engine go that it never took up', async () => {
    const stage = new EngineRig();
    stage.create({}, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['theirs.io/x'] });
    const before = stage.api.calls.length;

    expect(await stage.pass()).toEqual({ ending: 'done' });
    expect(stage.api.calls).toHaveLength(before);
  });

  it('of a refused engine that carries our finalizer takes nothing of the served one', async () => {
    const stage = await installed();
    stage.create(
      {},
      {
        name: 'second',
        finalizers: ['multicluster.platform.io/cleanup'],
        deletionTimestamp: '2026-01-01T00:00:00Z',
        creationTimestamp: '2026-02-01T00:00:00Z',
      },
    );
    await stage.pass('second');

    expect(stage.exists('second')).toBe(false);
    expect(stage.made()).toContain('Deployment placement-controller');
  });

  it('of an engine whose spec never could be served looks into no namespace', async () => {
    const stage = new EngineRig();
    stage.create(
      { targetNamespace: 'kube-system' },
      { finalizers: ['multicluster.platform.io/cleanup'], deletionTimestamp: '2026-01-01T00:00:00Z' },
    );
    await stage.pass();

    expect(stage.exists()).toBe(false);
    expect(stage.api.calls.filter((call) => call.name.namespace === 'kube-system')).toEqual([]);
  });

  it('with --namespace removes the objects alone', async () => {
    const stage = new EngineRig({ settings: { onlyNamespace: NAMESPACE } });
    await stage.install();
    stage.remove();
    await removeAll(stage);

    expect(stage.made()).toEqual([]);
    expect(new Set(stage.api.calls.map((call) => call.type.kind))).not.toContain('Namespace');
  });

  it('resurrects nothing: an object that comes back is removed again, and the pass ends', async () => {
    const stage = await installed();
    const account = stage.api.peek<KubeObject>(ServiceAccounts, ACCOUNT);
    stage.remove();
    await stage.pass();
    stage.collect();
    stage.api.before = (call) => {
      if (
        call.verb === 'list' &&
        call.type === ServiceAccounts &&
        account !== undefined &&
        stage.api.peek(ServiceAccounts, ACCOUNT) === undefined
      ) {
        stage.api.put(ServiceAccounts, account);
      }
    };
    await stage.pass();

    expect(stage.message()).toContain('objects of the engine are created again while they are removed');
    expect(stage.exists()).toBe(true);
  });

  it('that fails otherwise is thrown, to be tried again', async () => {
    const stage = await installed();
    stage.remove();
    for (const verb of ['list', 'delete', 'get'] as const) {
      stage.api.before = (call) => {
        if (call.verb === verb)
          throw new ApiError({ kind: 'Unavailable', message: 'away', call: { verb, resource: 'x' } });
      };
      await expect(stage.pass()).rejects.toThrow('away');
    }
    expect(stage.api.peek(MultiClusterEngines, { name: 'hub' })).toBeDefined();
  });
});
