import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import { timestamp, type KubeObject } from '../../../runtime/vocabulary/meta.js';
import { ENGINE_FIELD_MANAGER, LOCAL_CLUSTER_ROLE } from '../../../api/names.js';
import { RoleBindings, Secrets } from '../../../runtime/vocabulary/kinds.js';
import type { DesiredObject } from '../../../domain/engine/manifest/desired.js';
import { idOf, titleOf, isTerminating } from '../../../domain/engine/manifest/manifest.js';
import type { Adoption } from '../../../domain/engine/spec.js';
import { driftedFields } from '../../../domain/engine/steps/drift.js';
import { takeOverSpec, ownershipOf } from '../../../domain/engine/steps/ownership.js';
import { adopted, objectState, stepForRead, unwrittenState, type Step } from '../../../domain/engine/steps/steps.js';
import { rowOf } from '../../../domain/engine/status/components.js';
import type { EngineEventNote } from '../../../domain/engine/status/status.js';
import type { ObjectState } from '../../../domain/engine/status/input.js';
import type { KubeClient } from '../../../runtime/client/client.js';
import { isFailure } from '../../../runtime/errors.js';
import type { Input } from './gather.js';
import type { Scope } from './scope.js';
import { failedState, stateAfterFailure } from './failure.js';

/** The result of a list of steps. */
export interface Applied {
  /** One per desired object. */
  readonly objects: readonly ObjectState[];
  readonly events: readonly EngineEventNote[];
  /** Ms after which a repair of drift that was delayed is due. */
  readonly repairInMs?: number;
  /** Ms after which a pass is due although nothing is wrong now. */
  readonly requeueAfterMs?: number;
}

export const NOTHING_APPLIED: Applied = { objects: [], events: [] };

export function onlyStates(objects: readonly ObjectState[]): Applied {
  return { objects, events: [] };
}

/** `a`, then `b`: the earlier of two times is kept. */
export function merge(a: Applied, b: Applied): Applied {
  const repairInMs = Math.min(a.repairInMs ?? Infinity, b.repairInMs ?? Infinity);
  const requeueAfterMs = Math.min(a.requeueAfterMs ?? Infinity, b.requeueAfterMs ?? Infinity);
  const times = {
    ...(repairInMs === Infinity ? {} : { repairInMs }),
    ...(requeueAfterMs === Infinity ? {} : { requeueAfterMs }),
  };
  return { objects: [...a.objects, ...b.objects], events: [...a.events, ...b.events], ...times };
}

/**
 * Carries out steps in their order and continues after a failure. A step that would write, or whose cache lags behind an own write,
 * reads the object from the API server first and is decided again. Throws Fenced and Aborted only.
 */
export async function applySteps(steps: readonly Step[], input: Input, scope: Scope): Promise<Applied> {
  let applied = NOTHING_APPLIED;
  for (const step of steps) {
    const { desired } = step;
    const work =
      desired === undefined ? pruneObject(step, input, scope) : applyObject({ ...step, desired }, input, scope);
    applied = merge(applied, await work);
  }
  return applied;
}

type ApplyStep = Step & { readonly desired: DesiredObject };

async function applyObject(step: ApplyStep, input: Input, scope: Scope): Promise<Applied> {
  const { client, clock, memory, pass } = scope;
  const { desired } = step;
  const id = idOf(step.type, step.name);
  if (step.action === 'keep' && memory.writes.newest(id, step.stored) === step.stored) {
    memory.succeeded(id);
    return onlyStates([objectState(step, 'applied', '')]);
  }
  if (step.action === 'skip-foreign' || step.action === 'wait') return onlyStates([unwrittenState(step)]);
  const now = clock.monotonic();
  const backedOff = memory.backedOff(id, desired.revision, now);
  if (backedOff !== undefined) return onlyStates([backedOff]);
  const repairInMs = step.drift === true ? memory.repairDelayMs(id, now) : 0;
  if (repairInMs > 0) {
    const message = `${step.cause}, repeatedly; the repair is delayed`;
    return { ...onlyStates([objectState(step, 'waiting', message)]), repairInMs };
  }
  let verbs: readonly string[] = ['get'];
  try {
    const options = { signal: pass.signal, metadataOnly: isSecret(step) };
    const fresh = await client.get<KubeObject>(step.type, step.name, options);
    const next = stepForRead(desired, fresh, input.identity, adoptionOf(input));
    if (next === undefined) return NOTHING_APPLIED;
    if (next.action === 'keep') memory.succeeded(id);
    if (next.action !== 'create' && next.action !== 'patch') return onlyStates([unwrittenState(next)]);
    verbs = fresh === undefined ? ['patch', 'create'] : ['patch'];
    return await writeObject({ ...next, desired: next.desired ?? desired }, input, scope);
  } catch (error) {
    return onlyStates([await stateAfterFailure(step, { error, verbs, revision: desired.revision }, input, scope)]);
  }
}

/** While an engine goes, it takes nothing over. */
function adoptionOf({ deleting, spec }: Input): Adoption {
  return deleting ? 'Refuse' : spec.adoption;
}

/**
 * Applies, and compares the answer: a webhook that changes a field of ours would do so in every pass. `step`: decided by
 * the object as just read.
 */
