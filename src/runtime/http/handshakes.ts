import type { Server, Socket } from 'node:net';
import type { Clock } from '../clock.js';

interface HandshakesOptions {
  readonly clock: Clock;
  /** For the first record of a connection, ms. */
  readonly timeoutMs: number;
  /** A connection is closed before its handshake: its first record is not complete in time, or is none. */
  readonly onDropped?: () => void;
}

/** A TLS record begins with its type, two bytes of version and two of length. */
const HEADER_BYTES = 5;
const LENGTH_AT = 3;
const HANDSHAKE = 0x16;
/** TLS has no larger ones: OpenSSL rejects what claims to be. */
const MAX_RECORD_BYTES = 16 * 1024;
const HTTPS_ONLY = 'This port serves HTTPS only.\n';
const PLAIN_HTTP_RESPONSE = `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${HTTPS_ONLY.length}\r\n\r\n${HTTPS_ONLY}`;

/**
 * Begins the TLS handshakes of a server: when the first record is there, one in each turn of the event loop. A handshake
 * costs 0.3 ms or more, with an RSA key of 4096 bits 5 ms: those of many clients at once would block the requests of
 * open connections for a second.
 *
 * The newest connection is the first. When more arrive than can be served, the oldest are evicted, and a connection that
 * has waited for its turn would be evicted before its first request.
 *
 * A client that sends anything else than TLS gets one line, as text, so that one that is configured for HTTP can see why.
 */
export class Handshakes {
  readonly #options: HandshakesOptions;
  /** Connections without a complete first record, and those that wait for their turn. */
  readonly #reading = new Set<Socket>();
  readonly #ready: Socket[] = [];
  #begin: (socket: Socket) => void = () => undefined;
  #scheduled = false;

  constructor(options: HandshakesOptions) {
    this.#options = options;
  }

  /** Takes the connections of a TLS server over. To be called before anything else listens for them. */
  attach(server: Server): void {
    const listeners = server.listeners('connection');
    this.#begin = (socket) => {
      for (const listener of listeners) Reflect.apply(listener, server, [socket]);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => this.#read(socket));
  }

  /** Closes the connections whose handshakes have not begun. */
  close(): void {
    for (const socket of [...this.#reading, ...this.#ready]) socket.destroy();
  }

  #read(socket: Socket): void {
    const { clock, timeoutMs, onDropped } = this.#options;
    const timer = clock.after(timeoutMs, () => {
      onDropped?.();
      socket.destroy();
    });
    let received: Buffer = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (!isWhole(received)) return;
      end();
      if (received[0] !== HANDSHAKE) {
        onDropped?.();
        socket.end(PLAIN_HTTP_RESPONSE, () => socket.destroy());
        return;
      }
      socket.pause();
      socket.unshift(received);
      this.#enqueue(socket);
    };
    const end = (): void => {
      timer.cancel();
      this.#reading.delete(socket);
      socket.off('data', onData).off('end', onEnd).off('close', end);
    };
    const onEnd = (): void => void socket.destroy();
    socket.on('error', () => undefined);
    this.#reading.add(socket);
    socket.once('close', end).once('end', onEnd).on('data', onData);
  }

  #enqueue(socket: Socket): void {
    this.#ready.push(socket);
    socket.once('close', () => this.#remove(socket));
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#next());
  }

  #remove(socket: Socket): void {
    const at = this.#ready.lastIndexOf(socket);
    if (at >= 0) this.#ready.splice(at, 1);
  }

  #next(): void {
    const socket = this.#ready.pop();
    if (socket !== undefined) this.#begin(socket);
    this.#scheduled = this.#ready.length > 0;
    if (this.#scheduled) setImmediate(() => this.#next());
  }
}

/** Whether the bytes hold a record, or do not begin as a handshake does. */
function isWhole(bytes: Buffer): boolean {
  if (bytes[0] !== HANDSHAKE) return true;
  if (bytes.length < HEADER_BYTES) return false;
  return bytes.length >= HEADER_BYTES + Math.min(bytes.readUInt16BE(LENGTH_AT), MAX_RECORD_BYTES);
}
