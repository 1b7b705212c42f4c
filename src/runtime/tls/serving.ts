// Before x509, which looks for it when it is loaded.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** The names of a serving certificate and its start. */
export interface ServingRequest {
  /** DNS names, the first of them the main one; at least one. */
  readonly names: readonly string[];
  /** IP addresses, if any. */
  readonly addresses?: readonly string[];
  /** Ms since the epoch. */
  readonly now: number;
}

/** A self-signed certificate, its own trust anchor, and its key, both PEM. */
export interface ServingCertificate {
  readonly certificate: string;
  /** PKCS #8, unencrypted. */
  readonly privateKey: string;
  /** Ms since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

const DAY_MS = 24 * 3600 * 1000;
/** 90 days. */
export const LIFETIME_MS = 90 * DAY_MS;
/** Tolerance for clients whose clocks are behind. */
const SKEW_MS = 5 * 60 * 1000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
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
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const serial = serialNumber();
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: [{ CN: [main.length <= MAX_COMMON_NAME ? main : 'gateway'] }, { [SERIAL_NUMBER]: [serial] }],
      serialNumber: serial,
      notBefore: new Date(notBefore),
      notAfter: new Date(notAfter),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([
          ...names.map((value) => ({ type: 'dns' as const, value })),
          ...addresses.map((value) => ({ type: 'ip' as const, value })),
        ]),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        await AuthorityKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  const secret = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    privateKey: `${PemConverter.encode(secret, 'PRIVATE KEY')}\n`,
    notBefore,
    notAfter,
  };
}

/** 127 random bits, never negative, in hex. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
