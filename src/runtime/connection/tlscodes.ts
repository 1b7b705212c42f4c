import { rowsOf, type Explanation } from './explanation.js';

const NO_TLS = 'correct scheme (http, https) and port of the address';
const VERSIONS = 'update the server, or the proxy before it, to TLS 1.2 or later';
const CLIENT =
  'renew the client certificate or log in again, and compare its authority with the one that the server trusts';
const SERVER_LOG = 'look at the log of the server, and of a proxy before it';
const MATERIAL = 'correct the certificate authority, the client certificate or its key in the kubeconfig';

/** `*` stands for `SSLV3`, `TLSV1` or `TLSV13`; in later releases of OpenSSL for `SSL/TLS`. */
const ALERTS: readonly Explanation[] = [
  ...rowsOf('client certificate', [
    ['ERR_SSL_*_ALERT_CERTIFICATE_REQUIRED', 'the server wants a client certificate', CLIENT],
    ['ERR_SSL_*_ALERT_CERTIFICATE_EXPIRED', 'the server rejects the client certificate as expired', CLIENT],
    ['ERR_SSL_*_ALERT_UNKNOWN_CA', 'the server does not trust the authority of the client certificate', CLIENT],
    [
      'ERR_SSL_*_ALERT_HANDSHAKE_FAILURE',
      'the server refuses the TLS handshake: it wants a client certificate, or has no cipher in common',
      CLIENT,
    ],
    ['ERR_SSL_*_ALERT_ACCESS_DENIED', 'the server denies access to the owner of the client certificate', CLIENT],
    ['ERR_SSL_*_ALERT_DECRYPT_ERROR', 'the server cannot verify the signature of the client certificate', CLIENT],
    ['ERR_SSL_*CERTIFICATE*', 'the server rejects the client certificate: {words}', CLIENT],
  ]),
  ...rowsOf('tls', [
    ['ERR_SSL_*_ALERT_PROTOCOL_VERSION', 'the server speaks no version of TLS that this program accepts', VERSIONS],
    [
      'ERR_SSL_*_UNRECOGNIZED_NAME',
      'the server does not serve the name {name}',
      'correct the host in the address, or tls-server-name',
    ],
    ['ERR_SSL_*_ALERT_*', 'the server ends the TLS connection: {words}', SERVER_LOG],
  ]),
];

/** Codes of OpenSSL and of Node's TLS. */
export const TLS_CODES: readonly Explanation[] = [
  ...rowsOf('certificate', [
    [
      'ERR_SSL_*_KEY_TOO_SMALL',
      'a certificate has a key that is too short: {words}',
      'issue another one, with RSA 2048 bits or more, or ECDSA',
    ],
    ['ERR_SSL_*_MD_TOO_WEAK', 'a certificate has a weak signature: {words}', 'issue another one, with SHA-256'],
  ]),
  ...ALERTS,
  ...rowsOf('tls', [
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'the server does not answer with TLS: it may be an HTTP server', NO_TLS],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'the server does not answer with TLS: it may be an HTTP server', NO_TLS],
    ['ERR_SSL_HTTP*_REQUEST', 'the other side speaks HTTP, not TLS', NO_TLS],
    ['ERR_SSL_*', 'TLS has failed: {words}', SERVER_LOG],
    ['ERR_TLS_HANDSHAKE_TIMEOUT', 'the TLS handshake with {at} did not end in time', SERVER_LOG],
    ['ERR_TLS_*', 'TLS has failed: {words}', SERVER_LOG],
    ['ERR_OSSL_*', 'a certificate or a key cannot be used: {words}', MATERIAL],
    ['ERR_CRYPTO_*', 'a certificate or a key cannot be used: {words}', MATERIAL],
  ]),
];

const AUTHORITY = 'give the certificate authority that issued it (certificate-authority), or correct the address';
const RENEW = 'renew it, unless the clock of this machine is wrong';
const REISSUE = 'issue another certificate for the server';

/** Why Node rejects the certificate of a server: the names of OpenSSL's X509_V_ERR_…, and Node's own. */
export const CERTIFICATE_CODES: readonly Explanation[] = [
  ...rowsOf('authority', [
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is signed by itself, and is not trusted', AUTHORITY],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate comes from an authority that is not trusted', AUTHORITY],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate comes from an authority that is not trusted', AUTHORITY],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the certificate comes from an authority that is not trusted', AUTHORITY],
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
    ['ERR_SSL_CERTIFICATE_VERIFY_FAILED', 'the certificate is rejected', AUTHORITY],
  ]),
  ...rowsOf('certificate name', [
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'the certificate is not for {name}',
      'use a name or address that it has, set tls-server-name to one of them, or issue a certificate with the missing one',
    ],
  ]),
  ...rowsOf('certificate', [
    ['CERT_HAS_EXPIRED', 'the certificate has expired', RENEW],
    ['CERT_NOT_YET_VALID', 'the certificate is not valid yet', 'set the clock of this machine, or that of the issuer'],
    ['INVALID_PURPOSE', 'the certificate is not for servers (its extended key usage lacks serverAuth)', REISSUE],
  ]),
];

/** Every other reason of OpenSSL: its names have no prefix of their own. */
export const OTHER_CERTIFICATE_CODES: readonly Explanation[] = rowsOf('certificate', [
  ['*CRL*', 'the revocation list of the issuer cannot be used: {words}', 'correct the revocation list'],
  ['CERT_*', 'the certificate is rejected: {words}', REISSUE],
  ['UNABLE_TO_*', 'the certificate is rejected: {words}', REISSUE],
  ['ERROR_IN_CERT_*', 'the certificate is rejected: {words}', REISSUE],
  ['INVALID_*', 'the certificate is rejected: {words}', REISSUE],
  ['PATH_LENGTH_EXCEEDED', 'the certificate is rejected: {words}', REISSUE],
  ['HOSTNAME_MISMATCH', 'the certificate is rejected: {words}', REISSUE],
  ['OUT_OF_MEM', 'there was no memory to verify the certificate', 'give this process more'],
  ['UNSPECIFIED', 'the certificate is rejected: {words}', REISSUE],
]);
