import { describe, expect, it } from '@jest/globals';

import {
  keepsOldProcess,
  rolloutStatus,
  msUntilDeadline,
  type Observation,
} from '../../../../src/standalone/local/rollout/rollout.js';
import type { Deployment, DeploymentStatus } from '../../../../src/standalone/local/workload.js';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const LATER = Date.parse('2026-11-21T10:00:30Z');

function deployment(spec: Deployment['spec'] = {}, status?: DeploymentStatus): Deployment {
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } };
  return {
    metadata: { name: 'web', generation: 3 },
    spec: { replicas: 1, strategy, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

function seen(change: Partial<Observation> = {}): Observation {
  return {
    started: true,
    updated: true,
    ready: true,
    available: true,
    pod: 'web-1',
    problem: undefined,
    progressedAt: NOW,
    ...change,
  };
}

function conditions(status: DeploymentStatus): string[] {
  return (status.conditions ?? []).map((one) => `${one.type}=${one.status} ${one.reason}`);
}

describe('the status of a Deployment', () => {
  it.each<[string, Deployment['spec'], Partial<Observation>, object, string[]]>([
    [
      'that runs',
      {},
      {},
      { observedGeneration: 3, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
      ['Available=True MinimumReplicasAvailable', 'Progressing=True NewReplicaSetAvailable'],
    ],
    [
      'that starts',
      {},
      { ready: false, available: false },
      { observedGeneration: 3, replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 },
      ['Available=False MinimumReplicasUnavailable', 'Progressing=True ReplicaSetUpdated'],
    ],
    [
      'that is ready, but not for long enough',
      {},
      { available: false },
      { observedGeneration: 3, replicas: 1, updatedReplicas: 1, readyReplicas: 1, unavailableReplicas: 1 },
      ['Available=False MinimumReplicasUnavailable', 'Progressing=True ReplicaSetUpdated'],
    ],
    [
      'that cannot start',
      {},
      { started: false, ready: false, available: false, problem: { reason: 'FailedScheduling', message: 'no' } },
      { observedGeneration: 3, unavailableReplicas: 1 },
      [
        'Available=False MinimumReplicasUnavailable',
        'Progressing=True ReplicaSetUpdated',
        'ReplicaFailure=True FailedScheduling',
      ],
    ],
    [
      'that has exceeded the progress deadline',
      {},
      { ready: false, available: false, progressedAt: NOW - 601_000 },
      { observedGeneration: 3, replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 },
      ['Available=False MinimumReplicasUnavailable', 'Progressing=False ProgressDeadlineExceeded'],
    ],
    [
      'that has exceeded its own progressDeadlineSeconds',
      { progressDeadlineSeconds: 5 },
      { ready: false, available: false, progressedAt: NOW - 6_000 },
      { observedGeneration: 3, replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 },
      ['Available=False MinimumReplicasUnavailable', 'Progressing=False ProgressDeadlineExceeded'],
    ],
    [
      'whose new pod template cannot be scheduled',
      {},
      { updated: false, problem: { reason: 'FailedScheduling', message: 'no' } },
      { observedGeneration: 3, replicas: 1, readyReplicas: 1, availableReplicas: 1, unavailableReplicas: 1 },
      [
        'Available=True MinimumReplicasAvailable',
        'Progressing=True FailedScheduling',
        'ReplicaFailure=True FailedScheduling',
      ],
    ],
    [
      'whose new pod template is pending past the deadline',
      {},
      { updated: false, problem: { reason: 'FailedScheduling', message: 'no' }, progressedAt: NOW - 601_000 },
      { observedGeneration: 3, replicas: 1, readyReplicas: 1, availableReplicas: 1, unavailableReplicas: 1 },
      [
        'Available=True MinimumReplicasAvailable',
        'Progressing=False ProgressDeadlineExceeded',
        'ReplicaFailure=True FailedScheduling',
      ],
    ],
    [
      'with three replicas',
      { replicas: 3 },
      {},
      {
        observedGeneration: 3,
        replicas: 1,
        updatedReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        unavailableReplicas: 2,
      },
      [
        'Available=False MinimumReplicasUnavailable',
        'Progressing=True ReplicaSetUpdated',
        'ReplicaFailure=True OneProcessEach',
      ],
    ],
    [
      'with two replicas, one of which may be unavailable',
      { replicas: 2, strategy: { rollingUpdate: { maxUnavailable: '50%' } } },
      {},
      {
        observedGeneration: 3,
        replicas: 1,
        updatedReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        unavailableReplicas: 1,
      },
      [
        'Available=True MinimumReplicasAvailable',
        'Progressing=True ReplicaSetUpdated',
        'ReplicaFailure=True OneProcessEach',
      ],
    ],
    [
      'with zero replicas',
      { replicas: 0 },
      { started: false, ready: false, available: false, pod: '' },
      { observedGeneration: 3 },
      ['Available=True MinimumReplicasAvailable', 'Progressing=True NewReplicaSetAvailable'],
    ],
  ])(
    'the status of a Deployment %s has the counts and conditions of Kubernetes',
    (_name, spec, observed, counts, states) => {
      const status = rolloutStatus(deployment(spec), seen(observed), NOW);
      const { conditions: _, ...rest } = status;

      expect(rest).toEqual({ terminatingReplicas: 0, ...counts });
      expect(conditions(status)).toEqual(states);
    },
  );

  it('the status of a Deployment is the stored object itself when nothing has changed, whatever the order of its fields', () => {
    const { conditions: all = [], ...counts } = rolloutStatus(deployment(), seen(), NOW);
    const stored: DeploymentStatus = { conditions: [...all].reverse(), ...counts };

    expect(rolloutStatus(deployment({}, stored), seen(), LATER)).toBe(stored);
  });

  it('a condition has a new transition time when its status changes, and a new update time when its reason or message changes', () => {
    const first = rolloutStatus(deployment(), seen({ ready: false, available: false }), NOW);
    const second = rolloutStatus(deployment({}, first), seen(), LATER);
    const times = (second.conditions ?? []).map((one) => [one.type, one.lastTransitionTime, one.lastUpdateTime]);

    expect(times).toEqual([
      ['Available', '2026-11-21T10:00:30Z', '2026-11-21T10:00:30Z'],
      ['Progressing', '2026-11-21T10:00:00Z', '2026-11-21T10:00:30Z'],
    ]);
  });

  it.each<[string, Partial<Observation>, string]>([
    [
      'when its process has ended',
      { ready: false, available: false, problem: { reason: 'CrashLoopBackOff', message: 'ended' } },
      'NewReplicaSetAvailable',
    ],
    [
      'when the node has no place for it any more',
      { started: false, ready: false, available: false, problem: { reason: 'TaintEviction', message: 'no' } },
      'NewReplicaSetAvailable',
    ],
    [
      'however long that lasts',
      { ready: false, available: false, progressedAt: NOW - 700_000 },
      'NewReplicaSetAvailable',
    ],
    ['until its template changes', { ready: false, available: false, pod: 'web-2' }, 'ReplicaSetUpdated'],
    ['until a new pod template is pending', { updated: false }, 'ReplicaSetUpdated'],
  ])('the status of a Deployment keeps a completed rollout completed, %s', (_name, observed, reason) => {
    const over = deployment({}, rolloutStatus(deployment(), seen(), NOW));

    expect(conditions(rolloutStatus(over, seen(observed), LATER))[1]).toBe(`Progressing=True ${reason}`);
    expect(msUntilDeadline(over, seen(observed), NOW) === undefined).toBe(reason === 'NewReplicaSetAvailable');
  });

  it.each<[string, boolean, Deployment['spec']]>([
    ['with maxUnavailable 0', true, {}],
    ['with default values', true, { strategy: {} }],
    ['with maxUnavailable 1', false, { strategy: { rollingUpdate: { maxUnavailable: 1 } } }],
    ['with the strategy Recreate', false, { strategy: { type: 'Recreate' } }],
  ])(
    'a Deployment %s keeps the old process running while the new one cannot be started: %s',
    (_name, keepsRunning, spec) => {
      expect(keepsOldProcess(deployment(spec))).toBe(keepsRunning);
    },
  );

  it.each<[string, Partial<Observation>, number | undefined]>([
    ['that runs', {}, undefined],
    ['that starts', { available: false }, 600_001],
    ['whose new pod template is pending', { updated: false }, 600_001],
    ['that has exceeded the deadline', { available: false, progressedAt: NOW - 700_000 }, undefined],
  ])(
    'the status of a Deployment %s is checked again at the progress deadline, if any is left',
    (_name, observed, ms) => {
      expect(msUntilDeadline(deployment(), seen(observed), NOW)).toBe(ms);
    },
  );
});
