import { isDeepStrictEqual } from 'node:util';
import { ApiError, isFailure } from '../../runtime/errors.js';
import type { HubResult } from '../metrics.js';
import { retryMs } from '../schedule.js';
import type { SessionContext } from './context.js';
import { problemOf } from './problems.js';

export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown; readonly problem: string; readonly retryInMs: number };

/** The attempts of one kind of request, with the back-off after failures in a row. */
export class Attempts {
  readonly #context: SessionContext;
  readonly #request: string;
  #failures = 0;

  /** `request`: what is attempted, for the log. */
  constructor(context: SessionContext, request: string) {
    this.#context = context;
    this.#request = request;
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Runs `work`. A failure is logged, as an error where the hub refuses the request as invalid, and ends the session when the Secret has meanwhile the content of another manifest.
   * Rejects with the signal's reason only.
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<Outcome<T>> {
    try {
      const value = await work();
      this.#failures = 0;
      return { kind: 'done', value };
    } catch (error) {
      signal.throwIfAborted();
      this.#failures += 1;
      const { tools, join, state } = this.#context;
      const problem = problemOf(error, join);
      const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
      const retryInMs = retryMs(this.#failures, tools.random, { leaseMs: state.leaseMs, retryAfterMs });
      const failure = {
        request: this.#request,
        problem,
        failures: this.#failures,
        retryInMs: Math.ceil(retryInMs),
      };
      if (failureResult(error) === 'refused')
        tools.log.error(failure, 'the hub refuses a request as invalid, retrying');
      else tools.log.warn(failure, 'a request to the hub failed, retrying');
      if (await isReplaced(this.#context, signal)) this.#context.end('replaced');
      signal.throwIfAborted();
      return { kind: 'failed', error, problem, retryInMs };
    }
  }
}

/** How an attempt ended, for the metrics. */
export function resultOf(outcome: Outcome<unknown>): HubResult {
  return outcome.kind === 'done' ? 'success' : failureResult(outcome.error);
}

/** How a request that failed with this error ended, for the metrics. */
export function failureResult(error: unknown): HubResult {
  return isFailure(error, 'Invalid') ? 'refused' : 'error';
}

/** Whether the Secret has the content of another manifest than that of the session. False when it cannot be read. */
export async function isReplaced(
  { home, join }: Pick<SessionContext, 'home' | 'join'>,
  signal: AbortSignal,
): Promise<boolean> {
  const stored = await home.readSecret(signal).catch(() => undefined);
  return stored?.content.kind === 'complete' && !isDeepStrictEqual(stored.content.join, join);
}
