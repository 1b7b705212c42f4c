import { describe, expect, it } from '@jest/globals';

import type { KubeObject, ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import { MultiClusterEngines } from '../../../../src/api/resources.js';
import { Deployments, Namespaces, RoleBindings, ServiceAccounts } from '../../../../src/runtime/vocabulary/kinds.js';
import { ApiError, type ApiErrorInit } from '../../../../src/runtime/errors.js';
import { NAMESPACE } from '../../../support/builders/engine.js';
import type { FakeCall } from '../../../support/fakes/api.js';
import { ROWS, EngineRig } from '../../../support/rigs/controllers/engine.js';

const ACCOUNT = { namespace: NAMESPACE, name: 'placement-controller' };

function refusal(over: Partial<ApiErrorInit> = {}): ApiError {
  return new ApiError({
    kind: 'Forbidden',
    message: 'the words of the server',
    call: { verb: 'patch', resource: 'x' },
    status: 403,
    reason: 'Forbidden',
    ...over,
  });
}

/** Refuses applies of a kind. */
function refuse(rig: EngineRig, type: ResourceType, error: () => Error, verb: FakeCall['verb'] = 'apply'): void {
  rig.api.before = (call) => {
    if (call.verb === verb && call.type === type) throw error();
  };
}

function allow(rig: EngineRig): void {
  rig.api.before = () => {};
}

/** A pass, and the time until the next one is due. */
async function passAndWait(rig: EngineRig): Promise<void> {
  const result = await rig.pass();
  await rig.clock.advance(result.ending === 'done' ? 0 : (result.afterMs ?? 0));
}

describe('a foreign object', () => {
  it.each<[string, Partial<KubeObject['metadata']>, string]>([
    [
      'without a mark',
      {},
      'was created by somebody else and is not changed; delete or rename it, or let the engine take it over (spec.adoption: IfUnowned)',
    ],
    [
      'with our label',
      { labels: { 'multicluster.platform.io/engine': 'hub' } },
      'was created by somebody else and is not changed; delete or rename it, or let the engine take it over (spec.adoption: IfUnowned)',
    ],
    [
      'with a controller',
      { ownerReferences: [{ apiVersion: 'x/v1', kind: 'Widget', name: 'w', uid: 'w', controller: true }] },
      'belongs to Widget w and is not changed; delete or rename it',
    ],
  ])(
    'a foreign object %s is named and never touched, and the installation goes on when it is gone',
    async (_name, metadata, cause) => {
      const rig = new EngineRig();
      const theirs = rig.api.put(ServiceAccounts, { metadata: { ...ACCOUNT, ...metadata } });
      rig.create();
      const result = await rig.converge();

      expect(rig.api.peek(ServiceAccounts, ACCOUNT)).toEqual(theirs);
      expect(rig.state()).toBe('Error ForeignObject');
      expect(rig.condition('Stalled')?.message).toBe(
        `ServiceAccount multicluster-engine/placement-controller: ${cause}`,
      );
      expect(
        rig.engine().status?.components?.find((row) => row.kind === 'ServiceAccount' && row.name === ACCOUNT.name),
      ).toMatchObject({ status: 'False', reason: 'Skipped' });
      // No pod of ours runs with an account of somebody else.
      expect(rig.made()).toContain('NetworkPolicy placement-controller');
      expect(rig.made()).not.toContain('Deployment placement-controller');
      expect(
        rig.engine().status?.components?.find((row) => row.kind === 'Deployment' && row.name === ACCOUNT.name),
      ).toMatchObject({
        status: 'False',
        reason: 'Pending',
        message: 'waits for ServiceAccount multicluster-engine/placement-controller',
      });
      expect(result).toMatchObject({ ending: 'stalled', afterMs: 10_000 });

      rig.api.remove(ServiceAccounts, ACCOUNT);
      await rig.converge();
      rig.rollOut();
      await rig.converge();
      expect(rig.state()).toBe('Available EngineReady');
    },
  );

  it('a foreign installer binding stops everything that needs it', async () => {
    const rig = new EngineRig();
    rig.api.put(RoleBindings, { metadata: { namespace: NAMESPACE, name: 'multicluster-engine-installer' } });
    rig.create();
    await rig.converge();

    expect(rig.state()).toBe('Error ForeignObject');
    expect(rig.opened).toEqual([]);
  });

  it('a foreign object that appears between the read and the write is reported by the next pass', async () => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, ServiceAccounts, () => refusal({ kind: 'Conflict', status: 409, message: 'conflict with "theirs"' }));
    await rig.pass();
    expect(rig.state()).toBe('Progressing ApplyFailed');

    allow(rig);
    rig.api.put(ServiceAccounts, { metadata: ACCOUNT });
    await rig.clock.advance(1_000);
    await rig.converge();
    expect(rig.state()).toBe('Error ForeignObject');
  });

  it('an object of ours that has lost its controller reference gets it again', async () => {
    const rig = new EngineRig();
    await rig.install();
    const account = rig.api.peek<KubeObject>(ServiceAccounts, ACCOUNT);
    const metadata = {
      ...account?.metadata,
      ...ACCOUNT,
      ownerReferences: [],
      managedFields: [{ manager: 'multicluster-engine', operation: 'Apply' }],
    };
    rig.api.put(ServiceAccounts, { ...account, metadata });
    await rig.converge();

    expect(rig.api.peek<KubeObject>(ServiceAccounts, ACCOUNT)?.metadata.ownerReferences).toHaveLength(1);
    expect(rig.reasons()).toContain('DriftRepaired');
  });

  it('an object of an earlier engine of the same name is waited for, neither adopted nor reported as foreign', async () => {
    const rig = new EngineRig();
    const ownerReferences = [
      {
        apiVersion: 'multicluster.platform.io/v1alpha1',
        kind: 'MultiClusterEngine',
        name: 'hub',
        uid: 'before',
        controller: true,
      },
    ];
    const before = rig.api.put(ServiceAccounts, {
      metadata: { ...ACCOUNT, labels: { 'multicluster.platform.io/engine': 'hub' }, ownerReferences },
    });
    rig.create();
    const result = await rig.converge();

    expect(rig.api.peek(ServiceAccounts, ACCOUNT)).toEqual(before);
    expect(rig.state()).toBe('Progressing Installing');
    expect(rig.message()).toContain('belongs to an earlier engine of the same name');
    expect(result).toMatchObject({ ending: 'wait' });
    rig.api.remove(ServiceAccounts, ACCOUNT);
    await rig.converge();
    expect(rig.message()).not.toContain('earlier');
  });
});

