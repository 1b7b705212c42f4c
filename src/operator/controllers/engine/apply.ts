import { CLEANUP_FINALIZER } from '../../../api/names.js';
import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import { MultiClusterEngines } from '../../../api/resources.js';
import { Deployments } from '../../../runtime/vocabulary/kinds.js';
import type { DesiredObject } from '../../../domain/engine/manifest/desired.js';
import { idOf, integerAt } from '../../../domain/engine/manifest/manifest.js';
import { deploymentHealth } from '../../../domain/engine/status/components.js';
import type { ObjectState, StatusInput } from '../../../domain/engine/status/input.js';
import { isFailure } from '../../../runtime/errors.js';
import { DONE, type Result } from '../../../runtime/controller/result.js';
import { isBoundIn, type TargetContents } from './caches.js';
import { isServed, type Decision } from './decide.js';
import type { Input } from './gather.js';
import { certificatesOf } from './install/certificates.js';
import { givenPullSecret, readTrustBundle, trustBundleProblem } from './install/givenobjects.js';
import { reportLocalCluster, stopReporting, storedClusterStates } from './install/localcluster.js';
import {
  applyFrame,
  applyStages,
  initialState,
  observeInstallation,
  observeStages,
  type InstallState,
} from './install/stages.js';
import { classifyForbidden } from './failure.js';
import { NOTHING_APPLIED, merge } from './applysteps.js';
import {
  writeFinalizers,
  appliedOutcome,
  baseStatus,
  deniedOutcome,
  notReadYet,
  notSyncedOutcome,
  type Outcome,
} from './report.js';
import type { Scope, EngineMemory } from './scope.js';
import { uninstall } from './uninstall/uninstall.js';

/** Carries out a decision. Throws what is retried with backoff. */
export async function apply(input: Input, decision: Decision, scope: Scope): Promise<Outcome> {
  switch (decision.kind) {
    case 'none':
      return { kind: 'none', result: DONE };
    case 'pauseUninstall':
      return pauseUninstall(input, scope);
    case 'uninstall':
      return uninstall(decision, input, scope);
    case 'observe':
      return observe(decision.desired, input, scope);
    case 'refuse':
      return refuse(input, scope);
    case 'install':
      return install(decision.desired, input, scope);
  }
}

function pauseUninstall(input: Input, scope: Scope): Outcome {
  const message = `the objects in namespace ${input.namespace} stay until the pause ends`;
  const status: StatusInput = { ...baseStatus(input, scope), uninstall: { message } };
  return { kind: 'status', status, result: DONE };
}

function refuse(input: Input, scope: Scope): Outcome {
  const { anotherEngine, fieldErrors, identity } = input;
  scope.targets.close(identity.name);
  const why = anotherEngine === undefined ? { fieldErrors } : { anotherEngine };
  const status: StatusInput = { ...baseStatus(input, scope), ...why };
  return { kind: 'status', status, result: { ending: 'stalled', reason: 'not served' } };
}

/** A paused engine: drift is reported where the target namespace can be read, and nothing but status is written. */
async function observe(desired: readonly DesiredObject[], input: Input, scope: Scope): Promise<Outcome> {
  const { identity, namespace, spec, named } = input;
  const { targets, caches, memory } = scope;
  const status = baseStatus(input, scope);
  if (isServed(input) && isBoundIn(caches, namespace)) targets.open(identity, namespace, named);
  if (!targets.isOpen(identity)) return { kind: 'status', status, result: DONE };
  const view = targets.view(identity, spec.imagePullSecret);
  if (view.kind === 'notSynced') {
    const undecided = 'the target namespace is being read';
    return { kind: 'status', status: { ...status, undecided }, result: notReadYet('caches') };
  }
  const { contents } = view;
  const due = [await readTrustBundle(input, scope)];
  for (const certificate of certificatesOf({ input, contents }, scope)) due.push(await certificate.readGiven());
  const dueInMs = due.filter((ms) => ms !== undefined);
  const observed = observeInstallation({ ...initialState(desired, input), contents }, scope);
  const objects = [...withReadyReplicas(observed, contents, memory), ...storedClusterStates(input)];
  const result: Result = dueInMs.length === 0 ? DONE : { ending: 'done', requeueAfterMs: Math.min(...dueInMs) };
  return { kind: 'status', status: { ...status, objects }, result };
}

/** Installs or updates an engine: the finalizer first, then the frame, and with it all other stages. */
async function install(desired: readonly DesiredObject[], input: Input, scope: Scope): Promise<Outcome> {
  const finalizer = await ensureFinalizer(input, scope);
  if (finalizer.kind === 'denied') return deniedOutcome(baseStatus(input, scope), finalizer.message);
  await stopReporting(input, scope);
  const framed = await applyFrame(desired, { ...input, engine: finalizer.engine }, scope);
  if (framed.kind === 'notSynced') return notSyncedOutcome(statusOf(framed.state, scope), framed.cache, scope);
  if (framed.kind === 'blocked') return blockedOutcome(framed.state, scope);
  const state = await applyStages(framed.state, scope);
  const { contents } = state;
  const { problem: pullSecret, dueInMs } = await givenPullSecret(input, contents, scope);
  const due = dueInMs === undefined ? NOTHING_APPLIED : { ...NOTHING_APPLIED, requeueAfterMs: dueInMs };
  const applied = merge(merge(state.applied, await reportLocalCluster(input, scope)), due);
  const objects = withReadyReplicas(applied.objects, contents, scope.memory);
  const unusableTrustBundle = trustBundleProblem(input, scope);
  return appliedOutcome({ ...statusOf(state, scope), objects, pullSecret, unusableTrustBundle }, applied, scope);
}

type Finalizer =
  | { readonly kind: 'present'; readonly engine: MultiClusterEngine }
  | { readonly kind: 'denied'; readonly message: string };

async function ensureFinalizer({ engine }: Input, scope: Scope): Promise<Finalizer> {
  const { name, finalizers = [] } = engine.metadata;
  if (finalizers.includes(CLEANUP_FINALIZER)) return { kind: 'present', engine };
  try {
    return { kind: 'present', engine: await writeFinalizers(engine, [...finalizers, CLEANUP_FINALIZER], scope) };
  } catch (error) {
    if (!isFailure(error, 'Forbidden')) throw error;
    const call = { type: MultiClusterEngines, name: { name }, verbs: ['patch'] };
    const cause = await classifyForbidden(error, call, scope);
    if (cause.kind !== 'denied') throw error;
    return { kind: 'denied', message: cause.message };
  }
}

/** The objects of the stages that were not reached are reported while the namespace is being deleted, else not at all. */
function blockedOutcome(state: InstallState, scope: Scope): Outcome {
  const { applied, contents, terminating } = state;
  const unreached = terminating === undefined ? [] : observeStages(state, scope).map(asWaiting);
  const objects = [...applied.objects, ...withReadyReplicas(unreached, contents, scope.memory)];
  return appliedOutcome({ ...statusOf(state, scope), objects, partial: true }, applied, scope);
}

/** Nothing can be written in a namespace that is being deleted: what is not as desired there waits. */
function asWaiting(one: ObjectState): ObjectState {
  return one.state === 'missing' || one.state === 'drifted' ? { ...one, state: 'waiting' } : one;
}

function statusOf({ input, terminating }: InstallState, scope: Scope) {
  return { ...baseStatus(input, scope), terminating };
}

/**
 * `objects` with the replicas that each Deployment had when all of them were last ready. Records those of `contents`,
 * which was read before this pass wrote anything.
 */
function withReadyReplicas(
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
