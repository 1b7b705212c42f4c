import type { MultiClusterEngine } from '../../../../api/generated/multiclusterengine.js';
import { MultiClusterEngines } from '../../../../api/resources.js';
import type { StatusInput } from '../../../../domain/engine/status/input.js';
import { DONE, type Result } from '../../../../runtime/controller/result.js';
import type { UninstallDecision } from '../decide.js';
import type { Input } from '../gather.js';
import { baseStatus, type Outcome } from '../report.js';
import type { Scope } from '../scope.js';
import { stopReporting } from '../install/localcluster.js';
import { type UninstallResult, waitsFor, readRemaining } from './remaining.js';
import { podBlockers, removeNamespace } from './namespace.js';
import { titleOf, finalizersOf, isTerminating } from '../../../../domain/engine/manifest/manifest.js';
import type { StoredObject } from '../../../../domain/engine/steps/steps.js';
import { isFailure } from '../../../../runtime/errors.js';
import { classifyForbidden } from '../failure.js';

/** More than there are kinds: what an uninstall does not finish in these rounds is left to the next pass. */
const MOST_ROUNDS = 16;
const RETRY_MS = Object.freeze({ removal: 2_000, right: 30_000 });

/** Removes everything that the engine made, then lets the engine go. Throws what is retried with backoff. */
export async function uninstall(decision: UninstallDecision, input: Input, scope: Scope): Promise<Outcome> {
  if (await isGone(input, scope)) return { kind: 'none', result: DONE };
  await stopReporting(input, scope);
  const removal = await removeEverything(decision, input, scope);
  const base = baseStatus(input, scope);
  if (removal.kind === 'inProgress') {
    const { progress } = removal;
    const result: Result =
      progress.denied === undefined
        ? { ending: 'wait', reason: 'uninstalling', afterMs: RETRY_MS.removal }
        : { ending: 'stalled', reason: 'PermissionDenied', afterMs: RETRY_MS.right };
    return { kind: 'status', status: { ...base, uninstall: progress }, result };
  }
  const { message, namespaceKept } = removal;
  const status: StatusInput = { ...base, uninstall: { remaining: [], message } };
  return { kind: 'uninstalled', status, namespaceKept, message, result: DONE };
}

/** Whether the API server has the engine no more: while its watch is silent, a process that is new would give itself rights again. */
async function isGone({ identity: { name, uid } }: Input, { client, mutations, pass }: Scope): Promise<boolean> {
  // The operator may list engines, and not get one.
  const options = { metadataOnly: true, fieldSelector: `metadata.name=${name}`, signal: pass.signal };
  const found = await client.list<MultiClusterEngine>(MultiClusterEngines, undefined, options);
  if (found.some(({ metadata }) => metadata.uid === uid)) return false;
  mutations.deleted(name, uid);
  return true;
}

/**
 * Removes the engine's objects in the reverse order of applying, each kind after the one before is gone. Every round
 * reads the remaining objects from the API server. Only objects whose controller is this engine are deleted, with uid
 * and resourceVersion as preconditions.
 */
async function removeEverything(decision: UninstallDecision, input: Input, scope: Scope): Promise<UninstallResult> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const remaining = await readRemaining(decision, input, scope);
    if (remaining.kind !== 'read') return remaining;
    const { objects, namespace } = remaining;
    const first = objects[0];
    if (first === undefined) return removeNamespace(namespace, input, scope);
    const ofKind = objects.filter((one) => one.type === first.type);
    const blockers: string[] = [];
    for (const one of ofKind) blockers.push(...(await removeObject(one, scope)));
    if (blockers.length > 0)
      return waitsFor(objects, [...blockers, ...(await podBlockers(ofKind, input.identity, scope))]);
  }
  return {
    kind: 'inProgress',
    progress: { message: 'objects of the engine are created again while they are removed' },
  };
}

/** Deletes an object. Returns why it still exists; nothing when it is gone, or has changed and has to be read again. */
async function removeObject({ type, object }: StoredObject, scope: Scope): Promise<readonly string[]> {
  const { client, pass } = scope;
  const { uid = '', resourceVersion = '', namespace, name } = object.metadata;
  const address = namespace === undefined ? { name } : { namespace, name };
  const title = titleOf(type, address);
  if (isTerminating(object)) return [`${title} is being deleted${finalizersOf(object)}`];
  const propagation = type.kind === 'Deployment' ? 'Foreground' : 'Background';
  try {
    const options = { preconditions: { uid, resourceVersion }, propagation, signal: pass.signal } as const;
    const result = await client.delete(type, address, options);
    pass.log.info({ object: title, result }, 'object removed');
    return result === 'gone' ? [] : [`${title} is being deleted`];
  } catch (error) {
    if (isFailure(error, 'Conflict', 'NotFound')) return [];
    if (!isFailure(error, 'Forbidden')) throw error;
    const cause = await classifyForbidden(error, { type, name: address, verbs: ['delete'] }, scope);
    return [`${title} cannot be deleted: ${cause.message}`];
  }
}