describe('a second engine', () => {
  it('a second engine names the served one and is not given a finalizer or any object', async () => {
    const rig = new EngineRig();
    await rig.install();
    await rig.clock.advance(1_000);
    rig.create({ targetNamespace: 'other' }, { name: 'second' });
    const before = rig.api.writes.length;
    await rig.converge('second');

    expect(rig.api.writes.slice(before)).toEqual(['updateStatus multiclusterengines second']);
    expect(rig.state('second')).toBe('Error AnotherEngineExists');
    expect(rig.message('second')).toContain('MultiClusterEngine hub');
    expect(await rig.converge()).toMatchObject({ ending: 'done' });
    expect(rig.state()).toBe('Available EngineReady');
  });

  it('a second engine is served once the first is gone, not before', async () => {
    const rig = new EngineRig();
    await rig.install();
    await rig.clock.advance(1_000);
    rig.create({}, { name: 'second' });
    rig.remove();
    await rig.pass();
    await rig.converge('second');
    expect(rig.state('second')).toBe('Error AnotherEngineExists');

    rig.enqueued.length = 0;
    for (let round = 0; round < 4 && rig.exists(); round++) {
      rig.collect();
      await rig.pass();
    }
    expect(rig.enqueued).toContain('second');
    for (const object of rig.api.all(RoleBindings)) rig.api.remove(RoleBindings, object.metadata);
    await rig.converge('second');
    expect(rig.state('second')).toBe('Progressing Installing');
  });
});

describe('a terminating namespace', () => {
  it('a terminating namespace is named, waited for, and created again when it is gone', async () => {
    const rig = new EngineRig();
    const status = {
      conditions: [
        {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          message: 'Some content has finalizers: x/y in 1 instance',
        },
      ],
    };
    rig.api.put(
      Namespaces,
      Object.assign({ metadata: { name: NAMESPACE, deletionTimestamp: '2026-01-01T00:00:00Z' } }, { status }),
    );
    rig.create();
    const result = await rig.converge();

    expect(rig.state()).toBe('Progressing NamespaceTerminating');
    expect(rig.message()).toBe(
      'Namespace multicluster-engine is being deleted (Some content has finalizers: x/y in 1 instance); it is created again when it is gone',
    );
    expect(result).toMatchObject({ ending: 'wait' });
    rig.enqueued.length = 0;
    rig.api.remove(Namespaces, { name: NAMESPACE });
    expect(rig.enqueued).toEqual(['hub']);
    await rig.converge();
    rig.rollOut();
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
  });

  it('a terminating namespace is distinguished from a missing right by the cause in the Status', async () => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, Deployments, () =>
      refusal({ causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace', message: 'x' }] }),
    );
    await rig.pass();

    expect(rig.state()).toBe('Progressing Installing');
    expect(rig.message()).toContain(
      'Deployment multicluster-engine/placement-controller: Namespace multicluster-engine is being deleted',
    );
    expect(rig.api.calls.filter((call) => call.verb === 'allowed')).toEqual([]);
  });
});

