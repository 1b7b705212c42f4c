import { delay } from '../runtime/clock.js';
import { TokenServer, type TokenServerOptions } from '../runtime/endpoints/tokenserver.js';
import { Budget } from './request/budget.js';
import { Drain } from './request/drain.js';
import { ObjectParser } from './request/objectparser.js';
import { ResponseRateLimiter } from './response/responseratelimiter.js';
import { AcceptedTokens } from './upstream/acceptedtokens.js';
import { Connections } from '../runtime/http/connections.js';
import type { HandlerDeps } from './server/call.js';
import { handleRequest } from './server/handler.js';
import type { GatewayMetrics } from './metrics.js';
import type { Tracer } from '../runtime/tracing/tracer.js';
import type { FieldRules } from '@multicluster-engine/values/schema/fieldrules';
import { GatewayServer, type ServerLimits } from './server/server.js';
import { Upstream } from './upstream/upstream.js';

export interface GatewayOptions extends TokenServerOptions {
  readonly upstreamTimeoutMs: number;
  readonly limits: ServerLimits;
  /** Respond only with 200, 403, 404, 500 and 503, and send no body with errors: `--strict-status-codes`. */
  readonly strict: boolean;
  /** The OpenAPI document of the interface, JSON. */
  readonly openapi: string;
  readonly rules: FieldRules;
  /** How long new connections are accepted after the termination signal: load balancers stop routing here meanwhile. */
  readonly shutdownDelayMs: number;
  readonly metrics: GatewayMetrics;
  /** Undefined when no traces are recorded. */
  readonly tracer?: Tracer | undefined;
}

const MIB = 1024 * 1024;
/** The memory of all bodies of requests and responses at a time. */
const BODY_BYTES = 96 * MIB;
/** The first bytes of each body are not counted, so that large bodies never keep a small one out. */
const UNCOUNTED_BYTES = 64 * 1024;
/** How long requests in progress may take to end once no connection is accepted any more. */
const DRAIN_MS = 5_000;

/**
 * The HTTPS interface. It stores nothing and has no rights of its own: each request is sent to the one API server with
 * the caller's token, at most once.
 */
export class Gateway extends TokenServer {
  readonly name = 'gateway';
  protected readonly server: GatewayServer;
  readonly #options: GatewayOptions;
  readonly #upstream: Upstream;
  readonly #parser: ObjectParser;

  constructor(options: GatewayOptions) {
    super(options);
    this.#options = options;
    const { clock, metrics, strict, limits, userAgent } = options;
    this.#parser = new ObjectParser(clock);
    this.#upstream = new Upstream({
      origin: options.upstream,
      clock,
      timeoutMs: options.upstreamTimeoutMs,
      userAgent,
      metrics,
    });
    const connections = new Connections(limits.maxConnections);
    const deps: HandlerDeps = {
      upstream: this.#upstream,
      connections,
      tokens: new AcceptedTokens(this.#upstream, clock),
      bodies: new Budget({ limit: BODY_BYTES, uncounted: UNCOUNTED_BYTES, clock }),
      parser: this.#parser,
      drain: new Drain(clock),
      responseRateLimiter: new ResponseRateLimiter(clock),
      openapi: Buffer.from(options.openapi),
      rules: options.rules,
      readiness: this.readiness(),
      strict,
      clock,
      log: options.log,
      metrics,
      tracer: options.tracer,
    };
    this.server = new GatewayServer({
      limits,
      connections,
      strict,
      clock,
      metrics,
      handler: (incoming) => handleRequest(incoming, deps),
    });
  }

  protected override trust(ca: string): void {
    this.#upstream.trust(ca);
  }

  /** Accepts connections for the shutdown delay, then drains. */
  protected async close(): Promise<void> {
    const { clock, shutdownDelayMs } = this.#options;
    this.server.beginDrain();
    if (shutdownDelayMs > 0) await delay(clock, shutdownDelayMs);
    // A handler whose client has gone may still wait for the parser: closing the parser ends that.
    await this.server.stop(DRAIN_MS, () => this.#parser.close());
    await this.#upstream.close();
  }
}
