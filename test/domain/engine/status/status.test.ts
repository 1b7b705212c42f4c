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

describe('phase, Ready, Available, Reconciling and Stalled of an engine', () => {
  it('Ready names the first blocker', () => {
    const blockers: Partial<StatusInput> = {
      paused: true,
      anotherEngine: 'older',
      fieldErrors: [{ field: 'f', message: 'v: r' }],
      terminating: 't',
      denied: 'd',
      pullSecret: { kind: 'missing', name: 'p' },
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
      { pullSecret: { kind: 'unusable', name: 'p' } },
      { pullSecret: undefined },
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

describe('the rows of the components', () => {
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
    expect(engineStatus(statusInput({ pullSecret: { kind: 'missing', name: 'x/pull' } }), NOW).currentVersion).toBe(
      settings.version,
    );
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

  it('Available is of the generation for which objects were read, and Unknown while an uninstallation cannot read them', () => {
    const available = (more: Partial<StatusInput>) => {
      const next = { ...wasInstalled, metadata: { ...wasInstalled.metadata, generation: 7 } };
      const { conditions } = engineStatus(statusInput({ engine: next, objects: undefined, ...more }), LATER);
      const { status, observedGeneration } = conditions?.find(({ type }) => type === 'Available') ?? {};
      return { status, observedGeneration };
    };
    const before = wasInstalled.metadata.generation;
    expect(available({ denied: 'd' })).toEqual({ status: 'True', observedGeneration: before });
    expect(available({ uninstall: { message: 'x', denied: 'd' } })).toEqual({
      status: 'Unknown',
      observedGeneration: 7,
    });
    expect(available({ uninstall: { message: 'x' }, paused: true })).toMatchObject({ status: 'True' });
    expect(available({ objects: objectStates({}) })).toEqual({ status: 'True', observedGeneration: 7 });
  });

  it('an invalid namespace never becomes the effective one', () => {
    const fieldErrors = [{ field: 'spec.targetNamespace', message: 'b: is immutable' }];

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
      pullSecret: fc.constantFrom(undefined, { kind: 'missing' as const, name: 'x/y' }),
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
