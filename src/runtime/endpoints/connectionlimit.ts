import type { Socket } from 'node:net';

/**
 * The open connections of an endpoint. At the limit a new one replaces the oldest one that is not trusted, so that
 * connections without an accepted token keep nobody out; if all are trusted, the oldest of them.
 */
export class ConnectionLimit {
  readonly #limit: number;
  /** By the client's address and port, which a TLS connection shares with the TCP connection below it. */
  readonly #waiting = new Map<string, Socket>();
  readonly #trusted = new Map<string, Socket>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a TCP connection. */
  accept(socket: Socket): void {
    if (this.#waiting.size + this.#trusted.size >= this.#limit) this.#evict();
    const key = keyOf(socket);
    this.#waiting.set(key, socket);
    socket.once('close', () => {
      for (const group of [this.#waiting, this.#trusted]) if (group.get(key) === socket) group.delete(key);
    });
  }

  /** A request on this connection had an accepted token. */
  trust(socket: Socket): void {
    const key = keyOf(socket);
    const tcp = this.#waiting.get(key);
    if (tcp === undefined) return;
    this.#waiting.delete(key);
    this.#trusted.set(key, tcp);
  }

  closeAll(): void {
    for (const group of [this.#waiting, this.#trusted]) for (const socket of group.values()) socket.destroy();
  }

  #evict(): void {
    const group = this.#waiting.size > 0 ? this.#waiting : this.#trusted;
    for (const [key, socket] of group) {
      group.delete(key);
      socket.destroy();
      return;
    }
  }
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}`;
}
