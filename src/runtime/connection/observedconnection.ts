import type { EventEmitter } from 'node:events';
import type { DetailedPeerCertificate } from 'node:tls';
import type { Phase } from './codes.js';

/** What is known of a connection that was not made. */
interface FailedConnection {
  readonly phase: Phase;
  /** DER of the certificate of the server, if it has sent one, and of those above it that are known. */
  readonly chain: readonly Uint8Array[];
}

/** By error: undici passes on the one that its connector has reported. */
const failures = new WeakMap<object, FailedConnection>();

/** What is known of the connection whose making ended with this error; undefined: there was a connection. */
export function failedConnection(error: unknown): FailedConnection | undefined {
  return typeof error === 'object' && error !== null ? failures.get(error) : undefined;
}

/** Records that no connection to the server was begun, because of this error; returns the error. */
export function notConnected(error: Error, phase: Phase): Error {
  failures.set(error, { phase, chain: failures.get(error)?.chain ?? [] });
  return error;
}

/** The parts of a TLSSocket that matter here. */
interface Connecting extends EventEmitter {
  destroy(): void;
  readonly getPeerCertificate?: (detailed: true) => DetailedPeerCertificate;
}

/** Notes how far a connection comes, so that the error of one that fails can be explained. */
export class ObservedConnection {
  #phase: Phase = 'connect';
  #certificate: DetailedPeerCertificate | undefined;

  /** `socket`: that which is being connected; `isOpen`: it goes through an open tunnel. */
  constructor(socket: unknown, isOpen: boolean) {
    if (isOpen) this.#phase = 'handshake';
    if (!isConnecting(socket)) return;
    socket.once('connect', () => (this.#phase = 'handshake'));
    // After an error of TLS on an open connection, such as an alert, Node leaves the socket open, and undici waits for its end.
    socket.on('error', () => socket.destroy());
    // Before the listener of Node that verifies the certificate: with a wrong one it closes the socket, which then knows it no
    // more. Not by getPeerX509Certificate: after it, Node 20 itself gets no certificate, and rejects every server.
    socket.prependOnceListener('secure', () => (this.#certificate = socket.getPeerCertificate?.(true)));
  }

  /** Records that it was not made, because of this error; returns the error. */
  failed(error: Error): Error {
    failures.set(error, { phase: this.#phase, chain: chainOf(this.#certificate) });
    return error;
  }
}

/** As undici's. `httpSocket`: the open tunnel through which the server is reached. */
type Connector<O, S> = (options: O, callback: (...result: [null, S] | [Error, null]) => void) => void;

/** The connector, whose errors can be explained. */
export function observed<O extends { readonly httpSocket?: unknown }, S>(connector: Connector<O, S>): Connector<O, S> {
  return (options, callback) => {
    // undici returns the socket that it connects.
    const socket: unknown = connector(options, (...[error, connected]) => {
      if (error === null) callback(null, connected);
      else callback(connection.failed(error), null);
    });
    const connection = new ObservedConnection(socket, options.httpSocket !== undefined);
  };
}

function isConnecting(socket: unknown): socket is Connecting {
  return typeof socket === 'object' && socket !== null && 'prependOnceListener' in socket;
}

/** The certificate of an authority that signs itself is its own issuer. */
function chainOf(leaf: DetailedPeerCertificate | undefined): Uint8Array[] {
  const chain = new Set<DetailedPeerCertificate>();
  for (let next = leaf; next?.raw !== undefined && !chain.has(next); next = next.issuerCertificate) chain.add(next);
  return [...chain].map(({ raw }) => raw);
}
