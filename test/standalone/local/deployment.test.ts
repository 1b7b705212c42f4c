import { describe, expect, it } from '@jest/globals';

import {
  deploymentStatus,
  NOT_RUN_HERE,
  type Deployment,
  type DeploymentStatus,
  type Observation,
} from '../../../src/standalone/local/deployment.js';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const LATER = Date.parse('2026-11-21T10:00:30Z');

function deployment(spec: Deployment['spec'] = {}, status?: DeploymentStatus): Deployment {
  return {
    metadata: { name: 'web', generation: 3 },
    spec: { replicas: 1, ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

function seen(change: Partial<Observation> = {}): Observation {
  return { started: true, ready: true, problem: undefined, ...change };
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
      { ready: false },
      { observedGeneration: 3, replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 },
      ['Available=False MinimumReplicasUnavailable', 'Progressing=True ReplicaSetUpdated'],
    ],
    [
      'that cannot start',
      {},
      { started: false, ready: false, problem: { reason: 'FailedCreate', message: 'no' } },
      { observedGeneration: 3, unavailableReplicas: 1 },
      [
        'Available=False MinimumReplicasUnavailable',
        'Progressing=True ReplicaSetUpdated',
        'ReplicaFailure=True FailedCreate',
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
      'with zero replicas',
      { replicas: 0 },
      { started: false, ready: false },
      { observedGeneration: 3 },
      ['Available=True MinimumReplicasAvailable', 'Progressing=True NewReplicaSetAvailable'],
    ],
    [
      'that is not run here',
      { replicas: 2 },
      { started: false, ready: false, problem: NOT_RUN_HERE },
      { observedGeneration: 3, unavailableReplicas: 2 },
      ['Available=False NotRunHere', 'Progressing=False ProgressDeadlineExceeded'],
    ],
    [
      'that is not run here and wants no replica',
      { replicas: 0 },
      { started: false, ready: false, problem: NOT_RUN_HERE },
      { observedGeneration: 3 },
      ['Available=True MinimumReplicasAvailable', 'Progressing=True NewReplicaSetAvailable'],
    ],
  ])(
    'the status of a Deployment %s has the counts and conditions of Kubernetes',
    (_name, spec, observed, counts, states) => {
      const status = deploymentStatus(deployment(spec), seen(observed), NOW);
      const { conditions: _, ...rest } = status;

      expect(rest).toEqual({ terminatingReplicas: 0, ...counts });
      expect(conditions(status)).toEqual(states);
    },
  );

  it('the status of a Deployment is the stored object itself when nothing has changed, whatever the order of its fields', () => {
    const { conditions: all = [], ...counts } = deploymentStatus(deployment(), seen(), NOW);
    const stored: DeploymentStatus = { conditions: [...all].reverse(), ...counts };

    expect(deploymentStatus(deployment({}, stored), seen(), LATER)).toBe(stored);
  });

  it('a condition has a new transition time when its status changes, and a new update time when its reason or message changes', () => {
    const first = deploymentStatus(deployment(), seen({ ready: false }), NOW);
    const second = deploymentStatus(deployment({}, first), seen(), LATER);
    const times = (second.conditions ?? []).map((one) => [one.type, one.lastTransitionTime, one.lastUpdateTime]);

    expect(times).toEqual([
      ['Available', '2026-11-21T10:00:30Z', '2026-11-21T10:00:30Z'],
      ['Progressing', '2026-11-21T10:00:00Z', '2026-11-21T10:00:30Z'],
    ]);
  });

  it.each<[string, Deployment['spec'], Partial<Observation>, string]>([
    [
      'when its process has ended',
      {},
      { ready: false, problem: { reason: 'CrashLoopBackOff', message: 'ended' } },
      'NewReplicaSetAvailable',
    ],
    ['when there is no process', {}, { started: false, ready: false }, 'NewReplicaSetAvailable'],
    [
      'until its template changes',
      { template: { metadata: { labels: { a: 'b' } } } },
      { ready: false },
      'ReplicaSetUpdated',
    ],
  ])('the status of a Deployment keeps a completed rollout completed, %s', (_name, spec, observed, reason) => {
    const over = deployment(spec, deploymentStatus(deployment(), seen(), NOW));

    expect(conditions(deploymentStatus(over, seen(observed), LATER))[1]).toBe(`Progressing=True ${reason}`);
  });
});
