import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { systemClock, type Clock, type Timer } from '../clock.js';
import { ObservedConnection } from '../connection/failure.js';
import { errorText } from '../errors.js';
import { bareHost } from '../vocabulary/url.js';

/** Go's dialer waits so long before it tries the addresses of the other family too. */
const NEXT_MS = 300;
/** As undici names it where it connects itself. */
const TIMEOUT_CODE = 'UND_ERR_CONNECT_TIMEOUT';

interface DialOptions {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** From the last address that is tried. */
  readonly timeoutMs: number;
}

/** What a dialer uses of the system. */
export interface DialTools {
  readonly clock: Clock;
  /** In the order in which they are tried; at least one. */
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  readonly connect: (to: { readonly host: string; readonly port: number }) => Socket;
}

const SYSTEM: DialTools = {
  clock: systemClock,
  addressesOf: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  connect,
};

/**
 * Connects to a server over TCP. Its addresses are tried in order, each 300 ms after the one before, or when one has failed; the
 * first that connects is used, and none is given up before. Node gives up each but the last after 250 ms, and never reaches a
 * far server whose last address is silent; Go waits longer for each.
 * Rejects with the error of the name or of the only address, with an AggregateError of several, or with one of the code UND_ERR_CONNECT_TIMEOUT.
 */
export async function dial(options: DialOptions, tools: DialTools = SYSTEM): Promise<Socket> {
  const { host } = options;
  return race(isIP(host) === 0 ? await tools.addressesOf(host) : [host], options, tools);
}

async function race(
  addresses: readonly string[],
  { port, timeoutMs }: DialOptions,
  { clock, connect: open }: DialTools,
): Promise<Socket> {
  const left = [...addresses];
  const sockets = new Set<Socket>();
  const failures: Error[] = [];
  let timer: Timer | undefined;
  let winner: Socket | undefined;
  try {
    winner = await new Promise<Socket>((resolve, reject) => {
      const fail = (error: Error): void => {
        failures.push(error);
        reject(failures.length === 1 ? error : new AggregateError(failures));
      };
      const next = (): void => {
        timer?.cancel();
        const host = left.shift();
        if (host === undefined) return;
        const socket = open({ host, port });
        sockets.add(socket);
        socket.once('connect', () => resolve(socket));
        socket.once('error', (error) => {
          sockets.delete(socket);
          if (left.length === 0 && sockets.size === 0) return fail(error);
          failures.push(error);
          if (left.length > 0) next();
        });
        const late = (): void => fail(Object.assign(new Error('no address answers'), { code: TIMEOUT_CODE }));
        timer = left.length > 0 ? clock.after(NEXT_MS, next) : clock.after(timeoutMs, late);
      };
      next();
    });
    return winner;
  } finally {
    timer?.cancel();
    left.length = 0;
    for (const socket of sockets) if (socket !== winner) socket.destroy();
  }
}

/** A proxy did not open a way to the server. */
class ProxyError extends Error {
  readonly code = 'ERR_PROXY';
}

interface TunnelOptions {
  /** An http, https or socks5 URL. */
  readonly proxy: URL;
  readonly host: string;
  readonly port: number;
  /** For the connection to an https proxy: that for the server, as in Go's net/http. */
  readonly secureContext: SecureContext | undefined;
  readonly rejectUnauthorized: boolean;
  readonly timeoutMs: number;
}

/** Opens a connection to a server through a proxy. Rejects with ProxyError, or with the error of the connection to the proxy. */
export function openTunnel(options: TunnelOptions): Promise<Socket> {
  return options.proxy.protocol === 'socks5:' ? openSocks(options) : openConnect(options);
}

function openConnect(options: TunnelOptions): Promise<Socket> {
  const { proxy, host, port, secureContext, rejectUnauthorized, timeoutMs } = options;
  const isSecure = proxy.protocol === 'https:';
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const { username, password } = userOf(proxy);
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const proxyAt = addressOf(proxy, isSecure ? 443 : 80);
  const tls = secureContext === undefined ? {} : { secureContext };
  const servername = isIP(proxyAt.host) === 0 ? { servername: proxyAt.host } : {};
  const ask = {
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(proxy.username === '' ? {} : { 'proxy-authorization': authorization }) },
    timeout: timeoutMs,
  };
  return new Promise((resolve, reject) => {
    const way = isSecure ? connectTls({ ...proxyAt, ...servername, ...tls, rejectUnauthorized }) : connect(proxyAt);
    const connection = new ObservedConnection(way, false);
    const request = httpRequest({ ...ask, createConnection: () => way });
    request.on('connect', ({ statusCode }: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.setTimeout(0);
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.destroy();
      reject(
        new ProxyError(
          statusCode === 407 ? 'it wants a user name and a password (407)' : `it answered with ${statusCode}`,
        ),
      );
    });
    request.on('timeout', () => request.destroy(new ProxyError('it does not answer')));
    request.on('error', (error) => reject(connection.failed(error)));
    request.end();
  });
}

/** For `net.connect`. */
function addressOf(proxy: URL, defaultPort: number): { readonly host: string; readonly port: number } {
  return { host: bareHost(proxy.hostname), port: proxy.port === '' ? defaultPort : Number(proxy.port) };
}

/** The package that speaks SOCKS (RFC 1928) is loaded for such a proxy alone. The proxy resolves the name of the server. */
async function openSocks({ proxy, host, port, timeoutMs }: TunnelOptions): Promise<Socket> {
  const { SocksClient } = await import('socks');
  const at = addressOf(proxy, 1080);
  const { username, password } = userOf(proxy);
  const socket = connect(at);
  socket.setTimeout(timeoutMs, () => socket.destroy(new ProxyError('it does not answer')));
  await once(socket, 'connect');
  socket.setTimeout(0);
  try {
    const user = username === '' ? {} : { userId: username, password };
    const destination = { host, port };
    const options = {
      proxy: { ...at, ...user, type: 5 },
      destination,
      timeout: timeoutMs,
      existing_socket: socket,
    } as const;
    await SocksClient.createConnection({ ...options, command: 'connect' });
    return socket;
  } catch (error) {
    throw new ProxyError(`it answers: ${errorText(error)}`);
  }
}

function userOf({ username, password }: URL): { readonly username: string; readonly password: string } {
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}
