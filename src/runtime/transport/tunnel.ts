import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { ObservedConnection } from '../connection/observedconnection.js';

/** A proxy did not open a way to the server. */
class ProxyError extends Error {
  readonly code = 'ERR_PROXY';
}

export interface TunnelOptions {
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
  return { host: proxy.hostname.replace(/^\[|\]$/g, ''), port: proxy.port === '' ? defaultPort : Number(proxy.port) };
}

/** RFC 1928: the proxy resolves the name of the server. */
async function openSocks({ proxy, host, port, timeoutMs }: TunnelOptions): Promise<Socket> {
  const socket = connect(addressOf(proxy, 1080));
  socket.setTimeout(timeoutMs, () => socket.destroy(new ProxyError('it does not answer')));
  try {
    socket.write(Buffer.from(proxy.username === '' ? [5, 1, 0] : [5, 2, 0, 2]));
    const [version, method] = await take(socket, 2);
    if (version !== 5) throw new ProxyError('it does not speak SOCKS 5');
    if (method === 2) await authenticate(socket, userOf(proxy));
    else if (method !== 0) throw new ProxyError('it wants a user name and a password');
    const name = Buffer.from(host);
    socket.write(Buffer.from([5, 1, 0, 3, name.length, ...name, port >> 8, port & 0xff]));
    const [, status = 1, , type] = await take(socket, 4);
    if (status !== 0) throw new ProxyError(SOCKS_FAULTS[status] ?? `it answered with code ${status}`);
    const [length = 0] = type === 3 ? await take(socket, 1) : [type === 4 ? 16 : 4];
    await take(socket, length + 2);
    socket.setTimeout(0);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const SOCKS_FAULTS: readonly (string | undefined)[] = [
  undefined,
  'it failed',
  'it does not allow a connection to the server',
  'it cannot reach the network of the server',
  'it cannot reach the server',
  'the server refused its connection',
  'its connection to the server has expired',
  'it does not know the command',
  'it does not know this kind of address',
];

async function authenticate(socket: Socket, { username, password }: User): Promise<void> {
  const [name, secret] = [Buffer.from(username), Buffer.from(password)];
  socket.write(Buffer.from([1, name.length, ...name, secret.length, ...secret]));
  const [, status] = await take(socket, 2);
  if (status !== 0) throw new ProxyError('it does not accept the user name and the password');
}

/** The next `size` bytes. */
function take(socket: Socket, size: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stop = (): void => void socket.off('readable', read).off('error', fail).off('close', closed);
    const fail = (error: Error): void => {
      stop();
      reject(error);
    };
    const closed = (): void => fail(new ProxyError('it closed the connection'));
    const read = (): void => {
      const bytes = socket.read(size) as Buffer | null;
      if (bytes === null) return;
      stop();
      resolve(bytes);
    };
    socket.on('readable', read).on('error', fail).on('close', closed);
    read();
  });
}

interface User {
  readonly username: string;
  readonly password: string;
}

function userOf({ username, password }: URL): User {
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}
