import { describe, expect, it } from '@jest/globals';

import type { KubeObject, ResourceType } from '../../../src/api/meta.js';
import {
  Deployments,
  MultiClusterEngines,
  Namespaces,
  RoleBindings,
  ServiceAccounts,
} from '../../../src/api/resources.js';
import { ApiError, type ApiErrorInit } from '../../../src/runtime/errors.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import type { FakeCall } from '../../support/fakes/api.js';
import { ROWS, EngineRig } from '../../support/rigs/controllers/engine.js';

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
function refuse(stage: EngineRig, type: ResourceType, error: () => Error, verb: FakeCall['verb'] = 'apply'): void {
  stage.api.before = (call) => {
    if (call.verb === verb && call.type === type) throw error();
  };
}

function allow(stage: EngineRig): void {
  stage.api.before = () => {};
}

/** A pass, and as much time as it asks for. */
async function passAndWait(stage: EngineRig): Promise<void> {
  const result = await stage.pass();
  await stage.clock.advance(result.ending === 'done' ? 0 : (result.afterMs ?? 0));
}

describe('an object of the same name that somebody else made', () => {
  it.each<[string, Partial<KubeObject['metadata']>, string]>([
    ['without a mark', {}, 'was made by somebody else and is not touched; delete or rename it'],
    [
      'with our label',
      { labels: { 'multicluster.platform.io/engine': 'hub' } },
      'was made by somebody else and is not touched; delete or rename it',
    ],
    [
      'with a controller',
      { ownerReferences: [{ apiVersion: 'x/v1', kind: 'Widget', name: 'w', uid: 'w', controller: true }] },
      'belongs to Widget w and is not touched; delete or rename it',
    ],
  ])('%s is never touched, named, and the engine goes on when it is gone', async (_name, metadata, cause) => {
    const stage = new EngineRig();
    const theirs = stage.api.put(ServiceAccounts, { metadata: { ...ACCOUNT, ...metadata } });
    stage.create();
    const result = await stage.settle();

    expect(stage.api.peek(ServiceAccounts, ACCOUNT)).toEqual(theirs);
    expect(stage.state()).toBe('Error ForeignObject');
    expect(stage.condition('Stalled')?.message).toBe(
      `ServiceAccount multicluster-engine/placement-controller: ${cause}`,
    );
    expect(
      stage.engine().status?.components?.find((row) => row.kind === 'ServiceAccount' && row.name === ACCOUNT.name),
    ).toMatchObject({ status: 'False', reason: 'Skipped' });
    // No pod of ours ever runs as somebody else's account.
    expect(stage.made()).toContain('NetworkPolicy placement-controller');
    expect(stage.made()).not.toContain('Deployment placement-controller');
    expect(
      stage.engine().status?.components?.find((row) => row.kind === 'Deployment' && row.name === ACCOUNT.name),
    ).toMatchObject({
      status: 'False',
      reason: 'Pending',
      message: 'waits for ServiceAccount multicluster-engine/placement-controller',
    });
    expect(result).toMatchObject({ ending: 'stalled', afterMs: 10_000 });

    stage.api.remove(ServiceAccounts, ACCOUNT);
    await stage.settle();
    stage.rollOut();
    await stage.settle();
    expect(stage.state()).toBe('Available EngineReady');
  });

  it('that is the installer binding stops all that needs it', async () => {
    const stage = new EngineRig();
    stage.api.put(RoleBindings, { metadata: { namespace: NAMESPACE, name: 'multicluster-engine-installer' } });
    stage.create();
    await stage.settle();

    expect(stage.state()).toBe('Error ForeignObject');
    expect(stage.opened).toEqual([]);
  });

  it('that appears between the look and the write is told as what it is by the next pass', async () => {
    const stage = new EngineRig();
    stage.create();
    refuse(stage, ServiceAccounts, () => refusal({ kind: 'Conflict', status: 409, message: 'conflict with "theirs"' }));
    await stage.pass();
    expect(stage.state()).toBe('Progressing ApplyFailed');

    allow(stage);
    stage.api.put(ServiceAccounts, { metadata: ACCOUNT });
    await stage.clock.advance(1_000);
    await stage.settle();
    expect(stage.state()).toBe('Error ForeignObject');
  });

  it('that was ours and lost its controller reference is taken back', async () => {
    const stage = new EngineRig();
    await stage.install();
    const account = stage.api.peek<KubeObject>(ServiceAccounts, ACCOUNT);
    const metadata = {
      ...account?.metadata,
      ...ACCOUNT,
      ownerReferences: [],
      managedFields: [{ manager: 'multicluster-engine', operation: 'Apply' }],
    };
    stage.api.put(ServiceAccounts, { ...account, metadata });
    await stage.settle();

    expect(stage.api.peek<KubeObject>(ServiceAccounts, ACCOUNT)?.metadata.ownerReferences).toHaveLength(1);
    expect(stage.reasons()).toContain('DriftRepaired');
  });

  it('of an earlier engine of the same name is neither adopted nor reported: it is waited for', async () => {
    const stage = new EngineRig();
    const ownerReferences = [
      {
        apiVersion: 'multicluster.platform.io/v1alpha1',
        kind: 'MultiClusterEngine',
        name: 'hub',
        uid: 'before',
        controller: true,
      },
    ];
    const before = stage.api.put(ServiceAccounts, {
      metadata: { ...ACCOUNT, labels: { 'multicluster.platform.io/engine': 'hub' }, ownerReferences },
    });
    stage.create();
    const result = await stage.settle();

    expect(stage.api.peek(ServiceAccounts, ACCOUNT)).toEqual(before);
    expect(stage.state()).toBe('Progressing Installing');
    expect(stage.message()).toContain('belongs to an earlier engine of the same name');
    expect(result).toMatchObject({ ending: 'wait' });
    stage.api.remove(ServiceAccounts, ACCOUNT);
    await stage.settle();
    expect(stage.message()).not.toContain('earlier');
  });
});

