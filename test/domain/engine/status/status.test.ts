import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { MultiClusterEngineStatus } from '../../../../src/api/generated/multiclusterengine.js';
import type { ObjectState, StatusInput } from '../../../../src/domain/engine/status/input.js';
import { engineStatus, servedEngine } from '../../../../src/domain/engine/status/status.js';
import {
  condition,
  deployment,
  engine,
  objectState,
  objectStates,
  LATER,
  NOW,
  settings,
  statusInput,
} from '../../../support/builders/engine.js';

const rolling = {
  object: deployment({
    updated: 1,
    replicas: 3,
    conditions: [
      { type: 'Available', status: 'True' },
      { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' },
    ],
  }),
};
const starting = {
  object: deployment({
    available: 0,
    conditions: [{ type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' }],
  }),
};
const crashing = { object: deployment({ available: 0 }) };
const stuck = {
  object: deployment({
    available: 0,
    conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'late' }],
  }),
};
const failing = (failures: number): Partial<ObjectState> => ({ state: 'failed', message: 'exceeded quota', failures });

/** The status of an engine that was installed on this version before. */
const installed: MultiClusterEngineStatus = engineStatus(statusInput(), NOW);
const wasInstalled = engine({ status: installed });
const summary = (status: MultiClusterEngineStatus): string => {
  const of = (type: string): string => condition(status, type)?.reason ?? '-';
  return `${status.phase} ${condition(status, 'Ready')?.status}/${of('Ready')} ${condition(status, 'Available')?.status} ${of('Reconciling')} ${of('Stalled')}`;
};

describe('phase, Ready, Available, Reconciling and Stalled of an engine', () => {
  it.each<[string, Partial<StatusInput>, string]>([
    ['all is well', {}, 'Available True/EngineReady True - -'],
    [
      'nothing is known yet',
      { objects: undefined, undecided: 'reading' },
      'Progressing False/Installing False Installing -',
    ],
    [
      'being installed',
      { objects: objectStates({ Deployment: starting }) },
      'Progressing False/Installing False Installing -',
    ],
    [
      'installed, to be brought to another version',
      { engine: wasInstalled, version: '2.0.0', objects: objectStates({ Deployment: rolling }) },
      'Updating False/Updating True Updating -',
    ],
    [
      'brought to another version, not served yet',
      { engine: wasInstalled, version: '2.0.0', objects: objectStates({ Deployment: crashing }) },
      'Updating False/Updating False Updating -',
    ],
    [
      'on the way to a new spec',
      { engine: wasInstalled, objects: objectStates({ Deployment: rolling }) },
      'Progressing False/RollingOut True RollingOut -',
    ],
    [
      'rolled out and crashing',
      { engine: wasInstalled, objects: objectStates({ Deployment: crashing }) },
      'Progressing False/ComponentsUnavailable False - -',
    ],
    [
      'stuck',
      { engine: wasInstalled, objects: objectStates({ Deployment: stuck }) },
      'Progressing False/ComponentsUnavailable False - -',
    ],
    [
      'stuck at the installation',
      { objects: objectStates({ Deployment: stuck }) },
      'Progressing False/ComponentsUnavailable False - -',
    ],
    [
      'refused once',
      { objects: objectStates({ ServiceAccount: failing(1) }) },
      'Progressing False/ApplyFailed False Retrying -',
    ],
    [
      'refused twice',
      { objects: objectStates({ ServiceAccount: failing(2) }) },
      'Progressing False/ApplyFailed False Retrying -',
    ],
    [
      'refused three times in a row',
      { objects: objectStates({ ServiceAccount: failing(3) }) },
      'Error False/ApplyFailed False Retrying -',
    ],
    [
      'in the way of a foreign object',
      { objects: objectStates({ ServiceAccount: { state: 'foreign', message: 'theirs' } }) },
      'Error False/ForeignObject False - ForeignObject',
    ],
    [
      'without a right to one object',
      { objects: objectStates({ ServiceAccount: { state: 'denied', message: 'may not' } }) },
      'Error False/PermissionDenied False - PermissionDenied',
    ],
    [
      'without a right to list',
      { engine: wasInstalled, objects: undefined, undecided: 'reading', denied: 'may not list' },
      'Error False/PermissionDenied True - PermissionDenied',
    ],
    [
      'waiting for something of ours to go',
      { objects: objectStates({ ServiceAccount: { state: 'waiting', message: 'is being deleted' } }) },
      'Progressing False/Installing False Retrying -',
    ],
    [
      'waiting, once installed',
      {
        engine: wasInstalled,
        objects: objectStates({ ServiceAccount: { state: 'waiting', message: 'is being deleted' } }),
      },
      'Progressing False/RollingOut False Retrying -',
    ],
    [
      'with a terminating namespace',
      {
        terminating: 'Namespace x is being deleted',
        objects: objectStates({ ServiceAccount: { state: 'waiting', message: 'x' } }),
      },
      'Progressing False/NamespaceTerminating False Retrying -',
    ],
    [
      'without its pull secret, all else well',
      { missingPullSecret: 'x/pull' },
      'Progressing False/PullSecretNotFound True - -',
    ],
    [
      'without its pull secret, being installed',
      { missingPullSecret: 'x/pull', objects: objectStates({ Deployment: starting }) },
      'Progressing False/PullSecretNotFound False Installing -',
    ],
    [
      'beside an older engine',
      { anotherEngine: 'older', objects: undefined },
      'Error False/AnotherEngineExists False - AnotherEngineExists',
    ],
    [
      'with a spec that cannot be served',
      { fieldErrors: [{ field: 'spec.x', value: '1', rule: 'must not' }], objects: undefined },
      'Error False/InvalidSpec False - InvalidSpec',
    ],
    ['paused', { engine: wasInstalled, paused: true }, 'Paused False/Paused True - -'],
    [
      'paused beside an older engine',
      { paused: true, anotherEngine: 'older', objects: undefined },
      'Paused False/Paused False - -',
    ],
    ['paused from the first day', { paused: true, objects: undefined }, 'Paused False/Paused False - -'],
    [
      'uninstalling',
      {
        engine: wasInstalled,
        objects: undefined,
        uninstall: {
          remaining: [objectState('Deployment', { state: 'removing', message: 'is being deleted' })],
          message: '1 object left',
        },
      },
      'Uninstalling False/Uninstalling False Uninstalling -',
    ],
    [
      'uninstalling, nothing left',
      { engine: wasInstalled, objects: undefined, uninstall: { remaining: [], message: 'stays' } },
      'Uninstalling False/Uninstalling False Uninstalling -',
    ],
    [
      'uninstalling, held by the pause',
      { engine: wasInstalled, paused: true, objects: undefined, uninstall: { message: 'stays' } },
      'Uninstalling False/Paused True - -',
    ],
    [
      'uninstalling, a right missing',
      { engine: wasInstalled, objects: undefined, uninstall: { message: 'x', denied: 'may not delete' } },
      'Uninstalling False/PermissionDenied True - PermissionDenied',
    ],
  ])('phase and conditions of an engine: %s', (_name, over, expected) => {
    expect(summary(engineStatus(statusInput(over), NOW))).toBe(expected);
  });

  it('Ready names the first blocker', () => {
    const blockers: Partial<StatusInput> = {
      paused: true,
      anotherEngine: 'older',
      fieldErrors: [{ field: 'f', value: 'v', rule: 'r' }],
      terminating: 't',
      denied: 'd',
      missingPullSecret: 'p',
      unusablePullSecret: 'p',
      objects: objectStates({
        ServiceAccount: { state: 'foreign', message: 'm' },
        NetworkPolicy: failing(1),
        Deployment: starting,
      }),
    };
    const fixes: Partial<StatusInput>[] = [
      {},
      { paused: false },
      { anotherEngine: undefined },
      { fieldErrors: [] },
      { terminating: undefined },
      { denied: undefined },
      { objects: objectStates({ NetworkPolicy: failing(1) }) },
      { objects: objectStates({ ServiceAccount: { state: 'unusable', message: 'm' } }) },
      { missingPullSecret: undefined },
      { unusablePullSecret: undefined },
      { objects: objectStates() },
    ];
    const reasons: (string | undefined)[] = [];
    let now = statusInput(blockers);
    for (const fix of fixes) {
      now = { ...now, ...fix };
      reasons.push(condition(engineStatus(now, NOW), 'Ready')?.reason);
    }

    expect(reasons).toEqual([
      'Paused',
      'AnotherEngineExists',
      'InvalidSpec',
      'NamespaceTerminating',
      'PermissionDenied',
      'ForeignObject',
      'ApplyFailed',
      'PullSecretNotFound',
      'PullSecretUnusable',
      'CertificateUnusable',
      'EngineReady',
    ]);
  });
});

describe('the message of Ready', () => {
  it.each<[string, Partial<StatusInput>, string]>([
    [
      'names a foreign object',
      { objects: objectStates({ ServiceAccount: { state: 'foreign', message: 'belongs to Widget w' } }) },
      'ServiceAccount multicluster-engine/placement-controller: belongs to Widget w',
    ],
    [
      'names a refused object and why',
      { objects: objectStates({ Deployment: failing(1) }) },
      'Deployment multicluster-engine/placement-controller: exceeded quota',
    ],
    [
      'names the missing secret',
      { missingPullSecret: 'multicluster-engine/pull' },
      'Secret multicluster-engine/pull, named by spec.imagePullSecret, does not exist; the operator never copies it there',
    ],
    [
      'names the older engine',
      { anotherEngine: 'older' },
      'MultiClusterEngine older is older and is served; one hub has one engine, delete one of them',
    ],
    [
      'names every fault of the spec',
      {
        fieldErrors: [
          { field: 'a', value: '1', rule: 'x' },
          { field: 'b', value: '2', rule: 'y' },
        ],
      },
      'a: 1: x; b: 2: y',
    ],
    [
      'says what a Deployment lacks',
      { objects: objectStates({ Deployment: crashing }) },
      'Deployment multicluster-engine/placement-controller: 0 of 2 replicas available, 2 up to date',
    ],
    [
      'says what the pause holds back',
      {
        paused: true,
        objects: objectStates({ Deployment: { state: 'drifted', message: 'differs at spec.replicas' } }),
      },
      'annotation multicluster.platform.io/paused stops every write except that of status; pending: Deployment multicluster-engine/placement-controller: differs at spec.replicas',
    ],
    [
      'says that the pause holds nothing back',
      { paused: true },
      'annotation multicluster.platform.io/paused stops every write except that of status; nothing is pending',
    ],
    [
      'says no more of the pause than it knows',
      { paused: true, objects: undefined },
      'annotation multicluster.platform.io/paused stops every write except that of status',
    ],
    [
      'says that the pause suspends the uninstallation',
      { paused: true, uninstall: { message: 'x stays' } },
      'annotation multicluster.platform.io/paused suspends the uninstallation; x stays',
    ],
  ])('the message of Ready: %s', (_name, over, message) => {
    expect(condition(engineStatus(statusInput(over), NOW), 'Ready')?.message).toBe(message);
  });

  it('the message of Ready names three objects and counts the rest', () => {
    const all = objectStates().map((one) => ({ ...one, state: 'failed' as const, message: 'no' }));

    expect(condition(engineStatus(statusInput({ objects: all }), NOW), 'Ready')?.message).toMatch(
      /^([^;]+; ){3}and 5 more$/,
    );
  });
});

describe('the rows of the components', () => {
  it('there is one row per desired object, sorted by kind and name', () => {
    expect(
      engineStatus(statusInput(), NOW).components?.map(
        (row) => `${row.kind}/${row.name} ${row.type}=${row.status} ${row.reason}`,
      ),
    ).toEqual([
      'ClusterRoleBinding/multicluster-engine-placement-controller Applied=True Applied',
      'Deployment/placement-controller Available=True Available',
      'Namespace/multicluster-engine Applied=True Applied',
      'NetworkPolicy/placement-controller Applied=True Applied',
      'PodDisruptionBudget/placement-controller Applied=True Applied',
      'RoleBinding/multicluster-engine-agent-leases Applied=True Applied',
      'RoleBinding/multicluster-engine-installer Applied=True Applied',
      'ServiceAccount/placement-controller Applied=True Applied',
    ]);
  });

  it.each<[string, string, Partial<ObjectState>, string]>([
    ['rolling out', 'Deployment', rolling, 'Available True RollingOut'],
    ['starting', 'Deployment', starting, 'Available False RollingOut'],
    ['crashing', 'Deployment', crashing, 'Available False Unavailable'],
    ['refused', 'Deployment', failing(1), 'Available False ApplyFailed'],
    [
      'drifted during a pause, still serving',
      'Deployment',
      { state: 'drifted', message: 'x' },
      'Available True Drifted',
    ],
    [
      'drifted during a pause, scaled down',
      'Deployment',
      { state: 'drifted', message: 'x', object: deployment({ wanted: 0, available: 0 }) },
      'Available False Drifted',
    ],
    ['missing during a pause', 'Deployment', { state: 'missing', message: 'x' }, 'Available False Missing'],
    ['drifted during a pause', 'ServiceAccount', { state: 'drifted', message: 'x' }, 'Applied True Drifted'],
    ['waiting', 'ServiceAccount', { state: 'waiting', message: 'x' }, 'Applied False Pending'],
    ['refused', 'ServiceAccount', failing(1), 'Applied False ApplyFailed'],
    ['without a right', 'ServiceAccount', { state: 'denied', message: 'x' }, 'Applied False PermissionDenied'],
    ["somebody else's", 'ServiceAccount', { state: 'foreign', message: 'x' }, 'Applied False Skipped'],
    ['being removed', 'ServiceAccount', { state: 'removing', message: 'x' }, 'Applied False Uninstalling'],
  ])('the row of an object that is %s: %s', (_name, kind, over, expected) => {
    const row = engineStatus(statusInput({ objects: objectStates({ [kind]: over }) }), NOW).components?.find(
      (one) => one.kind === kind,
    );

    expect(`${row?.type} ${row?.status} ${row?.reason}`).toBe(expected);
  });

  it('the stored rows of objects that a pass did not read are kept', () => {
    const found = [objectState('RoleBinding', { state: 'failed', message: 'no', failures: 1 })];
    const rows = engineStatus(statusInput({ engine: wasInstalled, objects: found, partial: true }), NOW).components;

    expect(rows?.map((row) => `${row.kind} ${row.status}`)).toEqual([
      'ClusterRoleBinding True',
      'Deployment True',
      'Namespace True',
      'NetworkPolicy True',
      'PodDisruptionBudget True',
      'RoleBinding True',
      'RoleBinding False',
      'ServiceAccount True',
    ]);
  });

  it('the time of a row changes with its status only', () => {
    const before = engine({
      status: engineStatus(statusInput({ objects: objectStates({ Deployment: starting }) }), NOW),
    });
    const rows = engineStatus(
      statusInput({ engine: before, objects: objectStates({ Deployment: rolling }) }),
      LATER,
    ).components;

    expect(rows?.find((row) => row.kind === 'Deployment')?.lastTransitionTime).toBe(LATER);
    expect(rows?.find((row) => row.kind === 'ServiceAccount')?.lastTransitionTime).toBe(NOW);
  });
});

describe('the rest of the status', () => {
  it('the status has the effective namespace, both versions and the generation', () => {
    expect(engineStatus(statusInput({ engine: engine({ metadata: { generation: 4 } }) }), NOW)).toMatchObject({
      observedGeneration: 4,
      targetNamespace: 'multicluster-engine',
      desiredVersion: '1.0.0',
      currentVersion: '1.0.0',
    });
  });

  it('currentVersion follows only when every component is ready', () => {
    expect(
      engineStatus(
        statusInput({ engine: wasInstalled, version: '2.0.0', objects: objectStates({ Deployment: rolling }) }),
        NOW,
      ),
    ).toMatchObject({ desiredVersion: '2.0.0', currentVersion: '1.0.0' });
    expect(engineStatus(statusInput({ engine: wasInstalled, version: '2.0.0' }), NOW)).toMatchObject({
      currentVersion: '2.0.0',
      phase: 'Available',
    });
    expect(
      engineStatus(statusInput({ objects: objectStates({ Deployment: starting }) }), NOW).currentVersion,
    ).toBeUndefined();
  });

  it('currentVersion follows although the pull secret is missing', () => {
    expect(engineStatus(statusInput({ missingPullSecret: 'x/pull' }), NOW).currentVersion).toBe(settings.version);
  });

  it('the status acknowledges the reconcile annotation', () => {
    const asked = engine({ metadata: { annotations: { 'multicluster.platform.io/reconcile-requested-at': 'now' } } });

    expect(engineStatus(statusInput({ engine: asked }), NOW).lastHandledReconcileAt).toBe('now');
    expect(
      engineStatus(statusInput({ engine: engine({ status: { ...installed, lastHandledReconcileAt: 'before' } }) }), NOW)
        .lastHandledReconcileAt,
    ).toBe('before');
  });

  it('a paused engine keeps the last applied generation, on the conditions too', () => {
    const paused = engine({ metadata: { generation: 9 }, status: installed });
    const status = engineStatus(statusInput({ engine: paused, paused: true }), LATER);

    expect(status.observedGeneration).toBe(1);
    expect(status.conditions?.map((one) => one.observedGeneration)).toEqual([1, 1]);
  });

  it('an invalid namespace never becomes the effective one', () => {
    const fieldErrors = [{ field: 'spec.targetNamespace', value: 'b', rule: 'is immutable' }];

    expect(
      engineStatus(statusInput({ engine: wasInstalled, targetNamespace: 'b', fieldErrors, objects: undefined }), NOW)
        .targetNamespace,
    ).toBe('multicluster-engine');
    expect(
      engineStatus(statusInput({ targetNamespace: 'b', fieldErrors, objects: undefined }), NOW),
    ).not.toHaveProperty('targetNamespace');
  });

  it('the status is the same when nothing but the time has changed', () => {
    expect(engineStatus(statusInput({ engine: wasInstalled }), LATER)).toEqual(installed);
  });

  it('the status stays as it is while nothing can be decided', () => {
    expect(engineStatus(statusInput({ engine: wasInstalled, objects: undefined, undecided: 'reading' }), LATER)).toBe(
      installed,
    );
  });

  it('the status reports the begin and the end of a pause although nothing can be decided', () => {
    const undecided = { objects: undefined, undecided: 'reading' };
    const paused = engineStatus(statusInput({ engine: wasInstalled, paused: true, ...undecided }), LATER);

    expect(paused.phase).toBe('Paused');
    expect(engineStatus(statusInput({ engine: engine({ status: paused }), paused: true, ...undecided }), LATER)).toBe(
      paused,
    );
    expect(engineStatus(statusInput({ engine: engine({ status: paused }), ...undecided }), LATER).phase).toBe(
      'Progressing',
    );
  });

  it('lastTransitionTime changes exactly with the status of a condition', () => {
    const worse = engineStatus(
      statusInput({ engine: wasInstalled, objects: objectStates({ Deployment: crashing }) }),
      LATER,
    );

    expect(condition(worse, 'Ready')).toMatchObject({ lastTransitionTime: LATER, lastUpdateTime: LATER });
    expect(
      condition(
        engineStatus(statusInput({ engine: engine({ metadata: { generation: 2 }, status: installed }) }), LATER),
        'Ready',
      ),
    ).toMatchObject({ lastTransitionTime: NOW, lastUpdateTime: LATER });
  });

  const someState = fc.oneof(
    { weight: 2, arbitrary: fc.constant('applied' as const) },
    fc.constantFrom<ObjectState['state']>('failed', 'foreign', 'denied', 'waiting', 'missing', 'drifted'),
  );
  const someObjectStates = fc
    .oneof(fc.constant(objectStates().map(() => 'applied' as const)), fc.tuple(...objectStates().map(() => someState)))
    .chain((states) =>
      fc.constantFrom({}, rolling, starting, crashing, stuck).map((over) =>
        objectStates({ Deployment: over }).map((one, index) => ({
          ...one,
          state: states[index] ?? 'applied',
          message: 'm',
          failures: 1,
        })),
      ),
    );
  const someInput = fc
    .record({
      objects: someObjectStates,
      paused: fc.boolean(),
      missingPullSecret: fc.constantFrom(undefined, 'x/y'),
      partial: fc.boolean(),
      terminating: fc.constantFrom(undefined, 'Namespace x is being deleted'),
    })
    .chain((over) =>
      fc
        .constantFrom(engine(), wasInstalled, engine({ metadata: { generation: 2 }, status: installed }))
        .map((one) => statusInput({ ...over, engine: one })),
    );

  it('the status is the same, times included, for the same input at a later time', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const first = engineStatus(input, NOW);
        const again = engineStatus({ ...input, engine: { ...input.engine, status: first } }, LATER);

        expect(again).toEqual(first);
      }),
    );
  });

  it('the input is never changed; Ready and Available are the first conditions, with at most one of Reconciling and Stalled', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const before = JSON.stringify(input);
        const types = (engineStatus(input, NOW).conditions ?? []).map((one) => one.type);

        expect(JSON.stringify(input)).toBe(before);
        expect(types.slice(0, 2)).toEqual(['Ready', 'Available']);
        expect(types.filter((type) => type === 'Reconciling' || type === 'Stalled').length).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('the engine that is served', () => {
  const engineOf = (name: string, creationTimestamp?: string) =>
    engine({ metadata: { name, ...(creationTimestamp === undefined ? {} : { creationTimestamp }) } });

  it.each([
    ['is the oldest', [engineOf('a', '2026-01-02T00:00:00Z'), engineOf('b', '2026-01-01T00:00:00Z')], 'b'],
    ['is the first by name of two of one age', [engineOf('b', NOW), engineOf('a', NOW)], 'a'],
    ['is the only one', [engineOf('a')], 'a'],
    ['is nobody where there is none', [], undefined],
  ])('the engine that is served: %s', (_name, engines, name) => {
    expect(servedEngine(engines)?.metadata.name).toBe(name);
  });

  it('the served engine is the oldest, also while it is being deleted', () => {
    const old = engine({ metadata: { name: 'z', creationTimestamp: '2025-01-01T00:00:00Z', deletionTimestamp: NOW } });

    expect(servedEngine([engineOf('a', NOW), old])?.metadata.name).toBe('z');
  });
});
