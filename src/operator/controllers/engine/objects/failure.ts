import type { MultiClusterEngine } from '../../../../api/generated/multiclusterengine.js';
import type { KubeObject, ResourceType } from '../../../../runtime/vocabulary/meta.js';
import { Namespaces, RoleBindings } from '../../../../runtime/vocabulary/kinds.js';
import { idOf, titleOf } from '../../../../domain/engine/manifest/manifest.js';
import { objectState, type Step } from '../../../../domain/engine/steps/steps.js';
import { rowOf } from '../../../../domain/engine/status/components.js';
import { ERROR_AFTER_FAILURES, type ObjectState } from '../../../../domain/engine/status/input.js';
import { errorText, isFailure } from '../../../../runtime/errors.js';
import type { Input } from '../gather.js';
import type { Scope } from '../scope.js';
import { classifyForbidden } from './forbidden.js';

/** A call that threw. */
export interface FailedCall {
  readonly error: unknown;
  /** The verbs that the call needs, in the order in which the API server checks them. */
  readonly verbs: readonly string[];
  /** Revision of the desired object, or what stands for it. */
  readonly revision: string;
  /** The kind that was refused, where it is not that of the step. */
  readonly type?: ResourceType | undefined;
}

/** The state of a step's object after a failed call. Rethrows Fenced and Aborted. */
export async function stateAfterFailure(
  step: Step,
  { error, verbs, revision, type: refused }: FailedCall,
  input: Input,
  scope: Scope,
): Promise<ObjectState> {
  if (isFailure(error, 'Fenced', 'Aborted')) throw error;
  const message = errorText(error);
  scope.pass.log.warn({ object: titleOf(step.type, step.name), err: error }, 'object could not be applied');
  if (!isFailure(error, 'Forbidden')) return failedState(step, { message, revision }, input, scope);
  const { type, name } = step;
  const needsNoBinding = type === Namespaces || type === RoleBindings;
  const call = { type, name, verbs, needsNoBinding, ...(refused && { type: refused, name: { name: '' } }) };
  const refusal = await classifyForbidden(error, call, scope);
  if (refusal.kind === 'wait') return objectState(step, 'waiting', refusal.message);
  if (refusal.kind === 'denied') return objectState(step, 'denied', refusal.message);
  return failedState(step, { message: refusal.message, revision }, input, scope);
}

interface WriteFailure {
  readonly message: string;
  readonly revision: string;
  /** The answer to the write; the step's stored object where there is none. */
  readonly object?: KubeObject;
}

/** Counts the failure, which delays the next attempt, and returns the state with the count. */
export function failedState(step: Step, failure: WriteFailure, { engine }: Input, scope: Scope): ObjectState {
  const { message, revision, object } = failure;
  return scope.memory.failed(idOf(step.type, step.name), {
    revision,
    state: objectState(step, 'failed', message, object),
    now: scope.clock.monotonic(),
    before: failuresReportedBefore(step, engine),
  });
}

/** Failures that a process before this one has reported: phase Error in the status must not end with a restart. */
function failuresReportedBefore(step: Step, { status, metadata }: MultiClusterEngine): number {
  if (status?.phase !== 'Error' || status.observedGeneration !== metadata.generation) return 0;
  const row = rowOf(status.components, { kind: step.type.kind, name: step.name.name });
  return row?.reason === 'ApplyFailed' ? ERROR_AFTER_FAILURES : 0;
}
