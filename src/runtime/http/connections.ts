import type { Socket } from 'node:net';

/** `evicted`: accepted in place of another one, which was closed. `rejected`: closed. */
export type Acceptance = 'accepted' | 'evicted' | 'rejected';

/**
 * The open connections of a server. At the limit, a new one replaces the one whose last response is the oldest, of those that have
 * not carried a token which the API server accepts; where there are none, of the others. A connection for which a call
 * to the API server is in progress is never replaced; an idle one, or one that waits or is in the middle of a slow
 * request, keeps no other client out.
 */
export class Connections {
  readonly #limit: number;
  /** By the client's address and port, which a TLS connection and the TCP connection below it share. Oldest first. */
  readonly #unaccepted = new Map<string, Socket>();
  readonly #accepted = new Map<string, Socket>();
  readonly #active = new Map<string, Socket>();
  /** The connections that have carried an accepted token. */
  readonly #trusted = new WeakSet<Socket>();
  /** Node puts the address together each time that it is read. */
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

  /** The API server has accepted its token. */
  markAccepted(socket: Socket): void {
    this.#trusted.add(socket);
    moveToEnd(this.#keyOf(socket), this.#unaccepted, this.#accepted);
  }

  /** A call to the API server is in progress for it. */
  markActive(socket: Socket): void {
    const key = this.#keyOf(socket);
    moveToEnd(key, this.#unaccepted, this.#active);
    moveToEnd(key, this.#accepted, this.#active);
  }

  /** No call is in progress for it: its last response is the newest. */
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
