import { integerAt, itemsAt, textAt, type Tree } from './manifest/manifest.js';

/** The health of a Deployment, from its status. */
export interface Health {
  /** The observed generation is rolled out and every replica is available. */
  readonly ready: boolean;
  /**
   * Enough replicas are available, also those of an earlier rollout: the Deployment is Available, or, while it scales
   * up, it has as many as when it was last ready.
   */
  readonly serving: boolean;
  /** deadlineExceeded: the condition Progressing is False. */
  readonly rollout: 'progressing' | 'deadlineExceeded' | 'complete';
  /** For people: the counts, and the failures that the Deployment's conditions report. */
  readonly message: string;
}

/**
 * Health of a Deployment. `lastReadyReplicas`: spec.replicas when all of them were last ready; undefined where that is
 * not known.
 *
 * Ready means: status.observedGeneration ≥ generation, updatedReplicas = replicas = availableReplicas = spec.replicas > 0,
 * and Available=True. So a Deployment that was just patched is not ready by its old status.
 */
export function deploymentHealth(object: unknown, lastReadyReplicas = Infinity): Health {
  const wanted = integerAt(object, 1, 'spec', 'replicas');
  const count = (field: string): number => integerAt(object, 0, 'status', field);
  const generation = integerAt(object, 0, 'metadata', 'generation');
  const isObserved = integerAt(object, -1, 'status', 'observedGeneration') >= generation;
  const isAvailable = textAt(condition(object, 'Available'), 'status') === 'True';
  const replicas = count('replicas');
  const updated = count('updatedReplicas');
  const available = count('availableReplicas');
  const complete = isObserved && updated === wanted && replicas === wanted;
  const ready = complete && available === wanted && wanted > 0 && isAvailable;
  return {
    ready,
    serving: (isAvailable || available >= lastReadyReplicas) && available > 0 && wanted > 0,
    rollout: rolloutOf(object, { isObserved, complete }),
    message: `${available} of ${wanted} replicas available, ${updated} up to date${isObserved ? '' : ', the Deployment controller has not observed the change yet'}${failureText(object)}`,
  };
}

function rolloutOf(object: unknown, facts: Record<'isObserved' | 'complete', boolean>): Health['rollout'] {
  if (!facts.isObserved) return 'progressing';
  const progressing = condition(object, 'Progressing');
  if (textAt(progressing, 'status') === 'False') return 'deadlineExceeded';
  if (!facts.complete) return 'progressing';
  const finished = progressing === undefined || textAt(progressing, 'reason') === 'NewReplicaSetAvailable';
  return finished ? 'complete' : 'progressing';
}

/** The failures that the Deployment's conditions report. */
function failureText(object: unknown): string {
  const failures = Object.entries({ Progressing: 'False', ReplicaFailure: 'True' })
    .map(([type, failed]) => ({ found: condition(object, type), failed }))
    .filter(({ found, failed }) => textAt(found, 'status') === failed);
  return failures.map(({ found }) => ` (${textAt(found, 'reason')}: ${textAt(found, 'message')})`).join('');
}

function condition(object: unknown, type: string): Tree | undefined {
  return itemsAt(object, 'status', 'conditions').find((one) => one['type'] === type);
}
