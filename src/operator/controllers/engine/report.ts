import { EngineEvents } from '../../../api/enginereasons.js';
import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import { CLEANUP_FINALIZER, ENGINE_FIELD_MANAGER } from '../../../api/names.js';
import { MultiClusterEngines } from '../../../api/resources.js';
import { apiVersionOf, Deployments, ServiceAccounts } from '../../../runtime/vocabulary/kinds.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { sameJson } from '../../../runtime/vocabulary/json.js';
import { engineEvents, type EngineEventNote, engineStatus } from '../../../domain/engine/status/status.js';
import type { StatusInput, ObjectState } from '../../../domain/engine/status/input.js';
import type { Scope } from './scope.js';
import { idOf } from '../../../domain/engine/manifest/manifest.js';
import { isFailure } from '../../../runtime/errors.js';
import type { Result } from '../../../runtime/controller/result.js';
import { policyFindings, type UnsyncedCache } from './caches.js';
import type { Input } from './gather.js';
import type { Applied } from './applysteps.js';
import { classifyForbidden } from './failure.js';

/**
 * Records the events of what was done, writes the status where it differs, then records the events of its change and the metrics;
 * removes the finalizer of an engine that is uninstalled. Throws the failures of these writes; then no failure of the pass is counted.
 */
export async function report(outcome: Outcome, scope: Scope): Promise<void> {
  if (outcome.kind === 'none') return;
  if (outcome.kind === 'status') {
    // No later pass knows of it, should the status be refused.
    for (const event of outcome.events ?? []) recordEvent(event, outcome.status.engine, scope);
    recordMetrics(await writeStatus(outcome.status, scope), scope);
    return;
  }
  const { status, namespaceKept, message } = outcome;
  const engine = namespaceKept ? await writeStatus(status, scope) : status.engine;
  const { finalizers = [] } = engine.metadata;
  await writeFinalizers(
    engine,
    finalizers.filter((one) => one !== CLEANUP_FINALIZER),
    scope,
  );
  recordEvent({ reason: 'EngineUninstalled', note: message }, engine, scope);
}

/** Returns the engine as it is stored then. */
async function writeStatus(input: StatusInput, scope: Scope): Promise<MultiClusterEngine> {
  const { engine } = input;
  const { client, clock, memory, mutations, pass } = scope;
  const before = engine.status;
  const status = engineStatus(input, timestamp(clock.now()));
  let stored = engine;
  if (!sameJson(before, status)) {
    const options = { fieldManager: ENGINE_FIELD_MANAGER, signal: pass.signal };
    const write = client.updateStatus<MultiClusterEngine>(MultiClusterEngines, { ...engine, status }, options);
    stored = await unlessGone(write, engine, scope);
    mutations.mutated(engine.metadata.name, stored);
  }
  memory.countFailures();
  for (const event of engineEvents(before, status)) recordEvent(event, stored, scope);
  return stored;
}

/** Gives an engine these finalizers. Returns it as it is stored then. */
export async function writeFinalizers(
  engine: MultiClusterEngine,
  finalizers: readonly string[],
  scope: Scope,
): Promise<MultiClusterEngine> {
  const { client, pass, mutations } = scope;
  const { name, uid = '', resourceVersion = '' } = engine.metadata;
  const options = { fieldManager: ENGINE_FIELD_MANAGER, signal: pass.signal };
  const patch = { uid, resourceVersion, finalizers };
  const write = client.patchMetadata<MultiClusterEngine>(MultiClusterEngines, { name }, patch, options);
  const patched = await unlessGone(write, engine, scope);
  // The last finalizer of an engine that is being deleted ends it. The answer has the version before that.
  const isGone = patched.metadata.deletionTimestamp !== undefined && (patched.metadata.finalizers ?? []).length === 0;
  if (isGone) mutations.deleted(name, uid);
  else mutations.mutated(name, patched);
  return patched;
}

/**
 * What a write of the engine returns; throws what it throws. One that is gone is so for the next pass, too: a watch that is silent
 * would have it install, again and again, what the garbage collector takes away.
 */
async function unlessGone<T>(write: Promise<T>, { metadata }: MultiClusterEngine, { mutations }: Scope): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isFailure(error, 'NotFound')) mutations.deleted(metadata.name, metadata.uid ?? '');
    throw error;
  }
}

function recordEvent(
  { reason, note }: EngineEventNote,
  engine: MultiClusterEngine,
  { recorder }: Pick<Scope, 'recorder'>,
): void {
  const { kind } = MultiClusterEngines;
  const regarding = { apiVersion: apiVersionOf(MultiClusterEngines), kind, metadata: engine.metadata };
  recorder.record({ regarding, type: EngineEvents[reason].type, reason, action: 'Reconcile', note });
}

