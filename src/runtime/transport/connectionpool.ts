import { createHash } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { checkServerIdentity, createSecureContext, type SecureContext } from 'node:tls';

import { Agent, buildConnector, Client, ProxyAgent, type Dispatcher } from 'undici';
import type { Credentials } from './credentials.js';
import { notConnected, observed } from '../connection/failure.js';
import type { Phase } from '../connection/codes.js';
import { asError } from '../errors.js';
import { dial, openTunnel } from './dial.js';
import { bareHost } from '../vocabulary/url.js';

interface PoolOptions {
  /** Connections for calls. */
  readonly connections: number;
  /** Longest wait for the response headers, in ms. */
  readonly headersTimeoutMs: number;
}

/** Streams, such as watches, have connections of their own, since each keeps one for minutes. */
export type PoolKind = 'calls' | 'streams';

const STREAM_CONNECTIONS = 128;
/** Below the 90 s after which the API server closes an idle connection, so that no call uses a closing one. */
const KEEP_ALIVE_MS = 30_000;
/** TCP keep-alive: the first probe after this idle time, nine more each second: a peer without a word for 14 s is dead. */
const TCP_PROBE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 5_000;

type Agents = Readonly<Record<PoolKind, Dispatcher>> & { readonly connect: buildConnector.connector };

