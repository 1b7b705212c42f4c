import { describe, expect, it } from '@jest/globals';

import { deploymentHealth } from '../../../../src/domain/engine/status/components.js';
import { deployment, type DeploymentCounts } from '../../../support/builders/engine.js';

const available = { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' };
const unavailable = { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' };
const progressing = { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' };
const finished = { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' };
const overdue = {
  type: 'Progressing',
  status: 'False',
  reason: 'ProgressDeadlineExceeded',
  message: 'has timed out progressing.',
};

/** Beside what golden/enginestatus records. */
describe('the health of a Deployment', () => {
  it.each<[string, DeploymentCounts, object]>([
    [
      'is not ready while replicas are not updated',
      { updated: 1, replicas: 3, conditions: [available, progressing] },
      { ready: false, serving: true, rollout: 'progressing' },
    ],
    [
      'is not ready while old replicas are still there',
      { replicas: 3, conditions: [available, progressing] },
      { ready: false, serving: true, rollout: 'progressing' },
    ],
    ['is not ready while replicas are missing', { available: 1 }, { ready: false, serving: true, rollout: 'complete' }],
    [
      'is not ready without Available=True, whatever the counts say',
      { conditions: [unavailable, finished] },
      { ready: false, serving: false, rollout: 'complete' },
    ],
    ['is not ready without conditions', { conditions: [] }, { ready: false, serving: false, rollout: 'complete' }],
    [
      'scaled to zero is not ready, though Kubernetes calls it available',
      { wanted: 0, replicas: 0, updated: 0, available: 0 },
      { ready: false, serving: false, rollout: 'complete' },
    ],
    [
      'with fewer replicas than wanted is not ready',
      { wanted: 3 },
      { ready: false, serving: true, rollout: 'progressing' },
    ],
    [
      'past its deadline is stuck',
      { updated: 1, replicas: 3, conditions: [available, overdue] },
      { ready: false, serving: true, rollout: 'deadlineExceeded' },
    ],
    [
      'whose pods crash after the rollout is not rolling out',
      { available: 0, conditions: [unavailable, finished] },
      { ready: false, serving: false, rollout: 'complete' },
    ],
    [
      'whose first pods have not come up yet is rolling out',
      { available: 0, conditions: [unavailable, progressing] },
      { ready: false, serving: false, rollout: 'progressing' },
    ],
  ])('a Deployment %s', (_name, counts, health) => {
    expect(deploymentHealth(deployment(counts))).toMatchObject(health);
  });

  it.each<[string, number | undefined, DeploymentCounts, boolean]>([
    [
      'more than had to serve before do, while still more are wanted',
      2,
      { wanted: 4, replicas: 4, available: 3, conditions: [unavailable, progressing] },
      true,
    ],
    [
      'nobody knows how many had to serve before',
      undefined,
      { wanted: 3, replicas: 3, updated: 1, available: 2, conditions: [unavailable, progressing] },
      false,
    ],
    [
      'one that had to serve before is lost, while more are wanted',
      2,
      { wanted: 3, replicas: 3, updated: 1, available: 1, conditions: [unavailable, progressing] },
      false,
    ],
    ['one of those that are wanted as before is lost', 2, { available: 1, conditions: [unavailable, finished] }, false],
    ['fewer are wanted than before', 3, { available: 2 }, true],
    ['none is left', 0, { available: 0, conditions: [unavailable, finished] }, false],
  ])('a Deployment counts as serving or not when %s', (_name, served, counts, serving) => {
    expect(deploymentHealth(deployment(counts), served).serving).toBe(serving);
  });

  it.each([[undefined], [{ metadata: { name: 'web' } }]])(
    'a Deployment of which nothing is known (%j) is not ready',
    (object) => {
      expect(deploymentHealth(object)).toMatchObject({ ready: false, serving: false });
    },
  );
});
