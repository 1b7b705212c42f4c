import { Deployments } from '../../../runtime/vocabulary/kinds.js';
import type { ComponentOff } from '../components.js';
import { idOf } from '../manifest/manifest.js';
import type { ObjectState } from '../status/input.js';
import { ownershipOf } from './ownership.js';
import type { StepInput } from './steps.js';
import { finalizersOf, isTerminating } from './termination.js';

/** The components that are off, and what their states are computed from. */
export interface TurnedOff {
  readonly components: readonly ComponentOff[];
  /** Of the Deployments. */
  readonly namespace: string;
  readonly input: Pick<StepInput, 'engine' | 'stored'>;
}

/**
 * One state for each component that is off: `off` once its Deployment is gone, or is not ours. During a pause, which delays
 * the removal, the state is `drifted`. Otherwise the steps before have deleted it: `waiting` while finalizers keep it.
 */
export function turnedOffStates({ components, namespace, input }: TurnedOff, paused: boolean): readonly ObjectState[] {
  return components.map(({ name, cause, meaning }) => {
    const base = { type: Deployments, name: { namespace, name }, component: name };
    const id = idOf(base.type, base.name);
    const there = input.stored.find(({ type, object }) => idOf(type, object.metadata) === id)?.object;
    if (there === undefined || ownershipOf(there, input.engine) !== 'ours')
      return { ...base, state: 'off', message: meaning };
    const present = { ...base, object: there };
    if (paused) return { ...present, state: 'drifted', message: `${cause}; the pause delays its removal` };
    if (!isTerminating(there)) return { ...base, state: 'off', message: meaning };
    const message = `${cause}; it is being removed${finalizersOf(there)}`;
    return { ...present, state: 'waiting', message };
  });
}
