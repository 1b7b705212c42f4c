import { hash as digest, randomBytes } from 'node:crypto';
import type { AbortSignalLike, Clock } from '../../runtime/clock.js';
import { DENIED_MESSAGE, overloadedError, StatusError } from '../statuserror.js';
import { UpstreamError } from './error.js';
import type { Upstream } from './upstream.js';

/** How long after an accepted request the body of another one is read without asking again, ms. */
const ACCEPTED_MS = 10_000;
/** How long a token is distinguished from one that the API server has never accepted, ms. */
const KNOWN_MS = 60 * 60 * 1000;
/** Tokens that are remembered; beyond that, the one that was accepted least recently is forgotten. */
const MAX_TOKENS = 10_000;
/**
 * Creates a SelfSubjectReview, which has no effect and needs no permission beyond those of every authenticated user. The
 * API server authenticates before it looks at anything else, so that each other code than 401 shows an accepted token.
 */
const SELF_SUBJECT_REVIEW = {
  method: 'POST',
  path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  body: '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}',
} as const;
/** Error codes that an API server gives to authenticated requests only. */
const AUTHENTICATED: readonly number[] = [403, 404, 405, 409, 415, 422];

/** The token of one request. */
export interface CallerToken {
  readonly token: string;
  /** A keyed hash of the token. Computing it costs more than all look-ups, so that this is done once for each request. */
  readonly hash: string;
}

/**
 * Remembers which tokens the API server has accepted lately, by a keyed hash of each. This decides whose bodies are read, and whose
 * calls wait for which others. It never decides what a client may do: the API server authenticates each request.
 */
export class AcceptedTokens {
  readonly #upstream: Pick<Upstream, 'begin'>;
  readonly #clock: Clock;
  readonly #key = randomBytes(32).toString('hex');
  /** Hash → time of the last accepted request, on the monotonic clock; the oldest first. */
  readonly #acceptedAt = new Map<string, number>();

  constructor(upstream: Pick<Upstream, 'begin'>, clock: Clock) {
    this.#upstream = upstream;
    this.#clock = clock;
  }

  of(token: string): CallerToken {
    // No hash leaves the process, so that a key before the text is enough: an HMAC takes three times as long.
    return { token, hash: digest('sha256', this.#key + token, 'base64') };
  }

  /** Whether the API server has accepted the token within the last 10 s. */
  isAccepted(caller: CallerToken): boolean {
    return this.#age(caller) < ACCEPTED_MS;
  }

  /** Whether it has within the last hour. Calls with such a token do not wait for calls with others. */
  isKnown(caller: CallerToken): boolean {
    return this.#age(caller) < KNOWN_MS;
  }

  /** Remembers that the API server has answered a request with this token with that code. */
  observe({ hash }: CallerToken, status: number): void {
    if (status === 401) this.#acceptedAt.delete(hash);
    if (status >= 300 && !AUTHENTICATED.includes(status)) return;
    this.#acceptedAt.delete(hash);
    this.#acceptedAt.set(hash, this.#clock.monotonic());
    for (const oldest of this.#acceptedAt.keys()) {
      if (this.#acceptedAt.size <= MAX_TOKENS) break;
      this.#acceptedAt.delete(oldest);
    }
  }

  /**
   * Asks the API server whether it accepts the token. `onStart`: as for every call of the upstream.
   * @throws StatusError `forbidden` when it does not, `unavailable` when the answer does not tell; UpstreamError
   */
  async confirm(caller: CallerToken, clientGone: AbortSignalLike, onStart?: () => void): Promise<void> {
    const { token } = caller;
    const review = { ...SELF_SUBJECT_REVIEW, token, known: this.isKnown(caller), ...(onStart && { onStart }) };
    const call = this.#upstream.begin(review, clientGone);
    let failure: unknown;
    try {
      const { status, retryAfter } = await call.send();
      this.observe(caller, status);
      if (this.isAccepted(caller)) return;
      if (status === 401) throw new StatusError('forbidden', { message: DENIED_MESSAGE });
      throw overloadedError(retryAfter);
    } catch (error) {
      failure = error;
      // A broken answer usually leaves open whether the client's request was carried out. This one was not even sent.
      throw error instanceof UpstreamError && error.reason === 'broken'
        ? new UpstreamError('unreachable', error.code)
        : error;
    } finally {
      call.end(failure);
    }
  }

  /** Ms since the last accepted request; Infinity for none. */
  #age({ hash }: CallerToken): number {
    const at = this.#acceptedAt.get(hash);
    return at === undefined ? Infinity : this.#clock.monotonic() - at;
  }
}
