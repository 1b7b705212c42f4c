import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { EventEmitter } from 'node:events';
import type { DetailedPeerCertificate } from 'node:tls';
import { codeText, wordsOf, type Area, type Phase } from './codes.js';
import {
  authoritiesText,
  certificatesIn,
  certificateText,
  isOutOfDate,
  namesText,
  localTimeText,
} from './certificatetext.js';
import { bareHost } from '../vocabulary/url.js';

/** What was tried. The user and password of the proxy are not quoted. */
interface Attempted {
  readonly server: string;
  /** Where it comes from: the context and its file, say. */
  readonly origin?: string;
  readonly proxy?: string;
  readonly tls?: {
    readonly ca?: string | Uint8Array;
    readonly cert?: string | Uint8Array;
    readonly servername?: string;
  };
}

/** Which code an error has, and what may be done after it. */
interface Failure {
  readonly code: string;
  /** There was no connection, so the server has not received the request. */
  readonly unsent: boolean;
  /** It is unsent, and other certificates or keys could help: those of the kubeconfig may have been replaced. */
  readonly suspectsCredentials: boolean;
}

export function failureOf(error: unknown): Failure {
  const code = connectionCode(error);
  const { area } = codeText(code);
  // With TLS 1.3 the server rejects a client certificate after the handshake, and before it reads the request.
  const unsent = failedConnection(error) !== undefined || area === 'client certificate' || UNSENT_CODES.has(code);
  return { code, unsent, suspectsCredentials: unsent && SUSPECT.has(area) };
}

/** Without a connection whatever the error comes from. */
const UNSENT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const SUSPECT: ReadonlySet<Area> = new Set<Area>([
  'certificate',
  'authority',
  'certificate name',
  'client certificate',
  'tls',
]);

/** The code of an error of Node, OpenSSL or undici, else its name; not the message, which may contain credentials. */
export function connectionCode(error: unknown): string {
  return codeOf(errorsIn(error)[0]);
}

/**
 * One line: what was tried, what went wrong, in words and by its code, and what to do. For certificates their dates, and the time
 * here. It never has a secret.
 */
export function failureText(error: unknown, attempted: Attempted, now: number): string {
  const errors = errorsIn(error);
  const phase = phaseOf(error, errors, attempted);
  const codes = [...new Set(errors.map(codeOf))];
  const [first, ...others] = codes.map((code) => {
    const explanation = codeText(code, phase);
    const fill = (text: string): string => filled(text, { code, errors, attempted, isOfProxy: phase === 'proxy' });
    return { explanation, what: `${fill(explanation.what)} (${code})`, remedy: fill(explanation.remedy) };
  });
  if (first === undefined) return `no response from ${attemptedText(attempted)}`;
  const isUnreachableProxy = phase === 'proxy' && first.explanation.area !== 'proxy';
  const details = detailsOf(first.explanation.area, { error, attempted, now });
  const what = [first, ...others].map((one) => one.what).join(', and ');
  return [
    `no response from ${attemptedText(attempted)}: ${isUnreachableProxy ? `the proxy cannot be reached: ${what}` : what}`,
    ...(details.length === 0 ? [] : [`: ${details.join('; ')}`]),
    `; ${isUnreachableProxy ? codeText('ERR_PROXY').remedy : first.remedy}`,
  ].join('');
}

function phaseOf(error: unknown, errors: readonly unknown[], { server }: Attempted): Phase {
  const known = failedConnection(error);
  if (known !== undefined) return known.phase;
  if (textOf(errors[0], 'syscall') === 'connect') return 'connect';
  return server.startsWith('http:') ? 'plain' : 'exchange';
}

/** `https://host:6443 (context "a" of FILE) through the proxy http://proxy:3128`. */
export function attemptedText({ server, origin, proxy }: Attempted): string {
  const from = origin === undefined ? '' : ` (${origin})`;
  if (proxy === undefined) return `${server}${from}`;
  const { protocol, host } = new URL(proxy);
  return `${server}${from} through the proxy ${protocol}//${host}`;
}

/** The errors of an AggregateError, one for each address, in the order of {@link TELLING}; else the error itself. */
function errorsIn(error: unknown): readonly unknown[] {
  const errors: unknown = typeof error === 'object' && error !== null && 'errors' in error ? error.errors : [];
  if (!Array.isArray(errors) || errors.length === 0) return [error];
  const rank = (one: unknown): number => [...TELLING, codeOf(one)].indexOf(codeOf(one));
  return [...(errors as unknown[])].sort((a, b) => rank(a) - rank(b));
}

