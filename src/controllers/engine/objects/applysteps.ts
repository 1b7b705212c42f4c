import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import type { KubeObject } from '../../../api/meta.js';
import { Namespaces, RoleBindings, Secrets } from '../../../api/resources.js';
import type { DesiredObject, EngineIdentity } from '../../../domain/engine/manifest/desired.js';
import { driftedFields } from '../../../domain/engine/plan/drift.js';
import type { EngineEventNote } from '../../../domain/engine/status/events.js';
import { idOf, titleOf } from '../../../domain/engine/manifest/manifest.js';
import { ownershipOf } from '../../../domain/engine/plan/ownership.js';
import { stepForRead, isTerminating, type Step } from '../../../domain/engine/plan/plan.js';
import { ERROR_AFTER_FAILURES, type ObjectState, type ObjectStateName } from '../../../domain/engine/status/input.js';
import type { KubeClient } from '../../../kube/client/client.js';
import type { Clock } from '../../../runtime/clock.js';
import { isFailure } from '../../../runtime/errors.js';
import type { Pass } from '../../../runtime/result.js';
import { classifyForbidden } from './forbidden.js';
import type { EngineMemory } from '../memory.js';
import { serverSideApply } from './serversideapply.js';

/** What a pass over one engine works with. */
export interface ReconcileScope {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly pass: Pass;
  readonly memory: EngineMemory;
  /** As last read or written. */
  readonly engine: MultiClusterEngine;
  /** The resourceVersion that the cache shows of it. */
  readonly cachedVersion: string | undefined;
  readonly identity: EngineIdentity;
}

export interface Applied {
  /** One per wanted object. */
  readonly objects: readonly ObjectState[];
  /** What is worth an event. */
  readonly notes: readonly EngineEventNote[];
  /** Ms after which drift whose repair was put off is due. */
  readonly repairInMs?: number;
  /** Ms after which something is due although all is well now. */
  readonly wakeInMs?: number;
}

/**
 * Carries out a plan, in its order, going on past failures. Every step that would write asks the server first and decides
 * again on its answer, so that a cache that lags causes no write. Throws Fenced and Aborted only.
 */
export async function applySteps(steps: readonly Step[], hand: ReconcileScope): Promise<Applied> {
  const objects: ObjectState[] = [];
  const notes: EngineEventNote[] = [];
  let repairInMs: number | undefined;
  for (const step of steps) {
    const done = step.desired === undefined ? await prune(step, hand) : await bring(step, step.desired, hand);
    if (done.finding !== undefined) objects.push(done.finding);
    if (done.note !== undefined) notes.push(done.note);
    if (done.repairInMs !== undefined) repairInMs = Math.min(repairInMs ?? Infinity, done.repairInMs);
  }
  return { objects, notes, ...(repairInMs === undefined ? {} : { repairInMs }) };
}

/** What two parts of a pass came to, one after the other. */
export function merge(a: Applied, b: Applied): Applied {
  const repairInMs = Math.min(a.repairInMs ?? Infinity, b.repairInMs ?? Infinity);
  const wakeInMs = Math.min(a.wakeInMs ?? Infinity, b.wakeInMs ?? Infinity);
  const times = { ...(repairInMs === Infinity ? {} : { repairInMs }), ...(wakeInMs === Infinity ? {} : { wakeInMs }) };
  return { objects: [...a.objects, ...b.objects], notes: [...a.notes, ...b.notes], ...times };
}

/** What a pass may say of the steps without writing: as wanted, or what the pause holds back. */
export function observeSteps(steps: readonly Step[]): readonly ObjectState[] {
  return steps.flatMap((step) => {
    if (step.desired === undefined) return [];
    if (step.action === 'keep') return [finding(step, 'applied', '')];
    if (step.action === 'skip-foreign') return [finding(step, 'foreign', step.cause)];
    return [finding(step, step.stored === undefined ? 'missing' : 'drifted', step.cause)];
  });
}

