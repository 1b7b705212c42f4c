import { url } from 'node:inspector';
import { selfAccessReviewer, type ReviewAccess } from '../client/reviews.js';
import { systemClock, systemRandom, whenAborted, type Clock, type Timer } from '../clock.js';
import { failureText, connectionCode } from '../connection/failure.js';
import { errorText } from '../errors.js';
import type { TokenServerConfig } from '../flags/tokenserver.js';
import type { HttpsServer } from '../http/httpsserver.js';
import { createLogger } from '../log/pinologger.js';
import type { Logger } from '../logger.js';
import type { Exposition } from '../metrics/registry.js';
import { exitOnCrash, type Runnable } from '../process/lifecycle.js';
import { withExtraAuthorities } from '../tls/extraauthorities.js';
import { FileReloader, type ReloadMetrics, ServingCertificateFiles } from '../tls/filereloader.js';
import type { ServingPair } from '../tls/serving.js';
import { checkConnection } from '../transport/connectionpool.js';
import type { Credentials } from '../transport/credentials.js';
import { createTransport, type Transport, type TransportOptions } from '../transport/transport.js';
import { certificatesProblem } from '../vocabulary/keypair.js';
import { runWithEndpoints } from './endpoints.js';
import type { HealthCheck } from './server.js';
import { secureMetrics } from './securemetrics.js';

export interface TokenServerMetrics extends ReloadMetrics {
  /** When the certificate expires, in seconds since the epoch. */
  certificateExpiry(seconds: number): void;
}

export interface TokenServerOptions extends Pick<TokenServerConfig, 'listen' | 'tls' | 'upstream' | 'upstreamCa'> {
  readonly extraCa?: string | undefined;
  readonly reloadEveryMs: number;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: TokenServerMetrics;
}

/**
 * A server that has no rights of its own: it serves HTTPS and sends the tokens of its clients to one API server. The certificate
 * and the authorities by which the API server is verified are read again when their files change.
 */
export abstract class TokenServer implements Runnable {
  abstract readonly name: string;
  protected abstract readonly server: Pick<HttpsServer, 'setCertificate' | 'start'>;
  readonly #options: TokenServerOptions;
  readonly #certificate: ServingCertificateFiles;
  readonly #authorities: FileReloader;
  readonly #readiness: UpstreamReadiness;
  #ca = '';
  #state: 'new' | 'serving' | 'draining' = 'new';

  constructor(options: TokenServerOptions) {
    this.#options = options;
    const { tls, upstreamCa, reloadEveryMs: everyMs, clock, log, metrics } = options;
    const reload = { clock, log, metrics, everyMs };
    this.#certificate = new ServingCertificateFiles(tls, (pair) => this.useCertificate(pair), reload);
    const apply = ([ca = '']: readonly string[]): void => this.#useAuthorities(ca);
    this.#authorities = new FileReloader({ name: 'upstream-ca', paths: [upstreamCa], apply }, reload);
    this.#readiness = new UpstreamReadiness({
      connect: () => checkConnection(this.#credentials({})),
      explain: (error) => failureText(error, this.#credentials({}), clock.now()),
      clock,
      log,
    });
  }

  /**
   * Reads the files and listens; resolves with the port.
   * @throws Error in one line: a file that cannot be read or used, an address that cannot be listened on
   */
  async start(): Promise<number> {
    const { listen, log } = this.#options;
    this.#certificate.start();
    this.#authorities.start();
    const port = await this.server.start(listen.host, listen.port);
    this.#state = 'serving';
    log.info({ endpoint: this.name, host: listen.host, port }, 'listening');
    this.#readiness.start();
    return port;
  }

  /** Serves, once started, until `signal` fires; then stops. Resolves with true: it cannot end in another way. */
  async run(signal: AbortSignal): Promise<boolean> {
    await whenAborted(signal);
    await this.stop();
    return true;
  }

  /** Is not ready from now on, and closes. */
  async stop(): Promise<void> {
    this.#state = 'draining';
    this.#readiness.stop();
    await this.close();
    this.#certificate.stop();
    this.#authorities.stop();
  }

