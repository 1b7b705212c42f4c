import { field, parseJson } from '../../runtime/vocabulary/json.js';
import { READ_METRICS, type ReviewAccess } from '../../runtime/client/reviews.js';
import type { Clock } from '../../runtime/clock.js';
import { UpstreamError } from './error.js';
import type { Upstream, UpstreamResponse } from './upstream.js';

/** Ms for a review, whatever it waits for. */
const DEADLINE_MS = 5_000;
const MAX_BYTES = 64 * 1024;
/**
 * Every authenticated user may create it (ClusterRole system:basic-user), and it stores nothing. `known`: it takes one of the
 * connections for tokens that were accepted before, so that requests with invented tokens never keep a scraper out; the number
 * of reviews at a time is limited where they are made.
 */
const REVIEW = {
  method: 'POST',
  path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  body: JSON.stringify({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { nonResourceAttributes: READ_METRICS },
  }),
  known: true,
} as const;

/**
 * Reviews tokens without a right or a token of the gateway's own: the scraper's token itself asks the API server whether its
 * user may GET `/metrics`. The result is that of a TokenReview with a SubjectAccessReview.
 */
export function upstreamAccessReviewer(upstream: Pick<Upstream, 'begin'>, clock: Clock): ReviewAccess {
  return async (token) => {
    const deadline = new AbortController();
    const timer = clock.after(DEADLINE_MS, () => deadline.abort());
    const call = upstream.begin({ ...REVIEW, token }, deadline.signal);
    let failure: unknown;
    try {
      const response = await call.send();
      if (response.status === 401) return 'unauthenticated';
      if (response.status === 403) return 'forbidden';
      const review = response.status === 201 ? parseJson(await textOf(response)) : undefined;
      const allowed = field(field(review, 'status'), 'allowed');
      if (typeof allowed !== 'boolean') throw new UpstreamError('broken', 'NO_REVIEW');
      return allowed ? 'allowed' : 'forbidden';
    } catch (error) {
      failure = deadline.signal.aborted ? new UpstreamError('timeout', 'TIMEOUT') : error;
      throw failure;
    } finally {
      timer.cancel();
      call.end(failure);
    }
  };
}

async function textOf({ body }: UpstreamResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new UpstreamError('broken', 'TOO_LARGE');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
