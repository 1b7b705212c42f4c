import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../../../src/runtime/vocabulary/meta.js';
import { MultiClusterEngines } from '../../../../../src/api/resources.js';
import {
  ClusterRoleBindings,
  ConfigMaps,
  Deployments,
  Namespaces,
  PersistentVolumeClaims,
  Pods,
  RoleBindings,
  Secrets,
  ServiceAccounts,
} from '../../../../../src/runtime/vocabulary/kinds.js';
import { ApiError } from '../../../../../src/runtime/errors.js';
import { NAMESPACE } from '../../../../support/builders/engine.js';
import { failure } from '../../../../support/fakes/api.js';
import { ROWS, EngineRig } from '../../../../support/rigs/controllers/engine.js';

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
  const rig = new EngineRig();
  await rig.install();
  await rig.clock.advance(10_000);
  return rig;
}

/** Passes and garbage collection in turn until the engine is gone; at most ten. */
async function removeAll(rig: EngineRig): Promise<void> {
  for (let round = 0; round < 10 && rig.exists(); round++) {
    await rig.pass();
    rig.collect();
  }
}

describe('an uninstall', () => {
  it('an uninstall removes in the reverse order of applying, and waits for the Deployments first', async () => {
    const rig = await installed();
    rig.remove();
    const before = rig.api.writes.length;
    const result = await rig.pass();

    expect(rig.api.writes.slice(before)).toEqual([
      'delete deployments multicluster-engine/gateway',
      'delete deployments multicluster-engine/placement-controller',
      'updateStatus multiclusterengines hub',
    ]);
    expect(rig.state()).toBe('Uninstalling Uninstalling');
    expect(rig.message()).toBe(
      '13 objects left; waiting: Deployment multicluster-engine/gateway is being deleted; Deployment multicluster-engine/placement-controller is being deleted',
    );
    expect(rig.condition('Reconciling')?.reason).toBe('Uninstalling');
    expect(result).toEqual({ ending: 'wait', reason: 'uninstalling', afterMs: 2_000 });

    rig.collect();
    const then = rig.api.writes.length;
    await rig.pass();
    expect(rig.api.writes.slice(then)).toEqual([
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
      'delete rolebindings multicluster-engine-agents/multicluster-engine-agent-leases',
      'delete namespaces multicluster-engine',
      'patchMetadata multiclusterengines hub',
    ]);
    expect(rig.exists()).toBe(false);
    expect(rig.events.at(-1)).toMatchObject({ reason: 'EngineUninstalled', note: 'everything is removed' });
  });

  it('an uninstall leaves the installer binding to garbage collection', async () => {
    const rig = await installed();
    rig.remove();
    await removeAll(rig);

    expect(rig.made()).toEqual(['RoleBinding multicluster-engine-installer']);
  });

  it('an uninstall without progress writes no status', async () => {
    const rig = await installed();
    rig.remove();
    await rig.pass();
    const before = rig.api.writes.length;
    await rig.pass();
    await rig.clock.advance(60_000);
    await rig.pass();

    expect(rig.api.writes.slice(before)).toEqual(['updateStatus multiclusterengines hub']);
    expect(rig.message()).toContain(
      'Deployment multicluster-engine/placement-controller is being deleted (finalizers: foregroundDeletion)',
    );
  });

  it('an uninstall names the pods that a Deployment waits for', async () => {
    const rig = await installed();
    rig.api.put(Pods, {
      metadata: {
        namespace: NAMESPACE,
        name: 'p-1',
        labels: { 'multicluster.platform.io/engine': 'hub' },
        deletionTimestamp: '2026-01-01T00:00:00Z',
        finalizers: ['x/y'],
      },
    });
    rig.remove();
    await rig.pass();

    expect(rig.message()).toContain('Pod multicluster-engine/p-1 is being deleted (finalizers: x/y)');
  });

  it('an uninstall has a row for each object that is left', async () => {
    const rig = await installed();
    rig.remove();
    await rig.pass();

    expect(rig.engine().status?.components?.map((row) => `${row.kind} ${row.reason}`)).toEqual([
      'ClusterRoleBinding Uninstalling',
      'ConfigMap Uninstalling',
      'Deployment Uninstalling',
      'Deployment Uninstalling',
      'NetworkPolicy Uninstalling',
      'NetworkPolicy Uninstalling',
      'PodDisruptionBudget Uninstalling',
      'PodDisruptionBudget Uninstalling',
      'RoleBinding Uninstalling',
      'Secret Uninstalling',
      'Service Uninstalling',
      'ServiceAccount Uninstalling',
      'ServiceAccount Uninstalling',
    ]);
  });

  it('an uninstall deletes with uid and resourceVersion, and reads again after a conflict', async () => {
    const rig = await installed();
    rig.remove();
    let changed = false;
    rig.api.before = (call) => {
      if (call.verb !== 'delete' || call.type !== Deployments || call.name.name !== ACCOUNT.name || changed) return;
      changed = true;
      const object = rig.api.peek<KubeObject>(Deployments, ACCOUNT);
      if (object !== undefined)
        rig.api.put(Deployments, {
          ...object,
          metadata: { ...object.metadata, labels: { ...object.metadata.labels, more: '1' } },
        });
    };
    await rig.pass();
    await rig.pass();

    expect(rig.api.peek(Deployments, ACCOUNT)?.metadata.deletionTimestamp).toBeDefined();
  });

  it('an uninstall does not touch objects of others, and keeps the namespace that holds them', async () => {
    const rig = await installed();
    const theirs = rig.api.put(ConfigMaps, {
      metadata: { namespace: NAMESPACE, name: 'theirs', labels: { 'multicluster.platform.io/engine': 'hub' } },
    });
    rig.remove();
    await removeAll(rig);

    expect(rig.api.peek(ConfigMaps, theirs.metadata)).toEqual(theirs);
    expect(rig.api.peek(Namespaces, { name: NAMESPACE })).toBeDefined();
    expect(rig.events.at(-1)?.note).toBe(
      'Namespace multicluster-engine stays, since it holds ConfigMap multicluster-engine/theirs',
    );
  });

  it('the last message of an uninstall says that the namespace stays', async () => {
    const rig = await installed();
    rig.api.put(Secrets, { metadata: { namespace: NAMESPACE, name: 'theirs' } });
    rig.remove();
    await rig.pass();
    rig.collect();
    const statuses: string[] = [];
    rig.api.before = (call) => {
      if (call.verb === 'updateStatus') statuses.push(JSON.stringify(call.object));
    };
    await rig.pass();

    expect(statuses.at(-1)).toContain(
      'Namespace multicluster-engine stays, since it holds Secret multicluster-engine/theirs',
    );
    expect(rig.exists()).toBe(false);
  });

  it('an uninstall ignores the objects that Kubernetes creates in every namespace', async () => {
    const rig = await installed();
    rig.api.put(ServiceAccounts, { metadata: { namespace: NAMESPACE, name: 'default' } });
    rig.api.put(ConfigMaps, { metadata: { namespace: NAMESPACE, name: 'kube-root-ca.crt' } });
    rig.remove();
    await removeAll(rig);

    expect(rig.api.peek(Namespaces, { name: NAMESPACE })).toBeUndefined();
  });

  it('an uninstall treats kinds that the server does not serve as empty', async () => {
    const rig = await installed();
    rig.api.before = ({ verb, type }) => {
      if (type === Pods || type === PersistentVolumeClaims) throw failure('ResourceMissing', verb, type, { name: '' });
    };
    rig.remove();
    await removeAll(rig);
    expect(rig.api.peek(Namespaces, { name: NAMESPACE })).toBeUndefined();
  });

  it('an uninstall waits for objects in the namespace that are being deleted', async () => {
    const rig = await installed();
    rig.api.put(Pods, {
      metadata: { namespace: NAMESPACE, name: 'theirs', deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    rig.remove();
    await rig.pass();
    rig.collect();
    await rig.pass();

    expect(rig.message()).toBe('1 object left; waiting: Pod multicluster-engine/theirs is being deleted');
    rig.api.remove(Pods, { namespace: NAMESPACE, name: 'theirs' });
    await removeAll(rig);
    expect(rig.api.peek(Namespaces, { name: NAMESPACE })).toBeUndefined();
  });

  it('an uninstall keeps a namespace that the operator did not make', async () => {
    const rig = new EngineRig();
    rig.api.put(Namespaces, { metadata: { name: NAMESPACE } });
    await rig.install();
    rig.remove();
    await removeAll(rig);

    expect(rig.exists()).toBe(false);
    expect(rig.made()).toEqual(['Namespace multicluster-engine', 'RoleBinding multicluster-engine-installer']);
    expect(rig.events.at(-1)?.note).toBe('Namespace multicluster-engine was not made by the operator and stays');
  });

  it('an uninstall keeps a namespace whose contents cannot be listed', async () => {
    const rig = await installed();
    rig.remove();
    rig.api.before = (call) => {
      if (call.verb === 'list' && call.type === Secrets) throw forbidden();
    };
    rig.api.reviewAccess = () => false;
    await removeAll(rig);

    expect(rig.exists()).toBe(false);
    expect(rig.events.at(-1)?.note).toContain(
      'Namespace multicluster-engine stays: the operator may not list secrets in namespace multicluster-engine',
    );
  });

  it('an uninstall asks again for contents that are refused although it may list them', async () => {
    const rig = await installed();
    rig.remove();
    let isRefused = true;
    rig.api.before = (call) => {
      if (call.verb === 'list' && call.type === Pods && isRefused) throw forbidden();
    };
    rig.api.reviewAccess = () => true;
    await rig.pass();
    rig.collect();
    await rig.pass();
    expect(rig.message()).toBe('1 object left; waiting: the words of the server');

    isRefused = false;
    await removeAll(rig);
    expect(rig.api.peek(Namespaces, { name: NAMESPACE })).toBeUndefined();
  });

  it('an uninstall waits for the namespace and names the blockers that Kubernetes reports', async () => {
    const rig = await installed();
    const status = {
      conditions: [{ type: 'NamespaceFinalizersRemaining', status: 'True', message: 'x/y in 1 resource instances' }],
    };
    const namespace = rig.api.peek<KubeObject>(Namespaces, { name: NAMESPACE });
    rig.api.put(
      Namespaces,
      Object.assign(
        { ...namespace },
        { metadata: { ...namespace?.metadata, name: NAMESPACE, deletionTimestamp: '2026-01-01T00:00:00Z' }, status },
      ),
    );
    rig.remove();
    await rig.pass();

    expect(rig.message()).toBe(
      '3 objects left; waiting: Namespace multicluster-engine is being deleted (x/y in 1 resource instances)',
    );
    expect(rig.exists()).toBe(true);
    rig.api.remove(Namespaces, { name: NAMESPACE });
    await removeAll(rig);
    expect(rig.exists()).toBe(false);
    expect(rig.api.all(ClusterRoleBindings)).toEqual([]);
  });

  it('an uninstall applies the installer binding first', async () => {
    const rig = await installed();
    rig.api.remove(RoleBindings, { namespace: NAMESPACE, name: 'multicluster-engine-installer' });
    rig.remove();
    const before = rig.api.writes.length;
    await rig.pass();

    expect(rig.api.writes[before]).toBe('apply rolebindings multicluster-engine/multicluster-engine-installer');
  });

  it('an uninstall without the right to bind is Stalled, and recovers', async () => {
    const rig = await installed();
    rig.api.remove(RoleBindings, { namespace: NAMESPACE, name: 'multicluster-engine-installer' });
    rig.remove();
    rig.api.before = (call) => {
      if (call.verb === 'apply') throw forbidden();
    };
    rig.api.reviewAccess = () => false;
    expect(await rig.pass()).toMatchObject({ ending: 'stalled', afterMs: 30_000 });
    expect(rig.state()).toBe('Uninstalling PermissionDenied');
    expect(rig.condition('Stalled')?.message).toContain(
      'RoleBinding multicluster-engine/multicluster-engine-installer: the operator may not patch',
    );

    rig.api.before = () => {};
    await removeAll(rig);
    expect(rig.exists()).toBe(false);
  });

  it('an uninstall without the right names a foreign binding in the place of the installer binding', async () => {
    const rig = await installed();
    const name = { namespace: NAMESPACE, name: 'multicluster-engine-installer' };
    rig.api.remove(RoleBindings, name);
    rig.api.put(RoleBindings, { metadata: name });
    rig.remove();
    rig.api.before = (call) => {
      if (call.verb === 'list' && call.type !== MultiClusterEngines) throw forbidden();
    };
    rig.api.reviewAccess = () => false;
    await rig.pass();
    expect(rig.state()).toBe('Uninstalling PermissionDenied');
    expect(rig.message()).toContain(
      'RoleBinding multicluster-engine/multicluster-engine-installer: was created by somebody else and cannot be taken over: nobody can change its roleRef; delete or rename it',
    );

    rig.api.before = () => {};
    rig.api.remove(RoleBindings, name);
    await removeAll(rig);
    expect(rig.exists()).toBe(false);
  });

  it('an uninstall succeeds when a foreign binding gives the right', async () => {
    const rig = await installed();
    const name = { namespace: NAMESPACE, name: 'multicluster-engine-installer' };
    const binding = rig.api.peek<KubeObject>(RoleBindings, name);
    rig.api.put(RoleBindings, {
      ...binding,
      metadata: { ...binding?.metadata, ...name, labels: {}, ownerReferences: [] },
    });
    rig.remove();
    await removeAll(rig);

    expect(rig.exists()).toBe(false);
  });

  it.each([
    ['list', 'the operator may not list serviceaccounts in namespace multicluster-engine'],
    [
      'delete',
      'Deployment multicluster-engine/placement-controller cannot be deleted: the operator may not delete deployments.apps in namespace multicluster-engine',
    ],
  ])('an uninstall without the right to %s reports it', async (verb, message) => {
    const rig = await installed();
    rig.remove();
    rig.api.before = (call) => {
      if (call.verb === verb && call.type !== MultiClusterEngines) throw forbidden();
    };
    rig.api.reviewAccess = () => false;
    await rig.pass();

    expect(rig.message()).toContain(message);
    expect(rig.exists()).toBe(true);
  });

  it('an uninstall without the right to delete the namespace is Stalled; after a refusal that lasts the namespace stays', async () => {
    const rig = await installed();
    rig.remove();
    rig.api.before = (call) => {
      if (call.verb === 'delete' && call.type === Namespaces) throw forbidden();
    };
    rig.api.reviewAccess = () => false;
    await rig.pass();
    rig.collect();
    await rig.pass();
    expect(rig.condition('Stalled')?.message).toContain('may not delete namespaces cluster-wide');

    rig.api.reviewAccess = () => true;
    await rig.pass();
    expect(rig.exists()).toBe(true);
    await rig.clock.advance(60_000);
    await rig.pass();
    expect(rig.exists()).toBe(false);
    expect(rig.events.at(-1)?.note).toBe(
      'Namespace multicluster-engine stays: it cannot be deleted: the words of the server',
    );
  });

  it('a paused uninstall removes nothing and reports the pause', async () => {
    const rig = await installed();
    rig.edit({ annotations: { 'multicluster.platform.io/paused': 'true' } });
    rig.remove();
    const before = rig.api.writes.length;
    await rig.pass();
    await rig.pass();

    expect(rig.api.writes.slice(before)).toEqual(['updateStatus multiclusterengines hub']);
    expect(rig.state()).toBe('Uninstalling Paused');
    expect(rig.message()).toContain('suspends the uninstallation; the objects in namespace multicluster-engine stay');
    expect(rig.engine().status?.components).toHaveLength(ROWS);
    rig.edit({ annotations: {} });
    await removeAll(rig);
    expect(rig.exists()).toBe(false);
  });

  it('an engine without the finalizer is released without a write', async () => {
    const rig = new EngineRig();
    rig.create({}, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['theirs.io/x'] });
    const before = rig.api.calls.length;

    expect(await rig.pass()).toEqual({ ending: 'done' });
    expect(rig.api.calls).toHaveLength(before);
  });

  it('an uninstall of a refused engine with our finalizer removes nothing of the served one', async () => {
    const rig = await installed();
    rig.create(
      {},
      {
        name: 'second',
        finalizers: ['multicluster.platform.io/cleanup'],
        deletionTimestamp: '2026-01-01T00:00:00Z',
        creationTimestamp: '2026-02-01T00:00:00Z',
      },
    );
    await rig.pass('second');

    expect(rig.exists('second')).toBe(false);
    expect(rig.made()).toContain('Deployment placement-controller');
  });

  it('an uninstall of an engine whose spec was never valid reads no namespace', async () => {
    const rig = new EngineRig();
    rig.create(
      { targetNamespace: 'kube-system' },
      { finalizers: ['multicluster.platform.io/cleanup'], deletionTimestamp: '2026-01-01T00:00:00Z' },
    );
    await rig.pass();

    expect(rig.exists()).toBe(false);
    expect(rig.api.calls.filter((call) => call.name.namespace === 'kube-system')).toEqual([]);
  });

  it('an uninstall with --namespace removes only the objects', async () => {
    const rig = new EngineRig({ settings: { onlyNamespace: NAMESPACE } });
    await rig.install();
    rig.remove();
    await removeAll(rig);

    expect(rig.made()).toEqual([]);
    expect(new Set(rig.api.calls.map((call) => call.type.kind))).not.toContain('Namespace');
  });

  it('an uninstall removes an object that is created again, and the pass ends', async () => {
    const rig = await installed();
    const account = rig.api.peek<KubeObject>(ServiceAccounts, ACCOUNT);
    rig.remove();
    await rig.pass();
    rig.collect();
    rig.api.before = (call) => {
      if (
        call.verb === 'list' &&
        call.type === ServiceAccounts &&
        account !== undefined &&
        rig.api.peek(ServiceAccounts, ACCOUNT) === undefined
      ) {
        rig.api.put(ServiceAccounts, account);
      }
    };
    await rig.pass();

    expect(rig.message()).toContain('objects of the engine are created again while they are removed');
    expect(rig.exists()).toBe(true);
  });

  it('any other failure of an uninstall is thrown and retried', async () => {
    const rig = await installed();
    rig.remove();
    for (const verb of ['list', 'delete', 'get'] as const) {
      rig.api.before = (call) => {
        if (call.verb === verb)
          throw new ApiError({ kind: 'Unavailable', message: 'away', call: { verb, resource: 'x' } });
      };
      await expect(rig.pass()).rejects.toThrow('away');
    }
    expect(rig.api.peek(MultiClusterEngines, { name: 'hub' })).toBeDefined();
  });
});
