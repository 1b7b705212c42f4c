import type { ObjectName, ResourceType } from '../../../api/meta.js';
import { INSTALLER_ROLE, COMPONENT_ROLE_PREFIX } from '../../../api/names.js';
import { resourceText } from '../../../domain/engine/manifest/manifest.js';
import type { KubeClient } from '../../../kube/client/client.js';
import { isFailure, type ApiError } from '../../../runtime/errors.js';

/** How a refusal with code 403 is to be taken. */
export type ForbiddenClass =
  /** Nobody is at fault; it passes. */
  | { readonly kind: 'wait'; readonly message: string }
  /** A right is missing; `message` names verb, resource, namespace, the binding that would cure it, and what the server said. */
  | { readonly kind: 'denied'; readonly message: string }
  /** A policy, a quota or Pod Security; `message` is the server's. */
  | { readonly kind: 'refused'; readonly message: string };

/** What was attempted. */
export interface AttemptedCall {
  readonly type: ResourceType;
  readonly name: ObjectName;
  /** The verbs that the attempt needs, in the order in which the server checks them. */
  readonly verbs: readonly string[];
}

export interface AccessContext {
  readonly client: Pick<KubeClient, 'allowed'>;
  /** Monotonic ms. */
  readonly now: number;
  /** When the installer binding was written, if it was lately. */
  readonly boundAt: number | undefined;
  readonly signal: AbortSignal;
}

/** Rights that were just bound may take this long to hold on every API server. */
const BINDING_GRACE_MS = 5_000;
/** Of what the server says, UTF-16 units: several objects have to fit into one message. */
const SAID_LIMIT = 480;

/**
 * Judges a 403 by its causes, never by its text. A cause NamespaceTerminating: wait. A cause without a reason: an
 * admission policy. No cause: the binding may be too fresh, else a SelfSubjectAccessReview per verb tells a missing
 * right from a quota or Pod Security.
 */
export async function classifyForbidden(
  error: ApiError,
  attempted: AttemptedCall,
  judge: AccessContext,
): Promise<ForbiddenClass> {
  if (error.causes.some((cause) => cause.reason === 'NamespaceTerminating')) {
    return { kind: 'wait', message: `Namespace ${attempted.name.namespace ?? ''} is being deleted` };
  }
  if (error.causes.length > 0) return { kind: 'refused', message: error.message };
  if (judge.boundAt !== undefined && judge.now - judge.boundAt < BINDING_GRACE_MS) {
    return { kind: 'wait', message: 'the right was bound a moment ago and does not hold everywhere yet' };
  }
  for (const verb of attempted.verbs) {
    if (!(await isAllowed(verb, attempted, judge)))
      return { kind: 'denied', message: `${missingRight(verb, attempted)}; ${said(error)}` };
  }
  return { kind: 'refused', message: error.message };
}

/** A review that cannot be had tells nothing: then the server's own message stands. */
async function isAllowed(verb: string, { type, name }: AttemptedCall, judge: AccessContext): Promise<boolean> {
  const place = name.namespace === undefined ? {} : { namespace: name.namespace };
  const which = name.name === '' ? {} : { name: name.name };
  try {
    return await judge.client.allowed({ verb, type, ...place, ...which }, judge.signal);
  } catch (error) {
    if (isFailure(error, 'Fenced', 'Aborted')) throw error;
    return true;
  }
}

function missingRight(verb: string, { type, name }: AttemptedCall): string {
  const where = name.namespace === undefined ? 'cluster-wide' : `in namespace ${name.namespace}`;
  return `the operator may not ${verb} ${resourceText(type)} ${where}; ${missingBinding(type, name)} would give the right`;
}

/** The server's own words: it alone knows of a binding that is there and leads to no role. */
function said({ message }: ApiError): string {
  const cut =
    message.length <= SAID_LIMIT ? message : `${message.slice(0, SAID_LIMIT - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  return `the API server says: ${cut}`;
}

function missingBinding(type: ResourceType, name: ObjectName): string {
  if (name.namespace === undefined || type.kind === 'RoleBinding') {
    return `ClusterRoleBinding ${OPERATOR_ROLE} to ClusterRole ${OPERATOR_ROLE}`;
  }
  return `RoleBinding ${name.namespace}/${INSTALLER_ROLE} to ClusterRole ${INSTALLER_ROLE}`;
}

const OPERATOR_ROLE = `${COMPONENT_ROLE_PREFIX}operator`;