function recordMetrics(
  { metadata, status }: MultiClusterEngine,
  { metrics, caches }: Pick<Scope, 'metrics' | 'caches'>,
): void {
  // Deleted in the meantime: its series have ended, and nothing would end them again.
  if (caches.engines.store.get(metadata.name) === undefined) return;
  const { phase = '', currentVersion = '', targetNamespace = '' } = status ?? {};
  metrics?.engine({ name: metadata.name, version: currentVersion, phase, targetNamespace });
}

/** The result of a pass: what is to be reported, and how the pass ends. */
export type Outcome =
  /** Nothing is to be reported. */
  | { readonly kind: 'none'; readonly result: Result }
  | {
      readonly kind: 'status';
      readonly status: StatusInput;
      /** Events beside those that follow from the change of the status. */
      readonly events?: readonly EngineEventNote[];
      readonly result: Result;
    }
  /** Everything is removed: the finalizer goes. */
  | {
      readonly kind: 'uninstalled';
      readonly status: StatusInput;
      /** The namespace is kept: the status says why before the engine goes. */
      readonly namespaceKept: boolean;
      /** The result for the namespace. */
      readonly message: string;
      readonly result: Result;
    };

/** What the status of every outcome has in common. */
export function baseStatus(input: Input, { settings, caches }: Pick<Scope, 'settings' | 'caches'>): StatusInput {
  const { engine, namespace, paused, spec } = input;
  const { networkPolicies } = spec;
  const policies = policyFindings(caches);
  return { engine, version: settings.version, targetNamespace: namespace, paused, networkPolicies, policies };
}

/** When a pass follows for what no watch reports, ms. */
const RETRY_MS = Object.freeze({ right: 30_000, foreign: 10_000, waiting: 2_000, caches: 5_000, terminating: 10_000 });

/** A pass that carried out stages: the most severe state names the ending, the most urgent one the next pass. */
export function appliedOutcome(status: StatusInput, applied: Applied, { memory, clock }: Scope): Outcome {
  const objects = status.objects ?? [];
  const states = new Set(objects.filter((one) => !waitsForAccount(one, objects)).map((one) => one.state));
  const failed = objects.filter((one) => one.state === 'failed');
  const due = [
    applied.repairInMs,
    states.has('denied') ? RETRY_MS.right : undefined,
    states.has('foreign') ? RETRY_MS.foreign : undefined,
    states.has('waiting') && applied.repairInMs === undefined ? RETRY_MS.waiting : undefined,
    status.terminating === undefined ? undefined : RETRY_MS.terminating,
    ...failed.map((one) => memory.retryDelayMs(idOf(one.type, one.name), clock.monotonic())),
  ].filter((ms) => ms !== undefined);
  const outcome = { kind: 'status', status, events: applied.events } as const;
  const { requeueAfterMs = Infinity } = applied;
  if (due.length === 0)
    return { ...outcome, result: { ending: 'done', ...(requeueAfterMs === Infinity ? {} : { requeueAfterMs }) } };
  const afterMs = Math.min(...due, requeueAfterMs);
  if (states.has('denied')) return { ...outcome, result: { ending: 'stalled', reason: 'PermissionDenied', afterMs } };
  if (states.has('foreign')) return { ...outcome, result: { ending: 'stalled', reason: 'ForeignObject', afterMs } };
  return { ...outcome, result: { ending: 'wait', reason: 'not everything is applied', afterMs } };
}

/** A right is missing without which nothing can be applied. */
export function deniedOutcome(status: StatusInput, message: string): Outcome {
  const result: Result = { ending: 'stalled', reason: 'PermissionDenied', afterMs: RETRY_MS.right };
  return { kind: 'status', status: { ...status, denied: message }, result };
}

/** Nothing is decided about a namespace while a part of it cannot be read. */
export async function notSyncedOutcome(
  status: StatusInput,
  { type, failure }: UnsyncedCache,
  scope: Scope,
): Promise<Outcome> {
  const namespace = status.targetNamespace;
  if (isFailure(failure, 'Forbidden') && status.terminating === undefined) {
    const call = { type, name: { namespace, name: '' }, verbs: ['list', 'watch'] };
    const cause = await classifyForbidden(failure, call, scope);
    if (cause.kind === 'denied') return deniedOutcome(status, cause.message);
  }
  const undecided = `the ${type.plural} of namespace ${namespace} are being read`;
  return { kind: 'status', status: { ...status, undecided }, result: notReadYet(type.plural) };
}

export function notReadYet(what: string): Result {
  return { ending: 'wait', reason: `not read yet: ${what}`, afterMs: RETRY_MS.caches };
}

/** A Deployment that waits for its account is due when the account is. */
function waitsForAccount({ type, state, component }: ObjectState, objects: readonly ObjectState[]): boolean {
  if (type !== Deployments || state !== 'waiting') return false;
  return objects.some((one) => one.type === ServiceAccounts && one.component === component && one.state !== 'applied');
}
