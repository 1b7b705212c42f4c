import { field, textField } from '../vocabulary/json.js';
import type { ResourceType } from '../vocabulary/meta.js';
import { apiVersionOf, SubjectAccessReviews, TokenReviews } from '../vocabulary/kinds.js';
import { malformed } from '../transport/apierror.js';
import type { Transport } from '../transport/transport.js';
import { collectionPath, resourceOf } from './path.js';

/** Ms for each of the two reviews, after the wait for the rate limit. */
const DEADLINE_MS = 2_500;
const READ_METRICS = { path: '/metrics', verb: 'get' };

/**
 * Reviews tokens as controller-runtime does: a TokenReview, then a SubjectAccessReview of its user for GET `/metrics`. Needs
 * `create` on both. Reviews store nothing, so that they need neither a guard row nor the lease; they have a rate limit of
 * their own, so that reviews of unknown tokens never delay the controllers.
 */
export function createAccessReviewer(transport: Transport): ReviewAccess {
  async function review(type: ResourceType, spec: object): Promise<unknown> {
    const target = { verb: 'create', resource: resourceOf(type) };
    const response = await transport.call({
      method: 'POST',
      path: collectionPath(type, undefined),
      target,
      body: JSON.stringify({ apiVersion: apiVersionOf(type), kind: type.kind, spec }),
      contentType: 'application/json',
      idempotent: true,
      attempts: 1,
      bucket: 'reviews',
      deadlineMs: DEADLINE_MS,
    });
    const status = field(response.body, 'status');
    if (typeof status !== 'object' || status === null) throw malformed(target, 'a review without status');
    return status;
  }
  return async (token) => {
    const authentication = await review(TokenReviews, { token });
    if (field(authentication, 'authenticated') !== true) return 'unauthenticated';
    const user = field(authentication, 'user');
    const subject = {
      user: textField(user, 'username'),
      uid: textField(user, 'uid'),
      groups: field(user, 'groups'),
      extra: field(user, 'extra'),
    };
    const access = await review(SubjectAccessReviews, { ...subject, nonResourceAttributes: READ_METRICS });
    return field(access, 'allowed') === true ? 'allowed' : 'forbidden';
  };
}

/**
 * What the API server says of a token that wants to read the metrics: `unauthenticated`, it is not accepted; `forbidden`, its
 * user lacks `get` on the nonResourceURL `/metrics`.
 */
export type AccessDecision = 'allowed' | 'forbidden' | 'unauthenticated';

/** Asks the API server. Rejects when it does not answer within 5 s. */
export type ReviewAccess = (token: string) => Promise<AccessDecision>;
