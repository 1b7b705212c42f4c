import type { KubeObject, ResourceType } from '../../../api/meta.js';
import { ENGINE_LABEL } from '../../../api/names.js';
import { ClusterRoleBindings, Namespaces } from '../../../api/resources.js';
import { BINDINGS, CERTIFICATE_OBJECTS } from '../../../domain/engine/catalogue.js';
import { titleOf } from '../../../domain/engine/manifest/manifest.js';
import { ownershipOf, wasAppliedByUs } from '../../../domain/engine/plan/ownership.js';
import { finalizersOf, isTerminating, removalOrder, type StoredObject } from '../../../domain/engine/plan/plan.js';
import { isFailure, type ApiError } from '../../../runtime/errors.js';
import type { ReconcileScope } from '../objects/applysteps.js';
import { classifyForbidden, type AttemptedCall } from '../objects/forbidden.js';
import { leaveNamespace, namespaceBlockers, podBlockers } from './namespace.js';
import { going, judgeOf, type UninstallInput, type UninstallResult } from './progress.js';

/** More rounds than there are kinds: a pass that needs more is left to the next one. */
const MOST_ROUNDS = 16;

/**
 * Takes away all that the engine made, in the reverse order of applying, each kind when the one before is gone. Every
 * round reads from the server what is left, so `gone` is never a cache's word. Only objects whose controller is this very
 * engine are touched, each deletion with uid and resourceVersion. Errors: what no retry within the pass can mend is
 * thrown; a missing right is told in the progress.
 */
export async function uninstall(ground: UninstallInput, hand: ReconcileScope): Promise<UninstallResult> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const left = await whatIsLeft(ground, hand);
    if ('kind' in left) return left;
    const first = left.objects[0];
    if (first === undefined) return leaveNamespace(left.namespace, hand);
    const kind = left.objects.filter((one) => one.type === first.type);
    const blockers = await removeAll(kind, hand);
    if (blockers.length > 0) return going(left.objects, [...blockers, ...(await podBlockers(kind, hand))]);
  }
  return { kind: 'going', progress: { message: 'objects of the engine keep coming back' } };
}

interface Left {
  readonly namespace: KubeObject | undefined;
  /** In the order of removing. */
  readonly objects: readonly StoredObject[];
}

/** Reads what is left, from the server; or says why that cannot be read now. */
async function whatIsLeft(ground: UninstallInput, hand: ReconcileScope): Promise<Left | UninstallResult> {
  const { client, pass, identity } = hand;
  const { signal } = pass;
  const objects: StoredObject[] = [];
  let namespace: KubeObject | undefined;
  if (!ground.givenBindings) {
    for (const { name } of BINDINGS.filter((one) => one.type === ClusterRoleBindings)) {
      const object = await client.get<KubeObject>(ClusterRoleBindings, { name }, { signal, metadataOnly: true });
      if (object !== undefined) objects.push({ type: ClusterRoleBindings, object });
    }
    namespace =
      ground.namespace === undefined
        ? undefined
        : await client.get<KubeObject>(Namespaces, { name: ground.namespace }, { signal });
    if (namespace !== undefined && isTerminating(namespace)) return waitForNamespace(namespace, objects);
  }
  if (ground.namespace !== undefined && (ground.givenBindings || namespace !== undefined)) {
    const inside = await listOurs(ground, ground.namespace, hand);
    if (!Array.isArray(inside)) return inside;
    objects.push(...inside);
  }
  const ours = objects.filter(
    ({ object }) => ownershipOf(object, identity) === 'ours' || wasAppliedByUs(object, identity),
  );
  return { namespace, objects: ours.sort((a, b) => removalOrder(stepOf(a), stepOf(b))) };
}

