import { EngineEvents } from '../../../api/enginereasons.js';
import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import { CLEANUP_FINALIZER, ENGINE_FIELD_MANAGER } from '../../../api/names.js';
import { MultiClusterEngines } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { sameJson } from '../../../runtime/vocabulary/json.js';
import { engineEvents, type EngineEventNote, engineStatus } from '../../../domain/engine/status/status.js';
import type { StatusInput } from '../../../domain/engine/status/input.js';
import type { Outcome } from './outcome.js';
import type { Scope } from './scope.js';

/**
 * Writes the status where it differs, then records the events and the metrics; removes the finalizer of an engine that
 * is uninstalled. Throws the failures of these writes; then no event is recorded and no failure of the pass is counted.
 */
export async function report(outcome: Outcome, scope: Scope): Promise<void> {
  if (outcome.kind === 'none') return;
  if (outcome.kind === 'status') {
    recordMetrics(await writeStatus(outcome.status, outcome.events ?? [], scope), scope);
    return;
  }
  const { status, namespaceKept, message } = outcome;
  const engine = namespaceKept ? await writeStatus(status, [], scope) : status.engine;
  const { finalizers = [] } = engine.metadata;
  await writeFinalizers(
    engine,
    finalizers.filter((one) => one !== CLEANUP_FINALIZER),
    scope,
  );
  recordEvent({ reason: 'EngineUninstalled', note: message }, engine, scope);
}

/** Returns the engine as it is stored then. */
async function writeStatus(
  input: StatusInput,
  events: readonly EngineEventNote[],
  scope: Scope,
): Promise<MultiClusterEngine> {
  const { engine } = input;
  const { client, clock, memory, mutations, pass } = scope;
  const before = engine.status;
  const status = engineStatus(input, timestamp(clock.now()));
  let stored = engine;
  if (!sameJson(before, status)) {
    const options = { fieldManager: ENGINE_FIELD_MANAGER, signal: pass.signal };
    stored = await client.updateStatus<MultiClusterEngine>(MultiClusterEngines, { ...engine, status }, options);
    mutations.mutated(engine.metadata.name, stored);
  }
  memory.countFailures();
  for (const event of [...events, ...engineEvents(before, status)]) recordEvent(event, stored, scope);
  return stored;
}

/** Gives an engine these finalizers. Returns it as it is stored then. */
export async function writeFinalizers(
  { metadata }: MultiClusterEngine,
  finalizers: readonly string[],
  { client, pass, mutations }: Scope,
): Promise<MultiClusterEngine> {
  const { name, uid = '', resourceVersion = '' } = metadata;
  const options = { fieldManager: ENGINE_FIELD_MANAGER, signal: pass.signal };
  const patch = { uid, resourceVersion, finalizers };
  const patched = await client.patchMetadata<MultiClusterEngine>(MultiClusterEngines, { name }, patch, options);
  // The last finalizer of an engine that is being deleted ends it. The answer has the version before that.
  const isGone = patched.metadata.deletionTimestamp !== undefined && (patched.metadata.finalizers ?? []).length === 0;
  if (isGone) mutations.deleted(name, uid);
  else mutations.mutated(name, patched);
  return patched;
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