describe('a refusal with code 403', () => {
  it('a 403 by a policy is a failure with the message of the policy, without an access review', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.edit({}, { nodeSelector: { a: '1' } });
    refuse(rig, Deployments, () => refusal({ causes: [{ reason: '', field: '', message: 'denied' }] }));
    await rig.pass();

    expect(rig.state()).toBe('Progressing ApplyFailed');
    expect(rig.message()).toContain('Deployment multicluster-engine/placement-controller: the words of the server');
    expect(rig.api.calls.filter((call) => call.verb === 'allowed')).toEqual([]);
  });

  it('a 403 by a quota is a failure, since the right exists', async () => {
    const rig = new EngineRig();
    rig.create();
    await rig.pass();
    await rig.clock.advance(6_000);
    rig.api.remove(Deployments, ACCOUNT);
    refuse(rig, Deployments, refusal);
    await rig.pass();

    expect(rig.state()).toBe('Progressing ApplyFailed');
    expect(rig.api.calls.filter((call) => call.verb === 'allowed')).toHaveLength(2);
  });

  it.each<[string, string, string]>([
    [
      'patch',
      'patch',
      'the operator may not patch deployments.apps in namespace multicluster-engine; RoleBinding multicluster-engine/multicluster-engine-installer to ClusterRole multicluster-engine-installer would grant the right',
    ],
    [
      'create',
      'create',
      'the operator may not create deployments.apps in namespace multicluster-engine; RoleBinding multicluster-engine/multicluster-engine-installer to ClusterRole multicluster-engine-installer would grant the right',
    ],
  ])(
    'a 403 for the missing right to %s is Stalled, names the right and its remedy, and the engine recovers by itself',
    async (_name, verb, message) => {
      const rig = new EngineRig();
      rig.create();
      await rig.pass();
      await rig.clock.advance(6_000);
      rig.api.remove(Deployments, ACCOUNT);
      refuse(rig, Deployments, refusal);
      rig.api.reviewAccess = (access) => access.verb !== verb;
      const result = await rig.pass();

      expect(rig.state()).toBe('Error PermissionDenied');
      expect(rig.message()).toContain(message);
      expect(result).toMatchObject({ ending: 'stalled', afterMs: 30_000 });
      allow(rig);
      await rig.converge();
      rig.rollOut();
      await rig.converge();
      expect(rig.state()).toBe('Available EngineReady');
    },
  );

  it.each([
    ['whole', 'clusterrole "x" not found', '; the API server says: clusterrole "x" not found'],
    ['cut where it is long', `${'x'.repeat(479)}yz`, `; the API server says: ${'x'.repeat(479)}…`],
  ])("a 403 for a missing right quotes the server's message, %s", async (_name, message, quoted) => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, RoleBindings, () => refusal({ message }));
    rig.api.reviewAccess = () => false;
    await rig.pass();

    expect(rig.message().endsWith(`would grant the right${quoted}`)).toBe(true);
  });

  it('a 403 for a missing cluster-wide right names the cluster-wide binding', async () => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, RoleBindings, refusal);
    rig.api.reviewAccess = () => false;
    await rig.pass();

    expect(rig.message()).toContain(
      'in namespace multicluster-engine; ClusterRoleBinding multicluster-engine-operator to ClusterRole multicluster-engine-operator would grant the right',
    );
  });

  it('a 403 for the finalizer stops the installation before any object is applied', async () => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, MultiClusterEngines, refusal, 'patchMetadata');
    rig.api.reviewAccess = () => false;
    await rig.pass();

    expect(rig.state()).toBe('Error PermissionDenied');
    expect(rig.message()).toContain('may not patch multiclusterengines.multicluster.platform.io cluster-wide');
    expect(rig.made()).toEqual([]);
  });

  it('a 403 for a list or watch is reported when the right is missing, and nothing is decided meanwhile', async () => {
    const rig = new EngineRig();
    await rig.install();
    await rig.clock.advance(6_000);
    rig.opened.find((one) => one.type === Deployments)?.fail(refusal());
    expect(await rig.pass()).toMatchObject({ ending: 'wait' });
    expect(rig.state()).toBe('Available EngineReady');

    rig.api.reviewAccess = (access) => access.verb !== 'list';
    await rig.pass();
    expect(rig.state()).toBe('Error PermissionDenied');
    expect(rig.message()).toContain('may not list deployments.apps in namespace multicluster-engine');
    expect(rig.engine().status?.components).toHaveLength(ROWS);
  });

  it('a 403 within 5 s of the binding is waited for and not reported', async () => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, ServiceAccounts, refusal);
    rig.api.reviewAccess = () => false;
    await rig.pass();
    expect(rig.state()).toBe('Progressing Installing');
    expect(rig.message()).toContain('the role was bound a moment ago');

    await rig.clock.advance(5_000);
    await rig.pass();
    expect(rig.state()).toBe('Error PermissionDenied');
  });

  it("a 403 whose access review fails is reported with the server's message", async () => {
    const rig = new EngineRig();
    rig.create();
    await rig.pass();
    await rig.clock.advance(6_000);
    rig.api.remove(Deployments, ACCOUNT);
    rig.api.before = (call) => {
      if (call.verb === 'allowed') throw refusal({ kind: 'Unavailable' });
      if (call.verb === 'apply' && call.type === Deployments) throw refusal();
    };
    await rig.pass();

    expect(rig.state()).toBe('Progressing ApplyFailed');
  });
});

