import type { Socket } from 'node:net';

/**
 * The open connections. When there are as many as allowed, a new one takes the place of the one whose last answer lies
 * longest ago. Only those for which the API server is at work stay whatever comes: who merely holds a connection, be it
 * silent or in the middle of a slow request, keeps nobody out.
 */
export class Connections {
  readonly #limit: number;
  readonly #onEvicted: () => void;
  /** By the client's address and port, in which a TLS connection and the TCP connection below it are alike. Oldest first. */
  readonly #waiting = new Map<string, Socket>();
  readonly #busy = new Map<string, Socket>();

  /** `onEvicted` is called for each connection that had to give way. */
  constructor(limit: number, onEvicted: () => void = () => undefined) {
    this.#limit = limit;
    this.#onEvicted = onEvicted;
  }

  get open(): number {
    return this.#waiting.size + this.#busy.size;
  }

  /** Takes a connection in; false when it was cut because the API server is at work for all others. */
  accept(socket: Socket): boolean {
    const key = keyOf(socket);
    if (this.open >= this.#limit && !this.#evict()) {
      socket.destroy();
      return false;
    }
    this.#waiting.set(key, socket);
    socket.once('close', () => {
      if (this.#waiting.get(key) === socket) this.#waiting.delete(key);
      if (this.#busy.get(key) === socket) this.#busy.delete(key);
    });
    return true;
  }

  /** The API server is at work for it. */
  markActive(socket: Socket): void {
    moveToEnd(keyOf(socket), this.#waiting, this.#busy);
  }

  /** Its client has the next move. */
  markIdle(socket: Socket): void {
    const key = keyOf(socket);
    moveToEnd(key, this.#busy, this.#waiting);
    moveToEnd(key, this.#waiting, this.#waiting);
  }

  #evict(): boolean {
    for (const [key, socket] of this.#waiting) {
      this.#waiting.delete(key);
      socket.destroy();
      this.#onEvicted();
      return true;
    }
    return false;
  }
}

/** Puts it at the end of `to`. */
function moveToEnd(key: string, from: Map<string, Socket>, to: Map<string, Socket>): void {
  const socket = from.get(key);
  if (socket === undefined) return;
  from.delete(key);
  to.set(key, socket);
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}`;
}
