import type { JoinData } from '../../domain/agent/hubtoken.js';
import type { Clock, Random } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import type { AgentMetrics } from '../metrics.js';
import type { Home } from '../home.js';
import type { Hub } from '../hub.js';
import type { Trouble } from '../../domain/agent/report/report.js';
import { asError } from '../../runtime/errors.js';

/** What an agent uses of the process that it runs in. */
export interface AgentTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: AgentMetrics;
}

/** Connects to a hub, as `connectHub` does; `token` returns the token that is valid now. */
export type OpenHub = (join: JoinData, token: () => string) => Hub;

/**
 * What all parts of a session share. A session is one membership of a hub: it begins with a manifest, and ends when
 * another manifest replaces it, or when the hub has another cluster with this name.
 */
export interface SessionContext {
  readonly tools: AgentTools;
  readonly home: Home;
  readonly openHub: OpenHub;
  /** What the Secret of the manifest says of the hub and the cluster. */
  readonly join: JoinData;
  /** The agent's own token in the Secret at the begin; undefined for none. */
  readonly storedToken: string | undefined;
  /** The holder identity in the Lease. */
  readonly clusterId: string;
  /** The lifetime that is requested for each token. */
  readonly tokenLifetimeSeconds: number;
  /** The namespace of Argo CD on the hub; undefined: no tokens of the cluster are handed over. */
  readonly argoCdNamespace?: string | undefined;
  readonly state: HubState;
  readonly end: (how: SessionEnd) => void;
}

/**
 * - replaced: the Secret has another manifest's content.
 * - taken: the hub has another cluster with this name.
 */
export type SessionEnd = 'replaced' | 'taken';

/** What is known of the hub at the moment: whether it answers, and what is wrong. */
export class HubState {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #renewedAt: number | undefined;
  #leaseMs: number;
  #isAvailable = true;
  #failure: string | undefined;
  /** Holds until the end of the session. */
  #refusal: string | undefined;
  /** Why the token in use is not in the Secret, or may not be; undefined: it is. */
  secretTrouble: Trouble | undefined;
  /** Why Argo CD has no token of the cluster, or an old one. */
  argoCdTrouble: Trouble | undefined;

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  /** The duration of the cluster's lease, as the hub has named it last. */
  get leaseMs(): number {
    return this.#leaseMs;
  }

  setLease(ms: number): void {
    this.#leaseMs = ms;
  }

  /** The Lease was renewed: the hub answers, and other requests may be sent. */
  renewed(): void {
    this.#renewedAt = this.#clock.monotonic();
    this.#failure = undefined;
    this.#isAvailable = true;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** A renewal failed: until one succeeds, renewals are the only requests. */
  renewalFailed(problem: string): void {
    this.#isAvailable = false;
    this.#failure = problem;
  }

  /** A step of joining failed. */
  joiningFailed(problem: string): void {
    this.#failure = problem;
  }

  refused(problem: string): void {
    this.#refusal = problem;
    this.#isAvailable = false;
  }

  /** Resolves while renewals succeed; rejects with the signal's reason. */
  whenAvailable(signal: AbortSignal): Promise<void> {
    if (this.#isAvailable && !signal.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(finish);
        reject(asError(signal.reason));
      };
      const finish = (): void => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      if (signal.aborted) {
        stop();
        return;
      }
      this.#waiting.add(finish);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** For /readyz: undefined while the Lease was renewed within twice its duration. */
  problem(): string | undefined {
    if (this.#refusal !== undefined) return this.#refusal;
    if (this.#renewedAt === undefined) return `not joined yet${suffix(this.#failure)}`;
    const silentMs = this.#clock.monotonic() - this.#renewedAt;
    if (silentMs <= 2 * this.#leaseMs) return undefined;
    return `the Lease has not been renewed for ${Math.floor(silentMs / 1000)} s${suffix(this.#failure)}`;
  }
}

function suffix(problem: string | undefined): string {
  return problem === undefined ? '' : `: ${problem}`;
}
