import { isDeepStrictEqual } from 'node:util';
import { ApiError, isFailure, errorText } from '../../runtime/errors.js';
import type { HubResult } from '../metrics.js';
import { retryMs } from '../schedule.js';
import type { SessionContext } from './context.js';
import type { HubToken, JoinData } from '../../domain/agent/hubtoken.js';

type AttemptResult<T> =
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
   * Runs `work`. A failure is logged: as an error where the hub refuses the request as invalid, else as a warning. It also ends
   * the session if somebody has applied another manifest meanwhile. Rejects with the signal's reason only.
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<AttemptResult<T>> {
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
export function resultOf(outcome: AttemptResult<unknown>): HubResult {
  return outcome.kind === 'done' ? 'success' : failureResult(outcome.error);
}

/** How a request that failed with this error ended, for the metrics. */
export function failureResult(error: unknown): HubResult {
  return isFailure(error, 'Invalid') ? 'refused' : 'error';
}

/** Whether the Secret has another manifest than `join`, with which the session began. False when it cannot be read. */
export async function isReplaced(
  { home, join }: Pick<SessionContext, 'home' | 'join'>,
  signal: AbortSignal,
): Promise<boolean> {
  const stored = await home.readSecret(signal).catch(() => undefined);
  return stored !== undefined && isOtherManifest(stored.content, join);
}

/** Whether this content of the Secret comes from another manifest than `join`. */
export function isOtherManifest(content: HubToken, join: JoinData): boolean {
  return content.kind === 'complete' && !isDeepStrictEqual(content.join, join);
}

/** What the user reads when a request to the hub fails. `hubUrl`: its address in the manifest, for errors that do not name it. */
function problemOf(error: unknown, { cluster, hubUrl }: Pick<JoinData, 'cluster' | 'hubUrl'>): string {
  // The message of a transport error that has a code begins with the address.
  if (isFailure(error, 'Transport') && error.code === undefined) return `hub ${hubUrl}: ${error.message}`;
  if (isFailure(error, 'Unauthorized'))
    return `the hub rejects the token: it has expired, was used already, or was revoked. Apply a new manifest: ${renewal(cluster)}`;
  if (isFailure(error, 'Forbidden') && !isPolicyDenial(error))
    return `the hub does not permit the agent's requests: ${error.message}. Is multicluster-engine installed there?`;
  return errorText(error);
}

/** What the user reads when another cluster has the name of this one on the hub. */
export function takenProblem(cluster: string): string {
  return (
    `another cluster is ${cluster} on the hub, so this agent writes nothing there. Add this cluster by another name: ` +
    `kubectl mce cluster add NAME. If it is the only cluster of this name, rebuilt: ${renewal(cluster)}`
  );
}

function renewal(cluster: string): string {
  return `kubectl mce cluster add ${cluster} --renew`;
}

/**
 * Whether an admission policy of the hub has denied a request: RBAC denies without causes, a policy with one. A renewal as the
 * holder is denied so when the Lease has another holder.
 */
export function isPolicyDenial(error: unknown): boolean {
  return error instanceof ApiError && isFailure(error, 'Forbidden', 'Invalid') && error.causes.length > 0;
}
