import type { Socket } from 'node:net';
import type { Client } from 'undici';
import { within, type Clock, type Timer } from '../clock.js';
import type { ConnectionPool } from './connectionpool.js';
import type { Credentials } from './credentials.js';

/** From the opening of the first stream to the connection for pings, which is then about as old as the stream. */
const FIRST_MS = 1_000;
/**
 * A held connection is ended 5 s after the last answer. A Lease renewed over it would be lost after 8 s (renew deadline 10 s,
 * period 2 s).
 */
const EVERY_MS = 2_000;
const ANSWER_MS = 2_000;
/** How long the first ping may still take once the new connection has answered: a slow server answers both. */
const LATE_MS = 1_000;

interface PingerOptions {
  readonly clock: Clock;
  readonly pool: Pick<ConnectionPool, 'open' | 'client'>;
  /** Sends a request; resolves when there is an answer, whatever it says. */
  readonly ping: (client: Client, credentials: Credentials) => Promise<unknown>;
}

/**
 * Ends connections that a balancer or a router holds and forwards nothing on: a watch on one hears of no change, and does not
 * fail. client-go finds them by pings of HTTP/2. HTTP/1.1 has none, and a watch that is silent may be in order. So while there
 * are streams, one connection of their age is asked again and again. When it does not answer in time, and a new one does, every
 * connection on which nothing has arrived meanwhile is ended: 5 s after the last answer. Where a new one does not answer either,
 * the server is away, and none is ended.
 */
export class Pinger {
  readonly #options: PingerOptions;
  readonly #streams = new Set<object>();
  #client: Client | undefined;
  /** The credentials of the newest stream. */
  #credentials: Credentials | undefined;
  #timer: Timer | undefined;

  constructor(options: PingerOptions) {
    this.#options = options;
  }

  /** A stream begins with these credentials; the result is to be called at its end. */
  begin(credentials: Credentials): () => void {
    const stream = {};
    this.#streams.add(stream);
    this.#credentials = credentials;
    if (this.#streams.size === 1) this.#after(FIRST_MS);
    return () => {
      if (this.#streams.delete(stream) && this.#streams.size === 0) this.close();
    };
  }

  close(): void {
    this.#streams.clear();
    this.#timer?.cancel();
    this.#use(undefined);
  }

  #after(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(ms, () => {
      if (this.#credentials !== undefined) void this.#round(this.#credentials);
    });
  }

  async #round(credentials: Credentials): Promise<void> {
    const { clock, pool, ping } = this.#options;
    const client = (this.#client ??= pool.client(credentials));
    const heard = new Map([...pool.open].map((socket) => [socket, socket.bytesRead]));
    const sentAt = clock.monotonic();
    const answer = ping(client, credentials);
    if (!(await within(clock, ANSWER_MS, answer))) {
      // Failed before its time: the connection was closed, which says nothing about the others.
      const isClosed = clock.monotonic() - sentAt < ANSWER_MS;
      const fresh = pool.client(credentials);
      const isReached = await within(clock, ANSWER_MS, ping(fresh, credentials));
      const isHeld = !isClosed && isReached && !(await within(clock, LATE_MS, answer));
      if (this.#client === client && (isClosed || isHeld)) {
        this.#use(fresh);
        if (isHeld) endSilent(heard);
      } else destroy(fresh);
    }
    if (this.#streams.size > 0) this.#after(EVERY_MS);
  }

  #use(client: Client | undefined): void {
    destroy(this.#client);
    this.#client = client;
  }
}

/** Destroys the connections that have received nothing since. `heard`: how many bytes each had received then. */
function endSilent(heard: ReadonlyMap<Socket, number>): void {
  for (const [socket, bytes] of heard) if (socket.bytesRead === bytes) socket.destroy(new SilentError());
}

/** With the code of a peer that acknowledges no packet. */
class SilentError extends Error {
  readonly code = 'ETIMEDOUT';
}

function destroy(client: Client | undefined): void {
  client?.destroy().catch(() => undefined);
}