  readiness(): HealthCheck {
    return { name: this.name, check: () => this.#notReadyReason() };
  }

  /** Asks the API server with the scraper's token whether it may read the metrics. */
  accessReviewer(): ReviewAccess {
    return selfAccessReviewer((token) => this.connect(token));
  }

  protected get isDraining(): boolean {
    return this.#state === 'draining';
  }

  /** A transport with this token. */
  protected connect(token: string, more: Partial<TransportOptions> = {}): Transport {
    const { userAgent, clock, log } = this.#options;
    const load = async (): Promise<Credentials> => this.#credentials({ Authorization: `Bearer ${token}` });
    return createTransport({ load }, { clock, random: systemRandom, log, userAgent, ...more });
  }

  protected useCertificate(pair: ServingPair): void {
    this.server.setCertificate(pair);
    this.#options.metrics.certificateExpiry(pair.notAfter / 1000);
  }

  /** Called with the authorities, PEM, and with those that replace them. */
  protected trust(_ca: string): void {}

  /** Ends the requests and the connections. */
  protected abstract close(): Promise<void>;

  #notReadyReason(): string | undefined {
    if (this.#state !== 'serving') return this.#state === 'draining' ? 'shutting down' : 'not started';
    return this.#certificate.problem(this.#options.clock.now()) ?? this.#readiness.notReadyReason;
  }

  #useAuthorities(ca: string): void {
    const { upstreamCa, extraCa } = this.#options;
    const problem = certificatesProblem(ca, 'the file of authorities');
    if (problem !== undefined) throw new Error(`${upstreamCa}: ${problem}`);
    this.#ca = withExtraAuthorities(ca, extraCa);
    this.trust(this.#ca);
  }

  #credentials(headers: Credentials['headers']): Credentials {
    return { server: this.#options.upstream, headers, tls: { ca: this.#ca, rejectUnauthorized: true } };
  }
}

/** Serves until a signal; returns the exit code. A failure to start is one line of the log, and 1. */
export async function runTokenServer(
  config: TokenServerConfig,
  metrics: Exposition,
  create: (tools: { readonly clock: Clock; readonly log: Logger }) => TokenServer | Promise<TokenServer>,
): Promise<number> {
  const log = createLogger({ level: config.logLevel, clock: systemClock });
  exitOnCrash(process, log);
  // A listener replaces the default action of Node: to open a debugger, which could read every token.
  process.on('SIGUSR1', () => log.warn({ signal: 'SIGUSR1' }, 'signal ignored: it would open a debugger'));
  try {
    const server = await create({ clock: systemClock, log });
    await server.start();
    const { metricsSecure, tls } = config;
    const secure = metricsSecure ? secureMetrics({ review: server.accessReviewer(), tls, log }) : undefined;
    const readyz = [server.readiness()];
    return await runWithEndpoints([server], { config, metrics, secure, readyz, log, onListening: refuseDebugger });
  } catch (error) {
    log.error({ reason: errorText(error) }, 'cannot start');
    return 1;
  }
}

/** To be called late: Node opens a debugger asynchronously after a signal. */
function refuseDebugger(): void {
  if (url() !== undefined) throw new Error('a debugger is open, which could read every token');
}

interface UpstreamReadinessOptions {
  /** Connects to the API server, verifies it, and disconnects. */
  readonly connect: () => Promise<void>;
  /** An error of it in words, with what to do. */
  readonly explain: (error: unknown) => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Between two attempts. */
const RETRY_MS = 1_000;

/**
 * Connects to the API server until it has been reached and verified once. Until then the process is not ready: one with a wrong
 * address or CA must not replace a working one in a rollout. Later failures do not change readiness: clients get them as errors
 * of their requests, for which the process has to be ready.
 */
export class UpstreamReadiness {
  readonly #options: UpstreamReadinessOptions;
  #notReadyReason: string | undefined = 'the API server has not been reached yet';
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: UpstreamReadinessOptions) {
    this.#options = options;
  }

  /** Undefined once the API server was reached and verified. */
  get notReadyReason(): string | undefined {
    return this.#notReadyReason;
  }

  /** Makes the first attempt at once. */
  start(): void {
    void this.#attempt();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #attempt(): Promise<void> {
    const { connect, explain, clock, log } = this.#options;
    try {
      await connect();
      this.#notReadyReason = undefined;
      log.info({}, 'the API server is reached and verified');
    } catch (error) {
      const reason = `the API server cannot be reached or verified: ${connectionCode(error)}`;
      if (this.#stopped) return;
      if (reason !== this.#notReadyReason) log.warn({ reason: explain(error) }, 'not ready');
      this.#notReadyReason = reason;
      this.#timer = clock.after(RETRY_MS, () => void this.#attempt());
    }
  }
}
