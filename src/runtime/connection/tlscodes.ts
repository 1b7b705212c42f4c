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
    ['ERR_SSL_*_ALERT_NO_CERTIFICATE', 'the server wants a client certificate', CLIENT],
    ['ERR_SSL_*_ALERT_BAD_CERTIFICATE', 'the server rejects the client certificate as invalid', CLIENT],
    ['ERR_SSL_*_ALERT_UNSUPPORTED_CERTIFICATE', 'the server does not support this kind of client certificate', CLIENT],
    ['ERR_SSL_*_ALERT_CERTIFICATE_REVOKED', 'the server rejects the client certificate as revoked', CLIENT],
    ['ERR_SSL_*_ALERT_CERTIFICATE_EXPIRED', 'the server rejects the client certificate as expired', CLIENT],
    ['ERR_SSL_*_ALERT_CERTIFICATE_UNKNOWN', 'the server rejects the client certificate', CLIENT],
    ['ERR_SSL_*_ALERT_UNKNOWN_CA', 'the server does not trust the authority of the client certificate', CLIENT],
    ['ERR_SSL_*_ALERT_ACCESS_DENIED', 'the server denies access to the owner of the client certificate', CLIENT],
    ['ERR_SSL_*_ALERT_DECRYPT_ERROR', 'the server cannot verify the signature of the client certificate', CLIENT],
    ['ERR_SSL_*_CERTIFICATE_UNOBTAINABLE', 'the server cannot fetch the client certificate', CLIENT],
    ['ERR_SSL_*_BAD_CERTIFICATE_HASH_VALUE', 'the server rejects the client certificate as invalid', CLIENT],
    ['ERR_SSL_*_ALERT_UNKNOWN_PSK_IDENTITY', 'the server does not know this client', CLIENT],
    [
      'ERR_SSL_*_ALERT_HANDSHAKE_FAILURE',
      'the server refuses the TLS handshake: it wants a client certificate, or has no cipher in common',
      CLIENT,
    ],
  ]),
  ...rowsOf('tls', [
    ['ERR_SSL_*_ALERT_PROTOCOL_VERSION', 'the server speaks no version of TLS that this program accepts', VERSIONS],
    ['ERR_SSL_*_ALERT_INSUFFICIENT_SECURITY', 'the server wants stronger ciphers than there are here', SERVER_LOG],
    ['ERR_SSL_*_ALERT_INTERNAL_ERROR', 'the server reports an error of its own', SERVER_LOG],
    ['ERR_SSL_*_ALERT_NO_APPLICATION_PROTOCOL', 'the server does not speak HTTP/1.1 on this port', NO_TLS],
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
  ...ALERTS,
  ...rowsOf('tls', [
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'the server does not answer with TLS: it may be an HTTP server', NO_TLS],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'the server does not answer with TLS: it may be an HTTP server', NO_TLS],
    ['ERR_SSL_RECORD_LAYER_FAILURE', 'the server does not answer with TLS: it may be an HTTP server', NO_TLS],
    ['ERR_SSL_HTTP_REQUEST', 'the other side speaks HTTP, not TLS', NO_TLS],
    ['ERR_SSL_HTTPS_PROXY_REQUEST', 'the other side is a proxy, not a TLS server', NO_TLS],
    ['ERR_SSL_UNKNOWN_PROTOCOL', 'the server does not answer with TLS', NO_TLS],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'the server speaks no version of TLS that this program accepts', VERSIONS],
    ['ERR_SSL_UNSUPPORTED_SSL_VERSION', 'the server speaks no version of TLS that this program accepts', VERSIONS],
    ['ERR_SSL_VERSION_TOO_LOW', 'the server speaks no version of TLS that this program accepts', VERSIONS],
    ['ERR_SSL_NO_PROTOCOLS_AVAILABLE', 'this machine permits no version of TLS', 'correct its OpenSSL configuration'],
    ['ERR_SSL_NO_SHARED_CIPHER', 'server and client have no cipher in common', VERSIONS],
    ['ERR_SSL_WRONG_CIPHER_RETURNED', 'the server selects a cipher that was not offered', SERVER_LOG],
    ['ERR_SSL_DH_KEY_TOO_SMALL', 'the key exchange of the server is too weak', VERSIONS],
    ['ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED', 'the server wants an unsafe form of renegotiation', VERSIONS],
    [
      'ERR_SSL_UNEXPECTED_EOF_WHILE_READING',
      'the other side has closed the connection without the end of TLS',
      SERVER_LOG,
    ],
    ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'the TLS connection was damaged on its way', SERVER_LOG],
    ['ERR_SSL_*', 'TLS has failed: {words}', SERVER_LOG],
    ['ERR_TLS_HANDSHAKE_TIMEOUT', 'the TLS handshake with {at} did not end in time', SERVER_LOG],
    ['ERR_TLS_DH_PARAM_SIZE', 'the key exchange of the server is too weak', VERSIONS],
    ['ERR_TLS_*', 'TLS has failed: {words}', SERVER_LOG],
    ['ERR_OSSL_*', 'a certificate or a key cannot be used: {words}', MATERIAL],
    ['ERR_CRYPTO_*', 'a certificate or a key cannot be used: {words}', MATERIAL],
  ]),
];

