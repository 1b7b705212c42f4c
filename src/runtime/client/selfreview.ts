import { field, textField } from '../vocabulary/json.js';
import type { ResourceType } from '../vocabulary/meta.js';
import { apiVersionOf, SelfSubjectAccessReviews, SelfSubjectReviews } from '../vocabulary/kinds.js';
import { isFailure } from '../errors.js';
import type { Transport } from '../transport/transport.js';
import type { ReviewAccess } from './accessreview.js';
import { collectionPath, resourceOf } from './path.js';

/**
 * What a token itself may ask about its user: no right of the process is needed, since every authenticated user has that of
 * ClusterRole system:basic-user. Reviews store nothing.
 */

/** Ms, after the wait for the rate limit. */
const DEADLINE_MS = 5_000;
const READ_METRICS = { path: '/metrics', verb: 'get' };

/** The name of the user whose credentials the transport has; empty where the user may not ask. @throws ApiError: Unauthorized where there is none */
export async function reviewSelf(transport: Pick<Transport, 'call'>): Promise<string> {
  try {
    const status = await review(transport, SelfSubjectReviews, {});
    return textField(field(status, 'userInfo'), 'username');
  } catch (error) {
    if (isFailure(error, 'Forbidden')) return '';
    throw error;
  }
}

/** Reviews who may read the metrics with the scraper's own token. `connect`: a transport with a token, to be closed. */
export function selfAccessReviewer(connect: (token: string) => Transport): ReviewAccess {
  return async (token) => {
    const transport = connect(token);
    try {
      const status = await review(transport, SelfSubjectAccessReviews, {
        spec: { nonResourceAttributes: READ_METRICS },
      });
      return field(status, 'allowed') === true ? 'allowed' : 'forbidden';
    } catch (error) {
      if (isFailure(error, 'Unauthorized')) return 'unauthenticated';
      if (isFailure(error, 'Forbidden')) return 'forbidden';
      throw error;
    } finally {
      await transport.close();
    }
  };
}

async function review(transport: Pick<Transport, 'call'>, type: ResourceType, body: object): Promise<unknown> {
  const response = await transport.call({
    method: 'POST',
    path: collectionPath(type, undefined),
    target: { verb: 'create', resource: resourceOf(type) },
    body: JSON.stringify({ apiVersion: apiVersionOf(type), kind: type.kind, ...body }),
    contentType: 'application/json',
    idempotent: true,
    attempts: 1,
    bucket: 'reviews',
    deadlineMs: DEADLINE_MS,
  });
  return field(response.body, 'status');
}
