import { issueCertificate, SKEW_MS, type KeyPair } from '@multicluster-engine/values/certificates';
import { inspectKeyPair, type Validity } from '../vocabulary/keypair.js';

/** The names of a serving certificate and its start. */
interface ServingRequest {
  /** DNS names, the first of them the main one; at least one. */
  readonly names: readonly string[];
  /** IP addresses, if any. */
  readonly addresses?: readonly string[];
  /** Ms since the epoch. */
  readonly now: number;
}

/** A self-signed certificate, its own trust anchor, and its key. */
export interface ServingCertificate extends KeyPair {
  /** Ms since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

const DAY_MS = 24 * 3600 * 1000;
export const LIFETIME_MS = 90 * DAY_MS;
/** RFC 5280's limit. A longer name is cut to its first label, of at most 63 characters: clients read the DNS names instead. */
const MAX_COMMON_NAME = 64;
/**
 * The attribute serialNumber of a name. Clients trust a certificate and its successor at the same time; with equal names and
 * without key identifiers OpenSSL would compare with the wrong one and reject the other.
 */
const SERIAL_NUMBER = '2.5.4.5';
const NAME = /^(?:\*\.)?[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)*$/;

/**
 * Makes a key (P-256) and a certificate for it that serves the names for 90 days. The certificate is not a CA:
 * trusting it means trusting this server only.
 * @throws Error with a name that is not a DNS name
 */
export async function issueServingCertificate(request: ServingRequest): Promise<ServingCertificate> {
  const { names, addresses = [], now } = request;
  const [main] = names;
  if (main === undefined) throw new Error('names: at least one is needed');
  const wrong = names.find((name) => name.length > 253 || !NAME.test(name));
  if (wrong !== undefined) throw new Error(`names: ${JSON.stringify(wrong)} must be a DNS name in lower case`);
  // Certificate times are whole seconds.
  const notBefore = Math.floor((now - SKEW_MS) / 1000) * 1000;
  const notAfter = Math.floor(now / 1000) * 1000 + LIFETIME_MS;
  const [label = main] = main.split('.');
  const commonName = main.length <= MAX_COMMON_NAME ? main : label;
  const pair = await issueCertificate({
    subject: (serial) => [{ CN: [commonName] }, { [SERIAL_NUMBER]: [serial] }],
    notBefore,
    notAfter,
    serves: { names, addresses },
  });
  return { ...pair, notBefore, notAfter };
}

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
