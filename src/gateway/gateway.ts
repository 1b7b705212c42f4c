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
import { GatewayServer, type IncomingRequest, type ServerLimits } from './server/server.js';
import { Upstream, type UpstreamOptions } from './upstream/upstream.js';

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

/** What the parts that serve requests are made of. */
export type ServingOptions = Omit<GatewayOptions, keyof TokenServerOptions | 'metrics' | 'shutdownDelayMs'> &
  Pick<GatewayOptions, 'upstream' | 'userAgent' | 'clock' | 'log' | 'metrics'> &
  Pick<HandlerDeps, 'readiness' | 'parser'> &
  Pick<UpstreamOptions, 'createPool'>;

/** The parts that serve requests. */
interface Serving extends Pick<HandlerDeps, 'bodies'> {
  readonly connections: Connections;
  readonly server: GatewayServer;
  readonly upstream: Upstream;
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
    this.#parser = new ObjectParser(options.clock);
    const serving = createServing({ ...options, readiness: this.readiness(), parser: this.#parser });
    this.server = serving.server;
    this.#upstream = serving.upstream;
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

/** Makes the parts that serve requests, and connects them. Nothing listens yet, and no API server is trusted. */
export function createServing(options: ServingOptions): Serving {
  const { clock, metrics, strict, limits, upstreamTimeoutMs: timeoutMs } = options;
  const upstream = new Upstream({ ...options, origin: options.upstream, timeoutMs });
  const connections = new Connections(limits.maxConnections);
  const bodies = new Budget({ limit: BODY_BYTES, uncounted: UNCOUNTED_BYTES, clock });
  const deps: HandlerDeps = {
    ...options,
    upstream,
    connections,
    tokens: new AcceptedTokens(upstream, clock),
    bodies,
    drain: new Drain(clock),
    responseRateLimiter: new ResponseRateLimiter(clock),
    openapi: Buffer.from(options.openapi),
  };
  const handler = (incoming: IncomingRequest): Promise<void> => handleRequest(incoming, deps);
  const server = new GatewayServer({ limits, connections, strict, clock, metrics, handler });
  return { server, upstream, connections, bodies };
}
