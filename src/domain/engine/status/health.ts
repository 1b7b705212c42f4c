import { at, integerAt, itemsAt, textAt, type Tree } from '../manifest/manifest.js';

/** What the status of a Deployment says. */
export interface Health {
  /** The strict rule: everything is rolled out and available, seen for the object as it stands now. */
  readonly ready: boolean;
  /**
   * Replicas answer, be it those of an earlier rollout: as many as Kubernetes asks for, or, while more are wanted than
   * before, still as many as had to before.
   */
  readonly serving: boolean;
  /** rolling: a rollout is under way; stuck: it ran into its deadline; over: nothing is under way. */
  readonly rollout: 'rolling' | 'stuck' | 'over';
  /** For people: counts, and what Kubernetes says stands in the way. */
  readonly message: string;
}

/** `lastReadyReplicas`: how many replicas were wanted when all of them were last ready; undefined where that is not known. */
export type HealthRule = (object: unknown, lastReadyReplicas?: number) => Health;

/**
 * Health of a Deployment.
 *
 * Ready means: status.observedGeneration ≥ generation, updatedReplicas = replicas = availableReplicas = spec.replicas > 0,
 * and Available=True. So one that was just patched is not ready on its old status.
 */
export function deploymentHealth(object: unknown, lastReadyReplicas = Infinity): Health {
  const wanted = integerAt(object, 1, 'spec', 'replicas');
  const count = (field: string): number => integerAt(object, 0, 'status', field);
  const generation = integerAt(object, 0, 'metadata', 'generation');
  const seen = integerAt(object, -1, 'status', 'observedGeneration') >= generation;
  const isAvailable = textAt(condition(object, 'Available'), 'status') === 'True';
  const replicas = count('replicas');
  const updated = count('updatedReplicas');
  const available = count('availableReplicas');
  const complete = seen && updated === wanted && replicas === wanted;
  const ready = complete && available === wanted && wanted > 0 && isAvailable;
  return {
    ready,
    serving: (isAvailable || available >= lastReadyReplicas) && available > 0 && wanted > 0,
    rollout: rolloutOf(object, { seen, complete }),
    message: `${available} of ${wanted} replicas available, ${updated} up to date${seen ? '' : ', its change is not seen by the Deployment controller yet'}${failureText(object)}`,
  };
}

function rolloutOf(object: unknown, facts: { readonly seen: boolean; readonly complete: boolean }): Health['rollout'] {
  if (!facts.seen) return 'rolling';
  const progressing = condition(object, 'Progressing');
  if (textAt(progressing, 'status') === 'False') return 'stuck';
  if (!facts.complete) return 'rolling';
  const finished = progressing === undefined || textAt(progressing, 'reason') === 'NewReplicaSetAvailable';
  return finished ? 'over' : 'rolling';
}

/** What the Deployment's own conditions complain of. */
function failureText(object: unknown): string {
  const complaints: string[] = [];
  if (textAt(condition(object, 'Progressing'), 'status') === 'False')
    complaints.push(conditionText(condition(object, 'Progressing')));
  if (textAt(condition(object, 'ReplicaFailure'), 'status') === 'True')
    complaints.push(conditionText(condition(object, 'ReplicaFailure')));
  return complaints.map((one) => ` (${one})`).join('');
}

function conditionText(one: Tree | undefined): string {
  return `${textAt(one, 'reason')}: ${textAt(one, 'message')}`;
}

function condition(object: unknown, type: string): Tree | undefined {
  return itemsAt(at(object, 'status'), 'conditions').find((one) => one['type'] === type);
}