/** Connections to the API server, replaced when CA, client certificate or address change. */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #retired = new Set<Dispatcher>();
  readonly #open = new Set<Socket>();
  #agents: Agents | undefined;
  #key = '';
  /** Those of `#key`. They are the same object until they are read again, so that a call computes no digest. */
  #credentials: Credentials | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** The dispatcher for calls with these credentials. @throws Error when a certificate or a key cannot be read */
  dispatcher(credentials: Credentials, kind: PoolKind): Dispatcher {
    if (this.#agents !== undefined && credentials === this.#credentials) return this.#agents[kind];
    const key = keyOf(credentials);
    if (this.#agents === undefined || key !== this.#key) {
      const connect = this.#counting(connectorOf(credentials));
      this.#retire();
      this.#agents = {
        connect,
        calls: this.#agent(credentials, connect, this.#options.connections),
        streams: this.#agent(credentials, connect, STREAM_CONNECTIONS),
      };
      this.#key = key;
    }
    this.#credentials = credentials;
    return this.#agents[kind];
  }

  /** The connections that are open now. */
  get open(): ReadonlySet<Socket> {
    return this.#open;
  }

  /** A client with one connection of its own, as those of the last dispatcher. */
  client({ server }: Credentials): Client {
    const options = { pipelining: 1, allowH2: false, keepAliveTimeout: KEEP_ALIVE_MS };
    return new Client(new URL(server).origin, { ...options, ...(this.#agents && { connect: this.#agents.connect }) });
  }

  /** Closes every connection; resolves when no socket is left. */
  async close(): Promise<void> {
    const open = [...this.#retired, ...dispatchersOf(this.#agents)];
    this.#agents = undefined;
    this.#retired.clear();
    await Promise.all(open.map((agent) => agent.destroy()));
  }

  /** Closes the old connections after their current calls. */
  #retire(): void {
    for (const agent of dispatchersOf(this.#agents)) {
      this.#retired.add(agent);
      const gone = (): void => void this.#retired.delete(agent);
      agent.close().then(gone, gone);
    }
  }

  #counting(connector: buildConnector.connector): buildConnector.connector {
    return (options, callback) =>
      connector(options, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        this.#open.add(socket);
        socket.once('close', () => this.#open.delete(socket));
        callback(null, socket);
      });
  }

  #agent({ server, proxy }: Credentials, connect: buildConnector.connector, connections: number): Dispatcher {
    const options = {
      connections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: this.#options.headersTimeoutMs,
      allowH2: false,
    };
    // Without TLS an HTTP proxy is asked for the whole URL: many open no tunnel to such a server.
    if (proxy?.startsWith('http:') === true && server.startsWith('http:'))
      return new ProxyAgent({ ...options, uri: proxy, proxyTunnel: false });
    return new Agent({ ...options, connect });
  }
}

function dispatchersOf(agents: Agents | undefined): readonly Dispatcher[] {
  return agents === undefined ? [] : [agents.calls, agents.streams];
}

/**
 * Connects to the server, through its proxy. One for all agents: it keeps the TLS session, by which the next connection needs no
 * signature of the server. An Agent's own is gone with its last connection.
 */
export function connectorOf(credentials: Credentials, timeoutMs = CONNECT_TIMEOUT_MS): buildConnector.connector {
  const { servername = '', rejectUnauthorized } = credentials.tls;
  const address = addressIn(servername);
  const secureContext = secureContextOf(credentials);
  const connector = buildConnector({
    ...(secureContext === undefined ? {} : { secureContext }),
    ...(address === ''
      ? { servername }
      : { checkServerIdentity: (_, certificate) => checkServerIdentity(address, certificate) }),
    rejectUnauthorized,
    timeout: timeoutMs,
    allowH2: false,
  });
  const direct = observed(address === '' ? connector : withoutName(connector, address));
  if (credentials.proxy === undefined)
    return keepingSession(over((host, port) => dial({ host, port, timeoutMs }), direct, 'connect'));
  const proxy = new URL(credentials.proxy);
  const tunnel = { proxy, secureContext, rejectUnauthorized, timeoutMs };
  return keepingSession(over((host, port) => openTunnel({ ...tunnel, host, port }), direct, 'proxy'));
}

/** Connects to the server, verifies it, and disconnects. Rejects with the error of the connection. */
export function checkConnection(credentials: Credentials): Promise<void> {
  const { hostname, host, protocol, port } = new URL(credentials.server);
  return new Promise((resolve, reject) =>
    connectorOf(credentials)({ hostname, host, protocol, port }, (...[error, socket]) => {
      socket?.destroySoon();
      if (error === null) resolve();
      else reject(error);
    }),
  );
}

/** The address in a server name, `::1` or `[::1]`; empty for a name. */
function addressIn(servername: string): string {
  const address = bareHost(servername);
  return isIP(address) === 0 ? '' : address;
}

/** TLS names no address to the server (RFC 6066), and not the host instead, as Go: the certificate alone is for it. */
function withoutName(connector: buildConnector.connector, address: string): buildConnector.connector {
  return (options, callback) => connector({ ...options, servername: '', host: address }, callback);
}

/** The connector, over what `open` opens. `phase`: that which fails where nothing is opened. */
function over(
  open: (host: string, port: number) => Promise<Socket>,
  connector: buildConnector.connector,
  phase: Phase,
): buildConnector.connector {
  return (options, callback) => {
    const isSecure = options.protocol === 'https:';
    // Sockets and certificates have addresses without the brackets of URLs.
    const hostname = bareHost(options.hostname);
    const port = Number(options.port === '' ? (isSecure ? 443 : 80) : options.port);
    const connected = (socket: Socket): void => {
      socket.setNoDelay(true).setKeepAlive(true, TCP_PROBE_MS);
      if (isSecure) connector({ ...options, hostname, httpSocket: socket }, callback);
      else callback(null, socket);
    };
    const failed = (error: unknown): void => callback(notConnected(asError(error), phase), null);
    open(hostname, port).then(connected, failed);
  };
}

/** The connector. It keeps the newest TLS session in memory: undici caches sessions by weak references alone. */
function keepingSession(connector: buildConnector.connector): buildConnector.connector {
  const newest: { session?: Buffer } = {};
  return (options, callback) =>
    connector(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      // With TLS 1.3 it comes after the handshake.
      socket.on('session', (session: Buffer) => (newest.session = session));
      callback(null, socket);
    });
}

/** One for all connections: Node would read the certificates and the key again for each. */
function secureContextOf({ server, tls: { ca, cert, key } }: Credentials): SecureContext | undefined {
  try {
    return server.startsWith('https:') ? createSecureContext({ ca, cert, key }) : undefined;
  } catch (error) {
    throw notConnected(asError(error), 'connect');
  }
}

/** A digest, so that the key material is not stored a second time. */
function keyOf(credentials: Credentials): string {
  const { ca, cert, key, servername, rejectUnauthorized } = credentials.tls;
  const parts = [credentials.server, credentials.proxy, ca, cert, key, servername, rejectUnauthorized];
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${String(part).length}:${String(part)};`);
  return hash.digest('hex');
}
