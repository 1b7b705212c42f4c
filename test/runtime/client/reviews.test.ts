import { describe, expect, it } from '@jest/globals';
import { createAccessReviewer, selfAccessReviewer } from '../../../src/runtime/client/reviews.js';
import { ApiError, type FailureKind } from '../../../src/runtime/errors.js';
import type { Call, ApiResponse } from '../../../src/runtime/transport/call.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';

const USER = { username: 'ann', uid: 'u-1', groups: ['readers'], extra: { scopes: ['metrics'] } };

/** Answers the reviews with these statuses, one after the other; keeps what was asked. */
function reviews(...statuses: readonly unknown[]) {
  const asked: unknown[] = [];
  const transport: Pick<Transport, 'call'> = {
    call: async ({ path, body }: Call): Promise<ApiResponse> => {
      const status = statuses[asked.length];
      asked.push([path, JSON.parse(String(body)).spec]);
      return { status: 200, body: { status } };
    },
  };
  return { review: createAccessReviewer(transport as Transport), asked };
}

describe('the review of a token', () => {
  it.each([
    ['allowed', [{ authenticated: true, user: USER }, { allowed: true }]],
    ['forbidden', [{ authenticated: true, user: USER }, { allowed: false }]],
    ['unauthenticated', [{ authenticated: false }]],
  ])('a token is %s by what the API server says of it and of its user', async (expected, statuses) => {
    const { review, asked } = reviews(...statuses);

    expect(await review('token')).toBe(expected);
    expect(asked).toHaveLength(statuses.length);
  });

  it('the rights are those of the user of the token, for GET /metrics', async () => {
    const { review, asked } = reviews({ authenticated: true, user: USER }, { allowed: true });
    await review('token');

    const { username: user, ...others } = USER;
    expect(asked).toEqual([
      ['/apis/authentication.k8s.io/v1/tokenreviews', { token: 'token' }],
      [
        '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        { user, ...others, nonResourceAttributes: { path: '/metrics', verb: 'get' } },
      ],
    ]);
  });

  it.each([undefined, null, 'yes'])('a review with the status %j is an error', async (status) => {
    await expect(reviews(status).review('token')).rejects.toThrow('a review without status');
  });
});

/** Reviews tokens with transports of theirs; a kind of failure stands for the answer of the API server, else a status. */
function selfReviews(answer: unknown) {
  const asked: unknown[] = [];
  const closed: string[] = [];
  const review = selfAccessReviewer((token) => ({
    call: async ({ path, body, target }: Call): Promise<ApiResponse> => {
      asked.push([token, path, JSON.parse(String(body)).spec]);
      if (typeof answer === 'string')
        throw new ApiError({ kind: answer as FailureKind, message: answer, call: target });
      return { status: 201, body: { status: answer } };
    },
    open: () => Promise.reject(new Error('a review is no stream')),
    close: async () => void closed.push(token),
  }));
  return { review, asked, closed };
}

describe('the review of a token by itself', () => {
  it.each([
    ['allowed', { allowed: true }],
    ['forbidden', { allowed: false }],
    ['forbidden', 'Forbidden'],
    ['unauthenticated', 'Unauthorized'],
  ])('a token is %s where the API server answers it with %j', async (expected, answer) => {
    const { review, asked, closed } = selfReviews(answer);

    expect(await review('scraper')).toBe(expected);
    expect(asked).toEqual([
      [
        'scraper',
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        { nonResourceAttributes: { path: '/metrics', verb: 'get' } },
      ],
    ]);
    expect(closed).toEqual(['scraper']);
  });

  it.each(['Throttled', 'Unavailable', 'Transport', 'Malformed', {}, { allowed: 'true' }, null])(
    'a review that is answered with %j fails, and its connection is closed',
    async (answer) => {
      const { review, closed } = selfReviews(answer);

      await expect(review('scraper')).rejects.toThrow(ApiError);
      expect(closed).toEqual(['scraper']);
    },
  );
});
