import { getSystemErrorMap } from 'node:util';

/**
 * How far an attempt has come. `proxy`: at the proxy; `handshake`: TLS; `exchange`: the connection was open; `plain`: the same
 * without TLS.
 */
export type Phase = 'proxy' | 'connect' | 'handshake' | 'exchange' | 'plain';

/**
 * The words for a code. Placeholders: `{at}`, the addresses that were tried; `{host}`, the name in the address of the server
 * or the proxy; `{name}`, the name that the certificate must have; `{words}`, what the program says that gave the code.
 */
export interface CodeText {
  readonly area: Area;
  /** A code of Node, OpenSSL or undici, `*` stands for any text. A code without `*` goes first, then the longest. */
  readonly code: string;
  /** Only while this goes on; goes before a row without it. */
  readonly during?: Phase;
  readonly what: string;
  readonly remedy: string;
}

const PORT = 'correct scheme (http, https) and port of the address';
const ROUTE =
  'check the network of this machine: its connection, VPN, routes and firewall, and the host in the address';
const CLOSED =
  'check that the address and port are those of the API server, and the load balancer or firewall before it';
const BROKEN = 'try again; if it stays, look at the log of the API server, and the load balancer or proxy before it';
const SLOW = 'look at the load and the log of the API server, and the load balancer or proxy before it';
const AUTHORITY = 'give the certificate authority that issued it (certificate-authority), or correct the address';
const CLIENT =
  'renew the client certificate or log in again, and compare its authority with the one that the server trusts';

type Row = readonly [codes: string, what: string, remedy: string, during?: Phase];

/** By area: texts for the codes that users meet, which have a blank between them, and for each family of the others. */
const ROWS = {
  name: [
    [
      'ENOTFOUND',
      'the name {host} is not known to DNS',
      'correct the host in the address, or the DNS servers and /etc/hosts of this machine',
    ],
    [
      'EAI_AGAIN',
      'no DNS server answers for the name {host}',
      'check the network and the DNS servers of this machine (/etc/resolv.conf)',
    ],
  ],
  network: [
    [
      'ECONNREFUSED',
      'the connection is refused: nothing listens at {at}, or a firewall rejects it',
      'start the server, or correct host and port of the address',
    ],
    ['ECONNRESET', 'the other side resets the connection to {at}', CLOSED, 'connect'],
    [
      'ECONNRESET',
      'the other side closes the connection during the TLS handshake with {at}: it does not speak TLS, or it rejects this client',
      CLOSED,
      'handshake',
    ],
    [
      'ECONNRESET UND_ERR_SOCKET EPIPE ERR_STREAM_*',
      'the other side has closed the connection before the answer was complete',
      BROKEN,
    ],
    [
      'ECONNRESET UND_ERR_SOCKET',
      'the other side has closed the connection before the answer was complete, as a server does that wants TLS',
      `${PORT}; if they are right, try again`,
      'plain',
    ],
    ['ETIMEDOUT', 'nothing answers at {at}', ROUTE],
    ['ETIMEDOUT', 'the other side does not answer any more', BROKEN, 'exchange'],
    ['UND_ERR_CONNECT_TIMEOUT', 'nothing answers at {at} within 5 s', ROUTE],
    [
      'UND_ERR_CONNECT_TIMEOUT',
      '{at} accepts the connection, and does not end the TLS handshake within 5 s',
      'check that the port is that of the API server, and the load balancer or firewall before it',
      'handshake',
    ],
    ['EHOSTUNREACH', 'no route leads to {at}', ROUTE],
    ['ENETUNREACH', 'no route leads to the network of {at}', ROUTE],
    ['EACCES EPERM', 'this machine does not permit the connection to {at}', 'check its firewall and security policy'],
    ['E* UNKNOWN', 'the system reports: {words}', ROUTE],
  ],
  /** Limits of this machine. */
  machine: [
    [
      'EMFILE ENFILE',
      'too many files are open in this process or on this machine',
      'raise the limit (ulimit -n), or end what holds the files open',
    ],
    [
      'EADDRNOTAVAIL',
      'this machine has no address or free port for a connection to {at}',
      'end what holds many connections, or check its addresses',
    ],
  ],
  proxy: [
    [
      'ERR_PROXY',
      'the proxy opens no way to the server: {words}',
      'correct the proxy (proxy-url of the kubeconfig, else HTTPS_PROXY), or exempt the server from it (NO_PROXY)',
    ],
  ],
  /** The certificate of the server. */
  certificate: [
    ['CERT_HAS_EXPIRED', 'the certificate has expired', 'renew it, unless the clock of this machine is wrong'],
    ['CERT_NOT_YET_VALID', 'the certificate is not valid yet', 'set the clock of this machine, or that of the issuer'],
    [
      'ERR_SSL_*_KEY_TOO_SMALL ERR_SSL_*_MD_TOO_WEAK',
      'a certificate has a key that is too short or a signature that is weak: {words}',
      'issue another one, with RSA 2048 bits or more, or ECDSA, and with SHA-256',
    ],
    [
      // OpenSSL's X509_V_ERR_…, whose names have no prefix of their own.
      'CERT_* UNABLE_TO_* ERROR_IN_CERT_* INVALID_* *CRL* PATH_LENGTH_EXCEEDED HOSTNAME_MISMATCH OUT_OF_MEM UNSPECIFIED',
      'the certificate is rejected: {words}',
      'issue another certificate for the server',
    ],
  ],
  /** The issuer of the certificate of the server. */
  authority: [
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is signed by itself, and is not trusted', AUTHORITY],
    [
      'SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY ERR_SSL_CERTIFICATE_VERIFY_FAILED',
      'the certificate comes from an authority that is not trusted',
      AUTHORITY,
    ],
    [
      'UNABLE_TO_GET_ISSUER_CERT',
      'the trusted authority is an intermediate one, and the certificate of its issuer is missing',
      'add that certificate to the certificate authorities (certificate-authority)',
    ],
    [
      'CERT_SIGNATURE_FAILURE',
      'the signature of the certificate is wrong: it comes from another authority of the same name, or is damaged',
      AUTHORITY,
    ],
  ],
  /** The certificate of the server, which is for others. */
  'certificate name': [
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'the certificate is not for {name}',
      'use a name or address that it has, set tls-server-name to one of them, or issue a certificate with the missing one',
    ],
  ],
  'client certificate': [
    ['ERR_SSL_*_ALERT_CERTIFICATE_REQUIRED', 'the server wants a client certificate', CLIENT],
    [
      'ERR_SSL_*_ALERT_HANDSHAKE_FAILURE',
      'the server refuses the TLS handshake: it wants a client certificate, or has no cipher in common',
      CLIENT,
    ],
    [
      'ERR_SSL_*CERTIFICATE* ERR_SSL_*_ALERT_UNKNOWN_CA ERR_SSL_*_ALERT_ACCESS_DENIED ERR_SSL_*_ALERT_DECRYPT_ERROR',
      'the server rejects the client certificate: {words}',
      CLIENT,
    ],
  ],
  tls: [
    [
      'ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_PACKET_LENGTH_TOO_LONG ERR_SSL_HTTP*_REQUEST',
      'the server does not answer with TLS: it may be an HTTP server',
      PORT,
    ],
    [
      'ERR_SSL_*_ALERT_PROTOCOL_VERSION',
      'the server speaks no version of TLS that this program accepts',
      'update the server, or the proxy before it, to TLS 1.2 or later',
    ],
    [
      'ERR_SSL_*_UNRECOGNIZED_NAME',
      'the server does not serve the name {name}',
      'correct the host in the address, or tls-server-name',
    ],
    [
      'ERR_OSSL_* ERR_CRYPTO_*',
      'a certificate or a key cannot be used: {words}',
      'correct the certificate authority, the client certificate or its key in the kubeconfig',
    ],
    ['ERR_SSL_* ERR_TLS_*', 'TLS has failed: {words}', 'look at the log of the server, and of a proxy before it'],
  ],
  http: [
    ['UND_ERR_HEADERS_TIMEOUT', 'the server has accepted the request, and does not answer', SLOW],
    ['UND_ERR_BODY_TIMEOUT', 'the server has begun to answer, and stopped', SLOW],
    [
      'UND_ERR_INVALID_ARG ERR_INVALID_CHAR',
      'the request cannot be sent: its address, or a header made from the credentials, has a character that is not allowed',
      'correct the address, the token or the user name',
    ],
    ['HTTPParserError HPE_*', 'the answer is not HTTP', PORT],
    ['UND_ERR* ERR_*', 'the connection has failed: {words}', BROKEN],
  ],
} satisfies Readonly<Record<string, readonly Row[]>>;

