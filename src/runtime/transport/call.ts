import type { FailedCall } from '../errors.js';

/**
 * Name of a rate limit. Leases have one of their own, so that other calls never delay a renewal; so have reviews of tokens,
 * which clients of the metrics cause.
 */
export type Bucket = 'default' | 'events' | 'leases' | 'reviews';

/** One call of the Kubernetes API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute and encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** What errors say about the call. */
  readonly target: FailedCall;
  readonly accept?: string;
  readonly contentType?: string;
  /** JSON text. */
  readonly body?: string;
  /** Whether it may be sent again although the first attempt may have been applied. */
  readonly idempotent: boolean;
  /** At most this many attempts; default 4. */
  readonly attempts?: number;
  /** Its rate limit; default `default`. */
  readonly bucket?: Bucket | undefined;
  /** Longest time for all attempts together, in ms, after the wait for the rate limit; default that of the transport. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Runs immediately before each attempt. An ApiError that it throws ends the call; nothing is sent. */
  readonly beforeAttempt?: (() => void) | undefined;
}

/** The calls to which a Retry-After applies: those with the same method and path. */
export function retryAfterKey(call: Call): string {
  return `${call.method} ${call.path}`;
}