/**
 * Which error to report if several addresses fail: that of a host that answers, else that of one that does not, else a missing
 * route.
 */
const TELLING: readonly string[] = ['ECONNREFUSED', 'ECONNRESET', 'EACCES', 'EPERM', 'ETIMEDOUT', 'EHOSTUNREACH'];

function codeOf(error: unknown): string {
  const code = textOf(error, 'code');
  // The error of a write has OpenSSL's reason in its text alone.
  const reason =
    code === 'EPROTO' ? /error:[0-9A-F]{8}:SSL routines:[^:]*:([^:]+):/.exec(textOf(error, 'message'))?.[1] : '';
  if (reason !== undefined && reason !== '') return `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
  return code || textOf(error, 'name') || 'unknown';
}

interface Filling {
  readonly code: string;
  readonly errors: readonly unknown[];
  readonly attempted: Attempted;
  readonly isOfProxy: boolean;
}

/** `text` with the values of its placeholders. */
function filled(text: string, { code, errors, attempted, isOfProxy }: Filling): string {
  const own = errors.filter((error) => codeOf(error) === code);
  const { hostname, port, protocol } = new URL(isOfProxy ? (attempted.proxy ?? attempted.server) : attempted.server);
  const host = bareHost(hostname);
  const values: Readonly<Record<string, () => string>> = {
    '{at}': () => {
      const wanted = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
      const addresses = own.map((error) => addressOf(error, wanted)).filter((address) => address !== '');
      const named = addressText(host, wanted);
      return addresses.length === 0 ? named : [...new Set(addresses)].join(' and ');
    },
    '{host}': () => textOf(own[0], 'hostname') || host,
    '{name}': () => attempted.tls?.servername ?? (textOf(own[0], 'host') || host),
    '{words}': () => (SPEAKING.has(code) ? textOf(own[0], 'message') : textOf(own[0], 'reason')) || wordsOf(code),
  };
  return text.replaceAll(/\{\w+\}/g, (placeholder) => values[placeholder]?.() ?? placeholder);
}

/** Codes of errors whose own text is the reason. The text of others may quote what was sent. */
const SPEAKING: ReadonlySet<string> = new Set(['ERR_PROXY', 'UNSPECIFIED']);

/** Errors of Node have no port where it is 0. */
function addressOf(error: unknown, wantedPort: string): string {
  const address = textOf(error, 'address');
  return address === '' ? '' : addressText(address, textOf(error, 'port') || wantedPort);
}

function addressText(host: string, port: string): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

interface Tried {
  readonly error: unknown;
  readonly attempted: Attempted;
  readonly now: number;
}

function detailsOf(area: Area, { error, attempted, now }: Tried): string[] {
  const here = localTimeText(now);
  if (area === 'client certificate') return [`${ownText(attempted)}, ${here}`];
  const chain = (failedConnection(error)?.chain ?? []).map((der) => new X509Certificate(der));
  const [leaf] = chain;
  const trusted = authoritiesText(attempted.tls?.ca);
  if (area === 'authority') return leaf === undefined ? [trusted] : [`${certificateText(leaf)}, ${here}`, trusted];
  if (leaf === undefined) return [];
  if (area === 'certificate name') return [`${namesText(leaf)} (${certificateText(leaf)}), ${here}`];
  if (area !== 'certificate') return [];
  const all = [...chain, ...certificatesIn(attempted.tls?.ca ?? '')];
  return [`${certificateText(all.find((one) => isOutOfDate(one, now)) ?? leaf)}, ${here}`];
}

function ownText({ tls }: Attempted): string {
  const [own] = certificatesIn(tls?.cert ?? '');
  return own === undefined ? 'none was sent' : certificateText(own);
}

function textOf(value: unknown, key: string): string {
  if (typeof value !== 'object' || value === null || !(key in value)) return '';
  const text = (value as Record<string, unknown>)[key];
  return typeof text === 'string' || typeof text === 'number' ? String(text) : '';
}

/** What is known of a connection that was not made. */
interface FailedConnection {
  readonly phase: Phase;
  /** DER of the certificate of the server, if it has sent one, and of those above it that are known. */
  readonly chain: readonly Uint8Array[];
}

/** By error: undici passes on the one that its connector has reported. */
const failures = new WeakMap<object, FailedConnection>();

/** What is known of the connection whose making ended with this error; undefined: there was a connection. */
function failedConnection(error: unknown): FailedConnection | undefined {
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