/** What a code is about. It decides which details a sentence has beside its words. */
export type Area = keyof typeof ROWS;

export const CODE_TEXTS: readonly CodeText[] = Object.entries<readonly Row[]>(ROWS).flatMap(([area, rows]) =>
  rows.flatMap(([codes, what, remedy, during]) =>
    codes.split(' ').map((code) => ({ area: area as Area, code, what, remedy, ...(during && { during }) })),
  ),
);

const UNKNOWN: CodeText = {
  area: 'network',
  code: '*',
  what: 'the connection has failed',
  remedy: 'report it with this line: it is a fault of this program',
};

const EXACT = CODE_TEXTS.filter(({ code }) => !code.includes('*'));
const FAMILIES = CODE_TEXTS.filter(({ code }) => code.includes('*'))
  .sort((a, b) => b.code.length - a.code.length)
  .map((row) => ({ row, pattern: new RegExp(`^${row.code.replaceAll('*', '[A-Z0-9_/]*')}$`) }));

/** The words for a code, while `phase` goes on. */
export function codeText(code: string, phase?: Phase): CodeText {
  const exact = EXACT.filter((row) => row.code === code);
  const phases = phase === 'plain' ? [phase, 'exchange', undefined] : [phase, undefined];
  const row = phases.map((one) => exact.find(({ during }) => during === one)).find((found) => found !== undefined);
  return row ?? exact[0] ?? FAMILIES.find(({ pattern }) => pattern.test(code))?.row ?? UNKNOWN;
}

/** `{words}` for a code of which the error itself says nothing: the text of the system, else the code in words. */
export function wordsOf(code: string): string {
  const system = SYSTEM_TEXTS.get(code);
  if (system !== undefined) return system;
  return code
    .replace(/^(ERR_SSL|ERR_OSSL|ERR_TLS|ERR_CRYPTO|UND_ERR|ERR)_/, '')
    .toLowerCase()
    .replaceAll('_', ' ');
}

const SYSTEM_TEXTS: ReadonlyMap<string, string> = new Map(getSystemErrorMap().values());
