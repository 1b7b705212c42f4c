import { constants } from 'node:crypto';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../clock.js';
import { type Connections, listen } from './connections.js';
import { Handshakes } from './handshakes.js';
import type { ServingPair } from '../tls/serving.js';

export interface HttpsLimits {
  /** From the first byte, or the opening of the connection, to the end of the head. Ms, like the others. */
  readonly headerTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

interface HttpsServerOptions {
  readonly limits: HttpsLimits;
  readonly maxHeadBytes: number;
  readonly connections: Connections;
  readonly clock: Clock;
  /** A connection was rejected: its handshake has failed, or there are too many. */
  readonly onDropped: (cause: 'tls' | 'capacity') => void;
}

/** Only those with forward secrecy and authenticated encryption. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');
/** The TLS options of every HTTPS server for users. */
const TLS = {
  minVersion: 'TLSv1.2',
  ciphers: CIPHERS,
  honorCipherOrder: true,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;
const KEEP_ALIVE_MS = 15_000;
const TIMEOUT_CHECK_MS = 500;

/** HTTP/1.1 over TLS 1.2 or newer: bounded connections, handshakes and waits. Who uses it listens for its requests. */
export class HttpsServer {
  readonly node: Server;
  readonly #options: HttpsServerOptions;
  readonly #handshakes: Handshakes;

  constructor(options: HttpsServerOptions) {
    this.#options = options;
    const { clock, limits, onDropped, connections } = options;
    this.node = createServer(settingsOf(options));
    this.node.maxHeadersCount = 0;
    const timeoutMs = limits.headerTimeoutMs;
    this.#handshakes = new Handshakes({ clock, timeoutMs, onDropped: () => onDropped('tls') });
    this.#handshakes.attach(this.node);
    this.node.on('connection', (socket: Socket) => {
      if (connections.accept(socket) !== 'accepted') onDropped('capacity');
    });
    this.node.on('tlsClientError', () => onDropped('tls'));
    // A connection could not be accepted: no file descriptor is left. The server continues by itself.
    this.node.on('error', () => onDropped('capacity'));
  }

  /** Uses this certificate from the next handshake on; open connections keep theirs. */
  setCertificate({ cert, key }: ServingPair): void {
    this.node.setSecureContext({ ...TLS, cert, key });
  }

  /** Listens. Resolves with the port; rejects when the address cannot be used. */
  start(host: string, port: number): Promise<number> {
    return listen(this.node, { host, port });
  }

  /** Accepts no more connections, waits up to `graceMs` for requests in progress, then closes the connections left. */
  async stop(graceMs: number): Promise<void> {
    const { clock, connections } = this.#options;
    const closed = new Promise<void>((resolve) => this.node.close(() => resolve()));
    this.node.closeIdleConnections();
    this.#handshakes.close();
    // Not closeAllConnections of the server: it knows none whose TLS handshake has not ended.
    const timer = clock.after(graceMs, () => connections.closeAll());
    await closed;
    timer.cancel();
  }
}

function settingsOf({ limits, maxHeadBytes }: HttpsServerOptions): ServerOptions {
  return {
    ...TLS,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: limits.headerTimeoutMs,
    headersTimeout: limits.headerTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: Math.min(KEEP_ALIVE_MS, limits.requestTimeoutMs),
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, limits.headerTimeoutMs),
    maxHeaderSize: maxHeadBytes,
    requireHostHeader: false,
    insecureHTTPParser: false,
    noDelay: true,
  };
}
