import type { Socket } from 'node:net';

/** `evicted`: accepted in place of another one, which was closed. `rejected`: closed. */
export type Admission = 'accepted' | 'evicted' | 'rejected';

/**
 * The open connections. At the limit, a new one replaces the one whose last response is the oldest. A connection for
 * which a call to the API server is in progress is never replaced; an idle one, or one in the middle of a slow request,
 * keeps no other client out.
 */
export class Connections {
  readonly #limit: number;
  /** By the client's address and port, which a TLS connection and the TCP connection below it share. Oldest first. */
  readonly #idle = new Map<string, Socket>();
  readonly #active = new Map<string, Socket>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get open(): number {
    return this.#idle.size + this.#active.size;
  }

  /** Adds a connection. It is closed when all others have a call in progress. */
  accept(socket: Socket): Admission {
    const key = keyOf(socket);
    const full = this.open >= this.#limit;
    if (full && !this.#evictOldest()) {
      socket.destroy();
      return 'rejected';
    }
    this.#idle.set(key, socket);
    socket.once('close', () => {
      if (this.#idle.get(key) === socket) this.#idle.delete(key);
      if (this.#active.get(key) === socket) this.#active.delete(key);
    });
    return full ? 'evicted' : 'accepted';
  }

  /** The TCP connection below a TLS connection. */
  tcpOf(socket: Socket): Socket | undefined {
    const key = keyOf(socket);
    return this.#idle.get(key) ?? this.#active.get(key);
  }

  /** A call to the API server is in progress for it. */
  markActive(socket: Socket): void {
    moveToEnd(keyOf(socket), this.#idle, this.#active);
  }

  /** No call is in progress for it: its last response is the newest. */
  markIdle(socket: Socket): void {
    const key = keyOf(socket);
    moveToEnd(key, this.#active, this.#idle);
    moveToEnd(key, this.#idle, this.#idle);
  }

  #evictOldest(): boolean {
    for (const [key, socket] of this.#idle) {
      this.#idle.delete(key);
      socket.destroy();
      return true;
    }
    return false;
  }
}

function moveToEnd(key: string, from: Map<string, Socket>, to: Map<string, Socket>): void {
  const socket = from.get(key);
  if (socket === undefined) return;
  from.delete(key);
  to.set(key, socket);
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}`;
}
