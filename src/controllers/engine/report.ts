import { EngineEvents } from '../../api/enginereasons.js';
import type { MultiClusterEngine } from '../../api/generated/multiclusterengine.js';
import { CLEANUP_FINALIZER, ENGINE_FIELD_MANAGER } from '../../api/names.js';
import { apiVersionOf, MultiClusterEngines } from '../../api/resources.js';
import { timestamp } from '../../domain/conditions.js';
import { engineEvents, type EngineEventNote } from '../../domain/engine/status/events.js';
import type { StatusInput } from '../../domain/engine/status/input.js';
import { engineStatus, sameStatus } from '../../domain/engine/status/status.js';
import type { EventRecorder } from '../../kube/events/recorder.js';
import type { Result } from '../../runtime/result.js';
import type { ReconcileScope } from './objects/applysteps.js';

/** What a pass came to. */
export interface Outcome {
  readonly situation: StatusInput;
  readonly hand: ReconcileScope;
  readonly result: Result;
  readonly notes?: readonly EngineEventNote[];
}

/**
 * Stores the status where it says something new, and tells the events; gives the engine as it is stored then. Errors:
 * those of the status write; then nothing is told and no failure of the pass counts.
 */
export async function report(outcome: Outcome, recorder: EventRecorder): Promise<MultiClusterEngine> {
  const { situation, hand, notes = [] } = outcome;
  const { engine, memory, clock } = hand;
  const before = engine.status;
  const status = engineStatus({ ...situation, engine }, timestamp(clock.now()));
  let stored = engine;
  if (!sameStatus(before, status)) {
    const options = { fieldManager: ENGINE_FIELD_MANAGER, signal: hand.pass.signal };
    const next = { ...engine, apiVersion: apiVersionOf(MultiClusterEngines), kind: MultiClusterEngines.kind, status };
    stored = await hand.client.updateStatus<MultiClusterEngine>(MultiClusterEngines, next, options);
    memory.wrote(hand.cachedVersion, stored);
  }
  memory.countFailures();
  for (const note of [...notes, ...engineEvents(before, status)]) tell(note, stored, recorder);
  return stored;
}

/** Lets the engine go, its cleanup done, and tells so. `message`: what became of the namespace. */
export async function release(
  engine: MultiClusterEngine,
  message: string,
  hand: ReconcileScope,
  recorder: EventRecorder,
): Promise<void> {
  const { name, uid = '', resourceVersion = '', finalizers = [] } = engine.metadata;
  const patch = { uid, resourceVersion, finalizers: finalizers.filter((one) => one !== CLEANUP_FINALIZER) };
  const options = { fieldManager: ENGINE_FIELD_MANAGER, signal: hand.pass.signal };
  const released = await hand.client.patchMetadata<MultiClusterEngine>(MultiClusterEngines, { name }, patch, options);
  hand.memory.wrote(hand.cachedVersion, released);
  tell({ reason: 'EngineUninstalled', note: message }, engine, recorder);
}

function tell({ reason, note }: EngineEventNote, engine: MultiClusterEngine, recorder: EventRecorder): void {
  const regarding = {
    apiVersion: apiVersionOf(MultiClusterEngines),
    kind: MultiClusterEngines.kind,
    metadata: engine.metadata,
  };
  recorder.record({ regarding, type: EngineEvents[reason].type, reason, action: 'Reconcile', note });
}
