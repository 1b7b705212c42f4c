import { Deployments } from '../../../runtime/vocabulary/kinds.js';
import type { ComponentRow } from '../catalogue.js';
import { idOf } from '../manifest/manifest.js';
import type { ObjectState } from '../status/input.js';
import { ownershipOf } from './ownership.js';
import type { StepInput } from './steps.js';
import { finalizersOf, isTerminating } from './termination.js';

/** The Deployment's place in the status for each component that is off. */
export interface TurnedOff {
  readonly rows: readonly ComponentRow[];
  readonly namespace: string;
  readonly input: Pick<StepInput, 'engine' | 'stored'>;
}

/**
 * One state for each component that is off. During a pause, which delays the removal, that of a Deployment that exists is
 * `drifted`. Else it has been deleted by the steps before: `waiting` while something holds it, and `off`.
 */
export function turnedOffStates({ rows, namespace, input }: TurnedOff, paused: boolean): readonly ObjectState[] {
  return rows.map((row) => {
    const base = { type: Deployments, name: { namespace, name: row.name }, component: row.name };
    const id = idOf(base.type, base.name);
    const there = input.stored.find(({ type, object }) => idOf(type, object.metadata) === id)?.object;
    if (there === undefined || ownershipOf(there, input.engine) !== 'ours')
      return { ...base, state: 'off', message: row.whileOff };
    const present = { ...base, object: there };
    if (paused)
      return { ...present, state: 'drifted', message: 'spec.components turns it off; the pause delays its removal' };
    if (!isTerminating(there)) return { ...base, state: 'off', message: row.whileOff };
    const message = `spec.components turns it off; it is being removed${finalizersOf(there)}`;
    return { ...present, state: 'waiting', message };
  });
}
