import { rowsOf, type Explanation } from './explanation.js';

/** Why Node rejects the certificate of a server: the names of OpenSSL's X509_V_ERR_…, and Node's own. */

const AUTHORITY = 'give the certificate authority that issued it (certificate-authority), or correct the address';
const RENEW = 'renew it, unless the clock of this machine is wrong';
const REISSUE = 'issue another certificate for the server';
const CRL = 'correct the revocation list';

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
