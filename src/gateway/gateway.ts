import type { ReviewAccess } from '../runtime/client/reviews.js';
import { delay, whenAborted, type Clock } from '../runtime/clock.js';
import { errorText } from '../runtime/errors.js';
import type { HealthCheck } from '../runtime/endpoints/health.js';
import type { Logger } from '../runtime/logger.js';
import { Budget } from './request/budget.js';
import { Drain } from './request/drain.js';
import { ObjectParser } from './request/objectparser.js';
import { ResponseRateLimiter } from './response/responseratelimiter.js';
import { AcceptedTokens } from './upstream/acceptedtokens.js';
import { upstreamAccessReviewer } from './upstream/accessreview.js';
import type { ServingPair } from '../runtime/tls/serving.js';
import { ServingCertificateFiles, type CertificateFiles } from '../runtime/tls/certificatefiles.js';
import { UpstreamReadiness } from './upstream/readiness.js';
import { Connections } from '../runtime/http/connections.js';
import type { HandlerDeps } from './server/call.js';
import { handleRequest } from './server/handler.js';
import { FileReloader } from '../runtime/tls/filereloader.js';
import type { GatewayMetrics } from './metrics.js';
import type { FieldRules } from '@multicluster-engine/values/schema/fieldrules';
import { GatewayServer, type ServerLimits } from './server/server.js';
import { Upstream } from './upstream/upstream.js';

export interface GatewayOptions {
  readonly listen: { readonly host: string; readonly port: number };
  /** Paths of the PEM files of the serving certificate and of its key. */
  readonly tls: CertificateFiles;
  /** `https://host:port` of the Kubernetes API. */
  readonly upstream: string;
  /** Path of the PEM file with the certificate authorities by which the API server is verified. */
  readonly upstreamCa: string;
  /** PEM file of more of them. */
  readonly extraCa?: string | undefined;
  readonly upstreamTimeoutMs: number;
  readonly limits: ServerLimits;
  /** Respond only with 200, 403, 404, 500 and 503, and send no body with errors: `--strict-status-codes`. */
  readonly strict: boolean;
  readonly userAgent: string;
  /** The OpenAPI document of the interface, JSON. */
  readonly openapi: string;
  readonly rules: FieldRules;
  /** How long new connections are accepted after the termination signal: load balancers stop routing here meanwhile. */
  readonly shutdownDelayMs: number;
  readonly reloadEveryMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: GatewayMetrics;
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
export class Gateway {
  readonly name = 'gateway';
  readonly #options: GatewayOptions;
  readonly #server: GatewayServer;
  readonly #upstream: Upstream;
  readonly #parser: ObjectParser;
  readonly #certificate: ServingCertificateFiles;
  readonly #upstreamCa: FileReloader;
  readonly #upstreamReadiness: UpstreamReadiness;
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
    this.#certificate = new ServingCertificateFiles(options.tls, (pair) => this.#useCertificate(pair), reload);
    this.#upstreamCa = new FileReloader(
      { name: 'upstream-ca', paths: [options.upstreamCa], apply: ([ca = '']) => this.#useUpstreamCa(ca) },
      reload,
    );
  }

  /**
   * Reads the files and listens; resolves with the port.
   * @throws Error in one line: a file that cannot be read or used, an address that cannot be listened on
   */
  async start(): Promise<number> {
    const { listen, log } = this.#options;
    this.#certificate.start();
    this.#upstreamCa.start();
    const port = await this.#server.start(listen.host, listen.port);
    this.#state = 'serving';
    log.info({ endpoint: 'gateway', host: listen.host, port }, 'listening');
    this.#upstreamReadiness.start();
    return port;
  }

  /** Serves, once started, until `signal` fires; then stops. Resolves with true: it cannot end in another way. */
  async run(signal: AbortSignal): Promise<boolean> {
    await whenAborted(signal);
    await this.stop();
    return true;
  }

  /** Is not ready from now on, accepts connections for the shutdown delay, then drains and closes. */
  async stop(): Promise<void> {
    const { clock, shutdownDelayMs } = this.#options;
    this.#state = 'draining';
    this.#upstreamReadiness.stop();
    this.#server.beginDrain();
    if (shutdownDelayMs > 0) await delay(clock, shutdownDelayMs);
    // A handler whose client has gone may still wait for the parser: closing the parser ends that.
    await this.#server.stop(DRAIN_MS, () => this.#parser.close());
    this.#certificate.stop();
    this.#upstreamCa.stop();
    await this.#upstream.close();
  }

  /** Asks the API server about the tokens of clients that want to read the metrics. */
  accessReviewer(): ReviewAccess {
    return upstreamAccessReviewer(this.#upstream, this.#options.clock);
  }

  readiness(): HealthCheck {
    return { name: 'gateway', check: () => this.#notReadyReason() };
  }

  #notReadyReason(): string | undefined {
    if (this.#state !== 'serving') return this.#state === 'draining' ? 'shutting down' : 'not started';
    return this.#certificate.problem(this.#options.clock.now()) ?? this.#upstreamReadiness.notReadyReason;
  }

  #useCertificate(pair: ServingPair): void {
    this.#server.setCertificate(pair);
    this.#options.metrics.certificateExpiry(pair.notAfter / 1000);
  }

  #useUpstreamCa(ca: string): void {
    try {
      this.#upstream.trust(ca, this.#options.extraCa);
    } catch (error) {
      throw new Error(`${this.#options.upstreamCa}: ${errorText(error)}`);
    }
  }
}
