import type { Logger } from './logger.js';

/**
 * How a pass over one key ends. Anything thrown is the fourth ending: retried with backoff.
 * - done: nothing more to do until something changes, or until `requeueAfterMs`.
 * - wait: something else has to happen first; looked at again after `afterMs` at the latest.
 * - stalled: only the user can act; looked at again after `afterMs` where given (for what no watch reports).
 */
export type Result =
  | { readonly ending: 'done'; readonly requeueAfterMs?: number }
  | { readonly ending: 'wait'; readonly reason: string; readonly afterMs: number }
  | { readonly ending: 'stalled'; readonly reason: string; readonly afterMs?: number };

/** One pass as its controller sees it. */
export interface Pass {
  /** Unique per pass; stands in every log line of it. */
  readonly reconcileId: string;
  readonly log: Logger;
  /** Fires when the process drains or the lease is lost. */
  readonly signal: AbortSignal;
  /** `Clock.monotonic()` of the earliest change that this pass answers (of the wake itself, where no change led to it). */
  readonly enqueuedAt?: number;
}

/** The whole duty of a controller's author: bring `key` nearer to what is wanted. */
export interface Reconciler {
  reconcile(key: string, pass: Pass): Promise<Result>;
}
