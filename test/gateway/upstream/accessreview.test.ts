import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

import { upstreamAccessReviewer } from '../../../src/gateway/upstream/accessreview.js';
import { UpstreamError } from '../../../src/gateway/upstream/error.js';
import type { Upstream, UpstreamRequest } from '../../../src/gateway/upstream/upstream.js';

/** A reviewer whose API server answers with that code and body; with no code it never answers. */
function reviewerOf(status?: number, body = '') {
  const clock = new ManualClock();
  const requests: UpstreamRequest[] = [];
  const ends: unknown[] = [];
  const upstream: Pick<Upstream, 'begin'> = {
    begin: (request, clientGone) => {
      requests.push(request);
      const gone = new Promise<never>((_resolve, reject) =>
        clientGone.addEventListener('abort', () => reject(new UpstreamError('abandoned', 'CLIENT_GONE'))),
      );
      async function* chunks(): AsyncGenerator<Buffer> {
        yield Buffer.from(body);
      }
      return {
        send: async () =>
          status === undefined
            ? gone
            : { status, contentType: 'application/json', retryAfter: undefined, body: chunks() },
        end: (failure) => void ends.push(failure),
      };
    },
  };
  return { review: upstreamAccessReviewer(upstream, clock), clock, requests, ends };
}

function reviewed(allowed: unknown): string {
  return JSON.stringify({ kind: 'SelfSubjectAccessReview', status: { allowed } });
}

describe('the review of a token that wants the metrics of a gateway', () => {
  it.each([
    [201, reviewed(true), 'allowed'],
    [201, reviewed(false), 'forbidden'],
    [403, '', 'forbidden'],
    [401, '', 'unauthenticated'],
  ])('a review that the API server answers with %i %s is %s', async (status, body, decision) => {
    const { review, clock, ends } = reviewerOf(status, body);

    expect(await review('token')).toBe(decision);
    expect(ends).toEqual([undefined]);
    expect(clock.pending).toBe(0);
  });

  it('a review asks whether the user of that token may get /metrics, and sends no other token', async () => {
    const { review, requests } = reviewerOf(201, reviewed(true));
    await review('scraper');
    const [{ body = '', ...request } = { body: '' }] = requests;

    expect(requests).toHaveLength(1);
    expect(request).toEqual({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      token: 'scraper',
      known: true,
    });
    expect(JSON.parse(body)).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { nonResourceAttributes: { path: '/metrics', verb: 'get' } },
    });
  });

  it.each([
    ['429', 429, ''],
    ['500', 500, ''],
    ['200 where 201 is due', 200, reviewed(true)],
    ['no review', 201, '{}'],
    ['no JSON', 201, 'allowed'],
    ['a review without a decision', 201, reviewed('true')],
    ['more than a review', 201, `${reviewed(true)}${' '.repeat(64 * 1024)}`],
  ])('a review that the API server answers with %s fails and allows nobody', async (_what, status, body) => {
    const { review, ends } = reviewerOf(status, body);

    await expect(review('token')).rejects.toThrow('broken');
    expect(ends).toEqual([expect.any(UpstreamError)]);
  });

  it('a review without an answer within 5 s is a timeout', async () => {
    const { review, clock, ends } = reviewerOf();
    const outcome = review('token').catch((error: unknown) => error);
    await clock.advance(5_000);

    expect(await outcome).toMatchObject({ reason: 'timeout', code: 'TIMEOUT' });
    expect(ends).toEqual([await outcome]);
    expect(clock.pending).toBe(0);
  });
});
