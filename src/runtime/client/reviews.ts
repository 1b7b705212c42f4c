import { field, textField } from '../vocabulary/json.js';
import type { ResourceType } from '../vocabulary/meta.js';
import {
  apiVersionOf,
  SelfSubjectAccessReviews,
  SelfSubjectReviews,
  SubjectAccessReviews,
  TokenReviews,
} from '../vocabulary/kinds.js';
import { isFailure, type FailedCall } from '../errors.js';
import { malformed } from '../transport/apierror.js';
import type { Call } from '../transport/call.js';
import type { Transport } from '../transport/transport.js';
import { collectionPath, resourceOf } from './path.js';

/**
 * Reviews of tokens and of rights. They store nothing, so that they need neither a guard row nor the lease; they have a rate
 * limit of their own, so that reviews of unknown tokens never delay the controllers.
 */

/** Ms for one of two reviews, and for a single one, after the wait for the rate limit. */
const HALF_DEADLINE_MS = 2_500;
const DEADLINE_MS = 5_000;
const READ_METRICS = { path: '/metrics', verb: 'get' };

/**
 * What the API server says of a token that wants to read the metrics: `unauthenticated`, it is not accepted; `forbidden`, its
 * user lacks `get` on the nonResourceURL `/metrics`.
 */
export type AccessDecision = 'allowed' | 'forbidden' | 'unauthenticated';

/** Asks the API server. Rejects when it does not answer within 5 s. */
export type ReviewAccess = (token: string) => Promise<AccessDecision>;

/**
 * Reviews tokens as controller-runtime does: a TokenReview, then a SubjectAccessReview of its user for GET `/metrics`. Needs
 * `create` on both.
 */
export function createAccessReviewer(transport: Transport): ReviewAccess {
  async function statusOf(type: ResourceType, spec: object): Promise<unknown> {
    const status = await review(transport, type, { spec }, sentOnce(HALF_DEADLINE_MS));
    if (typeof status !== 'object' || status === null) throw malformed(targetOf(type), 'a review without status');
    return status;
  }
  return async (token) => {
    const authentication = await statusOf(TokenReviews, { token });
    if (field(authentication, 'authenticated') !== true) return 'unauthenticated';
    const user = field(authentication, 'user');
    const subject = {
      user: textField(user, 'username'),
      uid: textField(user, 'uid'),
      groups: field(user, 'groups'),
      extra: field(user, 'extra'),
    };
    const access = await statusOf(SubjectAccessReviews, { ...subject, nonResourceAttributes: READ_METRICS });
    return field(access, 'allowed') === true ? 'allowed' : 'forbidden';
  };
}

/**
 * Reviews who may read the metrics with the scraper's own token: no right of the process is needed, since every authenticated
 * user has that of ClusterRole system:basic-user. `connect`: a transport with a token, to be closed.
 */
export function selfAccessReviewer(connect: (token: string) => Transport): ReviewAccess {
  return async (token) => {
    const transport = connect(token);
    try {
      const spec = { nonResourceAttributes: READ_METRICS };
      return (await isAllowed(transport, spec, sentOnce(DEADLINE_MS))) ? 'allowed' : 'forbidden';
    } catch (error) {
      if (isFailure(error, 'Unauthorized')) return 'unauthenticated';
      if (isFailure(error, 'Forbidden')) return 'forbidden';
      throw error;
    } finally {
      await transport.close();
    }
  };
}

/**
 * The name of the user whose credentials the transport has; empty where the user may not ask.
 * @throws ApiError: Unauthorized where there is none
 */
export async function reviewSelf(transport: Pick<Transport, 'call'>): Promise<string> {
  try {
    const status = await review(transport, SelfSubjectReviews, {}, sentOnce(DEADLINE_MS));
    return textField(field(status, 'userInfo'), 'username');
  } catch (error) {
    if (isFailure(error, 'Forbidden')) return '';
    throw error;
  }
}

/** A SelfSubjectAccessReview. @throws ApiError */
export async function isAllowed(transport: Pick<Transport, 'call'>, spec: object, sent: Sent): Promise<boolean> {
  const allowed = field(await review(transport, SelfSubjectAccessReviews, { spec }, sent), 'allowed');
  if (typeof allowed !== 'boolean') throw malformed(targetOf(SelfSubjectAccessReviews), 'there is no status.allowed');
  return allowed;
}

/** How a review is sent. */
type Sent = Pick<Call, 'attempts' | 'bucket' | 'deadlineMs' | 'signal'>;

function sentOnce(deadlineMs: number): Sent {
  return { attempts: 1, bucket: 'reviews', deadlineMs };
}

async function review(
  transport: Pick<Transport, 'call'>,
  type: ResourceType,
  body: object,
  sent: Sent,
): Promise<unknown> {
  const response = await transport.call({
    method: 'POST',
    path: collectionPath(type, undefined),
    target: targetOf(type),
    body: JSON.stringify({ apiVersion: apiVersionOf(type), kind: type.kind, ...body }),
    contentType: 'application/json',
    // It stores nothing, so that it can be repeated.
    idempotent: true,
    ...sent,
  });
  return field(response.body, 'status');
}

function targetOf(type: ResourceType): FailedCall {
  return { verb: 'create', resource: resourceOf(type) };
}