interface Done {
  readonly finding?: ObjectState;
  readonly note?: EngineEventNote;
  readonly repairInMs?: number;
}

async function bring(step: Step, desired: DesiredObject, hand: ReconcileScope): Promise<Done> {
  const { memory } = hand;
  const id = idOf(step.type, step.name);
  if (step.action === 'keep') {
    memory.succeeded(id);
    return { finding: finding(step, 'applied', '') };
  }
  if (step.action === 'skip-foreign' || step.action === 'wait') return { finding: unwritten(step) };
  const now = hand.clock.monotonic();
  const held = memory.backedOff(id, desired.revision, now);
  if (held !== undefined) return { finding: held };
  if (step.drift === true && memory.repairDelayMs(id, now) > 0) {
    return {
      finding: finding(step, 'waiting', `${step.cause}, again and again`),
      repairInMs: memory.repairDelayMs(id, now),
    };
  }
  let verbs: readonly string[] = ['get'];
  try {
    const fresh = await hand.client.get<KubeObject>(step.type, step.name, {
      signal: hand.pass.signal,
      metadataOnly: isSecret(step),
    });
    const next = stepForRead(desired, fresh, hand.identity);
    if (next === undefined) return {};
    if (next.action === 'keep') memory.succeeded(id);
    if (next.action !== 'create' && next.action !== 'patch') return { finding: unwritten(next) };
    verbs = fresh === undefined ? ['patch', 'create'] : ['patch'];
    return await write(next, desired, fresh, hand);
  } catch (error) {
    return { finding: await refused(step, { error, verbs, revision: desired.revision }, hand) };
  }
}

/** Applies, and looks whether that is what is stored then. */
async function write(
  step: Step,
  desired: DesiredObject,
  fresh: KubeObject | undefined,
  hand: ReconcileScope,
): Promise<Done> {
  const { client, memory, pass, clock } = hand;
  const id = idOf(step.type, step.name);
  const answer = await serverSideApply(client, step.type, {
    object: desired.object,
    fresh,
    metadataOnly: isSecret(step),
    signal: pass.signal,
  });
  if (step.type === RoleBindings) memory.boundAt = clock.monotonic();
  pass.log.info({ object: titleOf(step.type, step.name), cause: step.cause }, 'object applied');
  if (step.drift === true) memory.repaired(id, clock.monotonic());
  const changed = driftedFields(isSecret(step) ? { metadata: desired.object.metadata } : desired.object, answer);
  if (changed.length > 0) {
    const message = `something at admission or after it changes ${changed.join(', ')} again`;
    return { finding: failed(step, { message, revision: desired.revision, object: answer }, hand) };
  }
  memory.succeeded(id);
  const note = repairNote(step, hand.engine);
  return { finding: finding(step, 'applied', '', answer), ...(note === undefined ? {} : { note }) };
}

/** What is in a Secret is written and never read back. */
function isSecret(step: Step): boolean {
  return step.type === Secrets;
}

/** DriftRepaired, where somebody had changed or deleted what this generation and version had applied before. */
function repairNote(step: Step, engine: MultiClusterEngine): EngineEventNote | undefined {
  const title = titleOf(step.type, step.name);
  if (step.drift === true) return { reason: 'DriftRepaired', note: `${title} ${step.cause}; put back` };
  if (step.action !== 'create' || engine.status?.observedGeneration !== engine.metadata.generation) return undefined;
  const row = engine.status?.components?.find((one) => one.kind === step.type.kind && one.name === step.name.name);
  return row?.status === 'True' ? { reason: 'DriftRepaired', note: `${title} was gone; made again` } : undefined;
}

