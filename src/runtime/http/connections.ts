import type { Socket, Server } from 'node:net';
import { once } from 'node:events';

/** What became of a new connection. `evicted`: it was accepted, and another one was closed for it. `rejected`: it was closed. */
export type Acceptance = 'accepted' | 'evicted' | 'rejected';

/**
 * The open connections of a server, which closes one of them for a new one when there are as many as its limit. So clients that are
 * idle, wait or send slowly keep no other client out. Which one is closed:
 * - none for which a call to the API server is in progress
 * - first those that have not carried a token which the API server accepts, then the others
 * - among these the one whose last response is the oldest
 */
export class Connections {
  readonly #limit: number;
  /**
   * Connections without an accepted token, the oldest response first. Keys of these maps are the client's address and port, which a
   * TLS connection and the TCP connection below it share.
   */
  readonly #unaccepted = new Map<string, Socket>();
  /** Connections with an accepted token, the oldest response first. */
  readonly #accepted = new Map<string, Socket>();
  /** Connections for which a call to the API server is in progress. */
  readonly #active = new Map<string, Socket>();
  /** The connections that have carried an accepted token. */
  readonly #trusted = new WeakSet<Socket>();
  /** The keys of connections: Node computes the address each time that it is read. */
  readonly #keys = new WeakMap<Socket, string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get open(): number {
    return this.#unaccepted.size + this.#accepted.size + this.#active.size;
  }

  /** Adds a connection. It is closed when all others have a call in progress. */
  accept(socket: Socket): Acceptance {
    const key = this.#keyOf(socket);
    const full = this.open >= this.#limit;
    if (full && !this.#evictOldest()) {
      socket.destroy();
      return 'rejected';
    }
    this.#unaccepted.set(key, socket);
    socket.once('close', () => {
      for (const list of [this.#unaccepted, this.#accepted, this.#active])
        if (list.get(key) === socket) list.delete(key);
    });
    return full ? 'evicted' : 'accepted';
  }

  /** To be called when the API server has accepted the token of a request. */
  markAccepted(socket: Socket): void {
    this.#trusted.add(socket);
    moveToEnd(this.#keyOf(socket), this.#unaccepted, this.#accepted);
  }

  /** To be called when a call to the API server begins for the connection. */
  markActive(socket: Socket): void {
    const key = this.#keyOf(socket);
    moveToEnd(key, this.#unaccepted, this.#active);
    moveToEnd(key, this.#accepted, this.#active);
  }

  /** To be called when the call has ended: the connection now has the newest response. */
  markIdle(socket: Socket): void {
    const key = this.#keyOf(socket);
    const idle = this.#trusted.has(socket) ? this.#accepted : this.#unaccepted;
    moveToEnd(key, this.#active, idle);
    moveToEnd(key, idle, idle);
  }

  closeAll(): void {
    for (const list of [this.#unaccepted, this.#accepted, this.#active])
      for (const socket of list.values()) socket.destroy();
  }

  #evictOldest(): boolean {
    for (const list of [this.#unaccepted, this.#accepted]) {
      const [oldest] = list;
      if (oldest === undefined) continue;
      list.delete(oldest[0]);
      oldest[1].destroy();
      return true;
    }
    return false;
  }

  #keyOf(socket: Socket): string {
    // Another connection may have the address of one that is closed.
    if (socket.destroyed) return '';
    const known = this.#keys.get(socket);
    if (known !== undefined) return known;
    const key = `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}`;
    this.#keys.set(socket, key);
    return key;
  }
}

function moveToEnd(key: string, from: Map<string, Socket>, to: Map<string, Socket>): void {
  const socket = from.get(key);
  if (socket === undefined) return;
  from.delete(key);
  to.set(key, socket);
}

/** Listens. Resolves with the port, for port 0 with the free one that was taken; rejects when the address cannot be used. */
export async function listen(server: Server, at: { readonly host: string; readonly port: number }): Promise<number> {
  server.listen({ host: at.host, port: at.port });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : at.port;
}

/** Passes bytes to Node's HTTP parser. Returns whether the connection takes more of them now. */
export type Parse = (piece: Buffer) => boolean;

/**
 * Calls `receive` with each chunk of a connection in place of the HTTP parser of Node's server, which makes a request of
 * all that follows one: 64 KiB of tiny requests take it 0.1 s and more. `receive` passes on what the parser may have, and
 * returns the bytes that it gets again when the connection takes more of them.
 *
 * To be called in the event `connection` (of HTTPS `secureConnection`), when Node has added its own listener.
 */
export function interceptParser(socket: Socket, receive: (chunk: Buffer, parse: Parse) => Buffer): void {
  const parsers = socket.listeners('data');
  const parse: Parse = (piece) => {
    for (const parser of parsers) Reflect.apply(parser, socket, [piece]);
    return !socket.isPaused();
  };
  socket.removeAllListeners('data');
  // Without any listener for data, Node would feed its parser from the socket directly, also while the socket is paused
  // because the client reads slowly (a fault of Node).
  socket.on('data', (chunk: Buffer) => {
    const waiting = receive(chunk, parse);
    if (waiting.length > 0) socket.unshift(waiting);
  });
}
