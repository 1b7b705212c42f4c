import type { KeyPair } from '../../domain/engine/plan/certificate.js';
import type { ObjectState } from '../../domain/engine/status/input.js';

/** What the controller remembers of one engine between passes. All of it may be lost at any time, harmlessly. */
export class EngineMemory {
  readonly uid: string;
  /** Monotonic ms at which the installer binding was last written; its rights may take a moment to hold. */
  boundAt: number | undefined;
  /** Pairs that were made and are not stored yet, by the id of their Secret: tries of one write are of one pair. */
  readonly unstoredKeyPairs = new Map<string, KeyPair>();
  readonly #attempts = new Map<string, Attempt>();
  readonly #repairs = new Map<string, Repairs>();
  readonly #readyReplicas = new Map<string, number>();

  constructor(uid: string) {
    this.uid = uid;
  }

  /** The state that stands for an object whose next try is not due; it was tried for the same wanted revision. */
  backedOff(id: string, revision: string, now: number): ObjectState | undefined {
    const attempt = this.#attempts.get(id);
    return attempt !== undefined && attempt.revision === revision && now < attempt.notBefore
      ? attempt.state
      : undefined;
  }

  /**
   * Notes that a write of `id` was refused, and when it may be tried again. `before` is how many failures in a row an
   * earlier life of the operator has already reported. Gives the state with its count, this failure included.
   */
  failed(
    id: string,
    tried: { readonly revision: string; readonly state: ObjectState; readonly now: number; readonly before: number },
  ): ObjectState {
    const last = this.#attempts.get(id);
    const same = last?.revision === tried.revision;
    const tries = same ? last.tries + 1 : 1;
    const failures = (same ? last.reported : tried.before) + 1;
    const state = { ...tried.state, failures };
    const notBefore = tried.now + Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), LAST_RETRY_MS);
    const reported = same ? last.reported : tried.before;
    this.#attempts.set(id, { revision: tried.revision, tries, reported, fresh: true, notBefore, state });
    return state;
  }

  succeeded(id: string): void {
    this.#attempts.delete(id);
  }

  /**
   * The pass came to its end, its status stored: its failures count. Those of passes that could not even store a status
   * do not, so that an API server that was away makes no Error.
   */
  countFailures(): void {
    for (const [id, attempt] of this.#attempts) {
      if (attempt.fresh) this.#attempts.set(id, { ...attempt, reported: attempt.reported + 1, fresh: false });
    }
  }

  /** Ms until the retry of a failed object is due; undefined where none is noted. */
  retryDelayMs(id: string, now: number): number | undefined {
    const attempt = this.#attempts.get(id);
    return attempt === undefined ? undefined : Math.max(attempt.notBefore - now, 0);
  }

  /** Ms before drift of `id` may be repaired; 0 for at once. Somebody who keeps changing it back is answered ever more slowly. */
  repairDelayMs(id: string, now: number): number {
    const repairs = this.#repairs.get(id);
    if (repairs === undefined || now - repairs.lastAt > REPAIRS_FORGOTTEN_MS) return 0;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (repairs.count - 1), LAST_PAUSE_MS);
    return Math.max(repairs.lastAt + pause - now, 0);
  }

  /** All of the `replicas` that are wanted of Deployment `id` are ready. */
  recordReadyReplicas(id: string, replicas: number): void {
    this.#readyReplicas.set(id, replicas);
  }

  /** How many were wanted when that was so last. */
  lastReadyReplicas(id: string): number | undefined {
    return this.#readyReplicas.get(id);
  }

  repaired(id: string, now: number): void {
    const repairs = this.#repairs.get(id);
    const fresh = repairs === undefined || now - repairs.lastAt > REPAIRS_FORGOTTEN_MS;
    this.#repairs.set(id, { count: fresh ? 1 : repairs.count + 1, lastAt: now });
  }
}

interface Attempt {
  readonly revision: string;
  readonly tries: number;
  /** Failures that passes which came to their end have reported. */
  readonly reported: number;
  /** Failed in the pass under way. */
  readonly fresh: boolean;
  readonly notBefore: number;
  readonly state: ObjectState;
}

interface Repairs {
  readonly count: number;
  readonly lastAt: number;
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** Drift is repaired within 5 s, whoever makes it how often: the longest pause stays below. */
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 4_000;
const REPAIRS_FORGOTTEN_MS = 60_000;