describe('a second engine', () => {
  it('stays refused, naming the served one, and nothing of it is applied, not even a finalizer', async () => {
    const stage = new EngineRig();
    await stage.install();
    await stage.clock.advance(1_000);
    stage.create({ targetNamespace: 'other' }, { name: 'second' });
    const before = stage.api.writes.length;
    await stage.settle('second');

    expect(stage.api.writes.slice(before)).toEqual(['updateStatus multiclusterengines second']);
    expect(stage.state('second')).toBe('Error AnotherEngineExists');
    expect(stage.message('second')).toContain('MultiClusterEngine hub');
    expect(await stage.settle()).toMatchObject({ ending: 'done' });
    expect(stage.state()).toBe('Available EngineReady');
  });

  it('takes over when the first is gone for good, not before', async () => {
    const stage = new EngineRig();
    await stage.install();
    await stage.clock.advance(1_000);
    stage.create({}, { name: 'second' });
    stage.remove();
    await stage.pass();
    await stage.settle('second');
    expect(stage.state('second')).toBe('Error AnotherEngineExists');

    stage.enqueued.length = 0;
    for (let round = 0; round < 4 && stage.exists(); round++) {
      stage.collect();
      await stage.pass();
    }
    expect(stage.enqueued).toContain('second');
    for (const object of stage.api.all(RoleBindings)) stage.api.remove(RoleBindings, object.metadata);
    await stage.settle('second');
    expect(stage.state('second')).toBe('Progressing Installing');
  });
});

