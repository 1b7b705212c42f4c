import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { TokenServer, type TokenServerOptions } from '../../runtime/endpoints/tokenserver.js';
import { Connections } from '../../runtime/http/connections.js';
import { HttpsServer } from '../../runtime/http/httpsserver.js';
import type { ServingPair } from '../../runtime/tls/serving.js';
import { ServerClock } from '../../runtime/transport/serverclock.js';
import type { Assets } from '../server/assets.js';
import { respond } from '../server/server.js';
import { TokenEntrance } from './entrance.js';
import type { ConsoleMetrics } from './metrics.js';
import { People, type PeopleOptions } from './people.js';
import { bareHost } from '../../runtime/vocabulary/url.js';

export interface ComponentOptions extends TokenServerOptions {
  readonly assets: Assets;
  readonly metrics: ConsoleMetrics;
}

const LIMITS = { headerTimeoutMs: 10_000, requestTimeoutMs: 30_000 };
/** The longest token, and what browsers and proxies send beside it. */
const MAX_HEAD_BYTES = 32 * 1024;
const MOST_CONNECTIONS = 1_000;
const DRAIN_MS = 5_000;
/** How many connections to the hub each person has. */
const CONNECTIONS = 4;

/** The console on a hub. It stores nothing and has no rights of its own: every call is made with the token of a person. */
export class ConsoleComponent extends TokenServer {
  readonly name = 'console';
  protected readonly server: HttpsServer;
  readonly #people: People;
  #served: X509Certificate | undefined;

  constructor(options: ComponentOptions) {
    super(options);
    const { clock, log, metrics, assets, upstream: hub } = options;
    // All persons have the same hub.
    const hubClock = new ServerClock(clock);
    const connect: PeopleOptions['connect'] = (token) =>
      this.connect(token, { serverClock: hubClock, connections: CONNECTIONS });
    this.#people = new People({ connect, hub, clock: hubClock });
    metrics.people(() => this.#people.size);
    const serves = (host: string): boolean => this.#serves(host);
    const entrance = new TokenEntrance({ people: this.#people, serves, clock, log });
    const connections = new Connections(MOST_CONNECTIONS);
    const onDropped = (): void => undefined;
    this.server = new HttpsServer({ limits: LIMITS, maxHeadBytes: MAX_HEAD_BYTES, connections, clock, onDropped });
    this.server.node.on('request', (request, response) => {
      response.once('finish', () => {
        metrics.answered(response.statusCode);
        // Those whose token was accepted are replaced last when there are too many connections.
        if (request.url?.startsWith('/api/') === true && response.statusCode < 400)
          connections.markAccepted(request.socket);
      });
      if (this.isDraining) response.shouldKeepAlive = false;
      void respond({ assets, entrance, clock }, request, response);
    });
  }

  protected async close(): Promise<void> {
    await this.server.stop(DRAIN_MS);
    this.#people.close();
  }

  protected override useCertificate(pair: ServingPair): void {
    super.useCertificate(pair);
    this.#served = new X509Certificate(pair.cert);
  }

  #serves(host: string): boolean {
    const name = bareHost(host);
    const found = isIP(name) === 0 ? this.#served?.checkHost(name) : this.#served?.checkIP(name);
    return found !== undefined;
  }
}
