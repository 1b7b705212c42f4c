import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import type { TLSSocket } from 'node:tls';
import { authority, certificate, type Pair } from '../../runtime/transport/certificate.js';

/** What an API server saw of the one review that a client asked it for. */
export interface Seen {
  readonly scheme: string;
  readonly path: string;
  readonly namespace: string;
  /** The credentials and the impersonation, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Common name of the client's certificate. */
  readonly client: string;
  /** The server name of the handshake. */
  readonly serverName: string;
  /** The proxies that opened a way to it. */
  readonly proxies: readonly string[];
}

const HEADERS = /^(authorization$|impersonate-)/;
const ANSWER = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectRulesReview',
  metadata: {},
  spec: {},
  status: { resourceRules: [], nonResourceRules: [], incomplete: false },
};

/** API servers with and without TLS, and proxies in front of them, that record who asked how. */
export class Recorder {
  readonly ca = authority('hub ca');
  readonly client: Pair = certificate({ name: 'someone', issuer: this.ca });
  readonly #pair = certificate({ name: 'localhost', issuer: this.ca });
  readonly #proxyPair = certificate({ name: 'proxy', issuer: this.ca });
  readonly #servers: TcpServer[] = [];
  readonly #sockets = new Set<Socket>();
  #seen: Seen[] = [];
  #proxies: string[] = [];

  /** The addresses, by the words that stand for them in a kubeconfig. */
  async start(): Promise<Readonly<Record<string, string>>> {
    const tls = { requestCert: true, rejectUnauthorized: false, ca: this.ca.cert };
    const proxy = (name: string, server: Server): Promise<number> =>
      this.#listen(
        server.on('connect', (request: IncomingMessage, socket: Socket) => this.#tunnel(name, request, socket)),
      );
    const forward: RequestListener = (request, response) => {
      this.#proxies.push('http');
      const { pathname } = new URL(request.url ?? '');
      this.#review(Object.assign(request, { url: pathname }), response);
    };
    const https = await this.#listen(createHttpsServer({ ...tls, ...this.#pair }, this.#review));
    const http = await this.#listen(createHttpServer(this.#review));
    const httpProxy = await proxy('http', createHttpServer(forward));
    const httpsProxy = await proxy('https', createHttpsServer({ ...this.#proxyPair }));
    const socksProxy = await this.#listen(createTcpServer((socket) => this.#socks(socket)));
    return {
      HTTPS_PORT: String(https),
      HTTP_PORT: String(http),
      PROXY_PORT: String(httpProxy),
      SECURE_PROXY_PORT: String(httpsProxy),
      SOCKS_PORT: String(socksProxy),
      CA_DATA: Buffer.from(this.ca.cert).toString('base64'),
      OTHER_CA_DATA: Buffer.from(authority('another ca').cert).toString('base64'),
      CERT_DATA: Buffer.from(this.client.cert).toString('base64'),
      KEY_DATA: Buffer.from(this.client.key).toString('base64'),
    };
  }

  /** What was seen since the last call. */
  take(): readonly Seen[] {
    const seen = this.#seen;
    this.#seen = [];
    this.#proxies = [];
    return seen;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  async #listen(server: TcpServer): Promise<number> {
    this.#servers.push(server);
    server.on('connection', (socket: Socket) => this.#hold(socket));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  readonly #review: RequestListener = (request, response) => {
    const body: Buffer[] = [];
    request.on('data', (chunk: Buffer) => body.push(chunk));
    request.on('end', () => {
      const { method, url = '', headers, socket } = request;
      if (method === 'POST') {
        const tls = socket as Partial<TLSSocket>;
        const path = url.replace(/\?.*$/, '');
        this.#seen.push({
          scheme: tls.encrypted === true ? 'https' : 'http',
          path,
          namespace: namespaceIn(Buffer.concat(body)),
          headers: Object.fromEntries(
            Object.entries(headers)
              .filter(([name]) => HEADERS.test(name))
              .map(([name, value]) => [name, String(value)] as const)
              .sort(([a], [b]) => (a < b ? -1 : 1)),
          ),
          client: tls.getPeerCertificate?.().subject?.CN?.toString() ?? '',
          serverName: String(tls.servername ?? ''),
          proxies: this.#proxies,
        });
      }
      response.setHeader('content-type', 'application/json');
      response.statusCode = method === 'POST' ? 201 : 200;
      response.end(JSON.stringify(ANSWER));
    });
  };

  #tunnel(name: string, request: IncomingMessage, client: Socket): void {
    const authorization = request.headers['proxy-authorization'];
    this.#proxies.push(authorization === undefined ? name : `${name} ${authorization}`);
    this.#pipe(client, request.url ?? '', 'HTTP/1.1 200 Connection established\r\n\r\n');
  }

  /** RFC 1928, without a password, for a name or an IPv4 address. */
  #socks(client: Socket): void {
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (ask: Buffer) => {
        const length = ask[4] ?? 0;
        const host = ask[3] === 3 ? ask.subarray(5, 5 + length).toString() : [...ask.subarray(4, 8)].join('.');
        this.#proxies.push('socks');
        this.#pipe(client, `${host}:${ask.readUInt16BE(ask.length - 2)}`, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      });
    });
  }

  #pipe(client: Socket, target: string, ready: string | Buffer): void {
    const { port } = new URL(`tcp://${target}`);
    const upstream = connect(Number(port), '127.0.0.1', () => {
      client.write(ready);
      client.pipe(upstream).pipe(client);
    });
    this.#hold(upstream);
  }
}

/**
 * The namespace of a SelfSubjectRulesReview in JSON, or in Kubernetes' protobuf: field 2 of the envelope, 2 (spec), 1
 * (namespace).
 */
function namespaceIn(body: Buffer): string {
  if (body[0] === 0x7b)
    return String((JSON.parse(body.toString()) as { spec: { namespace?: string } }).spec.namespace ?? '');
  return nested(nested(nested(body.subarray(4), 2), 2), 1).toString();
}

/** The bytes of a field of a message whose fields are all shorter than 128 bytes. */
function nested(message: Buffer, field: number): Buffer {
  for (let at = 0; at < message.length;) {
    const length = message[at + 1] ?? 0;
    if (message[at] === ((field << 3) | 2)) return message.subarray(at + 2, at + 2 + length);
    at += 2 + length;
  }
  return Buffer.alloc(0);
}