/** Deletes what is wanted no more; one that cannot be deleted gets a row until it is gone. */
async function prune(step: Step, hand: ReconcileScope): Promise<Done> {
  if (step.action !== 'delete') return {};
  const { client, memory, pass, clock, identity } = hand;
  const id = idOf(step.type, step.name);
  const held = memory.backedOff(id, UNWANTED, clock.monotonic());
  if (held !== undefined) return { finding: held };
  let verbs = ['get'];
  try {
    const fresh = await client.get<KubeObject>(step.type, step.name, { signal: pass.signal, metadataOnly: true });
    const { uid, resourceVersion } = fresh?.metadata ?? {};
    if (fresh === undefined || uid === undefined || resourceVersion === undefined) return {};
    if (ownershipOf(fresh, identity) !== 'ours' || isTerminating(fresh)) return {};
    verbs = ['delete'];
    await client.delete(step.type, step.name, { preconditions: { uid, resourceVersion }, signal: pass.signal });
  } catch (error) {
    return { finding: await refused(step, { error, verbs, revision: UNWANTED }, hand) };
  }
  memory.succeeded(id);
  const note = `${titleOf(step.type, step.name)} is no longer wanted; deleted`;
  return { note: { reason: 'ObjectPruned', note } };
}

/** Stands for the wanted revision of what is wanted no more. */
const UNWANTED = 'unwanted';

export interface Refusal {
  readonly error: unknown;
  readonly verbs: readonly string[];
  readonly revision: string;
}

/** What became of a step that was answered by `error`. Throws Fenced and Aborted on. */
export async function refused(step: Step, refusal: Refusal, hand: ReconcileScope): Promise<ObjectState> {
  const { error, verbs, revision } = refusal;
  if (isFailure(error, 'Fenced', 'Aborted')) throw error;
  const object = step.stored === undefined ? {} : { object: step.stored };
  const text = error instanceof Error ? error.message : String(error);
  hand.pass.log.warn({ object: titleOf(step.type, step.name), err: error }, 'object could not be applied');
  if (!isFailure(error, 'Forbidden')) return failed(step, { message: text, revision, ...object }, hand);
  const judge = {
    client: hand.client,
    now: hand.clock.monotonic(),
    boundAt: step.type === Namespaces || step.type === RoleBindings ? undefined : hand.memory.boundAt,
    signal: hand.pass.signal,
  };
  const cause = await classifyForbidden(error, { type: step.type, name: step.name, verbs }, judge);
  if (cause.kind === 'wait') return finding(step, 'waiting', cause.message);
  if (cause.kind === 'denied') return finding(step, 'denied', cause.message);
  return failed(step, { message: cause.message, revision, ...object }, hand);
}

interface Failure {
  readonly message: string;
  readonly revision: string;
  readonly object?: KubeObject;
}

function failed(step: Step, failure: Failure, hand: ReconcileScope): ObjectState {
  const { message, revision, object } = failure;
  return hand.memory.failed(idOf(step.type, step.name), {
    revision,
    finding: finding(step, 'failed', message, object),
    now: hand.clock.monotonic(),
    before: failuresReportedBefore(step, hand.engine),
  });
}

/** What an earlier life of the operator counted can be read off the status: an Error there stays one. */
function failuresReportedBefore(step: Step, { status, metadata }: MultiClusterEngine): number {
  if (status?.phase !== 'Error' || status.observedGeneration !== metadata.generation) return 0;
  const row = status.components?.find((one) => one.kind === step.type.kind && one.name === step.name.name);
  return row?.reason === 'ApplyFailed' ? ERROR_AFTER_FAILURES : 0;
}

/** The finding of a step that writes nothing. */
function unwritten(step: Step): ObjectState {
  const state: ObjectStateName =
    step.action === 'keep' ? 'applied' : step.action === 'skip-foreign' ? 'foreign' : 'waiting';
  return finding(step, state, state === 'applied' ? '' : step.cause);
}

/** What a pass found of a step's object. */
export function finding(step: Step, state: ObjectStateName, message: string, object = step.stored): ObjectState {
  const component = step.desired?.component ?? '';
  return { type: step.type, name: step.name, component, state, message, ...(object === undefined ? {} : { object }) };
}