describe('a terminating namespace', () => {
  it('is waited for by name, and made anew when it is gone', async () => {
    const stage = new EngineRig();
    const status = {
      conditions: [
        {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          message: 'Some content has finalizers: x/y in 1 instance',
        },
      ],
    };
    stage.api.put(
      Namespaces,
      Object.assign({ metadata: { name: NAMESPACE, deletionTimestamp: '2026-01-01T00:00:00Z' } }, { status }),
    );
    stage.create();
    const result = await stage.settle();

    expect(stage.state()).toBe('Progressing NamespaceTerminating');
    expect(stage.message()).toBe(
      'Namespace multicluster-engine is being deleted (Some content has finalizers: x/y in 1 instance); it is created again when it is gone',
    );
    expect(result).toMatchObject({ ending: 'wait' });
    stage.enqueued.length = 0;
    stage.api.remove(Namespaces, { name: NAMESPACE });
    expect(stage.enqueued).toEqual(['hub']);
    await stage.settle();
    stage.rollOut();
    await stage.settle();
    expect(stage.state()).toBe('Available EngineReady');
  });

  it('is told apart from a missing right by the cause', async () => {
    const stage = new EngineRig();
    stage.create();
    refuse(stage, Deployments, () =>
      refusal({ causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace', message: 'x' }] }),
    );
    await stage.pass();

    expect(stage.state()).toBe('Progressing Installing');
    expect(stage.message()).toContain(
      'Deployment multicluster-engine/placement-controller: Namespace multicluster-engine is being deleted',
    );
    expect(stage.api.calls.filter((call) => call.verb === 'allowed')).toEqual([]);
  });
});

describe('a refusal with code 403', () => {
  it('by a policy is a failure with the words of the policy, and no question about rights', async () => {
    const stage = new EngineRig();
    await stage.install();
    stage.edit({}, { nodeSelector: { a: '1' } });
    refuse(stage, Deployments, () => refusal({ causes: [{ reason: '', field: '', message: 'denied' }] }));
    await stage.pass();

    expect(stage.state()).toBe('Progressing ApplyFailed');
    expect(stage.message()).toContain('Deployment multicluster-engine/placement-controller: the words of the server');
    expect(stage.api.calls.filter((call) => call.verb === 'allowed')).toEqual([]);
  });

  it('by a quota is a failure: the right is there', async () => {
    const stage = new EngineRig();
    stage.create();
    await stage.pass();
    await stage.clock.advance(6_000);
    stage.api.remove(Deployments, ACCOUNT);
    refuse(stage, Deployments, refusal);
    await stage.pass();

    expect(stage.state()).toBe('Progressing ApplyFailed');
    expect(stage.api.calls.filter((call) => call.verb === 'allowed')).toHaveLength(2);
  });

  it.each<[string, string, string]>([
    [
      'patch',
      'patch',
      'the operator may not patch deployments.apps in namespace multicluster-engine; RoleBinding multicluster-engine/multicluster-engine-installer to ClusterRole multicluster-engine-installer would give the right',
    ],
    [
      'create',
      'create',
      'the operator may not create deployments.apps in namespace multicluster-engine; RoleBinding multicluster-engine/multicluster-engine-installer to ClusterRole multicluster-engine-installer would give the right',
    ],
  ])(
    'for want of the right to %s is Stalled, naming it and its cure, and recovers by itself',
    async (_name, verb, message) => {
      const stage = new EngineRig();
      stage.create();
      await stage.pass();
      await stage.clock.advance(6_000);
      stage.api.remove(Deployments, ACCOUNT);
      refuse(stage, Deployments, refusal);
      stage.api.may = (access) => access.verb !== verb;
      const result = await stage.pass();

      expect(stage.state()).toBe('Error PermissionDenied');
      expect(stage.message()).toContain(message);
      expect(result).toMatchObject({ ending: 'stalled', afterMs: 30_000 });
      allow(stage);
      await stage.settle();
      stage.rollOut();
      await stage.settle();
      expect(stage.state()).toBe('Available EngineReady');
    },
  );

  it.each([
    ['whole', 'clusterrole "x" not found', '; the API server says: clusterrole "x" not found'],
    ['cut where it is long', `${'x'.repeat(479)}yz`, `; the API server says: ${'x'.repeat(479)}…`],
  ])('for want of a right tells what the server said, %s', async (_name, message, told) => {
    const stage = new EngineRig();
    stage.create();
    refuse(stage, RoleBindings, () => refusal({ message }));
    stage.api.may = () => false;
    await stage.pass();

    expect(stage.message().endsWith(`would give the right${told}`)).toBe(true);
  });

  it('for want of a cluster-wide right names the cluster-wide binding', async () => {
    const stage = new EngineRig();
    stage.create();
    refuse(stage, RoleBindings, refusal);
    stage.api.may = () => false;
    await stage.pass();

    expect(stage.message()).toContain(
      'in namespace multicluster-engine; ClusterRoleBinding multicluster-engine-operator to ClusterRole multicluster-engine-operator would give the right',
    );
  });

  it('to mark the engine stops the work: finalizer second, work third', async () => {
    const stage = new EngineRig();
    stage.create();
    refuse(stage, MultiClusterEngines, refusal, 'patchMetadata');
    stage.api.may = () => false;
    await stage.pass();

    expect(stage.state()).toBe('Error PermissionDenied');
    expect(stage.message()).toContain('may not patch multiclusterengines.multicluster.platform.io cluster-wide');
    expect(stage.made()).toEqual([]);
  });

  it('to look is told where the rights say so, and nothing is decided meanwhile', async () => {
    const stage = new EngineRig();
    await stage.install();
    await stage.clock.advance(6_000);
    stage.opened.find((one) => one.type === Deployments)?.fail(refusal());
    expect(await stage.pass()).toMatchObject({ ending: 'wait' });
    expect(stage.state()).toBe('Available EngineReady');

    stage.api.may = (access) => access.verb !== 'list';
    await stage.pass();
    expect(stage.state()).toBe('Error PermissionDenied');
    expect(stage.message()).toContain('may not list deployments.apps in namespace multicluster-engine');
    expect(stage.engine().status?.components).toHaveLength(ROWS);
  });

  it('within 5 s of the binding is waited for, not told', async () => {
    const stage = new EngineRig();
    stage.create();
    refuse(stage, ServiceAccounts, refusal);
    stage.api.may = () => false;
    await stage.pass();
    expect(stage.state()).toBe('Progressing Installing');
    expect(stage.message()).toContain('the role was bound a moment ago');

    await stage.clock.advance(5_000);
    await stage.pass();
    expect(stage.state()).toBe('Error PermissionDenied');
  });

  it('when even the question fails stands with the words of the server', async () => {
    const stage = new EngineRig();
    stage.create();
    await stage.pass();
    await stage.clock.advance(6_000);
    stage.api.remove(Deployments, ACCOUNT);
    stage.api.before = (call) => {
      if (call.verb === 'allowed') throw refusal({ kind: 'Unavailable' });
      if (call.verb === 'apply' && call.type === Deployments) throw refusal();
    };
    await stage.pass();

    expect(stage.state()).toBe('Progressing ApplyFailed');
  });
});

describe('an object that fails to apply', () => {
  const broken = () => refusal({ kind: 'Unavailable', status: 500, message: 'webhook is down' });

  it('is tried again after 1, 2, 4 … 60 s, and is an Error from the third pass in a row', async () => {
    const stage = new EngineRig();
    stage.create();
    refuse(stage, Deployments, broken);
    const phases: (string | undefined)[] = [];
    const waits: number[] = [];
    for (let pass = 0; pass < 9; pass++) {
      const result = await stage.pass();
      phases.push(stage.engine().status?.phase);
      if (result.ending === 'wait') waits.push(result.afterMs);
      await stage.clock.advance(waits.at(-1) ?? 0);
    }

    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(phases).toEqual(['Progressing', 'Progressing', ...Array.from({ length: 7 }, () => 'Error')]);
    allow(stage);
    await passAndWait(stage);
    expect(stage.state()).toBe('Progressing Installing');
  });

  it('is not an Error because of passes that come between its tries', async () => {
    const stage = new EngineRig();
    stage.create();
    refuse(stage, Deployments, broken);
    for (let pass = 0; pass < 9; pass++) await stage.pass();

    expect(stage.state()).toBe('Progressing ApplyFailed');
    expect(
      stage.api.writes.filter((one) => one === 'apply deployments multicluster-engine/placement-controller'),
    ).toHaveLength(1);
  });

  it('is not an Error because the API server was away', async () => {
    const stage = new EngineRig();
    stage.create();
    stage.api.before = (call) => {
      if (call.verb === 'updateStatus' || call.type === Deployments) throw broken();
    };
    for (let pass = 0; pass < 6; pass++) {
      await expect(stage.pass()).rejects.toThrow('webhook is down');
      await stage.clock.advance(60_000);
    }
    allow(stage);
    refuse(stage, Deployments, broken);
    await stage.pass();

    expect(stage.state()).toBe('Progressing ApplyFailed');
  });

  it('is tried at once when something else is wanted of it', async () => {
    const stage = new EngineRig();
    stage.create();
    refuse(stage, Deployments, broken);
    await stage.pass();
    allow(stage);
    stage.edit({}, { nodeSelector: { a: '1' } });
    await stage.pass();

    expect(stage.state()).toBe('Progressing Installing');
  });

  it('stays an Error over a restart of the operator, which writes nothing', async () => {
    const stage = new EngineRig();
    stage.create();
    refuse(stage, Deployments, broken);
    for (let pass = 0; pass < 4; pass++) await passAndWait(stage);
    expect(stage.state()).toBe('Error ApplyFailed');
    const restarted = new EngineRig({ api: stage.api, clock: stage.clock });
    const before = stage.api.writes.length;
    await restarted.pass();

    expect(stage.api.writes.slice(before)).toEqual([
      'apply deployments multicluster-engine/placement-controller',
      'apply deployments multicluster-engine/gateway',
    ]);
    expect(restarted.state()).toBe('Error ApplyFailed');
  });

  it('names an error that is none', async () => {
    const stage = new EngineRig();
    stage.create();
    stage.api.before = (call) => {
      // Whatever is thrown has to end in a message.
      if (call.type === Deployments) throw Object.assign(new Error('odd'), { kind: 'none' });
    };
    await stage.pass();

    expect(stage.message()).toContain('odd');
  });
});
