import { inspectKeyPair, type Validity } from '../vocabulary/keypair.js';

/** A serving certificate with its private key, both PEM, checked to belong together. */
export interface ServingPair extends Validity {
  readonly cert: string;
  readonly key: string;
}

/**
 * Parses and checks a certificate with its key.
 * @throws Error with one line that names the wrong one of the two; it never holds any part of the key
 */
export function parseServingPair(cert: string, key: string): ServingPair {
  const finding = inspectKeyPair({ certificate: cert, key });
  if (finding.kind === 'unusable') throw new Error(finding.problem);
  return { cert, key, notBefore: finding.notBefore, notAfter: finding.notAfter };
}
