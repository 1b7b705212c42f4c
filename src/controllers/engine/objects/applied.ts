import type { EngineEventNote } from '../../../domain/engine/status/events.js';
import type { ObjectState, ObjectStateName } from '../../../domain/engine/status/input.js';
import type { Step } from '../../../domain/engine/plan/plan.js';

/** What a list of steps came to. */
export interface Applied {
  /** One per desired object. */
  readonly objects: readonly ObjectState[];
  readonly events: readonly EngineEventNote[];
  /** Ms after which a repair of drift that was delayed is due. */
  readonly repairInMs?: number;
  /** Ms after which a pass is due although nothing is wrong now. */
  readonly wakeInMs?: number;
}

export const NOTHING_APPLIED: Applied = { objects: [], events: [] };

/** `a`, then `b`: the earlier of two times stands. */
export function merge(a: Applied, b: Applied): Applied {
  const repairInMs = Math.min(a.repairInMs ?? Infinity, b.repairInMs ?? Infinity);
  const wakeInMs = Math.min(a.wakeInMs ?? Infinity, b.wakeInMs ?? Infinity);
  const times = { ...(repairInMs === Infinity ? {} : { repairInMs }), ...(wakeInMs === Infinity ? {} : { wakeInMs }) };
  return { objects: [...a.objects, ...b.objects], events: [...a.events, ...b.events], ...times };
}

/** The states of the steps' objects while nothing may be written: as desired, or not and why. */
export function observeSteps(steps: readonly Step[]): readonly ObjectState[] {
  return steps.flatMap((step) => {
    if (step.desired === undefined) return [];
    if (step.action === 'keep') return [objectState(step, 'applied', '')];
    if (step.action === 'skip-foreign') return [objectState(step, 'foreign', step.cause)];
    return [objectState(step, step.stored === undefined ? 'missing' : 'drifted', step.cause)];
  });
}

/** The state of an object that its step does not write. */
export function unwrittenState(step: Step): ObjectState {
  const state: ObjectStateName =
    step.action === 'keep' ? 'applied' : step.action === 'skip-foreign' ? 'foreign' : 'waiting';
  return objectState(step, state, state === 'applied' ? '' : step.cause);
}

export function objectState(step: Step, state: ObjectStateName, message: string, object = step.stored): ObjectState {
  const component = step.desired?.component ?? '';
  return { type: step.type, name: step.name, component, state, message, ...(object === undefined ? {} : { object }) };
}
