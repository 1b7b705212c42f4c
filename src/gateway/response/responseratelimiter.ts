import { delay, type AbortSignalLike, type Clock } from '../../runtime/clock.js';

/**
 * What a response counts for: at most 125 a second are written. Most clients connect again after an error, and it is their
 * TLS handshakes that take the time of the process from the others.
 */
const RESPONSE_MS = 8;
/** A thousand responses, as many as there are connections by default. More follow as fast as they are asked for. */
const MAX_WAIT_MS = 8_000;

/**
 * The rate limit of responses to clients whose token the API server has not accepted lately: of error responses, and of the
 * OpenAPI document. Such clients cannot take the time of the process from the others by asking again as soon as they
 * have a response, on up to a thousand connections. One client alone notices little: the first response does not wait.
 */
export class ResponseRateLimiter {
  readonly #clock: Clock;
  /** When the next response may be written, on the monotonic clock. */
  #next = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the response may be written, after at most 8 s; at once when the client has left. */
  async wait(clientGone: AbortSignalLike): Promise<void> {
    const now = this.#clock.monotonic();
    const at = Math.max(now, this.#next);
    this.#next = Math.min(at + RESPONSE_MS, now + MAX_WAIT_MS);
    if (at > now) await delay(this.#clock, at - now, clientGone).catch(() => undefined);
  }
}