describe('an object that fails to apply', () => {
  const broken = () => refusal({ kind: 'Unavailable', status: 500, message: 'webhook is down' });

  it('an object that fails to apply is retried after 1, 2, 4 … 60 s, and the phase is Error from the third pass in a row', async () => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, Deployments, broken);
    const phases: (string | undefined)[] = [];
    const waits: number[] = [];
    for (let pass = 0; pass < 9; pass++) {
      const result = await rig.pass();
      phases.push(rig.engine().status?.phase);
      if (result.ending === 'wait') waits.push(result.afterMs);
      await rig.clock.advance(waits.at(-1) ?? 0);
    }

    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(phases).toEqual(['Progressing', 'Progressing', ...Array.from({ length: 7 }, () => 'Error')]);
    allow(rig);
    await passAndWait(rig);
    expect(rig.state()).toBe('Progressing Installing');
  });

  it('an object that was applied is retried as at first when it fails again', async () => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, Deployments, broken);
    await passAndWait(rig);
    await passAndWait(rig);
    allow(rig);
    await passAndWait(rig);
    rig.api.remove(Deployments, { namespace: 'multicluster-engine', name: 'placement-controller' });
    refuse(rig, Deployments, broken);

    expect(await rig.pass()).toMatchObject({ ending: 'wait', afterMs: 1_000 });
  });

  it('passes between the retries of an object do not count as failures', async () => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, Deployments, broken);
    for (let pass = 0; pass < 9; pass++) await rig.pass();

    expect(rig.state()).toBe('Progressing ApplyFailed');
    expect(
      rig.api.writes.filter((one) => one === 'apply deployments multicluster-engine/placement-controller'),
    ).toHaveLength(1);
  });

  it('passes during which the API server is unreachable do not count as failures', async () => {
    const rig = new EngineRig();
    rig.create();
    rig.api.before = (call) => {
      if (call.verb === 'updateStatus' || call.type === Deployments) throw broken();
    };
    for (let pass = 0; pass < 6; pass++) {
      await expect(rig.pass()).rejects.toThrow('webhook is down');
      await rig.clock.advance(60_000);
    }
    allow(rig);
    refuse(rig, Deployments, broken);
    await rig.pass();

    expect(rig.state()).toBe('Progressing ApplyFailed');
  });

  it('an object that failed is retried at once when its desired state changes', async () => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, Deployments, broken);
    await rig.pass();
    allow(rig);
    rig.edit({}, { nodeSelector: { a: '1' } });
    await rig.pass();

    expect(rig.state()).toBe('Progressing Installing');
  });

  it('phase Error survives a restart of the operator, which writes nothing', async () => {
    const rig = new EngineRig();
    rig.create();
    refuse(rig, Deployments, broken);
    for (let pass = 0; pass < 4; pass++) await passAndWait(rig);
    expect(rig.state()).toBe('Error ApplyFailed');
    const restarted = new EngineRig({ api: rig.api, clock: rig.clock });
    const before = rig.api.writes.length;
    await restarted.pass();

    expect(rig.api.writes.slice(before)).toEqual([
      'apply deployments multicluster-engine/placement-controller',
      'apply deployments multicluster-engine/gateway',
    ]);
    expect(restarted.state()).toBe('Error ApplyFailed');
  });

  it('something thrown that is no Error is reported by its text', async () => {
    const rig = new EngineRig();
    rig.create();
    rig.api.before = (call) => {
      // Any thrown value has to become a message.
      if (call.type === Deployments) throw Object.assign(new Error('odd'), { kind: 'none' });
    };
    await rig.pass();

    expect(rig.message()).toContain('odd');
  });
});