const AUTHORITY = 'give the certificate authority that issued it (certificate-authority), or correct the address';
const RENEW = 'renew it, unless the clock of this machine is wrong';
const REISSUE = 'issue another certificate for the server';
const CRL = 'correct the revocation list';

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
    ['CERT_UNTRUSTED', 'the certificate comes from an authority that is not trusted for servers', AUTHORITY],
    ['CERT_REJECTED', 'the certificate comes from an authority that is marked as rejected', AUTHORITY],
    ['ERR_SSL_CERTIFICATE_VERIFY_FAILED', 'the certificate is rejected', AUTHORITY],
  ]),
  ...rowsOf('certificate name', [
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'the certificate is not for {name}',
      'use a name or address that it has, set tls-server-name to one of them, or issue a certificate with the missing one',
    ],
    ['ERR_TLS_CERT_ALTNAME_FORMAT', 'the names in the certificate cannot be read', REISSUE],
    ['HOSTNAME_MISMATCH', 'the certificate is not for {name}', REISSUE],
  ]),
  ...rowsOf('certificate', [
    ['CERT_HAS_EXPIRED', 'the certificate has expired', RENEW],
    ['CERT_NOT_YET_VALID', 'the certificate is not valid yet', 'set the clock of this machine, or that of the issuer'],
    ['UNABLE_TO_DECRYPT_CERT_SIGNATURE', 'the signature of the certificate cannot be read', REISSUE],
    ['UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY', 'the public key of the issuer cannot be read', REISSUE],
    ['CERT_REVOKED', 'the certificate is revoked', REISSUE],
    ['INVALID_CA', 'the issuer of the certificate is not an authority, or may not sign certificates', REISSUE],
    ['INVALID_PURPOSE', 'the certificate is not for servers (its extended key usage lacks serverAuth)', REISSUE],
    ['PATH_LENGTH_EXCEEDED', 'an authority in the chain may not issue for another authority', REISSUE],
    ['CERT_CHAIN_TOO_LONG', 'the chain of the certificate is too long', REISSUE],
    ['ERROR_IN_CERT_NOT_BEFORE_FIELD', 'the first day of the certificate cannot be read', REISSUE],
    ['ERROR_IN_CERT_NOT_AFTER_FIELD', 'the last day of the certificate cannot be read', REISSUE],
    ['UNABLE_TO_GET_CRL', 'there is no revocation list of the issuer', CRL],
    ['UNABLE_TO_DECRYPT_CRL_SIGNATURE', 'the signature of the revocation list cannot be read', CRL],
    ['CRL_SIGNATURE_FAILURE', 'the signature of the revocation list is wrong', CRL],
    ['CRL_NOT_YET_VALID', 'the revocation list is not valid yet', 'set the clock of this machine, or correct the list'],
    ['CRL_HAS_EXPIRED', 'the revocation list has expired', RENEW],
    ['ERROR_IN_CRL_LAST_UPDATE_FIELD', 'the first day of the revocation list cannot be read', CRL],
    ['ERROR_IN_CRL_NEXT_UPDATE_FIELD', 'the last day of the revocation list cannot be read', CRL],
    ['OUT_OF_MEM', 'there was no memory to verify the certificate', 'give this process more'],
    ['UNSPECIFIED', 'the certificate is rejected: {words}', REISSUE],
    [
      'ERR_SSL_*_KEY_TOO_SMALL',
      'a certificate has a key that is too short: {words}',
      'issue another one, with RSA 2048 bits or more, or ECDSA',
    ],
    ['ERR_SSL_*_MD_TOO_WEAK', 'a certificate has a weak signature: {words}', 'issue another one, with SHA-256'],
  ]),
];
