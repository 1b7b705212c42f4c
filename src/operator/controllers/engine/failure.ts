import type { MultiClusterEngine } from '../../../api/generated/multiclusterengine.js';
import type { KubeObject, ResourceType, ObjectName } from '../../../runtime/vocabulary/meta.js';
import { Namespaces, RoleBindings, Nodes } from '../../../runtime/vocabulary/kinds.js';
import { idOf, titleOf, resourceText } from '../../../domain/engine/manifest/manifest.js';
import { objectState, type Step } from '../../../domain/engine/steps/steps.js';
import { rowOf } from '../../../domain/engine/status/components.js';
import { ERROR_AFTER_FAILURES, type ObjectState } from '../../../domain/engine/status/input.js';
import { errorText, isFailure, type ApiError } from '../../../runtime/errors.js';
import type { Input } from './gather.js';
import type { Scope } from './scope.js';
import { COMPONENT_ROLE_PREFIX, INSTALLER_ROLE, LOCAL_CLUSTER_ROLE } from '../../../api/names.js';
import { ManagedClusters } from '../../../api/resources.js';
import { clip } from '../../../domain/conditions.js';

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
  if (refusal.kind === 'refused') return failedState(step, { message: refusal.message, revision }, input, scope);
  return objectState(step, refusal.kind === 'wait' ? 'waiting' : 'denied', refusal.message);
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

/**
 * The cause of a 403.
 * - wait: it ends by itself.
 * - denied: a right is missing; `message` names verb, resource, namespace, the binding that would give it, and the server's message.
 * - refused: a policy, a quota or Pod Security; `message` is the server's.
 */
export interface ForbiddenCause {
  readonly kind: 'wait' | 'denied' | 'refused';
  readonly message: string;
}

export interface AttemptedCall {
  readonly type: ResourceType;
  readonly name: ObjectName;
  /** The verbs that the call needs, in the order in which the server checks them. */
  readonly verbs: readonly string[];
  /** The installer binding gives no right to the call, however new it is. */
  readonly needsNoBinding?: boolean;
}

/** After this time a new binding is in effect on every API server. */
const BINDING_GRACE_MS = 5_000;
/** Most of the server's message that is quoted, UTF-16 units: several objects have to fit into one condition. */
const QUOTED_LENGTH = 480;

/**
 * Finds the cause of a 403 by the causes in the Status, never by its message. A cause NamespaceTerminating: wait. Any
 * other cause: an admission policy. None: the binding may be too new; else a SelfSubjectAccessReview per verb
 * distinguishes a missing right from a quota or Pod Security.
 */
export async function classifyForbidden(error: ApiError, call: AttemptedCall, scope: Scope): Promise<ForbiddenCause> {
  const { memory, clock } = scope;
  if (error.causes.some((cause) => cause.reason === 'NamespaceTerminating'))
    return { kind: 'wait', message: `Namespace ${call.name.namespace ?? ''} is being deleted` };
  if (error.causes.length > 0) return { kind: 'refused', message: error.message };
  const isNewlyBound = memory.boundAt !== undefined && clock.monotonic() - memory.boundAt < BINDING_GRACE_MS;
  if (isNewlyBound && call.needsNoBinding !== true) {
    const message = 'the role was bound a moment ago and the right is not in effect on every API server yet';
    return { kind: 'wait', message };
  }
  for (const verb of call.verbs) {
    if (!(await isAllowed(verb, call, scope)))
      return { kind: 'denied', message: `${missingRight(verb, call)}; ${quoted(error)}` };
  }
  return { kind: 'refused', message: error.message };
}

/** Whether the operator may make the call. True when the review itself fails: then the server's own message is reported. */
async function isAllowed(verb: string, { type, name }: AttemptedCall, { client, pass }: Scope): Promise<boolean> {
  const { name: objectName, ...namespace } = name;
  const address = objectName === '' ? namespace : { ...namespace, name: objectName };
  try {
    return await client.allowed({ verb, type, ...address }, pass.signal);
  } catch (error) {
    if (isFailure(error, 'Fenced', 'Aborted')) throw error;
    return true;
  }
}

function missingRight(verb: string, { type, name }: AttemptedCall): string {
  const where = name.namespace === undefined ? 'cluster-wide' : `in namespace ${name.namespace}`;
  return `the operator may not ${verb} ${resourceText(type)} ${where}; ${missingBinding(type, name)} would grant the right`;
}

/** The server's message: only the server reports a binding that exists and refers to a missing role. */
function quoted({ message }: ApiError): string {
  return `the API server says: ${clip(message, QUOTED_LENGTH)}`;
}

function missingBinding(type: ResourceType, name: ObjectName): string {
  if (type === ManagedClusters || type === Nodes)
    return `ClusterRoleBinding ${LOCAL_CLUSTER_ROLE} to ClusterRole ${LOCAL_CLUSTER_ROLE}`;
  if (name.namespace === undefined || type.kind === 'RoleBinding')
    return `ClusterRoleBinding ${OPERATOR_ROLE} to ClusterRole ${OPERATOR_ROLE}`;
  return `RoleBinding ${name.namespace}/${INSTALLER_ROLE} to ClusterRole ${INSTALLER_ROLE}`;
}

const OPERATOR_ROLE = `${COMPONENT_ROLE_PREFIX}operator`;
