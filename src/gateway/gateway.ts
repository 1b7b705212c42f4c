import { validityProblem } from '../runtime/vocabulary/keypair.js';
import type { ReviewAccess } from '../runtime/client/accessreview.js';
import { delay, type Clock } from '../runtime/clock.js';
import type { HealthCheck } from '../runtime/endpoints/health.js';
import type { Logger } from '../runtime/logger.js';
import { Budget } from './request/budget.js';
import { Drain } from './request/drain.js';
import { ObjectParser } from './request/objectparser.js';
import { ResponseRateLimiter } from './response/responseratelimiter.js';
import { AcceptedTokens } from './upstream/acceptedtokens.js';
import { createAccessReviewer } from './upstream/accessreview.js';
import { parseServingPair, type ServingPair } from '../runtime/tls/serving.js';
import { UpstreamReadiness } from './upstream/readiness.js';
import { Connections } from '../runtime/http/connections.js';
import { handleRequest, type HandlerDeps } from './server/handler.js';
import { FileReloader } from '../runtime/tls/filereloader.js';
import type { GatewayMetrics } from './metrics.js';
import type { Tracer } from '../runtime/tracing/tracer.js';
import type { FieldRules } from './object/fieldrules.js';
import { GatewayServer, type ServerLimits } from './server/server.js';
import { Upstream } from './upstream/upstream.js';

export interface GatewayOptions {
  readonly listen: { readonly host: string; readonly port: number };
  readonly tlsCert: string;
  readonly tlsKey: string;
  /** `https://host:port` of the Kubernetes API. */
  readonly upstream: string;
  /** PEM file with the certificate authorities that it is verified by. */
  readonly upstreamCa: string;
  readonly upstreamTimeoutMs: number;
  readonly limits: ServerLimits;
  /** Only the status codes of the interface, and no error bodies. */
  readonly strict: boolean;
  readonly userAgent: string;
  /** The OpenAPI document, JSON. */
  readonly openapi: string;
  readonly rules: FieldRules;
  /** Between the termination signal and the end of listening: load balancers need it to stop routing here. */
  readonly shutdownDelayMs: number;
  readonly reloadEveryMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: GatewayMetrics;
  /** Undefined without traces. */
  readonly tracer?: Tracer | undefined;
}

const MIB = 1024 * 1024;
/** Bodies of requests and responses that are held at a time. The first 64 KiB of each are not counted. */
const BODY_BYTES = 96 * MIB;
const UNCOUNTED_BYTES = 64 * 1024;
const DRAIN_MS = 5_000;

/**
 * The HTTPS interface. It has no state and no rights of its own: each request is sent to the one API server with the
 * caller's token, at most once.
 */
export class Gateway {
  readonly name = 'gateway';
  readonly #options: GatewayOptions;
  readonly #server: GatewayServer;
  readonly #upstream: Upstream;
  readonly #parser: ObjectParser;
  readonly #reloaders: readonly FileReloader[];
  readonly #upstreamReadiness: UpstreamReadiness;
  #certificate: ServingPair | undefined;
  #state: 'new' | 'serving' | 'draining' = 'new';

  constructor(options: GatewayOptions) {
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
    this.#upstreamReadiness = new UpstreamReadiness({ upstream: this.#upstream, clock, log: options.log });
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
    this.#server = new GatewayServer({
      limits,
      connections,
      strict,
      clock,
      metrics,
      handler: (incoming) => handleRequest(incoming, deps),
    });
    const reload = { clock, log: options.log, metrics, everyMs: options.reloadEveryMs };
    this.#reloaders = [
      new FileReloader(
        {
          name: 'certificate',
          paths: [options.tlsCert, options.tlsKey],
          apply: (texts) => this.#useCertificate(texts),
        },
        reload,
      ),
      new FileReloader(
        { name: 'upstream-ca', paths: [options.upstreamCa], apply: ([ca = '']) => this.#useUpstreamCa(ca) },
        reload,
      ),
    ];
  }

  /**
   * Reads the files and listens; resolves with the port.
   * @throws Error in one line: a file that cannot be read or used, an address that cannot be listened on
   */
  async start(): Promise<number> {
    const { listen, log } = this.#options;
    for (const reloader of this.#reloaders) reloader.start();
    const port = await this.#server.start(listen.host, listen.port);
    this.#state = 'serving';
    log.info({ endpoint: 'gateway', host: listen.host, port }, 'listening');
    this.#upstreamReadiness.start();
    return port;
  }

  /** Serves until the signal, then drains. Resolves with true. */
  async run(signal: AbortSignal): Promise<boolean> {
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await this.stop();
    return true;
  }

  async stop(): Promise<void> {
    const { clock, shutdownDelayMs } = this.#options;
    this.#state = 'draining';
    this.#upstreamReadiness.stop();
    this.#server.beginDrain();
    if (shutdownDelayMs > 0) await delay(clock, shutdownDelayMs);
    // The handlers of clients that have gone do not wait for their turn at the parser.
    await this.#server.stop(DRAIN_MS, () => this.#parser.close());
    for (const reloader of this.#reloaders) reloader.stop();
    await this.#upstream.close();
  }

  /** Asks the API server about the tokens of clients that want to read the metrics. */
  accessReviewer(): ReviewAccess {
    return createAccessReviewer(this.#upstream, this.#options.clock);
  }

  readiness(): HealthCheck {
    return { name: 'gateway', check: () => this.#notReadyReason() };
  }

  #notReadyReason(): string | undefined {
    if (this.#state !== 'serving' || this.#certificate === undefined)
      return this.#state === 'draining' ? 'shutting down' : 'not started';
    return validityProblem(this.#certificate, this.#options.clock.now()) ?? this.#upstreamReadiness.notReadyReason;
  }

  #useCertificate([cert = '', key = '']: readonly string[]): void {
    const { tlsCert, tlsKey, metrics } = this.#options;
    try {
      const pair = parseServingPair(cert, key);
      this.#server.setCertificate(pair);
      this.#certificate = pair;
      metrics.certificateExpiry(pair.notAfter / 1000);
    } catch (error) {
      throw new Error(`${tlsCert}, ${tlsKey}: ${error instanceof Error ? error.message : 'cannot be used'}`);
    }
  }

  #useUpstreamCa(ca: string): void {
    try {
      this.#upstream.trust(ca);
    } catch (error) {
      throw new Error(`${this.#options.upstreamCa}: ${error instanceof Error ? error.message : 'cannot be used'}`);
    }
  }
}
