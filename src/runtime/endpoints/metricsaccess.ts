import { createHmac, randomBytes } from 'node:crypto';
import type { AccessDecision, ReviewAccess } from '../client/reviews.js';
import type { Clock } from '../clock.js';
import { Slots } from '../http/slots.js';
import type { Logger } from '../logger.js';

/** `busy`: too many other tokens are being reviewed, or the API server does not answer. */
export type Admission = AccessDecision | 'busy';

interface AccessOptions {
  readonly review: ReviewAccess;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Times that a decision is used, ms: a revoked token reads metrics for at most a minute. */
const ALLOWED_MS = 60_000;
const DENIED_MS = 10_000;
/** Tokens that are remembered. At the limit the oldest decision of the same kind is forgotten. */
const MAX_ALLOWED = 100;
const MAX_DENIED = 1_000;
/** Reviews at the same time of tokens that were never allowed, and of those that were. */
const MAX_NEW_REVIEWS = 4;
const MAX_REPEATED_REVIEWS = 16;
/** How long a new token waits for its review, ms; scrapers wait 10 s for a response. */
const MAX_WAIT_MS = 4_000;
/** Requests that wait for a review. An endpoint has no more connections. */
const MAX_WAITING = 64;
/** Longer ones are no tokens of an API server. */
const MAX_TOKEN_CHARS = 8_192;
/** The token as RFC 6750 writes it, so that it can be sent to the API server in a header. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

interface Remembered {
  readonly decision: AccessDecision;
  readonly at: number;
}

/**
 * Decides who may read the metrics.
 *
 * Guarantees: memory is bounded, whatever is sent; only a keyed hash of a token is kept; tokens that were never allowed neither
 * displace those that were nor take their reviews; a token is reviewed once at a time; new tokens are reviewed in the
 * order of asking, so that made-up ones delay that of a new scraper and do not keep it out.
 */
export class MetricsAccess {
  readonly #options: AccessOptions;
  readonly #key = randomBytes(32);
  /** By hash of the token, the oldest first. */
  readonly #allowed = new Map<string, Remembered>();
  readonly #denied = new Map<string, Remembered>();
  readonly #newReviews = new Map<string, Promise<Admission>>();
  readonly #repeatedReviews = new Map<string, Promise<Admission>>();
  readonly #newReviewSlots = new Slots(MAX_NEW_REVIEWS);

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** Decides over the header `Authorization`. Never rejects. */
  async decide(authorization: string | undefined): Promise<Admission> {
    const token = BEARER.exec(authorization ?? '')?.[1];
    if (token === undefined || token.length > MAX_TOKEN_CHARS) return 'unauthenticated';
    const hash = createHmac('sha256', this.#key).update(token).digest('base64');
    const decided = this.#decided(hash);
    if (decided !== undefined) return decided;
    if (this.#allowed.has(hash)) {
      if (this.#repeatedReviews.size >= MAX_REPEATED_REVIEWS) return 'busy';
      return this.#begin(this.#repeatedReviews, token, hash);
    }
    if (!(await this.#takeNewReview())) return 'busy';
    try {
      return await (this.#decided(hash) ?? this.#begin(this.#newReviews, token, hash));
    } finally {
      this.#newReviewSlots.release();
    }
  }

  /** The decision, or that of a review that is going on. */
  #decided(hash: string): AccessDecision | Promise<Admission> | undefined {
    return this.#remembered(hash) ?? this.#repeatedReviews.get(hash) ?? this.#newReviews.get(hash);
  }

  #begin(reviews: Map<string, Promise<Admission>>, token: string, hash: string): Promise<Admission> {
    const review = this.#review(token, hash).finally(() => reviews.delete(hash));
    reviews.set(hash, review);
    return review;
  }

  /** Resolves with whether one is free within the time. */
  async #takeNewReview(): Promise<boolean> {
    if (this.#newReviewSlots.waiting >= MAX_WAITING) return false;
    const late = new AbortController();
    const timer = this.#options.clock.after(MAX_WAIT_MS, () => late.abort());
    try {
      await this.#newReviewSlots.take(late.signal);
      return true;
    } catch {
      return false;
    } finally {
      timer.cancel();
    }
  }

  #remembered(hash: string): AccessDecision | undefined {
    const now = this.#options.clock.monotonic();
    const allowed = this.#allowed.get(hash);
    if (allowed !== undefined && now - allowed.at < ALLOWED_MS) return allowed.decision;
    const denied = this.#denied.get(hash);
    return denied !== undefined && now - denied.at < DENIED_MS ? denied.decision : undefined;
  }

  async #review(token: string, hash: string): Promise<Admission> {
    const { review, clock, log } = this.#options;
    try {
      const decision = await review(token);
      this.#allowed.delete(hash);
      this.#denied.delete(hash);
      const [decisions, limit] = decision === 'allowed' ? [this.#allowed, MAX_ALLOWED] : [this.#denied, MAX_DENIED];
      decisions.set(hash, { decision, at: clock.monotonic() });
      const [oldest] = decisions.keys();
      if (decisions.size > limit && oldest !== undefined) decisions.delete(oldest);
      return decision;
    } catch (error) {
      // Not a warning: anybody who reaches the port could fill the log.
      log.debug({ err: error }, 'the access to the metrics cannot be reviewed');
      return 'busy';
    }
  }
}
