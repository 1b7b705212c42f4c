import { delay } from '../runtime/clock.js';
import { errorText } from '../runtime/errors.js';
import type { HealthCheck } from '../runtime/endpoints/server.js';
import type { Runnable } from '../runtime/process/lifecycle.js';
import type { HubToken } from '../domain/agent/hubtoken.js';
import { Observer } from './observer.js';
import { DEFAULT_LEASE_SECONDS, retryMs } from './schedule.js';
import { isReplaced } from './session/attempts.js';
import { HubState, type SessionContext, type SessionEnd } from './session/context.js';
import { runSession } from './session/session.js';

/** What all sessions of an agent share; its token lifetime: 600 s or more. */
type AgentOptions = Pick<SessionContext, 'home' | 'openHub' | 'tools' | 'tokenLifetimeSeconds' | 'argoCdNamespace'>;

/** While the hub has another cluster of this name, the Secret is read this often for a new manifest. */
const REREAD_MS = 30_000;

/**
 * The agent of a managed cluster: joins the hub that the Secret `hub-token` names, renews the cluster's Lease there and
 * publishes its status.
 *
 * Guarantees: only one cluster holds the Lease of a name; an agent that finds another one there sends nothing more, and one
 * that loses it sends only renewals, which the hub refuses. The process never ends because of the hub, and a new manifest takes
 * effect without a restart.
 */
export class Agent implements Runnable {
  readonly name = 'agent';
  readonly #options: AgentOptions;
  readonly #observer: Observer;
  #state: HubState | undefined;
  #problem = 'the Secret hub-token has not been read yet';

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#observer = new Observer({ ...options.tools, home: options.home });
  }

  /** Until `signal` fires. Never rejects. */
  async run(signal: AbortSignal): Promise<boolean> {
    const observing = this.#observer.run(signal);
    let isClean = true;
    try {
      while (!signal.aborted) await this.#join(signal);
    } catch (error) {
      isClean = signal.aborted;
      if (!isClean) this.#options.tools.log.error({ err: error }, 'the agent failed');
    }
    if (isClean) await observing;
    return isClean;
  }

  /** For /readyz: what keeps the cluster from being joined, its token from being stored, or its report from being complete. */
  readiness(): readonly HealthCheck[] {
    return [
      { name: 'hub', check: () => (this.#state === undefined ? this.#problem : this.#state.problem()) },
      { name: 'token', check: () => this.#state?.secretTrouble?.message },
      { name: 'report', check: () => this.#observer.problem() },
    ];
  }

  /** One membership, until it ends. */
  async #join(signal: AbortSignal): Promise<void> {
    const { home, tools } = this.#options;
    const { join, token: storedToken } = await this.#untilRead(() => this.#readSecret(signal), signal);
    const clusterId = await this.#untilRead(() => home.clusterId(signal), signal);
    const over = new AbortController();
    const outcome: { how?: SessionEnd } = {};
    const state = new HubState(tools.clock, DEFAULT_LEASE_SECONDS * 1000);
    const context: SessionContext = {
      ...this.#options,
      join,
      storedToken,
      clusterId,
      state,
      end: (how) => {
        outcome.how = how;
        over.abort(new Error(`the session is over: ${how}`));
      },
    };
    this.#state = state;
    const ended = AbortSignal.any([signal, over.signal]);
    await runSession(context, this.#observer, ended).catch((error: unknown) => {
      if (!ended.aborted) throw error;
    });
    if (outcome.how === 'replaced') tools.log.info({}, 'the Secret hub-token has the content of a new manifest');
    if (outcome.how === 'taken') await this.#untilReplaced(context, signal);
  }

  /** Reads the Secret `hub-token`. @throws Error while it is missing or incomplete */
  async #readSecret(signal: AbortSignal): Promise<HubToken & { readonly kind: 'complete' }> {
    const { content } = await this.#options.home.readSecret(signal);
    if (content.kind === 'unusable') throw new Error(`Secret hub-token: ${content.problem}`);
    return content;
  }

  async #untilReplaced(context: SessionContext, signal: AbortSignal): Promise<void> {
    const { clock, log } = context.tools;
    log.error({ cluster: context.join.cluster, problem: context.state.problem() }, 'stopped');
    while (!(await isReplaced(context, signal))) await delay(clock, REREAD_MS, signal);
  }

  /** Repeats a request to the cluster until it succeeds. Rejects with the signal's reason. */
  async #untilRead<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { clock, random, log } = this.#options.tools;
    for (let failures = 1; ; failures++) {
      try {
        return await read();
      } catch (error) {
        signal.throwIfAborted();
        this.#problem = errorText(error);
        this.#state = undefined;
        log.warn({ problem: this.#problem, failures }, 'the cluster cannot be read, retrying');
        await delay(clock, retryMs(failures, random), signal);
      }
    }
  }
}
