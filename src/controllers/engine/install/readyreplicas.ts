import { Deployments } from '../../../api/resources.js';
import { idOf, integerAt } from '../../../domain/engine/manifest/manifest.js';
import { deploymentHealth } from '../../../domain/engine/health.js';
import type { ObjectState } from '../../../domain/engine/status/input.js';
import type { EngineMemory } from '../memory.js';
import type { TargetContents } from '../targetcaches.js';

/**
 * `objects` with the replicas that each Deployment had when all of them were last ready. Records those of `contents`,
 * which was read before this pass wrote anything.
 */
export function withReadyReplicas(
  objects: readonly ObjectState[],
  contents: TargetContents,
  memory: EngineMemory,
): readonly ObjectState[] {
  for (const { type, object } of contents.stored) {
    if (type === Deployments && deploymentHealth(object).ready)
      memory.readyReplicas.set(idOf(type, object.metadata), integerAt(object, 1, 'spec', 'replicas'));
  }
  return objects.map((one) => {
    const lastReadyReplicas = memory.readyReplicas.get(idOf(one.type, one.name));
    return lastReadyReplicas === undefined ? one : { ...one, lastReadyReplicas };
  });
}
