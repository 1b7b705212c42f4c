import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { selfAccessReviewer } from '../../runtime/client/reviews.js';
import type { ReviewAccess } from '../../runtime/client/reviews.js';
import { systemRandom, whenAborted, type Clock, type Timer } from '../../runtime/clock.js';
import type { HealthCheck } from '../../runtime/endpoints/health.js';
import { ApiError, errorText } from '../../runtime/errors.js';
import type { Listen } from '../../runtime/flags/flags.js';
import { Connections } from '../../runtime/http/connections.js';
import { ServingCertificateFiles, type CertificateFiles } from '../../runtime/tls/certificatefiles.js';
import { HttpsServer } from '../../runtime/http/httpsserver.js';
import type { Logger } from '../../runtime/logger.js';
import { FileReloader } from '../../runtime/tls/filereloader.js';
import { certificatesProblem } from '../../runtime/vocabulary/keypair.js';
import { withExtraAuthorities } from '../../runtime/tls/extraauthorities.js';
import type { ServingPair } from '../../runtime/tls/serving.js';
import type { Credentials } from '../../runtime/transport/credentials.js';
import { ServerClock } from '../../runtime/transport/serverclock.js';
import { createTransport, type Transport } from '../../runtime/transport/transport.js';
import type { Assets } from '../server/assets.js';
import { respond } from '../server/server.js';
import { TokenEntrance } from './entrance.js';
import type { ConsoleMetrics } from './metrics.js';
import { People } from './people.js';

export interface ComponentOptions {
  readonly listen: Listen;
  readonly tls: CertificateFiles;
  /** `https://host:port` of the Kubernetes API, and the PEM file of the authorities by which it is verified. */
  readonly upstream: string;
  readonly upstreamCa: string;
  /** PEM file of more of them. */
  readonly extraCa?: string | undefined;
  readonly userAgent: string;
  readonly assets: Assets;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ConsoleMetrics;
}

const LIMITS = { headerTimeoutMs: 10_000, requestTimeoutMs: 30_000 };
/** The longest token, and what browsers and proxies send beside it. */
const MAX_HEAD_BYTES = 32 * 1024;
const MOST_CONNECTIONS = 1_000;
const RELOAD_MS = 5_000;
const RETRY_MS = 1_000;
const DRAIN_MS = 5_000;
/** Of one person. */
const CONNECTIONS = 4;

/** The console on a hub. It stores nothing and has no rights of its own: every call is made with the token of a person. */
export class ConsoleComponent {
  readonly name = 'console';
  readonly #options: ComponentOptions;
  readonly #server: HttpsServer;
  /** All persons have the same hub. */
  readonly #hubClock: ServerClock;
  readonly #certificate: ServingCertificateFiles;
  readonly #authority: FileReloader;
  readonly #people: People;
  #served: X509Certificate | undefined;
  #ca = '';
  #notReached: string | undefined = 'the API server has not been reached yet';
  #state: 'new' | 'serving' | 'draining' = 'new';
  #timer: Timer | undefined;

