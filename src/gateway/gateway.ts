import type { Clock } from '../runtime/clock.js';
import { delay } from '../runtime/clock.js';
import type { HealthCheck } from '../runtime/health.js';
import type { Logger } from '../runtime/logger.js';
import { Budget } from './request/body.js';
import { certificateProblem, parseServingPair, type ServingPair } from './tls/certificate.js';
import { UpstreamReadiness } from './upstream/readiness.js';
import type { Desk } from './server/exchange.js';
import { FileReloader } from './tls/filereloader.js';
import type { GatewayMetrics } from '../runtime/metrics.js';
import type { FieldRules } from './object/fieldrules.js';
import { GatewayServer, type IncomingRequest, type ServerLimits } from './server/server.js';
import { serveRequest } from './server/serve.js';
import { Upstream } from './upstream/upstream.js';

export interface GatewayOptions {
  readonly listen: { readonly host: string; readonly port: number };
  readonly tlsCert: string;
  readonly tlsKey: string;
  /** `https://host:port` of the Kubernetes API. */
  readonly upstream: string;
  /** File with the authorities that may vouch for it. */
  readonly upstreamCa: string;
  readonly upstreamTimeoutMs: number;
  readonly limits: ServerLimits;
  /** Only the codes of the interface, and no error bodies. */
  readonly strict: boolean;
  readonly userAgent: string;
  /** The OpenAPI document, JSON. */
  readonly openapi: string;
  readonly rules: FieldRules;
  /** Between a signal to end and the last connection taken in: the time it takes until nobody is sent here any more. */
  readonly shutdownDelayMs: number;
  readonly reloadEveryMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: GatewayMetrics;
}

/** Bodies and answers held at a time. */
const BUFFER_BUDGET_BYTES = 64 * 1024 * 1024;
const DRAIN_MS = 5_000;

/**
 * The HTTPS interface. No state and no rights of its own: each request goes to the one API server behind it with the
 * caller's token, at most once.
 */
export class Gateway {
  readonly name = 'gateway';
  readonly #options: GatewayOptions;
  readonly #server: GatewayServer;
  readonly #upstream: Upstream;
  readonly #reloaders: readonly FileReloader[];
  readonly #contact: UpstreamReadiness;
  #pair: ServingPair | undefined;
  #state: 'new' | 'serving' | 'ending' = 'new';

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { clock, metrics, strict, limits, userAgent } = options;
    this.#upstream = new Upstream({
      origin: options.upstream,
      clock,
      timeoutMs: options.upstreamTimeoutMs,
      userAgent,
      metrics,
    });
    this.#contact = new UpstreamReadiness({ upstream: this.#upstream, clock, log: options.log });
    const openapi = Buffer.from(options.openapi);
    const desk: Desk = {
      upstream: this.#upstream,
      budget: new Budget(BUFFER_BUDGET_BYTES),
      openapi,
      rules: options.rules,
      ready: () => this.#fault() === undefined,
    };
    const serve = (arrival: IncomingRequest): Promise<void> => serveRequest(arrival, { ...options, desk });
    this.#server = new GatewayServer({ limits, strict, clock, metrics, handler: serve });
    const reload = { clock, log: options.log, metrics, everyMs: options.reloadEveryMs };
    this.#reloaders = [
      new FileReloader(
        { name: 'certificate', paths: [options.tlsCert, options.tlsKey], apply: (texts) => this.#present(texts) },
        reload,
      ),
      new FileReloader(
        { name: 'upstream-ca', paths: [options.upstreamCa], apply: ([ca = '']) => this.#trust(ca) },
        reload,
      ),
    ];
  }

  /**
   * Reads the files and listens; resolves with the port.
   * @throws Error in one line: a file that cannot be read or used, an address that cannot be had
   */
  async start(): Promise<number> {
    const { listen, log } = this.#options;
    for (const reloader of this.#reloaders) reloader.start();
    const port = await this.#server.start(listen.host, listen.port);
    this.#state = 'serving';
    log.info({ endpoint: 'gateway', host: listen.host, port }, 'listening');
    this.#contact.start();
    return port;
  }

  /** Serves until the signal, then ends what is under way. Resolves with true. */
  async run(signal: AbortSignal): Promise<boolean> {
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await this.stop();
    return true;
  }

  async stop(): Promise<void> {
    const { clock, shutdownDelayMs } = this.#options;
    this.#state = 'ending';
    this.#contact.stop();
    this.#server.beginDrain();
    if (shutdownDelayMs > 0) await delay(clock, shutdownDelayMs);
    await this.#server.stop(DRAIN_MS);
    for (const reloader of this.#reloaders) reloader.stop();
    await this.#upstream.close();
  }

  readiness(): HealthCheck {
    return { name: 'gateway', check: () => this.#fault() };
  }

  #fault(): string | undefined {
    if (this.#state !== 'serving' || this.#pair === undefined)
      return this.#state === 'ending' ? 'shutting down' : 'not started';
    return certificateProblem(this.#pair, this.#options.clock.now()) ?? this.#contact.notReadyReason;
  }

  #present([cert = '', key = '']: readonly string[]): void {
    const { tlsCert, tlsKey, metrics } = this.#options;
    try {
      const pair = parseServingPair(cert, key);
      this.#server.setCertificate(pair);
      this.#pair = pair;
      metrics.certificateExpiry(pair.notAfter / 1000);
    } catch (error) {
      throw new Error(`${tlsCert}, ${tlsKey}: ${error instanceof Error ? error.message : 'cannot be used'}`);
    }
  }

  #trust(ca: string): void {
    try {
      this.#upstream.trust(ca);
    } catch (error) {
      throw new Error(`${this.#options.upstreamCa}: ${error instanceof Error ? error.message : 'cannot be used'}`);
    }
  }
}