async function listOurs(
  ground: UninstallInput,
  namespace: string,
  hand: ReconcileScope,
): Promise<StoredObject[] | UninstallResult> {
  const binding = await ground.bind();
  const fault = binding && `${titleOf(binding.type, binding.name)}: ${binding.message}`;
  // One that is there may give the right all the same, whoever made it.
  if (fault !== undefined && binding?.object === undefined) return obstructed(fault, binding?.state === 'denied');
  const options = {
    signal: hand.pass.signal,
    metadataOnly: true,
    labelSelector: `${ENGINE_LABEL}=${hand.identity.name}`,
  };
  const found: StoredObject[] = [];
  for (const type of ground.types) {
    try {
      const objects = await hand.client.list<KubeObject>(type, namespace, options);
      found.push(...objects.map((object) => ({ type, object })));
    } catch (error) {
      if (!isFailure(error, 'Forbidden')) throw error;
      return forbidden(error, { type, name: { namespace, name: '' }, verbs: ['list'] }, hand, fault);
    }
  }
  for (const { type, name } of CERTIFICATE_OBJECTS) {
    try {
      const object = await hand.client.get<KubeObject>(
        type,
        { namespace, name },
        { signal: hand.pass.signal, metadataOnly: true },
      );
      if (object !== undefined) found.push({ type, object });
    } catch (error) {
      if (!isFailure(error, 'Forbidden')) throw error;
      return forbidden(error, { type, name: { namespace, name }, verbs: ['get'] }, hand, fault);
    }
  }
  return found;
}

async function forbidden(
  error: ApiError,
  attempted: AttemptedCall,
  hand: ReconcileScope,
  fault: string | undefined,
): Promise<UninstallResult> {
  const refusal = await classifyForbidden(error, attempted, judgeOf(hand));
  return obstructed(fault === undefined ? refusal.message : `${fault}; ${refusal.message}`, refusal.kind === 'denied');
}

/** Deletes them all; what is not gone at once, with the cause. */
async function removeAll(objects: readonly StoredObject[], hand: ReconcileScope): Promise<readonly string[]> {
  const blockers: string[] = [];
  for (const { type, object } of objects) {
    const blocker = isTerminating(object)
      ? `is being deleted${finalizersOf(object)}`
      : await remove(type, object, hand);
    if (blocker !== undefined) blockers.push(`${titleOf(type, object.metadata)} ${blocker}`);
  }
  return blockers;
}

/** Why the object is not gone; undefined when it is, or when the next round has to look again. */
async function remove(type: ResourceType, object: KubeObject, hand: ReconcileScope): Promise<string | undefined> {
  const { uid = '', resourceVersion = '', namespace, name } = object.metadata;
  const address = namespace === undefined ? { name } : { namespace, name };
  const propagation = type.kind === 'Deployment' ? 'Foreground' : 'Background';
  try {
    const options = { preconditions: { uid, resourceVersion }, propagation, signal: hand.pass.signal } as const;
    const result = await hand.client.delete(type, address, options);
    hand.pass.log.info({ object: titleOf(type, address), result }, 'object removed');
    return result === 'gone' ? undefined : 'is being deleted';
  } catch (error) {
    if (isFailure(error, 'Conflict', 'NotFound')) return undefined;
    if (!isFailure(error, 'Forbidden')) throw error;
    const refusal = await classifyForbidden(error, { type, name: address, verbs: ['delete'] }, judgeOf(hand));
    return `cannot be deleted: ${refusal.message}`;
  }
}

function waitForNamespace(namespace: KubeObject, bindings: readonly StoredObject[]): UninstallResult {
  const here = { type: Namespaces, object: namespace };
  return going(
    [here, ...bindings],
    [`${titleOf(Namespaces, namespace.metadata)} is being deleted${namespaceBlockers(namespace)}`],
  );
}

function obstructed(message: string, denied: boolean): UninstallResult {
  return { kind: 'going', progress: denied ? { message, denied: message } : { message } };
}

function stepOf({ type, object }: StoredObject): {
  readonly type: ResourceType;
  readonly name: KubeObject['metadata'];
} {
  return { type, name: object.metadata };
}
