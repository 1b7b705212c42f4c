import { titleOf } from '../../../../domain/engine/manifest/manifest.js';
import type { StoredObject } from '../../../../domain/engine/steps/steps.js';
import { finalizersOf, isTerminating } from '../../../../domain/engine/steps/termination.js';
import { isFailure } from '../../../../runtime/errors.js';
import { classifyForbidden } from '../objects/forbidden.js';
import type { Scope } from '../scope.js';

/** Deletes the objects. Returns why objects still exist, one text per object; empty when all are gone. */
export async function removeObjects(objects: readonly StoredObject[], scope: Scope): Promise<readonly string[]> {
  const blockers: string[] = [];
  for (const stored of objects) {
    const blocker = await removeObject(stored, scope);
    if (blocker !== undefined) blockers.push(`${titleOf(stored.type, stored.object.metadata)} ${blocker}`);
  }
  return blockers;
}

/** Why the object still exists; undefined when it is gone, or has changed and has to be read again. */
async function removeObject({ type, object }: StoredObject, scope: Scope): Promise<string | undefined> {
  if (isTerminating(object)) return `is being deleted${finalizersOf(object)}`;
  const { client, pass } = scope;
  const { uid = '', resourceVersion = '', namespace, name } = object.metadata;
  const address = namespace === undefined ? { name } : { namespace, name };
  const propagation = type.kind === 'Deployment' ? 'Foreground' : 'Background';
  try {
    const options = { preconditions: { uid, resourceVersion }, propagation, signal: pass.signal } as const;
    const result = await client.delete(type, address, options);
    pass.log.info({ object: titleOf(type, address), result }, 'object removed');
    return result === 'gone' ? undefined : 'is being deleted';
  } catch (error) {
    if (isFailure(error, 'Conflict', 'NotFound')) return undefined;
    if (!isFailure(error, 'Forbidden')) throw error;
    const call = { type, name: address, verbs: ['delete'] };
    const cause = await classifyForbidden(error, call, scope);
    return `cannot be deleted: ${cause.message}`;
  }
}
