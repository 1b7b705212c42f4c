import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

/** A serving certificate with its private key, both PEM, checked to belong together. */
export interface ServingPair {
  readonly cert: string;
  readonly key: string;
  /** Ms since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * Parses and checks a certificate with its key.
 * @throws Error with one line that names the wrong one of the two; it never holds any part of the key
 */
export function parseServingPair(cert: string, key: string): ServingPair {
  const leaf = certificateOf(cert);
  if (!leaf.checkPrivateKey(keyOf(key))) throw new Error('the certificate and the private key do not belong together');
  return { cert, key, notBefore: Date.parse(leaf.validFrom), notAfter: Date.parse(leaf.validTo) };
}

/** Why the certificate is not valid at that time (ms since the epoch); undefined when it is. */
export function certificateProblem(pair: ServingPair, now: number): string | undefined {
  if (now < pair.notBefore) return `the certificate is not valid before ${new Date(pair.notBefore).toISOString()}`;
  return now < pair.notAfter ? undefined : `the certificate has expired at ${new Date(pair.notAfter).toISOString()}`;
}

function certificateOf(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Error('the certificate is not an X.509 certificate in PEM');
  }
}

function keyOf(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new Error('the private key is not an unencrypted key in PEM');
  }
}
