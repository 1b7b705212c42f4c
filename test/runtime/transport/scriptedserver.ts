import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';

/** A request as the server saw it, body read to its end. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Script = (seen: Seen, response: ServerResponse, socket: Socket) => void;

interface Secure extends SecureContextOptions {
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

/** An HTTP(S) server on a free local port whose answers a test scripts. */
export class ScriptedServer {
  readonly seen: Seen[] = [];
  /** Answers what no script was queued for. */
  otherwise: Script = (_, response) => json(response, 200, {});
  readonly #scripts: Script[] = [];
  readonly #server: Server;
  readonly #secure: boolean;
  readonly #sockets = new Set<Socket>();
  #connections = 0;

  private constructor(secure: Secure | undefined) {
    const listen: RequestListener = (incoming, response) => void this.#answer(incoming, response);
    this.#secure = secure !== undefined;
    this.#server = secure === undefined ? createServer(listen) : createSecureServer(secure, listen);
    this.#server.on(this.#secure ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('tlsClientError', () => undefined);
  }

  static async start(secure?: Secure): Promise<ScriptedServer> {
    const server = new ScriptedServer(secure);
    await new Promise<void>((resolve) => void server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#secure ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  /** Connections since the start. */
  get connections(): number {
    return this.#connections;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Scripts for the next requests, in order. */
  next(...scripts: Script[]): void {
    this.#scripts.push(...scripts);
  }

  /** Another certificate for new connections. */
  secure(options: SecureContextOptions): void {
    if ('setSecureContext' in this.#server)
      (this.#server as ReturnType<typeof createSecureServer>).setSecureContext(options);
  }

  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.dropConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const seen = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    this.seen.push(seen);
    const script = this.#scripts.shift() ?? this.otherwise;
    script(seen, response, incoming.socket);
  }
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Answers with a Status. */
export function refusal(
  status: number,
  reason = '',
  headers: Record<string, string> = {},
  details: object = {},
): Script {
  return (_, response) =>
    json(
      response,
      status,
      {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        message: `scripted ${reason}`,
        reason,
        details,
        code: status,
      },
      headers,
    );
}

export function success(body: unknown = { ok: true }): Script {
  return (_, response) => json(response, 200, body);
}

export function raw(status: number, contentType: string, body: string, headers: Record<string, string> = {}): Script {
  return (_, response) => void response.writeHead(status, { 'content-type': contentType, ...headers }).end(body);
}

/** The connection is reset instead of an answer. */
export const reset: Script = (_, __, socket) => socket.destroy();

/** Nothing comes, ever. */
export const silence: Script = () => undefined;

/** The head and half of the body come, then the connection ends. */
export function cut(body: unknown): Script {
  return (_, response, socket) => {
    const text = JSON.stringify(body);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(text.length) });
    response.write(text.slice(0, text.length / 2), () => socket.destroy());
  };
}