async function writeObject(step: ApplyStep, input: Input, scope: Scope): Promise<Applied> {
  const { client, memory, pass, clock } = scope;
  const { desired, stored } = step;
  const id = idOf(step.type, step.name);
  const options = { metadataOnly: isSecret(step), signal: pass.signal };
  const answer = await (step.adopts === true
    ? takeOver(client, step, clock.now(), options)
    : serverSideApply(client, desired, stored, options));
  if (step.type === RoleBindings || step.name.name === LOCAL_CLUSTER_ROLE) memory.boundAt = clock.monotonic();
  pass.log.info({ object: titleOf(step.type, step.name), cause: step.cause }, 'object applied');
  if (step.drift === true) memory.repaired(id, clock.monotonic());
  memory.writes.mutated(id, answer);
  const changed = driftedFields(isSecret(step) ? { metadata: desired.object.metadata } : desired.object, answer);
  if (changed.length > 0) {
    const message = `${changed.join(', ')} is changed by admission or by another controller after each apply`;
    return onlyStates([failedState(step, { message, revision: desired.revision, object: answer }, input, scope)]);
  }
  memory.succeeded(id);
  return { objects: [objectState(step, 'applied', '', answer)], events: writeEvents(step, input.engine) };
}

/**
 * Applies: an object of ours with force and its uid, a new name without force. `fresh`: the stored object as just read.
 * Server-side apply keeps the fields of other managers; after an edit of a Service's port or a volume's type that leaves
 * both values, which the API server refuses. Then the operator becomes the owner of the whole spec, and applies again,
 * which removes what is not desired.
 */
async function serverSideApply(
  client: KubeClient,
  { type, object }: DesiredObject,
  fresh: KubeObject | undefined,
  readOptions: { readonly metadataOnly: boolean; readonly signal: AbortSignal },
): Promise<KubeObject> {
  const { uid, resourceVersion = '' } = fresh?.metadata ?? {};
  const withUid = uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } };
  const options = { fieldManager: ENGINE_FIELD_MANAGER, force: uid !== undefined, ...readOptions };
  try {
    return await client.apply(type, withUid, options);
  } catch (error) {
    const managedFields = isFailure(error, 'Invalid') ? takeOverSpec(fresh, ENGINE_FIELD_MANAGER) : undefined;
    if (uid === undefined || managedFields === undefined) throw error;
    await client.patchMetadata(type, object.metadata, { uid, resourceVersion, managedFields }, options);
    return client.apply(type, withUid, options);
  }
}

/**
 * Takes an object over with its whole spec, so that nothing of the old one is left that is not desired: else a container of the
 * old Deployment would run beside ours. Until that is done the annotation is empty, and a pass that finds it so goes on. The
 * first apply is complete, since admission judges each write for itself.
 */
async function takeOver(
  client: KubeClient,
  { desired, stored }: ApplyStep,
  now: number,
  options: { readonly metadataOnly: boolean; readonly signal: AbortSignal },
): Promise<KubeObject> {
  const { type } = desired;
  const begun = await serverSideApply(client, adopted(desired, ''), stored, options);
  const { uid = '', resourceVersion = '' } = begun.metadata;
  const managedFields = takeOverSpec(begun, ENGINE_FIELD_MANAGER);
  if (managedFields !== undefined) {
    const patch = { uid, resourceVersion, managedFields };
    await client.patchMetadata(type, desired.object.metadata, patch, {
      fieldManager: ENGINE_FIELD_MANAGER,
      ...options,
    });
  }
  return serverSideApply(client, adopted(desired, timestamp(now)), begun, options);
}

/** The content of a Secret is written and never read. */
function isSecret(step: Step): boolean {
  return step.type === Secrets;
}

/** ObjectAdopted, or DriftRepaired where the status says that this generation and version of the object had been applied before. */
function writeEvents(step: Step, engine: MultiClusterEngine): readonly EngineEventNote[] {
  const title = titleOf(step.type, step.name);
  if (step.adopts === true) return [{ reason: 'ObjectAdopted', note: `${title} ${step.cause} and was taken over` }];
  if (step.drift === true) return [{ reason: 'DriftRepaired', note: `${title} ${step.cause}; restored` }];
  if (step.action !== 'create' || engine.status?.observedGeneration !== engine.metadata.generation) return [];
  const row = rowOf(engine.status?.components, { kind: step.type.kind, name: step.name.name });
  return row?.status === 'True' ? [{ reason: 'DriftRepaired', note: `${title} was deleted; recreated` }] : [];
}

/** In the place of the revision of an object that is no longer desired. */
const NOT_DESIRED = 'not desired';

/** Deletes an object that is no longer desired. One that cannot be deleted has a state until it is gone. */
async function pruneObject(step: Step, input: Input, scope: Scope): Promise<Applied> {
  if (step.action !== 'delete') return NOTHING_APPLIED;
  const { client, memory, pass, clock } = scope;
  const id = idOf(step.type, step.name);
  const backedOff = memory.backedOff(id, NOT_DESIRED, clock.monotonic());
  if (backedOff !== undefined) return onlyStates([backedOff]);
  let verbs = ['get'];
  try {
    const fresh = await client.get<KubeObject>(step.type, step.name, { signal: pass.signal, metadataOnly: true });
    const { uid, resourceVersion } = fresh?.metadata ?? {};
    if (fresh === undefined || uid === undefined || resourceVersion === undefined) return NOTHING_APPLIED;
    if (ownershipOf(fresh, input.identity) !== 'ours' || isTerminating(fresh)) return NOTHING_APPLIED;
    verbs = ['delete'];
    await client.delete(step.type, step.name, { preconditions: { uid, resourceVersion }, signal: pass.signal });
    memory.writes.deleted(id, uid);
  } catch (error) {
    return onlyStates([await stateAfterFailure(step, { error, verbs, revision: NOT_DESIRED }, input, scope)]);
  }
  memory.succeeded(id);
  const note = `${titleOf(step.type, step.name)} is no longer desired; deleted`;
  return { objects: [], events: [{ reason: 'ObjectPruned', note }] };
}
