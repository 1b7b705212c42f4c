import { Agent } from '../../agent/agent.js';
import type { OpenHub } from '../../agent/session/context.js';
import type { Clock, Random } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import type { DemoHome } from './home.js';

/** What an agent of the demo fleet needs of the process. */
export interface MemberTools {
  readonly openHub: OpenHub;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** As the agent requests by default. */
const TOKEN_SECONDS = 604_800;

/** A cluster of the demo fleet with its agent, which can be stopped and started again, as a pod of it would be. */
export class Member {
  readonly name: string;
  readonly #home: DemoHome;
  readonly #tools: MemberTools;
  #end: AbortController | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #hasReported = false;
  #reported: () => void = () => undefined;
  /** Resolves after the first write of a report, whether or not the hub has accepted it. */
  readonly reported = new Promise<void>((resolve) => {
    this.#reported = () => {
      this.#hasReported = true;
      resolve();
    };
  });

  constructor(name: string, home: DemoHome, tools: MemberTools) {
    this.name = name;
    this.#home = home;
    this.#tools = tools;
  }

  start(): void {
    const { openHub, clock, random, log } = this.#tools;
    const metrics = { renewed: ignore, tokenRequested: ignore, tokenUntil: ignore, published: () => this.#reported() };
    const agent = new Agent({
      home: this.#home,
      openHub,
      tools: { clock, random, log: log.child({ cluster: this.name }), metrics },
      tokenLifetimeSeconds: TOKEN_SECONDS,
    });
    this.#end = new AbortController();
    this.#ended = agent.run(this.#end.signal);
  }

  /** Whether {@link reported} has resolved. */
  get hasReported(): boolean {
    return this.#hasReported;
  }

  /** Resolves when the agent has ended. */
  async stop(): Promise<void> {
    this.#end?.abort(new Error('the simulated cluster is stopped'));
    await this.#ended;
  }
}

function ignore(): void {
  // Nobody reads the metrics of a simulated cluster.
}
