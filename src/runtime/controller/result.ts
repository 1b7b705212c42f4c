import type { Logger } from '../logger.js';

/**
 * The result of a reconcile. After a thrown error the key is retried with backoff.
 * - done: nothing to do until the next change, or until `requeueAfterMs`.
 * - wait: something else has to happen first; requeued after `afterMs` at the latest.
 * - stalled: only the user can act; requeued after `afterMs` if set (for causes that no watch reports).
 * `reason` is for the log.
 */
export type Result =
  | { readonly ending: 'done'; readonly requeueAfterMs?: number }
  | { readonly ending: 'wait'; readonly reason: string; readonly afterMs: number }
  | { readonly ending: 'stalled'; readonly reason: string; readonly afterMs?: number };

/** Nothing to do until the next change. */
export const DONE: Result = { ending: 'done' };

/** The context of one reconcile. */
export interface Pass {
  /** Unique for each reconcile; in all its log lines. */
  readonly reconcileId: string;
  readonly log: Logger;
  /** Fires when the controller was stopped, by a shutdown or a lost lease, and this reconcile has not ended in time. */
  readonly signal: AbortSignal;
  /** `Clock.monotonic()` of the earliest `add` that this reconcile covers; for a requeue or retry, when it became due. */
  readonly enqueuedAt: number;
}

/** What a controller implements: moves the object of `key` towards its desired state. */
export interface Reconciler {
  reconcile(key: string, pass: Pass): Promise<Result>;
}
