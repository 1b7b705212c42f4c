import { Deployments } from '../../../runtime/vocabulary/kinds.js';
import type { ComponentOff } from '../components.js';
import { idOf } from '../manifest/manifest.js';
import type { ObjectState } from '../status/input.js';
import { ownershipOf } from './ownership.js';
import type { StepInput } from './steps.js';
import { finalizersOf, isTerminating } from './termination.js';

/** The Deployment's place in the status for each component that is off. */
export interface TurnedOff {
  readonly components: readonly ComponentOff[];
  readonly namespace: string;
  readonly input: Pick<StepInput, 'engine' | 'stored'>;
}

/**
 * One state for each component that is off. During a pause, which delays the removal, that of a Deployment that exists is
 * `drifted`. Else it has been deleted by the steps before: `waiting` while something holds it, and `off`.
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