  constructor(options: ComponentOptions) {
    this.#options = options;
    const { clock, log, metrics, assets, upstream: hub } = options;
    this.#hubClock = new ServerClock(clock);
    const connect = (token: string): Transport => this.#connect(token);
    this.#people = new People({ connect, hub, clock: this.#hubClock });
    metrics.people(() => this.#people.size);
    const serves = (host: string): boolean => this.#serves(host);
    const entrance = new TokenEntrance({ people: this.#people, serves, clock, log });
    const connections = new Connections(MOST_CONNECTIONS);
    const onDropped = (): void => undefined;
    this.#server = new HttpsServer({ limits: LIMITS, maxHeadBytes: MAX_HEAD_BYTES, connections, clock, onDropped });
    this.#server.node.on('request', (request, response) => {
      response.once('finish', () => {
        metrics.answered(response.statusCode);
        // Those whose token was accepted are replaced last when there are too many connections.
        if (request.url?.startsWith('/api/') === true && response.statusCode < 400)
          connections.markAccepted(request.socket);
      });
      if (this.#state === 'draining') response.shouldKeepAlive = false;
      void respond({ assets, entrance }, request, response);
    });
    const reload = { clock, log, metrics, everyMs: RELOAD_MS };
    this.#certificate = new ServingCertificateFiles(options.tls, (pair) => this.#useCertificate(pair), reload);
    const apply = ([ca = '']: readonly string[]): void => this.#useAuthority(ca);
    this.#authority = new FileReloader({ name: 'upstream-ca', paths: [options.upstreamCa], apply }, reload);
  }

  /** Reads the files and listens; resolves with the port. @throws Error in one line */
  async start(): Promise<number> {
    const { listen, log } = this.#options;
    this.#authority.start();
    this.#certificate.start();
    const port = await this.#server.start(listen.host, listen.port);
    this.#state = 'serving';
    log.info({ endpoint: 'console', host: listen.host, port }, 'listening');
    void this.#reach();
    return port;
  }

  /** Serves, once started, until `signal` fires; then stops. */
  async run(signal: AbortSignal): Promise<boolean> {
    await whenAborted(signal);
    await this.stop();
    return true;
  }

  async stop(): Promise<void> {
    this.#state = 'draining';
    this.#timer?.cancel();
    await this.#server.stop(DRAIN_MS);
    this.#certificate.stop();
    this.#authority.stop();
    this.#people.close();
  }

  readiness(): HealthCheck {
    return { name: 'console', check: () => this.#notReadyReason() };
  }

  /** Asks the API server with the scraper's token whether it may read the metrics. */
  accessReviewer(): ReviewAccess {
    return selfAccessReviewer((token) => this.#connect(token));
  }

  #notReadyReason(): string | undefined {
    if (this.#state !== 'serving') return this.#state === 'draining' ? 'shutting down' : 'not started';
    return this.#certificate.problem(this.#options.clock.now()) ?? this.#notReached;
  }

  #connect(token: string | undefined): Transport {
    const { upstream: server, extraCa, userAgent, clock, log } = this.#options;
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const load = async (): Promise<Credentials> => ({
      server,
      headers,
      tls: { ca: withExtraAuthorities(this.#ca, extraCa), rejectUnauthorized: true },
    });
    const serverClock = this.#hubClock;
    const tools = { clock, serverClock, random: systemRandom, log, userAgent, connections: CONNECTIONS };
    return createTransport({ load }, tools);
  }

  /** Until the API server was reached and verified once, this pod must not replace a working one. */
  async #reach(): Promise<void> {
    const transport = this.#connect(undefined);
    try {
      const target = { verb: 'get', resource: 'version' };
      await transport.call({ method: 'GET', path: '/version', target, idempotent: true, attempts: 1 });
      this.#notReached = undefined;
    } catch (error) {
      // An API server that refuses anonymous requests has been reached.
      const isReached = error instanceof ApiError && error.status > 0 && error.status < 500;
      this.#notReached = isReached ? undefined : `the API server cannot be reached or verified: ${errorText(error)}`;
    } finally {
      await transport.close();
    }
    if (this.#notReached !== undefined && this.#state === 'serving')
      this.#timer = this.#options.clock.after(RETRY_MS, () => void this.#reach());
  }

  #serves(host: string): boolean {
    const name = host.replace(/^\[(.*)\]$/, '$1');
    const found = isIP(name) === 0 ? this.#served?.checkHost(name) : this.#served?.checkIP(name);
    return found !== undefined;
  }

  #useCertificate(pair: ServingPair): void {
    const served = new X509Certificate(pair.cert);
    this.#server.setCertificate(pair);
    this.#served = served;
    this.#options.metrics.certificateExpiry(pair.notAfter / 1000);
  }

  #useAuthority(ca: string): void {
    const problem = certificatesProblem(ca, 'the file of authorities');
    if (problem !== undefined) throw new Error(`${this.#options.upstreamCa}: ${problem}`);
    this.#ca = ca;
  }
}
