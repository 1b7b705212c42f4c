import type { Socket } from 'node:net';

/**
 * The open connections. When there are as many as allowed, a new one takes the place of the one that has been idle
 * longest: connections that only stand there keep nobody out.
 */
export class Connections {
  readonly #limit: number;
  /** By the client's address and port, in which a TLS connection and the TCP connection below it are alike. Oldest first. */
  readonly #idle = new Map<string, Socket>();
  readonly #busy = new Map<string, Socket>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get open(): number {
    return this.#idle.size + this.#busy.size;
  }

  /** Takes a connection in; false when it was cut because all others are at work. */
  add(socket: Socket): boolean {
    const key = keyOf(socket);
    if (this.open >= this.#limit && !this.#evict()) {
      socket.destroy();
      return false;
    }
    this.#idle.set(key, socket);
    socket.once('close', () => {
      if (this.#idle.get(key) === socket) this.#idle.delete(key);
      if (this.#busy.get(key) === socket) this.#busy.delete(key);
    });
    return true;
  }

  /** A request of it is being answered. */
  work(socket: Socket): void {
    move(keyOf(socket), this.#idle, this.#busy);
  }

  /** It waits for its next request. */
  rest(socket: Socket): void {
    move(keyOf(socket), this.#busy, this.#idle);
  }

  #evict(): boolean {
    for (const [key, socket] of this.#idle) {
      this.#idle.delete(key);
      socket.destroy();
      return true;
    }
    return false;
  }
}

function move(key: string, from: Map<string, Socket>, to: Map<string, Socket>): void {
  const socket = from.get(key);
  if (socket === undefined) return;
  from.delete(key);
  to.set(key, socket);
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}`;
}
