import type { FailedCall } from '../../runtime/errors.js';

/** Rate limits are kept apart, so that a burst of work or of events never delays the renewal of a lease. */
export type Bucket = 'default' | 'events' | 'leases';

/** One call of the Kubernetes API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the root of the API, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** What this is, for errors. */
  readonly target: FailedCall;
  readonly accept?: string;
  readonly contentType?: string;
  /** JSON text. */
  readonly body?: string;
  /** Whether sending it again does no harm even when the first may have been applied. */
  readonly idempotent: boolean;
  /** At most this many tries; default 4. */
  readonly attempts?: number;
  /** Which rate limit it falls under; default `default`. */
  readonly bucket?: Bucket | undefined;
  /** Longest time for all tries together, in ms; default that of the transport. Waiting for the rate limit comes before. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Runs right before every try; the ApiError that it throws ends the call, and nothing is sent. */
  readonly beforeAttempt?: (() => void) | undefined;
}

/** What a server's Retry-After holds back: this method on this path, whatever its query. */
export function retryAfterKey(call: Call): string {
  return `${call.method} ${call.path}`;
}
